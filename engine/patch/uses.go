package patch

import (
	"bytes"
	"slices"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// run is tokens first to last.
type run struct{ first, last int }

// uses returns the places of s that take the value of k. It reports false when
// one of them does more with it than name it. own is the file that declares k.
func (s *source) uses(k constant, own bool) ([]run, bool) {
	var out []run
	for _, j := range s.idents[k.name] {
		if own && (j == k.at || !k.scope.contains(s.tokens[j].Start)) {
			continue
		}
		if s.at(j+1) == "as" && s.inImport(j) {
			return nil, false // under its other name it may do anything
		}
		if s.onlyNames(k, j) {
			continue
		}
		first := s.leftmost(j)
		if s.member(first) || s.givesValue(j) {
			return nil, false
		}
		out = append(out, run{first, j})
	}
	if !k.entry {
		return out, true
	}
	for _, j := range s.idents[k.owner] { // the whole object handed on under another name
		next := s.at(j + 1)
		if next != "." && next != "?." && next != "[" && next != ":" && next != "=" && !s.inImport(j) && s.at(j-1) != "default" && !s.member(j) {
			return nil, false
		}
		if next == "." && wholeObject[s.at(j+2)] && s.at(j+3) == "(" {
			return nil, false
		}
		if _, literal := s.literal(j + 2); next == "[" && (!literal || s.at(j+3) != "]") { // x[name]
			out = append(out, run{s.leftmost(j), s.end(j + 1)})
		}
	}
	for i, tok := range s.tokens { // x["name"]
		if tok.Kind == scan.String && tok.Lit.Value == k.name && s.at(i-1) == "[" && s.at(i+1) == "]" && s.kind(i-2) == scan.Ident {
			out = append(out, run{s.leftmost(i - 2), i + 1})
		}
	}
	return out, true
}

// wholeObject are the methods that give all entries of an object, or one by a
// name that nothing here follows.
var wholeObject = names("get items values keys pop entries forEach map getOrDefault")

// leftmost returns the first name of the dotted path that token j ends.
func (s *source) leftmost(j int) int {
	for s.member(j) && s.kind(j-2) == scan.Ident {
		j -= 2
	}
	return j
}

// onlyNames reports whether the name at j is no use of k: its declaration, an
// import or export, or another thing of the same spelling.
func (s *source) onlyNames(k constant, j int) bool {
	next, before := s.at(j+1), s.at(j-1)
	open := s.parent[j]
	switch {
	case s.inImport(j):
		return true
	case s.member(j):
		return k.member && s.kind(j-2) == scan.Ident && !k.mayOwn(s.at(j-2))
	case k.member && (s.lang.script() || s.lang.scan == scan.Python):
		return !s.unpacked(j)
	case next == ":" && open >= 0 && s.at(open) == "{" && (before == "{" || before == ","): // a key
		return true
	case next == "=" && open >= 0 && s.at(open) == "(" && s.lang.scan == scan.Python: // a keyword
		return true
	}
	return next == ";" && s.kind(j-1) == scan.Ident && before != "return" && s.lang.print != locator.Go // declared only
}

// inImport reports whether token j stands in an import or export statement.
func (s *source) inImport(j int) bool {
	for i := j - 1; i >= 0 && j-i < 200; i-- {
		switch s.at(i) {
		case "import":
			return !s.member(i)
		case "export":
			return s.at(i+1) == "{"
		case ";", "(", ")", "=", "=>", ":":
			if s.lang.scan != scan.Python || s.at(i) != "(" {
				return false
			}
		}
		if s.kind(i) == scan.String {
			return false
		}
	}
	return false
}

// unpacked reports whether the bare name at j is taken out of an object:
// const { name } = x.
func (s *source) unpacked(j int) bool {
	open := s.parent[j]
	return open >= 0 && s.at(open) == "{" && s.at(s.end(open)+1) == "="
}

// givesValue reports whether the name at j is assigned to.
func (s *source) givesValue(j int) bool {
	next := s.at(j + 1)
	return next == "=" || (next == "+" || next == ":") && s.at(j+2) == "="
}

// users returns the files that may use k, the declaring one first: those that
// have its name in them and reach its file by import.
func (t *tree) users(s *source, k constant) []*source {
	out := []*source{s}
	local := k.scope != span{0, len(s.text)}
	if k.private || local {
		return out
	}
	t.list()
	for _, file := range t.sorted() {
		lang, _ := dialectOf(file)
		if file == s.path || !sameFamily(lang, s.lang) || !containsWord(t.raw(file), k.name) || !slices.Contains(t.reach(file), s.path) {
			continue
		}
		if other, err := t.load(file); err == nil {
			out = append(out, other)
		}
	}
	return out
}

func sameFamily(a, b dialect) bool { return a.scan == b.scan || a.script() && b.script() }

// containsWord reports whether text holds word as a whole identifier.
func containsWord(text []byte, word string) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(word))
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(word)
		if (start == 0 || !wordByte(text[start-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		at = end
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
