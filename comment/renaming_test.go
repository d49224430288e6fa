package comment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

// A class that three locators have is one line, one diff and still three locators.
func TestANameOfSeveralLocatorsIsOneLine(t *testing.T) {
	run := outcome.Run{Counts: outcome.Counts{Tests: 4, Passed: 4}}
	for i, chain := range []string{".card >> nth=0 >> %s", ".card >> nth=1 >> %s", ".card %s", ".tile %s"} {
		was, now := fmt.Sprintf(chain, ".add"), fmt.Sprintf(chain, ".buy")
		if i == 3 {
			now = fmt.Sprintf(chain, ".order")
		}
		run.Proposals = append(run.Proposals, patch.Proposal{Locator: now, Place: 1, Confidence: .98,
			Heal: engine.HealEvent{TestID: engine.TestID(fmt.Sprint("a.spec.ts › test ", i)), Locator: was, HealedLocator: now, Outcome: engine.OutcomeHealed, Confidence: .98},
			Edit: &patch.Edit{File: "a.spec.ts", Line: 3 + i, Before: "  await x.locator('" + was + "').click();", After: "  await x.locator('" + now + "').click();"}})
	}
	text := Render(run, Options{})
	for _, want := range []string{
		"4 locators healed in 4 tests",
		"- `.add` → `.buy` · 3 tests · `a.spec.ts:3` and 2 more places · match 98% · place 100% · 3 locators\n",
		"- `.tile .add` → `.tile .order` · `test 3` · `a.spec.ts:6` · match 98% · place 100%\n",
		"<summary>Diff of <code>a.spec.ts:3</code> and 2 more places</summary>",
		"<summary>Diff of <code>a.spec.ts:6</code></summary>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	for i := range run.Proposals {
		if after := run.Proposals[i].Edit.After; strings.Count(text, "\n+"+after+"\n") != 1 {
			t.Errorf("%q is not there once", after)
		}
	}
}
