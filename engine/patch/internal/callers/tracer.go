// Package callers finds out which tests run the code around a literal.
package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
)

// Tracer tells which tests use the literal at one token of a file.
type Tracer struct {
	tree  *checkout.Tree
	file  *source.File
	token int

	callersByFile map[string]*callers // by test file that reaches the literal
	reachable     []string            // the files that the current test file reaches
	reaching      []*source.File      // the files that reach the literal, nil until they are needed
}

// New returns a Tracer of the literal at a token of a file.
func New(tree *checkout.Tree, file *source.File, token int) *Tracer {
	return &Tracer{tree: tree, file: file, token: token, callersByFile: map[string]*callers{}}
}

// callers are the functions, fields and fixtures by which tests use a literal.
type callers struct {
	names map[string]bool
	hook  bool // every test of the file uses it
}

// UsedBy reports whether a test may use the literal. It compares names, not
// values, so in doubt it is true, and the literal is not edited.
func (u *Tracer) UsedBy(test engine.TestResult) bool {
	return slices.ContainsFunc(u.testFiles(test), func(src *source.File) bool { return u.usedIn(src, test) })
}

// usedIn is UsedBy for a test in src.
func (u *Tracer) usedIn(src *source.File, test engine.TestResult) bool {
	found := u.callersIn(src)
	if found == nil {
		return false
	}
	tests := testcode.FindBodies(src, testcode.Identify(engine.HealEvent{TestID: test.ID}, &test))
	if src == u.file {
		switch at := src.Tokens[u.token].Start; {
		case tests.InOwn(at):
			return true
		case tests.InOther(at):
			return false
		}
	}
	if found.hook {
		return true
	}
	for name := range found.names {
		if len(src.Idents["usefixtures"]) > 0 && src.HasString(name) {
			return true
		}
		for _, i := range src.Idents[name] {
			if len(tests.Own) == 0 || tests.InOwn(src.Tokens[i].Start) {
				return true
			}
		}
	}
	return false
}

// testFiles returns the file of a test. When the run does not name it, these are
// the files that reach the literal and have a test of that name.
func (u *Tracer) testFiles(test engine.TestResult) []*source.File {
	if src, err := testcode.FileOf(u.tree, engine.HealEvent{TestID: test.ID}, &test); err == nil && src != nil {
		return []*source.File{src}
	}
	id := testcode.Identify(engine.HealEvent{TestID: test.ID}, &test)
	if u.reaching == nil {
		u.reaching = u.tree.FilesReaching(u.file, "")
	}
	return slices.DeleteFunc(slices.Clone(u.reaching), func(src *source.File) bool { return len(testcode.FindBodies(src, id).Own) == 0 })
}

// maxRounds bounds the chain of calls that is followed from a literal to the tests.
const maxRounds = 8

// callersIn returns the callers of the literal for a test file: the function or
// field around it, then round by round what uses one of these names.
func (u *Tracer) callersIn(test *source.File) *callers {
	if got, ok := u.callersByFile[test.Path]; ok {
		return got
	}
	files := u.tree.ReachableFrom(test.Path)
	if !slices.Contains(files, u.file.Path) {
		return nil
	}
	u.reachable = files
	out := &callers{names: map[string]bool{}}
	fresh := out.addNames(callersOf(u.file, u.token))
	for round := 0; round < maxRounds && len(fresh) > 0 && !out.hook; round++ {
		var next []string
		for _, file := range files {
			next = append(next, u.addCallers(file, fresh, out)...)
		}
		fresh = next
	}
	u.callersByFile[test.Path] = out
	return out
}

// addNames adds the names of a place and returns those that are new.
func (c *callers) addNames(found []string, hook bool) []string {
	c.hook = c.hook || hook
	var fresh []string
	for _, name := range found {
		if !c.names[name] {
			c.names[name] = true
			fresh = append(fresh, name)
		}
	}
	return fresh
}

