package callers

import (
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// noMember are the words that stand before a parenthesis and name nothing.
var noMember = scan.WordSet("if for while switch catch func function async with using lock foreach return await new else do try synchronized when match base this super import typeof get set public private protected internal static override virtual sealed readonly partial unsafe extern abstract")

// memberNames returns the names that the header of a member declares: one, or more
// when it is not sure where the member begins, or none when it has no name that is
// known.
func (h header) memberNames() []string {
	s := h.s
	var names []string
	for j := h.start; j <= h.end; j = h.next(j) {
		switch {
		case s.Text(j) == "@":
			j = h.annotationEnd(j)
			continue
		case s.Text(j) == "=" || s.Text(j) == "=>":
			return names
		case s.Text(j) == "[" && j < h.end && len(names) == 0 && s.Dialect.IsScript():
			name, ok := h.computedName(j)
			if !ok {
				return nil
			}
			names = appendName(names, name)
		case h.namesMember(j, len(names) == 0):
			names = appendName(names, memberName(s, j))
		}
	}
	if len(names) == 0 && s.Kind(h.end) == scan.Ident {
		return h.nameOfType()
	}
	return names
}

// nameOfType returns the name of the member whose type the header ends in.
func (h header) nameOfType() []string {
	next := h.end + 1
	if h.s.Text(next) == "<" {
		next = h.s.AngleEnd(next) + 1
	}
	if h.s.Kind(next) != scan.Ident || h.s.Dialect.IsScript() {
		return nil
	}
	return []string{h.s.Text(next)}
}

func appendName(names []string, name string) []string {
	if name == "" {
		return names
	}
	return append(names, name)
}

// memberName returns the name that token j says, as a word or as a text.
func memberName(s *source.File, j int) string {
	if text, ok := s.Literal(j); ok {
		return text
	}
	return s.Text(j)
}

// annotationEnd returns the last token of the annotation whose @ is at j.
func (h header) annotationEnd(j int) int {
	s := h.s
	if s.Text(j+1) == "(" {
		return s.End(j + 1)
	}
	for j++; s.Text(j+1) == "."; {
		j += 2
	}
	if s.Text(j+1) == "<" {
		j = max(j, s.AngleEnd(j+1))
	}
	if s.Text(j+1) == "(" {
		j = s.End(j + 1)
	}
	return j
}

// computedName returns the name in the bracket at j when a member is called by it,
// "" when it is not the name of a member, and false when the name is not known.
func (h header) computedName(j int) (string, bool) {
	s, end := h.s, h.s.End(j)
	switch s.Text(end + 1) {
	case "(", "<", "=", ":", "?", "!":
		name, ok := s.Literal(j + 1)
		return name, ok && end == j+2
	}
	return "", true
}

// namesMember reports whether the word or text at j is the name of a member, by what
// follows it. first says that no other was found before it.
func (h header) namesMember(j int, first bool) bool {
	s := h.s
	script := s.Dialect.IsScript()
	allowed := script && (s.Text(j) == "get" || s.Text(j) == "set" || s.Text(j-1) == "async")
	switch kind := s.Kind(j); {
	case kind != scan.Ident && (kind != scan.String || !script), noMember[s.Text(j)] && !allowed:
		return false
	}
	next := j + 1
	if s.Text(next) == "<" {
		next = s.AngleEnd(next) + 1
	}
	if script && (s.Text(next) == "?" || s.Text(next) == "!") {
		next++
	}
	switch s.Text(next) {
	case "(", "=":
		return true
	case ";", ",":
		return !script
	case ":":
		return script
	case "=>":
		return !script
	case "{":
		return first && !script
	case "[":
		return !script && s.Text(next+1) == "]" && s.Text(next+2) == "="
	}
	return false
}
