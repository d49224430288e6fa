package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// Two tests run one helper with data of their own. The other one passed: it stops the edit of
// what the helper composes, unless it lost the same texts, which became the same.
func TestATestThatLostTheSameTextsWithOtherDataStopsNoEdit(t *testing.T) {
	t.Parallel()
	const page = "package shop;\nclass ListPage {\n  void open(String id) {\n    page.locator(\"#row-\" + id).click();\n  }\n}\n"
	const test = "package shop;\nclass ATest {\n  @Test\n  void a() { new ListPage().open(id()); }\n  @Test\n  void b() { new ListPage().open(id()); }\n}\n"
	healed := func(old, next string) engine.HealEvent {
		return engine.HealEvent{TestID: "ATest.java › b", Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: old, HealedLocator: next,
			Matches: []engine.Match{{Locator: next, Count: 1}}}
	}
	suggested, ambiguous := healed("#row-7", "#line-7"), healed("#row-7", "#line-7")
	suggested.Outcome, ambiguous.Matches[0].Count = engine.OutcomeSuggested, 2
	for name, c := range map[string]struct {
		heals []engine.HealEvent
		edits bool
	}{
		"it lost the same texts":       {[]engine.HealEvent{healed("#row-7", "#line-7")}, true},
		"it lost another one, too":     {[]engine.HealEvent{healed("#other", "#next"), healed("#row-7", "#line-7")}, true},
		"it lost nothing":              {nil, false},
		"they became others":           {[]engine.HealEvent{healed("#row-7", "#item-7")}, false},
		"its data became other data":   {[]engine.HealEvent{healed("#row-7", "#line-8")}, false},
		"it lost other texts":          {[]engine.HealEvent{healed("#col-7", "#line-7")}, false},
		"it lost them elsewhere":       {[]engine.HealEvent{healed("#list >> #row-7", "#list >> #line-7")}, false},
		"it was only suggested":        {[]engine.HealEvent{suggested}, false},
		"it finds more than one there": {[]engine.HealEvent{ambiguous}, false},
	} {
		p := New(fstest.MapFS{"ListPage.java": {Data: []byte(page)}, "ATest.java": {Data: []byte(test)}})
		p.SetPassed([]PassedTest{{Test: engine.TestResult{ID: "ATest.java › b", File: "ATest.java", Name: "b"}, Heals: c.heals}})
		lost := healed("#row-42", "#line-42")
		lost.TestID, lost.Site = "ATest.java › a", &engine.Site{File: "ListPage.java", Line: 4}
		got := p.Propose(lost, &engine.TestResult{ID: lost.TestID, File: "ATest.java", Name: "a"})
		if edits := got.Edit != nil && strings.Contains(got.Edit.After, `"#line-" + id`); edits != c.edits {
			t.Errorf("%s: %v, %s", name, got.Edit, got.Reason)
		}
	}
}
