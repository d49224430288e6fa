package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// Of several values that names get at once each belongs to the name at its place. Where that
// is not certain there is no edit, and no other name's tests are asked instead.
func TestAValueBelongsToTheNameAtItsPlace(t *testing.T) {
	for line, want := range map[string]bool{
		`SAVE, CANCEL = "#save", "#x"`:                true,
		`CANCEL, SAVE = "#x", "#save"`:                true,
		`(CANCEL, SAVE) = ("#x", "#save")`:            true,
		`[CANCEL, SAVE] = ["#x", "#save"]`:            true,
		`SAVE, CANCEL = ["#save", "#x"]`:              true,
		`SAVE, CANCEL = CANCEL_OLD, "#save"`:          false,
		`SAVE, CANCEL = "#save", "#x", "#y"`:          false,
		`SAVE, _ = "#x", "#save"`:                     false,
		`SAVE, *OTHERS = "#save", "#x"`:               false,
		`SAVE = CANCEL = "#save"`:                     false,
		`SAVE = "#save", "#x"`:                        false,
		`x.SAVE, CANCEL = "#save", "#x"`:              false,
		`SAVE, CANCEL = "#save", "#x" if old else ""`: true,
		`SAVE, CANCEL = "#save", "#x" + end`:          true,
		`, = "#save", "#x"`:                           false,
		`[] = ["#save"]`:                              false,
	} {
		text := line + "\n\ndef test_saves(page):\n    page.click(SAVE)\n\ndef test_cancels(page):\n    page.click(CANCEL)\n"
		p := New(fstest.MapFS{"test_a.py": {Data: []byte(text)}})
		p.SetPassed([]PassedTest{{Test: engine.TestResult{ID: "test_a.py::test_cancels", File: "test_a.py", Name: "test_cancels"}}})
		h := engine.HealEvent{TestID: "test_a.py::test_saves", Locator: "#save", HealedLocator: "#store", Outcome: engine.OutcomeHealed, Confidence: 1}
		got := p.Propose(h, nil)
		if (got.Edit != nil) != want || want && !strings.Contains(got.Edit.After, `"#store"`) {
			t.Errorf("%s: %+v, %s", line, got.Edit, got.Reason)
		}
	}
}

// A default between other parameters is no value of several.
func TestAParameterWithADefaultIsNoneOfSeveralValues(t *testing.T) {
	text := "def save(page, *, selector: str = \"#save\", times: int = 1, after=\"#x\"):\n    page.locator(selector).click()\n\ndef test_saves(page):\n    save(page)\n"
	h := engine.HealEvent{TestID: "test_a.py::test_saves", Locator: "#save", HealedLocator: "#store", Outcome: engine.OutcomeHealed, Confidence: 1}
	if got := New(fstest.MapFS{"test_a.py": {Data: []byte(text)}}).Propose(h, nil); got.Edit == nil {
		t.Error(got.Reason)
	}
}

// A name that is also a text may be got by it: who does so is not seen among its uses.
func TestOneOfSeveralValuesThatMayBeGotByATextHasNoEdit(t *testing.T) {
	text := "SAVE, CANCEL = \"#save\", \"#x\"\n\ndef test_saves(page):\n    page.click(SAVE)\n\ndef test_again(page):\n    page.click(getattr(selectors, \"SAVE\"))\n"
	h := engine.HealEvent{TestID: "test_a.py::test_saves", Locator: "#save", HealedLocator: "#store", Outcome: engine.OutcomeHealed, Confidence: 1}
	if got := New(fstest.MapFS{"test_a.py": {Data: []byte(text)}}).Propose(h, nil); got.Edit != nil {
		t.Error(got.Edit.After)
	}
}
