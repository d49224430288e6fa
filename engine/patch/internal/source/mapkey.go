package source

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// MapKey returns the key of which the literal at i is the value in a map, and where the code
// of that map begins, or its name where it is put into one. The key is -1 for none.
func (s *File) MapKey(i int) (key, start int) {
	if i < 2 || i >= len(s.Tokens) || s.Parent[i] < 0 {
		return -1, -1
	}
	open, before := s.Parent[i], s.Text(i-1)
	c := s.Callee(open)
	isText := func(j int) bool { _, ok := s.Literal(j); return ok }
	inPair := before == "," && i-3 == open && isText(i-2)
	switch lang := s.Dialect.Scan; {
	case lang == scan.Python:
		if name := s.Text(c); before == "=" && (name == "dict" || name == "SimpleNamespace") && s.Text(open) == "(" {
			return i - 2, s.Leftmost(c)
		}
	case s.Dialect.IsScript():
		list := s.Parent[max(open, 0)]
		around := s.Parent[max(list, 0)]
		if m := s.Callee(around); inPair && s.Text(open) == "[" && s.Text(list) == "[" && s.Text(around) == "(" && s.Text(m) == "Map" && s.Text(m-1) == "new" {
			return i - 2, m - 1
		}
	case lang == scan.Java:
		entry := s.Text(c) == "entry" && inPair
		if entry {
			c = s.Callee(s.Parent[max(s.Leftmost(c), 0)])
		}
		if isMap := s.IsMember(c) && s.Text(c-2) == "Map"; isMap && entry && s.Text(c) == "ofEntries" ||
			isMap && s.Text(c) == "of" && before == "," && isText(i-2) && s.ArgumentIndex(open, i)%2 == 1 {
			return i - 2, s.Leftmost(c)
		}
	case lang == scan.CSharp:
		switch list := s.Parent[max(open, 0)]; {
		case before == "=" && s.Text(i-2) == "]" && s.End(i-2) == i-4 && isText(i-3) && (s.Text(i-5) == "{" || s.Text(i-5) == ","):
			return i - 3, s.newBefore(open)
		case inPair && s.Text(open) == "{" && s.Text(list) == "{":
			return i - 2, s.newBefore(list)
		}
	}
	if PutsIntoMap[s.Text(c)] && inPair && s.IsMember(c) && s.makesMap(s.Text(c-2)) {
		return i - 2, c - 2
	}
	return -1, -1
}

// makesMap reports whether a name gets a new map somewhere in the file.
func (s *File) makesMap(name string) bool {
	return slices.ContainsFunc(s.AssignedValues(name), func(i int) bool { return s.Text(i) == "new" })
}

// newBefore returns where the expression begins that makes the object whose initializer
// opens at a brace: new() {, new Dictionary<string, string> {.
func (s *File) newBefore(brace int) int {
	for i, n := brace-1, 0; i > 0 && n < 12; i, n = i-1, n+1 {
		switch s.Text(i) {
		case "new":
			return i
		case ";", "{", "}", "=":
			return -1
		}
	}
	return -1
}

// Leftmost returns the first name of the dotted path that ends in token j.
func (s *File) Leftmost(j int) int {
	for s.IsMember(j) && s.Kind(j-2) == scan.Ident {
		j -= 2
	}
	return j
}

// PutsIntoMap are the methods that put a value into a map under a key.
var PutsIntoMap = scan.WordSet("put set Add")
