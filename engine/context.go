package engine

import "strings"

// contextDepth is how many ancestors say where on the page an element is.
const contextDepth = 5

// appendContext appends the tokens an element gives to what is inside it: the
// hashes of contextNames, without making the names.
func appendContext(tokens []uint64, e *Element) []uint64 {
	for i, a := range e.Attributes {
		if i == MaxAttributes {
			break
		}
		switch a.Name {
		case "id":
			tokens = appendParts(tokens, seedID, a.Value)
		case "role":
			tokens = append(tokens, hashString(seedRole, cutString(a.Value, maxValueBytes)))
		case "aria-label":
			tokens = append(tokens, hashString(seedLabel, cutString(a.Value, maxValueBytes)))
		case "class":
			eachField(cutString(a.Value, maxValueBytes), func(c string) {
				if c = stableClass(c); c != "" {
					tokens = append(tokens, hashString(seedClass, c))
				}
			})
		}
	}
	if landmark(e.Tag) {
		tokens = append(tokens, hashString(seedTag, e.Tag))
	}
	return tokens
}

// contextNames returns what an element gives to what is inside it, as a
// fingerprint stores it: "i:" and a part of its id, "r:" role, "l:" label,
// "c:" class, "t:" tag.
func contextNames(e *Element) []string {
	var names []string
	for i, a := range e.Attributes {
		if i == MaxAttributes {
			break
		}
		switch a.Name {
		case "id":
			eachPart(a.Value, func(part string) { names = append(names, "i:"+part) })
		case "role":
			names = append(names, "r:"+cutString(a.Value, maxValueBytes))
		case "aria-label":
			names = append(names, "l:"+cutString(a.Value, maxValueBytes))
		case "class":
			eachField(cutString(a.Value, maxValueBytes), func(c string) {
				if c = stableClass(c); c != "" {
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

// eachPart calls f with the parts appendParts would hash.
func eachPart(value string, f func(string)) {
	value = cutString(value, 100)
	start := 0
	flush := func(end int) {
		if end-start > 1 {
			f(strings.ToLower(value[start:end]))
		}
		start = end
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		upper := c >= 'A' && c <= 'Z'
		switch {
		case upper && i > 0 && (isLower(value[i-1]) || isDigit(value[i-1])):
			flush(i)
		case !upper && !isLower(c) && !isDigit(c):
			flush(i)
			start = i + 1
		}
	}
	flush(len(value))
}
