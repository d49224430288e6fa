package heal

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// contextDepth is how many ancestors say where on the page an element is.
const contextDepth = 5

// appendContext appends the tokens an element gives to what is inside it: the
// hashes of contextNames, without making the names.
func appendContext(tokens []uint64, e *Element) []uint64 {
	for i, a := range e.Attributes {
		if i == engine.MaxAttributes {
			break
		}
		switch a.Name {
		case "id":
			tokens = token.AppendParts(tokens, token.ID, a.Value)
		case "role":
			tokens = append(tokens, token.Hash(token.Role, token.Cut(a.Value, maxValueBytes)))
		case "aria-label":
			tokens = append(tokens, token.Hash(token.Label, token.Cut(a.Value, maxValueBytes)))
		case "class":
			token.EachField(token.Cut(a.Value, maxValueBytes), func(c string) {
				if c = token.StableClass(c); c != "" {
					tokens = append(tokens, token.Hash(token.Class, c))
				}
			})
		}
	}
	if landmark(e.Tag) {
		tokens = append(tokens, token.Hash(token.Tag, e.Tag))
	}
	return tokens
}

// contextNames returns what an element gives to what is inside it, as a
// fingerprint stores it: "i:" and a part of its id, "r:" role, "l:" label,
// "c:" class, "t:" tag.
func contextNames(e *Element) []string {
	var names []string
	for i, a := range e.Attributes {
		if i == engine.MaxAttributes {
			break
		}
		switch a.Name {
		case "id":
			token.EachPart(a.Value, func(part string) { names = append(names, "i:"+part) })
		case "role":
			names = append(names, "r:"+token.Cut(a.Value, maxValueBytes))
		case "aria-label":
			names = append(names, "l:"+token.Cut(a.Value, maxValueBytes))
		case "class":
			token.EachField(token.Cut(a.Value, maxValueBytes), func(c string) {
				if c = token.StableClass(c); c != "" {
					names = append(names, "c:"+c)
				}
			})
		}
	}
	if landmark(e.Tag) {
		names = append(names, "t:"+e.Tag)
	}
	return names
}
