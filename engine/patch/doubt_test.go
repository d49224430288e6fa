package patch

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// What a test that failed all the same was healed by is only suggested, until something
// shows that it is right.
func TestTheEditOfAHealInATestThatFailedIsOnlySuggested(t *testing.T) {
	t.Parallel()
	const text = `test('edits', async ({ page }) => {
  await page.getByTestId('todo').nth(1).dblclick();
});
test('marks', async ({ page }) => {
  await page.getByTestId('todo').nth(0).getByRole('checkbox').check();
});
`
	heal := func(test, chain string, line int, now string) engine.HealEvent {
		testID := func(name string) string { return `internal:testid=[data-testid="` + name + `"s]` }
		return engine.HealEvent{TestID: engine.TestID("a.spec.ts › " + test), Locator: testID("todo") + chain, HealedLocator: testID(now) + chain, Outcome: engine.OutcomeHealed,
			Confidence: 0.97, PageURL: "/", Site: &engine.Site{File: "a.spec.ts", Line: line}, Healed: engine.Fingerprint{Tag: "li", Attributes: engine.Attributes{{Name: "data-testid", Value: now}}}}
	}
	for _, c := range []struct {
		name   string
		alter  func(failed, passed *engine.HealEvent)
		passed bool // the other test did
		doubt  bool
	}{
		{"a test that passed shows the same of another chain", func(_, _ *engine.HealEvent) {}, true, false},
		{"that test failed as well", func(_, _ *engine.HealEvent) {}, false, true},
		{"it shows something else", func(_, p *engine.HealEvent) { *p = heal("marks", " >> nth=0 >> internal:role=checkbox", 5, "job") }, true, true},
		{"on another page", func(_, p *engine.HealEvent) { p.PageURL = "/done" }, true, true},
		{"pages are not known", func(f, p *engine.HealEvent) { f.PageURL, p.PageURL = "", "" }, true, true},
		{"that was found in a trace", func(_, p *engine.HealEvent) { p.Trace = "trace.zip" }, true, true},
		{"a trial proves it, by the word of the tests' own job", func(f, _ *engine.HealEvent) {
			f.Trial = &engine.Trial{File: "a.spec.ts", Line: 2, New: "'task'", Tests: 2, Green: 2, Red: 2}
		}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			failed, passed := heal("edits", " >> nth=1", 2, "task"), heal("marks", " >> nth=0 >> internal:role=checkbox", 5, "task")
			c.alter(&failed, &passed)
			p := New(fstest.MapFS{"a.spec.ts": &fstest.MapFile{Data: []byte(text)}})
			all, err := p.ProposeAll([]engine.HealEvent{failed, passed}, Suite{
				Result: func(id engine.TestID) *engine.TestResult {
					_, name, _ := strings.Cut(string(id), " › ")
					return &engine.TestResult{ID: id, File: "a.spec.ts", Name: name}
				},
				Failed:   func(id engine.TestID) bool { return id == failed.TestID || !c.passed },
				Editable: func(string) bool { return true }, Same: func(a, b engine.Fingerprint) bool { return false }})
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range all {
				if q.Heal.TestID != failed.TestID {
					continue
				}
				if q.Edit == nil || q.Edit.New != "'task'" || (q.Doubt != "") != c.doubt || !q.Sure() {
					t.Errorf("%+v, because %q, doubt %q, note %q", q.Edit, q.Reason, q.Doubt, q.Note)
				}
			}
		})
	}
}

// The same variable is asserted twice; the second use follows from the first.
func TestASuggestionStaysBesideTheUsesThatFollowFromIt(t *testing.T) {
	t.Parallel()
	const text = `test('counts', async ({ page }) => {
  const count = page.getByTestId('count');
  await expect(count).toHaveText('3');
  await expect(count).toContainText('3');
});
`
	const locator = `internal:testid=[data-testid="count"s]`
	use := func(occurrence, line int) engine.Fingerprint {
		return engine.Fingerprint{Tag: "span", TestID: "a.spec.ts › counts", Locator: engine.StoredLocator(locator, occurrence), Page: "/", PageAddress: "/",
			Site: &engine.Site{File: "a.spec.ts", Line: line}, Attributes: engine.Attributes{{Name: "data-testid", Value: "count"}}}
	}
	lost := engine.HealEvent{TestID: "a.spec.ts › counts", Locator: locator, HealedLocator: `internal:testid=[data-testid="left"s]`, Action: "expect", Outcome: engine.OutcomeSuggested,
		Reason: engine.ReasonSuggestOnly, Confidence: 0.99, PageURL: "/", Original: use(0, 3), Site: &engine.Site{File: "a.spec.ts", Line: 3}, Healed: engine.Fingerprint{Tag: "span"}}
	lost.Original.Locator = locator
	p := New(fstest.MapFS{"a.spec.ts": &fstest.MapFile{Data: []byte(text)}})
	all, err := p.ProposeAll([]engine.HealEvent{lost}, Suite{Heals: []engine.HealEvent{lost}, Learned: []engine.Fingerprint{use(0, 3), use(1, 4)},
		Result: func(id engine.TestID) *engine.TestResult {
			return &engine.TestResult{ID: id, File: "a.spec.ts", Name: "counts"}
		},
		Failed: func(engine.TestID) bool { return true }, Editable: func(string) bool { return true }, Same: func(a, b engine.Fingerprint) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	followers := 0
	for _, q := range all {
		if q.Follows() {
			followers++
		}
	}
	if len(all) == 0 || all[0].Follows() || all[0].Edit == nil || all[0].Edit.New != "'left'" || followers == 0 {
		t.Errorf("%d proposals, %d of them follow: %+v", len(all), followers, all)
	}
}

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
