package ci_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

func TestAReportFromBeforeTheRunDoesNotPassBesideOthers(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	week, morning := began.AddDate(0, 0, -7), began.Add(-3*time.Hour)
	for name, c := range map[string]struct {
		says, written time.Time // of the older report; zero: nothing, and now
		local, late   bool
		behind        time.Duration // how much the machine's clock is
		missing       ci.MissingRule
		steps         []string
		exit          ci.Exit
		notice        string
	}{
		"it says that it is of last week":           {says: week, exit: ci.ExitBlocked, notice: "the report is of 2026-11-20 10:00 and this run began 2026-11-27 10:00"},
		"its file is of this morning":               {written: morning, exit: ci.ExitBlocked, notice: "the report is of 2026-11-27 07:00"},
		"its own time may be of another zone":       {says: began.Add(-14 * time.Hour)},
		"its file was written as the run began":     {written: began.Add(-time.Minute)},
		"the step is known to have passed":          {says: week, steps: []string{"success"}, notice: "the report is of 2026-11-20"},
		"missing tests warn":                        {says: week, missing: ci.MissingWarn, notice: "the report is of 2026-11-20"},
		"a build that hides the clock":              {says: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), written: time.Unix(0, 0)},
		"nobody knows when a local run began":       {says: week, local: true, notice: "the report is of 2026-11-20 10:00 and "},
		"the forge did not tell when it began":      {written: morning, late: true},
		"the clock is fifty days behind":            {says: began.AddDate(0, 0, -50), written: began.AddDate(0, 0, -50), behind: 50 * 24 * time.Hour, notice: "the report is of 2026-10-08 10:00 and "},
		"a local report that was written some time": {written: week, local: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			stamp := func(at time.Time) string {
				if at.IsZero() {
					return ""
				}
				return fmt.Sprintf("timestamp=%q", at.Format("2006-01-02T15:04:05"))
			}
			old := filepath.Join(dir, "e2e.xml")
			writeFile(t, old, `<testsuite name="e2e" `+stamp(c.says)+`><testcase name="pays" classname="e2e"/></testsuite>`)
			writeFile(t, filepath.Join(dir, "unit.xml"), `<testsuite name="unit" `+stamp(began.Add(time.Minute))+`><testcase name="sums" classname="unit"/></testsuite>`)
			for _, file := range []string{old, filepath.Join(dir, "unit.xml")} {
				if err := os.Chtimes(file, began.Add(time.Minute), began.Add(time.Minute)); err != nil {
					t.Fatal(err)
				}
			}
			if !c.written.IsZero() {
				if err := os.Chtimes(old, c.written, c.written); err != nil {
					t.Fatal(err)
				}
			}
			info := engine.RunInfo{Repository: "acme/shop", RepositoryID: 7, RunID: 100, RunAttempt: 1, Job: "e2e", Commit: "m1", Branch: "main", DefaultBranch: true, StartedAt: began, LateStart: c.late}
			if c.local {
				info = engine.RunInfo{}
			}
			result, err := ci.Run(t.Context(), ci.Config{JUnit: []string{filepath.Join(dir, "*.xml")}, DB: filepath.Join(dir, "b.db"), Repo: dir,
				Policy: flaky.PolicyEvidence, Missing: c.missing, Steps: c.steps, CommentKey: "default", Info: info},
				ci.Deps{Now: func() time.Time { return began.Add(time.Hour - c.behind) }, Log: deps().Log})
			if err != nil || result.Exit != c.exit {
				t.Fatalf("exit %d, want %d; %v", result.Exit, c.exit, err)
			}
			told, clock := "", false
			for _, n := range result.Outcome.Notices {
				clock = clock || strings.HasPrefix(n.Reason, "the clock of this machine says")
				if n.File == old {
					told = n.Reason
				}
			}
			if !strings.HasPrefix(told, c.notice) || (told == "") != (c.notice == "") {
				t.Errorf("notice %q, want %q", told, c.notice)
			}
			if clock != (c.behind > 0) {
				t.Errorf("a wrong clock is told: %t", clock)
			}
		})
	}
}

func TestReportsFromBeforeTheRunAreOneProblem(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		local bool
		says  []string
	}{
		"a run of a forge": {says: []string{"5 reports are too old: ", "0.xml (2026-11-20 10:00), ", "2.xml (2026-11-20 10:00) and 2 more; this run began 2026-11-27 10:00, so the tests may not have run; remove"}},
		"a local run":      {local: true, says: []string{"5 reports are too old: ", " and 2 more; ", "5.xml is of 2026-11-27 10:00, so what is older may be left from an earlier run"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for i := range 6 {
				made := began
				if i < 5 {
					made = began.AddDate(0, 0, -7)
				}
				writeFile(t, filepath.Join(dir, fmt.Sprintf("%d.xml", i)), fmt.Sprintf(`<testsuite name="e2e" timestamp=%q><testcase name="pays %d" classname="e2e"/></testsuite>`, made.Format("2006-01-02T15:04:05"), i))
			}
			info := engine.RunInfo{Repository: "acme/shop", RepositoryID: 7, RunID: 100, RunAttempt: 1, Job: "e2e", Commit: "m1", Branch: "main", DefaultBranch: true, StartedAt: began}
			if c.local {
				info = engine.RunInfo{}
			}
			result, err := ci.Run(t.Context(), ci.Config{JUnit: []string{filepath.Join(dir, "*.xml")}, DB: filepath.Join(dir, "b.db"), Repo: dir, Policy: flaky.PolicyEvidence, CommentKey: "default", Info: info},
				ci.Deps{Now: func() time.Time { return began.Add(time.Hour) }, Log: deps().Log})
			if err != nil || (result.Exit == ci.ExitBlocked) == c.local {
				t.Fatalf("exit %d, %v", result.Exit, err)
			}
			if blocking := len(result.Outcome.Verdict.Notices); !c.local && blocking != 1 {
				t.Errorf("%d notices block", blocking)
			}
			all := fmt.Sprint(result.Outcome.Notices)
			for _, want := range c.says {
				if !strings.Contains(all, want) {
					t.Errorf("the notices do not say %q: %s", want, all)
				}
			}
		})
	}
}
