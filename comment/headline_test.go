package comment

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

func TestHeadline(t *testing.T) {
	pr := engine.RunInfo{PullRequest: 7}
	tests := outcome.Counts{Tests: 5, Passed: 5}
	failures := make([]flaky.Failure, 2)
	notice := engine.Notice{Severity: engine.SeverityBlocking, Reason: "cut short"}
	for _, tt := range []struct {
		name string
		key  string
		run  outcome.Run
		want string
	}{
		{name: "green", run: outcome.Run{Info: pr, Counts: tests}, want: "✅ Breadcrumb: passed"},
		{
			name: "green with help",
			run:  outcome.Run{Info: pr, Counts: tests, Proposals: make([]patch.Proposal, 3), Verdict: flaky.Verdict{Excused: failures[:1]}},
			want: "✅ Breadcrumb: passed · 3 locators healed, 1 quarantined failure excused",
		},
		{name: "one failure", run: outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Blocking: failures[:1]}}, want: "❌ Breadcrumb: 1 test blocks this merge"},
		{name: "failures", run: outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Blocking: failures}}, want: "❌ Breadcrumb: 2 tests block this merge"},
		{name: "a missing test", run: outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Missing: []string{"a"}}}, want: "❌ Breadcrumb: 1 missing test blocks this merge"},
		{name: "a report that proves nothing", run: outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Notices: []engine.Notice{notice}}}, want: "❌ Breadcrumb: cannot trust this run, so this merge is blocked"},
		{
			name: "everything", run: outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Blocking: failures, Missing: []string{"a"}, Notices: []engine.Notice{notice}}},
			want: "❌ Breadcrumb: 2 tests, 1 missing test and 1 report problem block this merge",
		},
		{name: "outside a pull request", run: outcome.Run{Counts: tests, Verdict: flaky.Verdict{Blocking: failures}}, want: "❌ Breadcrumb: 2 tests fail this run"},
		{name: "a named comment", key: "e2e-web", run: outcome.Run{Info: pr, Counts: tests}, want: "✅ Breadcrumb `e2e-web`: passed"},
		{name: "no test is no pass", run: outcome.Run{Info: pr}, want: "⚠️ Breadcrumb: no test ran"},
		{name: "only skipped tests are no pass", run: outcome.Run{Info: pr, Counts: outcome.Counts{Tests: 4, Skipped: 4}}, want: "⚠️ Breadcrumb: every test was skipped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := strings.Split(Summary(tt.run, Options{Key: tt.key}), "\n")
			if lines[0] != "### "+tt.want {
				t.Errorf("got %q, want %q", lines[0], tt.want)
			}
		})
	}
}

func TestOnlyOneStatusMark(t *testing.T) {
	for name, run := range goldenRuns() {
		body := Render(run, Options{})
		if n := strings.Count(body, "❌") + strings.Count(body, "✅") + strings.Count(body, "⚠️"); n != 1 {
			t.Errorf("%s has %d status marks", name, n)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		count(1, "test", "tests"): "1 test", count(0, "test", "tests"): "0 tests", count(1_234_567, "test", "tests"): "1,234,567 tests",
		thousands(999): "999", thousands(1000): "1,000",
		list([]string{"a"}): "a", list([]string{"a", "b", "c"}): "a, b and c",
		percent(0.999): "99%", percent(1): "100%", percent(0.57): "57%", percent(1.2): "unknown", percent(-1): "unknown",
		duration(12): "12 ms", duration(4_249): "4.2 s", duration(252_300): "4m 12s", duration(3_840_000): "1h 04m", duration(0): "",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
