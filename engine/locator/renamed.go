package locator

import "strings"

// Renamed returns the one part in which two chains differ, or the one compound selector in
// which their CSS does, as it was and as it is, each as an engine's selector. It returns false
// where more than one differs or the whole locator does, and where the difference is a
// place in a list, which is no name.
func Renamed(old, next string) (was, now string, ok bool) {
	a, err := Parse(old)
	if err != nil {
		return "", "", false
	}
	b, err := Parse(next)
	if err != nil {
		return "", "", false
	}
	at, why := Differing(a, b)
	if why != "" || a.Parts[at].Kind == KindNth {
		return "", "", false
	}
	if a.Parts[at].Kind == KindCSS {
		if was, now, ok = renamedCompound(a.Parts[at].Value, b.Parts[at].Value); ok {
			return was, now, true
		}
	}
	one := func(s Selector) string { return Selector{Parts: s.Parts[at : at+1]}.String() }
	return one(a), one(b), len(a.Parts) > 1
}

// renamedCompound returns the one compound in which two CSS selectors differ, false where
// one of them is nothing else.
func renamedCompound(old, next string) (was, now string, ok bool) {
	before, readable := compoundsOf(old)
	after, alike := compoundsOf(next)
	if !readable || !alike || len(before) != len(after) || len(before) < 2 {
		return "", "", false
	}
	for i := range before {
		switch x, y := before[i].text, after[i].text; {
		case x == y:
		case ok || strings.TrimSpace(x) == "" || strings.TrimSpace(y) == "":
			return "", "", false
		default:
			was, now, ok = x, y, true
		}
	}
	return was, now, ok
}
