package patch

import (
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// Passed is a test that passed in the run.
type Passed struct {
	Test   engine.TestResult
	Healed []string // locators that were found broken on its way
}

// Saw tells the proposer what else passed in the run. A literal that another
// test passed with unhealed is not edited: there the old locator still works,
// and who wins is for people to say.
func (p *Proposer) Saw(passed []Passed) { p.passed = passed }

// unused returns a function that says which other test passed with a literal
// as it is.
func (p *Proposer) unused(h engine.HealEvent, t *engine.TestResult) func(hit) error {
	return func(x hit) error {
		u := usage{tree: p.tree, at: x, reached: map[string]trail{}}
		for _, other := range p.passed {
			if sameTest(other.Test, h, t) || slices.Contains(other.Healed, h.Locator) {
				continue
			}
			if u.by(other.Test) {
				return fmt.Errorf("%s passed with the old locator, which stands in code that it shares (%s, line %d)",
					shown(titleOf(other.Test)), shown(x.in.path), x.line())
			}
		}
		return nil
	}
}

func titleOf(t engine.TestResult) string {
	if t.Name != "" {
		return t.Name
	}
	return t.ID
}

// sameTest reports whether a result is the healed test itself, in whatever
// environment it ran. Without the healed test's own result its title decides.
func sameTest(o engine.TestResult, h engine.HealEvent, t *engine.TestResult) bool {
	if t != nil {
		return o.Name == t.Name && o.Class == t.Class && o.File == t.File && o.Suite == t.Suite
	}
	healed, other := identify(h, nil), identify(engine.HealEvent{TestID: o.ID}, &o)
	return o.ID == h.TestID || o.Name == h.TestID || healed.own() == other.own() || healed.own() == o.Name
}

// usage tells which tests use one literal.
type usage struct {
	tree    *tree
	at      hit
	reached map[string]trail // by test file: what stands for the literal there
	files   []string         // that the test file reaches

	reaching []*source // the files that reach the literal, nil until it is needed
}

// trail are the functions, fields and fixtures that lead to a literal.
type trail struct {
	set   map[string]bool
	hook  bool // every test of the file runs it
	never bool // the file does not reach the literal
}

// by reports whether a test may use the literal. Names are compared, not
// values, so that it rather says yes: then there is no edit.
func (u *usage) by(test engine.TestResult) bool {
	for _, src := range u.sources(test) {
		if u.from(src, test) {
			return true
		}
	}
	return false
}

// from is by for a test that stands in src.
func (u *usage) from(src *source, test engine.TestResult) bool {
	names := u.names(src)
	if names.never {
		return false
	}
	tests := src.tests(identify(engine.HealEvent{TestID: test.ID}, &test))
	if src == u.at.in {
		switch at := u.at.offset(); {
		case tests.inOwn(at):
			return true
		case tests.inOther(at):
			return false
		}
	}
	if names.hook {
		return true
	}
	for name := range names.set {
		if len(src.idents["usefixtures"]) > 0 && src.says(name) {
			return true
		}
		for _, i := range src.idents[name] {
			if len(tests.own) == 0 || tests.inOwn(src.tokens[i].Start) {
				return true
			}
		}
	}
	return false
}

// sources returns the file a test stands in. When the run does not tell, they
// are the files that reach the literal and have a test of its name.
func (u *usage) sources(test engine.TestResult) []*source {
	p := Proposer{tree: u.tree}
	if src, err := p.testSource(engine.HealEvent{TestID: test.ID}, &test); err == nil && src != nil {
		return []*source{src}
	}
	var out []*source
	id := identify(engine.HealEvent{TestID: test.ID}, &test)
	for _, src := range u.reachers() {
		if len(src.tests(id).own) > 0 {
			out = append(out, src)
		}
	}
	return out
}

// reachers returns the files that reach the literal, its own among them.
func (u *usage) reachers() []*source {
	if u.reaching != nil {
		return u.reaching
	}
	u.reaching = []*source{u.at.in}
	for _, file := range u.tree.sorted() {
		lang, _ := dialectOf(file)
		if file == u.at.in.path || !sameFamily(lang, u.at.in.lang) || !slices.Contains(u.tree.reach(file), u.at.in.path) {
			continue
		}
		if src, err := u.tree.load(file); err == nil {
			u.reaching = append(u.reaching, src)
		}
	}
	return u.reaching
}

// maxRounds bounds how many calls deep a literal is followed to the tests.
const maxRounds = 8

// names returns what stands for the literal in a test file: it starts from the
// function or field around the literal and adds, round by round, what mentions
// one of the names.
func (u *usage) names(test *source) trail {
	if got, ok := u.reached[test.path]; ok {
		return got
	}
	files := u.tree.reach(test.path)
	if !slices.Contains(files, u.at.in.path) {
		u.reached[test.path] = trail{never: true}
		return u.reached[test.path]
	}
	u.files = files
	out := trail{set: map[string]bool{}}
	fresh := out.add(u.at.in.leadsTo(u.at.literal))
	for round := 0; round < maxRounds && len(fresh) > 0 && !out.hook; round++ {
		var next []string
		for _, file := range files {
			next = append(next, u.mentions(file, fresh, &out)...)
		}
		fresh = next
	}
	u.reached[test.path] = out
	return out
}

// add takes over the names of a place and returns those that are new.
func (n *trail) add(found []string, hook bool) []string {
	n.hook = n.hook || hook
	var fresh []string
	for _, name := range found {
		if !n.set[name] {
			n.set[name] = true
			fresh = append(fresh, name)
		}
	}
	return fresh
}

// mentions adds the names around each mention of the fresh ones in a file.
// Mentions inside the bodies of tests lead nowhere further.
func (u *usage) mentions(file string, fresh []string, out *trail) []string {
	text := u.tree.raw(file)
	var added []string
	for _, name := range fresh {
		if !containsWord(text, name) {
			continue
		}
		src, err := u.tree.load(file)
		if err != nil {
			continue
		}
		bodies := src.tests(nobody)
		for _, i := range src.idents[name] {
			if !anyContains(bodies.others, src.tokens[i].Start) {
				added = append(added, out.add(u.leads(src, i))...)
			}
		}
	}
	return added
}

// leads returns what the mention of a name at token i of src leads to: its
// other names, the type that inherits from it, or what the code around it is
// called by.
func (u *usage) leads(src *source, i int) (found []string, hook bool) {
	if name := src.renamed(i); name != "" {
		return []string{name}, false
	}
	if src.lang.script() && src.isDefault(i) {
		for _, file := range u.files {
			if other, err := u.tree.load(file); err == nil && other.lang.script() {
				found = append(found, u.tree.defaultNames(other, src.path)...)
			}
		}
		return found, false
	}
	if src.inImport(i) || src.onlyDeclares(i) {
		return nil, false
	}
	if name := src.heir(i); name != "" {
		return []string{name}, false
	}
	return src.leadsTo(i)
}
