package patch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/callers"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// PassedTest is a test that passed in the run.
type PassedTest struct {
	Test  engine.TestResult
	Heals []engine.HealEvent // of the locators that were found broken on its way
}

// brokenLocators returns those locators as the test has them.
func (t PassedTest) brokenLocators() []string {
	var broken []string
	for _, h := range t.Heals {
		broken = append(broken, h.Locator)
	}
	return broken
}

// lostPart is what one part of a locator became on the way of a test.
type lostPart struct{ before, was, now string }

// lostPartOf returns that of a change. Positions before the part tell one of several alike,
// and not what was renamed.
func lostPartOf(c change) lostPart {
	var before strings.Builder
	for _, p := range c.before {
		if p.Kind != locator.KindNth {
			before.WriteString(p.Raw + " >> ")
		}
	}
	return lostPart{before.String(), c.old.Raw, c.new.Raw}
}

// lostParts returns those of the heals of a test.
func (t PassedTest) lostParts() []lostPart {
	var lost []lostPart
	for _, h := range t.Heals {
		next, why := locator.Replacement(h)
		if why != "" || h.Outcome != engine.OutcomeHealed || locator.ProofOf(h, next) == locator.Ambiguous {
			continue
		}
		if c, err := changeOf(h, next); err == nil && c.around == nil {
			lost = append(lost, lostPartOf(c))
		}
	}
	return lost
}

// SetPassed says which tests passed in the run. A literal that another test
// passed with unhealed is not edited: the old locator still works there, and a
// person has to decide.
func (p *Proposer) SetPassed(passed []PassedTest) {
	p.passed = passed
	p.lost = make([][]lostPart, len(passed))
	tests := make([]engine.TestResult, len(passed))
	for i, t := range passed {
		tests[i], p.lost[i] = t.Test, t.lostParts()
	}
	p.suite = callers.NewSuite(p.tree, tests)
}

// refuseUsedByPassed returns an error when another test passed with a literal
// as it is. When not even the healed test is seen to use the literal, every test that
// could is one.
func (p *Proposer) refuseUsedByPassed(x hit, s *scope, h engine.HealEvent, t *engine.TestResult) error {
	places := x.traced
	if len(places) == 0 {
		places = []values.Use{{In: x.in, First: x.literal}}
	}
	user, unclear, isSeen := "", "", false
	for _, u := range places {
		tracer := p.suite.Trace(u.In, u.First, s.testReaching(u.In))
		isUser, mayBe := p.passedUser(tracer, s.change, h, t, func(o PassedTest) bool {
			return x.cell != nil && x.cell.LooksForOther(u, o.Test, s.healed) || x.isLostBy(o, s.change)
		})
		user, unclear = cmp.Or(user, isUser), cmp.Or(unclear, mayBe)
		isSeen = isSeen || unclear != "" && tracer.UseByHealed(s.healed) == callers.Used
	}
	for _, u := range x.computed { // it may take this value, whatever the test names
		if user == "" {
			user, _ = p.passedUser(p.suite.Trace(u.In, u.First, s.testReaching(u.In)), s.change, h, t, nil)
		}
	}
	if user != "" {
		return fmt.Errorf("%s passed with the old locator, which stands in code that it shares: %s, line %d", user, x.in.Name(), x.line())
	}
	if unclear != "" && !isSeen {
		return fmt.Errorf("%s passed with the old locator, which it may share: how tests come to line %d of %s cannot be told", unclear, x.line(), x.in.Name())
	}
	return nil
}

// passedUser returns the name of another test that passed, unhealed, with the literal of a
// tracer, and else that of one which may have; "" for none. Tests that isOther reports have
// another literal in its place, and one that lost the same part in another chain,
// `.row >> nth=1` for `.row >> nth=0`, lost the literal.
func (p *Proposer) passedUser(tracer *callers.Tracer, c change, h engine.HealEvent, t *engine.TestResult, isOther func(PassedTest) bool) (user, unclear string) {
	for i := range tracer.Tests {
		other := p.passed[i]
		lostTheSame := slices.Contains(other.brokenLocators(), h.Locator) || slices.Contains(p.lost[i], lostPartOf(c))
		if lostTheSame || isOther != nil && isOther(other) || sameTest(other.Test, h, t) {
			continue
		}
		name := source.Printable(cmp.Or(other.Test.Name, string(other.Test.ID)))
		switch use := tracer.UseBy(i); {
		case use == callers.Used && tracer.MayRun(i):
			return name, ""
		case use != callers.Unused:
			unclear = cmp.Or(unclear, name)
		}
	}
	return "", unclear
}

// isLostBy reports whether another test lost what the same composition made of its own data,
// and the same texts in it became the same: #row-7 that is #line-7, for `#row-${id}`.
func (x hit) isLostBy(o PassedTest, c change) bool {
	if x.composed == nil || x.Text != c.old.Value {
		return false
	}
	isCSS := x.Kind == locator.KindCSS
	ours, ok := x.composed.Rewrite(x.Text, x.value, isCSS)
	return ok && slices.ContainsFunc(o.Heals, func(h engine.HealEvent) bool {
		next, why := locator.Replacement(h)
		if why != "" || h.Outcome != engine.OutcomeHealed || locator.ProofOf(h, next) == locator.Ambiguous {
			return false
		}
		other, err := changeOf(h, next)
		if err != nil || other.old.Kind != c.old.Kind || !slices.EqualFunc(other.before, c.before, func(a, b locator.Part) bool { return a.Raw == b.Raw }) {
			return false
		}
		theirs, ok := x.composed.Rewrite(other.old.Value, other.new.Value, isCSS)
		return ok && slices.Equal(ours, theirs)
	})
}

// sameTest reports whether a result is the healed test itself, in whatever
// environment it ran. Without the healed test's own result its title decides.
func sameTest(o engine.TestResult, h engine.HealEvent, t *engine.TestResult) bool {
	if t != nil {
		return o.Name == t.Name && o.Class == t.Class && o.File == t.File && o.Suite == t.Suite
	}
	healed, other := testcode.Identify(h, nil), testcode.Identify(engine.HealEvent{TestID: o.ID}, &o)
	return o.ID == h.TestID || o.Name == string(h.TestID) || healed.Title() == other.Title() || healed.Title() == o.Name
}
