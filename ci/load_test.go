package ci

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestStepsThatEndOtherwiseThanTheirReportsBlock(t *testing.T) {
	with := func(statuses ...engine.Status) (got collected) {
		for _, s := range statuses {
			if s.Failing() {
				got.red = 1
			}
		}
		return got
	}
	truncated := with(engine.StatusPassed)
	truncated.notices = []engine.Notice{{Severity: engine.SeverityBlocking, Reason: "truncated"}}
	for name, c := range map[string]struct {
		steps  string
		got    collected
		reason string
	}{
		"nobody says":                        {"", with(engine.StatusPassed), ""},
		"all passed":                         {"success", with(engine.StatusPassed), ""},
		"failed, and a test too":             {"failure", with(engine.StatusPassed, engine.StatusError), ""},
		"failed, and no test":                {"failure", with(engine.StatusPassed, engine.StatusSkipped), "no report shows a failure"},
		"one of two failed":                  {"success failure", with(engine.StatusPassed), "no report shows a failure"},
		"both failed, and one has a report":  {"failure failure", with(engine.StatusFailed), "2 steps that ran tests failed and 1 report shows a failure"},
		"failed, and a report says why":      {"failure", truncated, ""},
		"a test failed and the step did not": {"success", with(engine.StatusFailed), ""},
		"cancelled":                          {"cancelled", with(engine.StatusFailed), "was cancelled"},
		"skipped":                            {"skipped", with(engine.StatusPassed), "was skipped"},
		"one of two skipped":                 {"skipped success", with(engine.StatusPassed), ""},
	} {
		t.Run(name, func(t *testing.T) {
			notices := unexplained(strings.Fields(c.steps), c.got)
			if c.reason == "" && len(notices) > 0 {
				t.Errorf("%+v", notices)
			}
			if c.reason != "" && (len(notices) != 1 || notices[0].Severity != engine.SeverityBlocking || !strings.Contains(notices[0].Reason, c.reason)) {
				t.Errorf("%+v, want %q", notices, c.reason)
			}
		})
	}
}
