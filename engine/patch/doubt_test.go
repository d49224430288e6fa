package patch

import (
	"fmt"
	"slices"
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

// What heal: suggest kept from being healed has passed what a heal has to pass, on the page
// that lost it; what was found ahead has passed no more.
func TestWhatWouldHaveBeenHealedIsOfferedAsReadilyAsWhatWasFoundAhead(t *testing.T) {
	t.Parallel()
	event := func(outcome engine.HealOutcome, reason, action string, ahead bool) Proposal {
		return Proposal{Edit: &Edit{File: "a.ts"}, Place: 1, Confidence: 0.5,
			Heal: engine.HealEvent{Outcome: outcome, Reason: reason, Action: action, Ahead: ahead, Confidence: 0.5}}
	}
	for name, c := range map[string]struct {
		p      Proposal
		byID   bool
		sure   bool // with a match of 50 %
		before int  // its place among equal edits
	}{
		"healed":                          {event(engine.OutcomeHealed, "", "click", false), false, false, 0},
		"found ahead":                     {event(engine.OutcomeSuggested, engine.ReasonAhead, "", true), false, false, 0},
		"would have been healed":          {event(engine.OutcomeSuggested, engine.ReasonSuggestOnly, "click", false), false, false, 1},
		"lost by an assertion":            {event(engine.OutcomeSuggested, engine.ReasonSuggestOnly, "expect", false), true, true, 2},
		"means something else":            {event(engine.OutcomeSuggested, engine.ReasonOtherMeaning, "click", false), true, true, 2},
		"means something else, and ahead": {event(engine.OutcomeSuggested, engine.ReasonOtherMeaning, "", true), true, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.p.ByIDOnly() != c.byID || c.p.Sure() != c.sure || outcomeRank(c.p) != c.before {
				t.Errorf("by its id only %v, sure %v, rank %d; want %v, %v, %d", c.p.ByIDOnly(), c.p.Sure(), outcomeRank(c.p), c.byID, c.sure, c.before)
			}
		})
	}
	doubted := event(engine.OutcomeHealed, "", "click", false)
	if doubted.Doubt = "its test failed all the same"; !doubted.ByIDOnly() {
		t.Error("a heal whose test failed all the same is made without its id")
	}
}

// Whoever takes the suggested edit of a heal takes those of the element's other uses with it.
func TestTheOtherUsesOfADoubtedEditAreSuggestedWithIt(t *testing.T) {
	t.Parallel()
	const text = `test('adds', async ({ page }) => {
  await page.getByTestId('name').fill('a');
});
test('renames', async ({ page }) => {
  await page.getByTestId('name').fill('b');
});
test('clears', async ({ page }) => {
  await page.getByTestId('name').fill('');
});
`
	const locator = `internal:testid=[data-testid="name"s]`
	lines := map[engine.TestID]int{"a.spec.ts › adds": 2, "a.spec.ts › renames": 5, "a.spec.ts › clears": 8}
	use := func(test engine.TestID) engine.Fingerprint {
		return engine.Fingerprint{Tag: "input", TestID: test, Locator: locator, Page: "/", PageAddress: "/", Site: &engine.Site{File: "a.spec.ts", Line: lines[test]}}
	}
	heal := func(test engine.TestID) engine.HealEvent {
		return engine.HealEvent{TestID: test, Locator: locator, HealedLocator: `internal:testid=[data-testid="title"s]`, Action: "fill", Outcome: engine.OutcomeHealed,
			Confidence: 0.99, PageURL: "/", Original: use(test), Site: use(test).Site, Healed: engine.Fingerprint{Tag: "input"}}
	}
	for _, c := range []struct {
		name   string
		heals  []engine.HealEvent
		passed engine.TestID
		want   string // the edited lines, each with ? where it is only suggested
	}{
		{"one test lost it and failed", []engine.HealEvent{heal("a.spec.ts › adds")}, "", "2? 5? 8?"},
		{"two tests lost it and failed", []engine.HealEvent{heal("a.spec.ts › adds"), heal("a.spec.ts › clears")}, "", "2? 5? 8?"},
		{"one of two that lost it passed", []engine.HealEvent{heal("a.spec.ts › adds"), heal("a.spec.ts › clears")}, "a.spec.ts › clears", "2 5 8"},
		{"another test passed with the old locator", []engine.HealEvent{heal("a.spec.ts › adds")}, "a.spec.ts › clears", "2?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := New(fstest.MapFS{"a.spec.ts": &fstest.MapFile{Data: []byte(text)}})
			result := func(id engine.TestID) *engine.TestResult {
				_, name, _ := strings.Cut(string(id), " › ")
				return &engine.TestResult{ID: id, File: "a.spec.ts", Name: name}
			}
			if c.passed != "" {
				passed := PassedTest{Test: *result(c.passed)}
				for _, h := range c.heals {
					if h.TestID == c.passed {
						passed.Heals = []engine.HealEvent{{Locator: h.Locator}}
					}
				}
				p.SetPassed([]PassedTest{passed})
			}
			all, err := p.ProposeAll(c.heals, Suite{Heals: c.heals, Learned: []engine.Fingerprint{use("a.spec.ts › adds"), use("a.spec.ts › renames"), use("a.spec.ts › clears")},
				Result: result, Failed: func(id engine.TestID) bool { return id != c.passed }, Editable: func(string) bool { return true },
				Same: func(a, b engine.Fingerprint) bool { return true }})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, q := range all {
				if q.Edit == nil || q.SameAs > 0 || q.Edit.New != "'title'" {
					continue
				}
				line := fmt.Sprint(q.Edit.Line)
				if q.Doubt != "" {
					line += "?"
				}
				got = append(got, line)
			}
			slices.Sort(got)
			if strings.Join(got, " ") != c.want {
				t.Errorf("edits in lines %q, want %q", got, c.want)
			}
		})
	}
}
