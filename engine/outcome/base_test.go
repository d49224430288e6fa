package outcome_test

import (
	"math"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

func TestDifferencesToTheBaseAreToldWhereTheyHelp(t *testing.T) {
	counts := outcome.Counts{Tests: 20, Passed: 17, Failed: 2, Errors: 1, DurationMS: 100_000}
	same := outcome.Base{Tests: 20, Failing: 3, DurationMS: 100_000}
	cutOff := []engine.Notice{{Severity: engine.SeverityBlocking}}
	for _, tt := range []struct {
		name    string
		base    func(b *outcome.Base)
		counts  func(c *outcome.Counts)
		verdict flaky.Verdict
		want    string
	}{
		{name: "nothing differs"},
		{name: "more tests, fewer failures, slower", base: func(b *outcome.Base) { *b = outcome.Base{Tests: 18, Failing: 4, DurationMS: 80_000} }, want: "+2 tests · −1 failure · slower by 20 s"},
		{name: "fewer tests, more failures, faster", base: func(b *outcome.Base) { *b = outcome.Base{Tests: 1021, Failing: 1, DurationMS: 190_000} }, want: "−1,001 tests · +2 failures · faster by 1m 30s"},
		{name: "a tenth of the time", base: func(b *outcome.Base) { b.DurationMS = 90_909 }, want: "slower by 9 s"},
		{name: "less than a tenth", base: func(b *outcome.Base) { b.DurationMS = 91_000 }},
		{name: "less than five seconds", base: func(b *outcome.Base) { b.DurationMS = 4000 }, counts: func(c *outcome.Counts) { c.DurationMS = 8999 }},
		{name: "just below a minute", base: func(b *outcome.Base) { b.DurationMS = 40_100 }, want: "slower by 60 s"},
		{name: "time unknown in the base", base: func(b *outcome.Base) { b.DurationMS = 0 }},
		{name: "time unknown here", counts: func(c *outcome.Counts) { c.DurationMS = 0 }},
		{name: "no number", base: func(b *outcome.Base) { b.DurationMS = math.NaN() }, counts: func(c *outcome.Counts) { c.DurationMS = math.Inf(1) }},
		{name: "a report that was cut off", base: func(b *outcome.Base) { *b = outcome.Base{Tests: 40, Failing: 9, DurationMS: 500_000} },
			verdict: flaky.Verdict{Notices: cutOff}, want: "−20 tests"},
		{name: "a missing test", base: func(b *outcome.Base) { *b = outcome.Base{Tests: 21, Failing: 9, DurationMS: 500_000} },
			verdict: flaky.Verdict{Missing: []engine.TestID{"a"}}, want: "−1 test"},
	} {
		base, now := same, counts
		if tt.base != nil {
			tt.base(&base)
		}
		if tt.counts != nil {
			tt.counts(&now)
		}
		run := outcome.Run{Counts: now, Base: &base, Verdict: tt.verdict}
		if got := strings.Join(run.Differences(), " · "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := (outcome.Run{Counts: counts}).Differences(); len(got) > 0 {
		t.Errorf("without a base: %q", got)
	}
}
