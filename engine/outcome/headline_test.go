package outcome_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

func TestHeadline(t *testing.T) {
	pr := engine.RunInfo{PullRequest: 7}
	tests := outcome.Counts{Tests: 5, Passed: 5}
	failures := make([]flaky.Failure, 2)
	missing := []engine.TestID{"a"}
	notices := []engine.Notice{{Severity: engine.SeverityBlocking, Reason: "cut short"}}
	healed := func(test engine.TestID, locator string) patch.Proposal {
		return patch.Proposal{Heal: engine.HealEvent{TestID: test, Locator: locator, Outcome: engine.OutcomeHealed}}
	}
	for _, tt := range []struct {
		name string
		run  outcome.Run
		mark outcome.Mark
		want string
	}{
		{"green", outcome.Run{Info: pr, Counts: tests}, outcome.MarkPassed, "passed"},
		{
			"green with help", outcome.Run{Info: pr, Counts: tests, Proposals: []patch.Proposal{healed("a", "#x"), healed("b", "#x"), healed("a", "#y")}, Verdict: flaky.Verdict{Excused: failures[:1]}},
			outcome.MarkPassed, "passed · 2 locators healed in 2 tests, 1 quarantined failure excused",
		},
		{
			"only an excused failure", outcome.Run{Counts: outcome.Counts{Tests: 1, Failed: 1}, Verdict: flaky.Verdict{Excused: failures[:1]}},
			outcome.MarkPassed, "passed · 1 quarantined failure excused",
		},
		{"one failure", outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Blocking: failures[:1]}}, outcome.MarkFailed, "1 test blocks this merge"},
		{"failures", outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Blocking: failures}}, outcome.MarkFailed, "2 tests block this merge"},
		{"a missing test", outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Missing: missing}}, outcome.MarkFailed, "1 missing test blocks this merge"},
		{
			"a report that proves nothing", outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Notices: notices}},
			outcome.MarkFailed, "cannot trust this run, so this merge is blocked",
		},
		{
			"everything", outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Blocking: failures, Missing: missing, Notices: notices}},
			outcome.MarkFailed, "2 tests, 1 missing test and 1 report problem block this merge",
		},
		{"outside a pull request", outcome.Run{Counts: tests, Verdict: flaky.Verdict{Blocking: failures}}, outcome.MarkFailed, "2 tests fail this run"},
		{"one outside", outcome.Run{Verdict: flaky.Verdict{Blocking: failures[:1]}}, outcome.MarkFailed, "1 test fails this run"},
		{"two kinds outside", outcome.Run{Verdict: flaky.Verdict{Blocking: failures[:1], Missing: missing}}, outcome.MarkFailed, "1 test and 1 missing test fail this run"},
		{"missing tests outside", outcome.Run{Verdict: flaky.Verdict{Missing: []engine.TestID{"a", "b"}}}, outcome.MarkFailed, "2 missing tests fail this run"},
		{"a report that proves nothing, outside", outcome.Run{Verdict: flaky.Verdict{Notices: notices}}, outcome.MarkFailed, "cannot trust this run, so it does not pass"},
		{"no test is no pass", outcome.Run{Info: pr}, outcome.MarkUnproven, "no test ran"},
		{"only skipped tests are no pass", outcome.Run{Info: pr, Counts: outcome.Counts{Tests: 4, Skipped: 4}}, outcome.MarkUnproven, "every test was skipped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if mark, got := tt.run.Headline(); mark != tt.mark || got != tt.want {
				t.Errorf("mark %d, %q; want mark %d, %q", mark, got, tt.mark, tt.want)
			}
		})
	}
}

