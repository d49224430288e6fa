package patch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/callers"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
)

// PassedTest is a test that passed in the run.
type PassedTest struct {
	Test   engine.TestResult
	Healed []string // locators that were found broken on its way
}

// SetPassed says which tests passed in the run. A literal that another test
// passed with unhealed is not edited: the old locator still works there, and a
// person has to decide.
func (p *Proposer) SetPassed(passed []PassedTest) { p.passed = passed }

// refuseUsedByPassed returns an error when another test passed with a literal
// as it is.
func (p *Proposer) refuseUsedByPassed(x hit, h engine.HealEvent, t *engine.TestResult) error {
	tracer := callers.New(p.tree, x.in, x.literal)
	for _, other := range p.passed {
		if sameTest(other.Test, h, t) || slices.Contains(other.Healed, h.Locator) || !tracer.UsedBy(other.Test) {
			continue
		}
		return fmt.Errorf("%s passed with the old locator, which stands in code that it shares (%s, line %d)",
			source.Printable(cmp.Or(other.Test.Name, other.Test.ID)), x.in.Name(), x.line())
	}
	return nil
}

// sameTest reports whether a result is the healed test itself, in whatever
// environment it ran. Without the healed test's own result its title decides.
func sameTest(o engine.TestResult, h engine.HealEvent, t *engine.TestResult) bool {
	if t != nil {
		return o.Name == t.Name && o.Class == t.Class && o.File == t.File && o.Suite == t.Suite
	}
	healed, other := testcode.Identify(h, nil), testcode.Identify(engine.HealEvent{TestID: o.ID}, &o)
	return o.ID == h.TestID || o.Name == h.TestID || healed.Title() == other.Title() || healed.Title() == o.Name
}
