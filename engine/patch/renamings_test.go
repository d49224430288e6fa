package patch

import (
	"fmt"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// An assertion on a list has no element that a healer looks for.
func TestTheNameOfAListIsSuggestedWhereItWasChangedElsewhere(t *testing.T) {
	t.Parallel()
	testID := func(name string) string { return `internal:testid=[data-testid="` + name + `"s]` }
	attributes := func(name string) engine.Fingerprint {
		return engine.Fingerprint{Tag: "li", Attributes: engine.Attributes{{Name: "data-testid", Value: name}}}
	}
	healed := engine.HealEvent{TestID: "a › edits", Locator: testID("todo") + " >> nth=1", HealedLocator: testID("task") + " >> nth=1", Outcome: engine.OutcomeHealed, Confidence: 0.9,
		PageURL: "/", Original: attributes("todo"), Healed: attributes("task")}
	ahead := engine.HealEvent{TestID: "a › adds", Locator: testID("title"), Outcome: engine.OutcomeSuggested, Reason: engine.ReasonAhead, Ahead: true, Original: attributes("title"), Healed: attributes("task-name")}
	doubtful := healed
	doubtful.Outcome, doubtful.Reason = engine.OutcomeSuggested, engine.ReasonOtherMeaning
	another := healed
	another.HealedLocator, another.Healed = testID("job")+" >> nth=1", attributes("job")
	const none = "expect(locator).toHaveCount(expected) failed\n\nLocator:  getByTestId('todo')\nError: element(s) not found\n    at helper (/w/tests/pages.ts:9:1)\n    at /w/tests/a.spec.ts:12:40"
	for _, c := range []struct {
		name, locator, error string
		events               []engine.HealEvent
		want                 string // locator and line, "" for nothing
	}{
		{"the test id of a list", "getByTestId('todo')", none, []engine.HealEvent{healed}, "getByTestId('task') 12"},
		{"of a list that was found ahead", "getByTestId('title')", none, []engine.HealEvent{ahead}, "getByTestId('task-name') 12"},
		{"a part of a chain", "getByTestId('todo').filter({ hasText: 'milk' })", none, []engine.HealEvent{healed}, "getByTestId('task').filter({ hasText: 'milk' }) 12"},
		{"where the error has no place", "getByTestId('todo')", "Timed out\n  waiting for getByTestId('todo')", []engine.HealEvent{healed}, "getByTestId('task') 0"},
		{"what was found and has another value", "getByTestId('todo')", "Locator: getByTestId('todo')\nReceived: 3\n  waiting for getByTestId('todo')\n  9 × locator resolved to 3 elements", []engine.HealEvent{healed}, ""},
		{"a name that nothing shows", "getByTestId('other')", none, []engine.HealEvent{healed}, ""},
		{"a name that became two", "getByTestId('todo')", none, []engine.HealEvent{healed, another}, ""},
		{"an element that may be another", "getByTestId('todo')", none, []engine.HealEvent{doubtful}, ""},
		{"another kind of the same name", "getByText('todo')", none, []engine.HealEvent{healed}, ""},
		{"no locator", "todo(", none, []engine.HealEvent{healed}, ""},
	} {
		test := engine.TestResult{ID: "a › counts", File: "tests/a.spec.ts", Name: "counts", Attempts: []engine.Attempt{{Status: engine.StatusFailed, Message: c.error}}}
		h, ok := NewRenamings(c.events).Suggest(test, c.locator)
		got := ""
		if ok {
			line := 0
			if h.Site != nil {
				line = h.Site.Line
			}
			got = fmt.Sprintf("%s %d", h.HealedLocator, line)
		}
		if got != c.want || ok && (h.Outcome != engine.OutcomeSuggested || h.Reason != engine.ReasonRenamed || h.Locator != c.locator) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
