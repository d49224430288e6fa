// Package callers finds out which tests run the code around a literal.
package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
)

// Tracer tells which tests use the literal at one token of a file.
type Tracer struct {
	tree  *checkout.Tree
	file  *source.File
	token int

	callersByFile map[string]*callers // by test file that reaches the literal
	typesByFile   map[string]*typeIndex
	reachable     []string       // the files that the current test file reaches
	reaching      []*source.File // the files that reach the literal, nil until they are needed
	unreached     bool           // no import shows how tests come to the literal
}

// New returns a Tracer of the literal at a token of a file, which is known to be used
// by the test in healed, nil when that file is not known.
func New(tree *checkout.Tree, file *source.File, token int, healed *source.File) *Tracer {
	u := &Tracer{tree: tree, file: file, token: token, callersByFile: map[string]*callers{}, typesByFile: map[string]*typeIndex{}}
	u.unreached = healed != nil && !slices.Contains(tree.ReachableFrom(healed.Path), file.Path)
	return u
}

// callers are the functions, fields and fixtures by which tests use a literal.
type callers struct {
	names map[string]bool
	hook  bool // every test of the file uses it
}

// Use is whether a test uses a literal.
type Use int

// The answers, in rising order.
const (
	Unused  Use = iota // the test's file does not reach the code of the literal
	Unnamed            // it does, and the test names nothing by which the literal is used
	Used               // the test may use it
)

// UseBy tells whether a test uses the literal. It compares names, not values, so in
// doubt it is Used, and the literal is not edited.
func (u *Tracer) UseBy(test engine.TestResult) Use {
	most := Unused
	for _, src := range u.testFiles(test) {
		most = max(most, u.useIn(src, test))
	}
	return most
}

// bodiesOf returns the bodies of a test and of the others in a file.
func bodiesOf(src *source.File, test engine.TestResult) testcode.Bodies {
	return testcode.FindBodies(src, testcode.Identify(engine.HealEvent{TestID: test.ID}, &test))
}

// useIn is UseBy for a test in src.
func (u *Tracer) useIn(src *source.File, test engine.TestResult) Use {
	found := u.callersIn(src)
	if found == nil {
		return Unused
	}
	if found.hook && src != u.file {
		return Used
	}
	tests := bodiesOf(src, test)
	if src == u.file {
		switch at := src.Tokens[u.token].Start; {
		case tests.InOwn(at):
			return Used
		case tests.InOther(at):
			return Unused
		}
	}
	if found.hook || found.usedBetween(src, tests.Own) || len(tests.Own) == 0 && u.inheritsUse(src, test, found) {
		return Used
	}
	return Unnamed
}

// usedBetween reports whether a file uses one of the names in the spans, or anywhere
// when there are none.
func (c *callers) usedBetween(src *source.File, spans []source.Span) bool {
	for name := range c.names {
		for _, i := range src.Idents[name] {
			if len(spans) == 0 || source.AnyContains(spans, src.Tokens[i].Start) {
				return true
			}
		}
	}
	if len(spans) == 0 {
		spans = []source.Span{src.Whole()}
	}
	for _, at := range spans {
		for i := src.TokenFrom(at.Start); i < len(src.Tokens) && src.Tokens[i].Start < at.End; i++ {
			if c.names[textName(src, i)] || computesName(src, i) {
				return true
			}
		}
	}
	return false
}

// MayRun reports whether a test may run the code of the literal, by the classes of the
// objects that it is called on. In doubt it may.
func (u *Tracer) MayRun(test engine.TestResult) bool {
	for _, src := range u.testFiles(test) {
		types, ok := u.typesByFile[src.Path]
		if !ok {
			types = loadTypes(u.tree, src)
			u.typesByFile[src.Path] = types
		}
		if types == nil {
			return true
		}
		r := Runner{tree: u.tree, test: src, bodies: bodiesOf(src, test), files: types.files, types: types}
		if r.MayRun(u.file, u.token) {
			return true
		}
	}
	return false
}

// inheritsUse reports whether a test that its own file does not hold, because its class
// inherits it, uses the literal where it stands.
func (u *Tracer) inheritsUse(test *source.File, result engine.TestResult, found *callers) bool {
	id := testcode.Identity{Names: []string{testcode.Identify(engine.HealEvent{TestID: result.ID}, &result).Title()}}
	for _, file := range u.tree.ReachableFrom(test.Path) {
		src, err := u.tree.Load(file)
		if err != nil || src == test {
			continue
		}
		own := testcode.FindBodies(src, id).Own
		if len(own) > 0 && (src == u.file && source.AnyContains(own, src.Tokens[u.token].Start) || found.usedBetween(src, own)) {
			return true
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
	switch {
	case slices.Contains(files, u.file.Path):
	case u.unreached:
		files = append(slices.Clone(files), u.file.Path)
	default:
		return nil
	}
	u.reachable = files
	out := &callers{names: map[string]bool{}}
	fresh := append(out.addNames(callersOf(u.file, u.token)), u.addComputedCallers(files, out)...)
	for round := 0; round < maxRounds && len(fresh) > 0 && !out.hook; round++ {
		var next []string
		for _, file := range files {
			next = append(next, u.addCallers(file, fresh, out)...)
		}
		fresh = next
	}
	out.hook = out.hook || out.namedBeside(test)
	u.callersByFile[test.Path] = out
	return out
}

// namedBeside reports whether a text outside the bodies of a file's tests says one of
// the names: that of a fixture, or of a method that gives parameters.
func (c *callers) namedBeside(test *source.File) bool {
	var others []source.Span
	for i := range test.Tokens {
		if !c.names[textName(test, i)] {
			continue
		}
		if others == nil {
			others = testcode.FindBodies(test, testcode.Nobody).Others
		}
		if !source.AnyContains(others, test.Tokens[i].Start) {
			return true
		}
	}
	return false
}

// addComputedCallers adds the callers of what calls a member by a name that is not
// known.
func (u *Tracer) addComputedCallers(files []string, out *callers) []string {
	var added []string
	for _, file := range files {
		if !mayComputeName(u.tree.Bytes(file)) {
			continue
		}
		src, err := u.tree.Load(file)
		if err != nil {
			continue
		}
		bodies := testcode.FindBodies(src, testcode.Nobody)
		for i := range src.Tokens {
			if computesName(src, i) && !source.AnyContains(bodies.Others, src.Tokens[i].Start) {
				added = append(added, out.addNames(callersOf(src, i))...)
			}
		}
	}
	return added
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
		for _, i := range append(src.Idents[name], textsNaming(src, name)...) {
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
				found = append(found, DefaultImportNames(u.tree, other, src.Path)...)
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