// addCallers adds the callers of each use of the fresh names in a file, except in
// the bodies of tests, and returns the new ones.
func (u *Tracer) addCallers(file string, fresh []string, out *callers) []string {
	text := u.tree.Bytes(file)
	var added []string
	for _, name := range fresh {
		if !source.ContainsWord(text, name) {
			continue
		}
		src, err := u.tree.Load(file)
		if err != nil {
			continue
		}
		bodies := testcode.FindBodies(src, testcode.Nobody)
		for _, i := range src.Idents[name] {
			if !source.AnyContains(bodies.Others, src.Tokens[i].Start) {
				added = append(added, out.addNames(u.callersAt(src, i))...)
			}
		}
	}
	return added
}

// callersAt returns the callers of a name that is used at token i of src: its
// other names, the type that inherits from it, or the function around it.
func (u *Tracer) callersAt(src *source.File, i int) (found []string, hook bool) {
	if name := otherName(src, i); name != "" {
		return []string{name}, false
	}
	if src.Dialect.IsScript() && isDefaultExport(src, i) {
		for _, file := range u.reachable {
			if other, err := u.tree.Load(file); err == nil && other.Dialect.IsScript() {
				found = append(found, defaultImportNames(u.tree, other, src.Path)...)
			}
		}
		return found, false
	}
	if src.InImport(i) || onlyDeclares(src, i) {
		return nil, false
	}
	if name := src.Subtype(i); name != "" {
		return []string{name}, false
	}
	return callersOf(src, i)
}

// onlyDeclares reports whether the name at i is given a value or a type there,
// or is a key.
func onlyDeclares(s *source.File, i int) bool {
	next := s.Text(i + 1)
	return next == "=" || next == ":" && (s.Text(i+2) == "=" || s.Text(i-1) == "{" || s.Text(i-1) == "," || s.Text(i-1) == ";")
}

// otherName returns the new name that the name at i gets: by an import or export
// (a as b), or by destructuring ({ a: b } = x). It is "" when it gets none.
func otherName(s *source.File, i int) string {
	if s.Kind(i+2) != scan.Ident {
		return ""
	}
	if sign := s.Text(i + 1); sign == "as" && s.InImport(i) || sign == ":" && s.IsDestructured(i) {
		return s.Text(i + 2)
	}
	return ""
}

// isDefaultExport reports whether the name at i is the default export of the file:
// export default x, module.exports = x.
func isDefaultExport(s *source.File, i int) bool {
	if s.Text(i-1) == "=" && s.Text(i-2) == "exports" {
		return true
	}
	for i--; i >= 0; i-- {
		switch s.Text(i) {
		case "async", "function", "class", "abstract", "*", "new":
		case "default":
			return s.Text(i-1) == "export"
		default:
			return false
		}
	}
	return false
}

// defaultImportNames returns the names that a script gives to the default export of
// file: import x from, import { default as x }, x = require().
func defaultImportNames(t *checkout.Tree, s *source.File, file string) []string {
	var out []string
	for i, tok := range s.Tokens {
		if tok.Kind != scan.String || !slices.Contains(t.ResolveModule(s.Path, tok.Lit.Value), file) {
			continue
		}
		switch {
		case s.Text(i-1) == "from":
			out = append(out, defaultNamesInClause(s, i-2)...)
		case s.Text(i-1) == "(" && s.Text(i-2) == "require" && s.Text(i-3) == "=":
			out = append(out, s.Text(i-4))
		}
	}
	return out
}

// defaultNamesInClause returns the names of the default export in an import clause
// that ends in token i.
func defaultNamesInClause(s *source.File, i int) []string {
	var out []string
	for ; i >= 0 && s.Text(i) != "import" && s.Text(i) != ";"; i-- {
		switch before := s.Text(i - 1); {
		case s.Kind(i) != scan.Ident:
		case before == "import", before == "type" && s.Text(i-2) == "import", before == "as" && s.Text(i-2) == "default":
			out = append(out, s.Text(i))
		}
	}
	return out
}
