package ci

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
)

// propose works out an edit for every healed locator and suggests those that are
// sure enough.
func (r *run) propose() {
	proposer := patch.New(r.source)
	proposer.SetPassed(r.passedTests())
	var proposals []patch.Proposal
	for _, h := range r.heals {
		if h.Outcome != engine.OutcomeHealed {
			r.outcome.Refused = append(r.outcome.Refused, h)
			continue
		}
		var test *engine.TestResult
		if found, ok := r.index.Find(h.TestID); ok {
			test = &found
		}
		p := proposer.Propose(h, test)
		switch {
		case p.Edit == nil:
		case h.Trace != "":
			p.Note = strings.TrimPrefix(p.Note+"; from the trace of the failed test and not tried: the test stays red until it passes with it", "; ")
		case test != nil && test.Final().Status.Failing():
			p.Edit, p.Note, p.Confidence = nil, "", h.Confidence
			p.Reason = "the test failed all the same, so nothing shows that this is the right element"
		}
		proposals = append(proposals, p)
	}
	r.outcome.Proposals = patch.Resolve(proposals)
	r.suggestEdits()
}

// passedTests returns the tests that passed, each with the locators that were
// found broken in it. The same test in several environments counts as one: an
// event seldom says which it comes from.
func (r *run) passedTests() []patch.PassedTest {
	type name struct{ file, suite, class, title string }
	nameOf := func(r engine.TestResult) name { return name{r.File, r.Suite, r.Class, r.Name} }
	broken := map[name][]string{}
	for _, h := range r.heals {
		test := name{title: lastTitle(h.TestID)}
		if found, ok := r.index.Find(h.TestID); ok {
			test = nameOf(found)
		}
		broken[test] = append(broken[test], h.Locator)
	}
	var passed []patch.PassedTest
	for _, result := range r.collected.results {
		if result.Final().Status == engine.StatusPassed {
			passed = append(passed, patch.PassedTest{Test: result, Healed: slices.Concat(broken[nameOf(result)], broken[name{title: result.Name}])})
		}
	}
	return passed
}

// lastTitle returns what stands behind the last › or :: of a test id.
func lastTitle(id string) string {
	for _, separator := range []string{"›", "::"} {
		if i := strings.LastIndex(id, separator); i >= 0 {
			id = id[i+len(separator):]
		}
	}
	return strings.TrimSpace(id)
}