func TestFactsLeaveOutWhatIsNought(t *testing.T) {
	for _, tt := range []struct {
		counts outcome.Counts
		want   []string
	}{
		{outcome.Counts{}, []string{"0 tests"}},
		{outcome.Counts{Tests: 1, Skipped: 1}, []string{"1 test", "1 skipped"}},
		{
			outcome.Counts{Tests: 1248, Passed: 1240, Failed: 3, Errors: 1, Skipped: 4, Flaky: 2, DurationMS: 192_340},
			[]string{"1,248 tests", "1,240 passed", "4 failed", "4 skipped", "2 flaky", "3m 12s"},
		},
	} {
		if diff := cmp.Diff(tt.want, tt.counts.Facts()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWarningsAreTheNoticesThatChangeNothing(t *testing.T) {
	warning := engine.Notice{Severity: engine.SeverityWarning, Reason: "a"}
	run := outcome.Run{Notices: []engine.Notice{{Severity: engine.SeverityBlocking, Reason: "b"}, warning, {Reason: "no severity"}}}
	if diff := cmp.Diff([]engine.Notice{warning}, run.Warnings()); diff != "" {
		t.Error(diff)
	}
}

func TestPathsBeginAtTheRepositorysTop(t *testing.T) {
	for _, tt := range []struct{ root, file, want string }{
		{"", "tests/a.ts", "tests/a.ts"},
		{"e2e", "tests/a.ts", "e2e/tests/a.ts"},
		{"apps/web", "a.ts", "apps/web/a.ts"},
		{"e2e", "", ""},
		{"e2e", "/etc/passwd", "/etc/passwd"},
		{"e2e", "..", ".."},
		{"e2e", "../a.ts", "../a.ts"},
		{"e2e", "a/../../b.ts", "a/../../b.ts"},
		{"e2e", "..a/b.ts", "e2e/..a/b.ts"},
		{"e2e", `C:\a.ts`, `C:\a.ts`},
	} {
		if got := (outcome.Run{Root: tt.root}).Path(tt.file); got != tt.want {
			t.Errorf("%q in %q is %q, want %q", tt.file, tt.root, got, tt.want)
		}
	}
}

func TestRefusal(t *testing.T) {
	for _, tt := range []struct{ reason, want string }{
		{"no-fingerprint", "nothing was learned of it from a passing run: start the tests with `breadcrumb run`, or switch traces on (trace: 'on') on the default branch"},
		{"no-candidates", "gone: nothing on the page is like the <button> \"Compare\" that stood there"},
		{"below-threshold", "the best match was not close enough (64%)"},
		{"ambiguous", "two elements matched about equally (64% and 62%)"},
		{"other-page", "the test was on another page (/login) than the element had been on (/admin)"},
		{"other-meaning", "the likeliest element (64%) says something else, or belongs to another row, section or page"},
		{"not-told-apart", "several elements are alike, and only their places tell them apart"},
		{"suggest-only", "it would have been healed (64%), but the setting heal is suggest"},
		{"renamed", "it found nothing, and other lost locators of the run show that this name was changed"},
		{"vetoed", "a person said that the likeliest element (64%) is another one"},
		{"replay-failed", "the action failed on the new element too"},
		{"", "no reason was given"},
		{"a reason of its own", "a reason of its own"},
	} {
		if got := outcome.Refusal(engine.HealEvent{Reason: tt.reason, Confidence: 0.64, RunnerUp: 0.62,
			PageURL: "/login", Original: engine.Fingerprint{Tag: "button", Text: "Compare", Page: "/admin"}}); got != tt.want {
			t.Errorf("%q reads %q, want %q", tt.reason, got, tt.want)
		}
	}
	want := "two elements matched about equally (the better one 95%)"
	if got := outcome.Refusal(engine.HealEvent{Reason: "ambiguous", Confidence: 0.95}); got != want {
		t.Errorf("without a runner-up it reads %q, want %q", got, want)
	}
	assertion := engine.HealEvent{Reason: engine.ReasonSuggestOnly, Action: "expect", Confidence: 0.95}
	if got, want := outcome.Refusal(assertion), "the element is there (95%), but an assertion never heals"; got != want {
		t.Errorf("an assertion reads %q, want %q", got, want)
	}
}
