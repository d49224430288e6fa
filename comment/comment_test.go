package comment

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

func TestHeadline(t *testing.T) {
	pr := engine.RunInfo{PullRequest: 7}
	tests := outcome.Counts{Tests: 5, Passed: 5}
	for _, tt := range []struct {
		name string
		key  string
		run  outcome.Run
		want string
	}{
		{name: "green", run: outcome.Run{Info: pr, Counts: tests}, want: "✅ Breadcrumb: passed"},
		{name: "failures", run: outcome.Run{Info: pr, Counts: tests, Verdict: flaky.Verdict{Blocking: make([]flaky.Failure, 2)}}, want: "❌ Breadcrumb: 2 tests block this merge"},
		{name: "a named comment", key: "e2e-web", run: outcome.Run{Info: pr, Counts: tests}, want: "✅ Breadcrumb `e2e-web`: passed"},
		{name: "no test is no pass", run: outcome.Run{Info: pr}, want: "⚠️ Breadcrumb: no test ran"},
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
