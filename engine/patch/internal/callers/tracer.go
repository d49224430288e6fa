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
	suite *Suite
	tree  *checkout.Tree
	file  *source.File
	token int

	callersByReach map[reach]*callers  // but for hook of the test file itself
	callersByFile  map[string]*callers // by test file that reaches the literal
	typesByFile    map[string]*typeIndex
	reachable      []string // the files that the current test file reaches
	unreached      bool     // no import shows how tests come to the literal
}

// Trace returns a Tracer of the literal at a token of a file, which is known to be used
// by the test in healed, nil when that file is not known.
func (s *Suite) Trace(file *source.File, token int, healed *source.File) *Tracer {
	u := &Tracer{suite: s, tree: s.tree, file: file, token: token, callersByReach: map[reach]*callers{}, callersByFile: map[string]*callers{}, typesByFile: map[string]*typeIndex{}}
	u.unreached = healed != nil && !slices.Contains(s.tree.ReachableFrom(healed.Path), file.Path)
	return u
}

// Tests yields the tests of the suite that may use the literal.
func (u *Tracer) Tests(yield func(i int) bool) {
	if !u.unreached {
		for _, i := range u.suite.testsReaching(u.file.Path) {
			if !yield(i) {
				return
			}
		}
		return
	}
	for i := range u.suite.tests {
		if !yield(i) {
			return
		}
	}
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

// UseBy tells whether test i of the suite uses the literal. It compares names, not
// values, so in doubt it is Used, and the literal is not edited.
func (u *Tracer) UseBy(i int) Use {
	most := Unused
	for _, src := range u.load(u.suite.files[i]) {
		most = max(most, u.useIn(src, u.suite.tests[i], func() []source.Span { return u.suite.bodiesIn(src, i) }))
	}
	return most
}

// UseByHealed is UseBy for a test that need not be one of the suite.
func (u *Tracer) UseByHealed(test engine.TestResult) Use {
	healed := NewSuite(u.tree, []engine.TestResult{test})
	healed.findFiles(func() {})
	most := Unused
	for _, src := range u.load(healed.files[0]) {
		most = max(most, u.useIn(src, test, func() []source.Span { return healed.bodiesIn(src, 0) }))
	}
	return most
}

// load returns those of the files that can be read.
func (u *Tracer) load(files []string) []*source.File {
	var out []*source.File
	for _, file := range files {
		if src, err := u.tree.Load(file); err == nil {
			out = append(out, src)
		}
	}
	return out
}

// bodiesOf returns the bodies of a test and of the others in a file.
func (s *Suite) bodiesOf(src *source.File, test engine.TestResult) testcode.Bodies {
	return testcode.FindBodies(src, testcode.IdentifyIn(s.tree, engine.HealEvent{TestID: test.ID}, &test))
}

// useIn is UseBy for a test in src, whose own code there is what own returns.
func (u *Tracer) useIn(src *source.File, test engine.TestResult, own func() []source.Span) Use {
	found := u.callersIn(src)
	if found == nil {
		return Unused
	}
	if found.hook && src != u.file {
		return Used
	}
	if src == u.file {
		tests := u.suite.bodiesOf(src, test)
		switch at := src.Tokens[u.token].Start; {
		case tests.InOwn(at):
			return Used
		case tests.InOther(at):
			return Unused
		}
	}
	bodies := own()
	if found.hook || u.usesBetween(found, src, bodies) || len(bodies) == 0 && u.inheritsUse(src, test, found) {
		return Used
	}
	return Unnamed
}

// usesBetween reports whether a file uses one of the names in the spans, or anywhere
// when there are none.
func (u *Tracer) usesBetween(c *callers, src *source.File, spans []source.Span) bool {
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
	mayCompute := u.suite.mayCompute(src.Path)
	for _, at := range spans {
		for i := src.TokenFrom(at.Start); i < len(src.Tokens) && src.Tokens[i].Start < at.End; i++ {
			if c.isNamedBy(src, i) || mayCompute && computesName(src, i) {
				return true
			}
		}
	}
	return false
}

// isNamedBy reports whether token i is a text that says one of the names.
func (c *callers) isNamedBy(src *source.File, i int) bool {
	text, ok := src.Literal(i)
	return ok && c.names[text] && textName(src, i) != ""
}

// MayRun reports whether test i of the suite may run the code of the literal, by the
// classes of the objects that it is called on. In doubt it may.
func (u *Tracer) MayRun(i int) bool {
	for _, src := range u.load(u.suite.files[i]) {
		types, ok := u.typesByFile[src.Path]
		if !ok {
			types = u.suite.loadTypes(src)
			u.typesByFile[src.Path] = types
		}
		if types == nil {
			return true
		}
		r := Runner{suite: u.suite, test: src, bodies: u.suite.bodiesOf(src, u.suite.tests[i]), files: types.files, types: types, hides: true}
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
		if len(own) > 0 && (src == u.file && source.AnyContains(own, src.Tokens[u.token].Start) || u.usesBetween(found, src, own)) {
			return true
		}
	}
	return false
}

// maxRounds bounds the chain of calls that is followed from a literal to the tests.
const maxRounds = 8

// callersIn returns the callers of the literal for a test file, nil for none.
func (u *Tracer) callersIn(test *source.File) *callers {
	if got, ok := u.callersByFile[test.Path]; ok {
		return got
	}
	set := u.suite.reachOf(test.Path)
	shared, ok := u.callersByReach[set]
	if !ok {
		shared = u.callersAmong(u.tree.ReachableFrom(test.Path))
		u.callersByReach[set] = shared
	}
	var out *callers
	if shared != nil {
		out = &callers{names: shared.names, hook: shared.hook || u.namedBeside(shared, test)}
	}
	u.callersByFile[test.Path] = out
	return out
}

// callersAmong returns the callers of the literal in the files that a test file reaches:
// the function or field around it, then round by round what uses one of these names.
func (u *Tracer) callersAmong(files []string) *callers {
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
		for _, name := range fresh {
			for _, file := range u.tree.FilesNaming(files, name) {
				next = append(next, u.addCallers(file, name, out)...)
			}
		}
		fresh = next
	}
	return out
}

// namedBeside reports whether a text outside the bodies of a file's tests says one of
// the names: that of a fixture, or of a method that gives parameters.
func (u *Tracer) namedBeside(c *callers, test *source.File) bool {
	var others []source.Span
	for i := range test.Tokens {
		if !c.isNamedBy(test, i) {
			continue
		}
		if others == nil {
			others = u.suite.testsIn(test)
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
		if !u.suite.mayCompute(file) {
			continue
		}
		src, err := u.tree.Load(file)
		if err != nil {
			continue
		}
		tests := u.suite.testsIn(src)
		for i := range src.Tokens {
			if computesName(src, i) && !source.AnyContains(tests, src.Tokens[i].Start) {
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

// addCallers adds the callers of each use of a fresh name in a file, except in
// the bodies of tests, and returns the new ones.
func (u *Tracer) addCallers(file, name string, out *callers) []string {
	src, err := u.tree.Load(file)
	if err != nil {
		return nil
	}
	var added []string
	tests := u.suite.testsIn(src)
	for _, i := range append(src.Idents[name], textsNaming(src, name)...) {
		if !source.AnyContains(tests, src.Tokens[i].Start) {
			added = append(added, out.addNames(u.callersAt(src, i))...)
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
