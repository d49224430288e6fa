package ci_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

// suites is a repository whose runs share a database.
type suites struct {
	db   string
	runs int
}

// bases tells where commits branched off.
type bases map[string]ci.Base

func (b bases) MergeBase(_ context.Context, commit string) (ci.Base, error) {
	base, known := b[commit]
	if !known {
		return ci.Base{}, errors.New("GitHub does not answer")
	}
	return base, nil
}

// run runs the tests of files, "pay 3" for three of pay.spec.ts, on a branch.
func (s *suites) run(t *testing.T, branch, commit string, ancestry ci.Ancestry, missing ci.MissingRule, files ...string) ci.Result {
	t.Helper()
	s.runs++
	return s.runNumber(t, s.runs, branch, commit, ancestry, missing, files...)
}

// runNumber is run for the nth run by the forge's count, whichever ended before.
func (s *suites) runNumber(t *testing.T, n int, branch, commit string, ancestry ci.Ancestry, missing ci.MissingRule, files ...string) ci.Result {
	t.Helper()
	dir := t.TempDir()
	var xml strings.Builder
	for _, file := range files {
		var name string
		var tests int
		if _, err := fmt.Sscanf(file, "%s %d", &name, &tests); err != nil {
			t.Fatal(err)
		}
		for i := range tests {
			fmt.Fprintf(&xml, `<testcase name="%s %d" classname="%s.spec.ts" time="%d"/>`, name, i, name, n)
		}
	}
	writeFile(t, filepath.Join(dir, "junit.xml"), `<testsuite name="all">`+xml.String()+`</testsuite>`)
	result, err := ci.Run(t.Context(), ci.Config{
		JUnit: []string{filepath.Join(dir, "junit.xml")}, DB: s.db, Repo: dir, Policy: flaky.PolicyEvidence, Missing: missing, CommentKey: "default",
		Info: engine.RunInfo{Repository: "acme/shop", RepositoryID: 7, RunID: int64(100 + n), RunAttempt: 1, Workflow: "acme/shop/.github/workflows/ci.yml@refs/heads/" + branch,
			Job: "e2e", Commit: commit, Branch: branch, DefaultBranch: branch == "main", StartedAt: dayOf(n)},
	}, ci.Deps{Ancestry: ancestry, Now: func() time.Time { return dayOf(n) }, Log: deps().Log})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func dayOf(run int) time.Time { return time.Date(2026, 1, run, 10, 0, 0, 0, time.UTC) }

func newSuites(t *testing.T) *suites {
	t.Helper()
	s := &suites{db: filepath.Join(t.TempDir(), "breadcrumb.db")}
	s.run(t, "main", "m1", nil, ci.MissingAuto, "pay 3", "cart 2") // release/1.0 begins here
	s.run(t, "main", "m2", nil, ci.MissingAuto, "pay 4", "cart 2")
	s.run(t, "main", "m3", nil, ci.MissingAuto, "pay 5", "cart 2", "news 2")
	return s
}

func TestABranchIsNotExpectedToHaveWhatMainGainedSince(t *testing.T) {
	t.Parallel()
	began := bases{"r1": {Commit: "m1", At: dayOf(1).Add(-time.Minute)}, "r2": {Commit: "m1", At: dayOf(1).Add(-time.Minute)}}
	for name, c := range map[string]struct {
		ancestry ci.Ancestry
		files    []string
		want     int // missing tests
		notice   string
	}{
		"all that was there":      {began, []string{"pay 3", "cart 2"}, 0, "4 tests are not expected here: run 101 on main at commit m1"},
		"a suite vanished":        {began, []string{"pay 3"}, 2, "missing tests are those that run 101 on main at commit m1 had"},
		"of a commit without run": {bases{"r1": {Commit: "m1b", At: dayOf(2).Add(time.Hour)}}, []string{"pay 3", "cart 2"}, 1, "run 102 on main at commit m2"},
		"from before all runs":    {bases{"r1": {Commit: "m0", At: dayOf(1).Add(-time.Hour)}}, []string{"pay 3", "cart 2"}, 4, "no run is recorded of commit m0"},
		"nobody answers":          {bases{}, []string{"pay 3", "cart 2"}, 4, "GitHub does not answer"},
		"nobody to ask":           {nil, []string{"pay 3", "cart 2"}, 4, "nobody tells where this branch began"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSuites(t)
			result := s.run(t, "release/1.0", "r1", c.ancestry, ci.MissingAuto, c.files...)
			if got := len(result.Outcome.Verdict.Missing); got != c.want || (result.Exit == ci.ExitPass) != (c.want == 0) {
				t.Errorf("%d missing, exit %d; want %d", got, result.Exit, c.want)
			}
			told := false
			for _, n := range result.Outcome.Notices {
				told = told || strings.Contains(n.Reason, c.notice)
			}
			if !told {
				t.Errorf("no notice says %q: %+v", c.notice, result.Outcome.Notices)
			}
			// It blocks until somebody says that it is meant so, and then no more.
			if c.want > 0 {
				if again := s.run(t, "release/1.0", "r1", c.ancestry, ci.MissingAuto, c.files...); again.Exit == ci.ExitPass {
					t.Error("the second run passes")
				}
				s.run(t, "release/1.0", "r1", c.ancestry, ci.MissingWarn, c.files...)
			}
			if result := s.run(t, "release/1.0", "r2", nil, ci.MissingAuto, c.files...); result.Exit != ci.ExitPass || len(result.Outcome.Notices) > 0 {
				t.Errorf("its own last run is not what counts: exit %d, %+v", result.Exit, result.Outcome.Notices)
			}
			if result := s.run(t, "release/1.0", "r2", began, ci.MissingAuto, "pay 2"); result.Exit == ci.ExitPass {
				t.Error("what its own last run had may vanish")
			}
		})
	}
}

func TestARunIsComparedWithTheLastRunOfTheDefaultBranch(t *testing.T) {
	t.Parallel()
	s := newSuites(t)
	want := outcome.Base{RunID: 103, Branch: "main", Commit: "m3", Tests: 9, DurationMS: 27_000}
	for i, c := range []struct {
		files       []string
		differences string
		missing     ci.MissingRule
		exit        ci.Exit
	}{
		{[]string{"pay 6", "cart 3", "news 2"}, "+2 tests · slower by 17 s", ci.MissingAuto, ci.ExitPass}, // of 4 s each
		{[]string{"pay 5", "cart 2"}, "−2 tests", ci.MissingAuto, ci.ExitBlocked},
		{[]string{"pay 3"}, "−6 tests · faster by 9 s", ci.MissingWarn, ci.ExitPass},
	} {
		result := s.run(t, fmt.Sprint("topic/", i), fmt.Sprint("t", i), nil, c.missing, c.files...)
		if got := result.Outcome.Base; got == nil || *got != want {
			t.Errorf("the base is %+v", got)
		}
		if got := strings.Join(result.Outcome.Differences(), " · "); got != c.differences || result.Exit != c.exit {
			t.Errorf("%s: %s, exit %d; want %s, exit %d", c.files, got, result.Exit, c.differences, c.exit)
		}
	}
}

func TestAnOlderRunThatEndsLaterIsNotExpectedToHaveWhatCameSince(t *testing.T) {
	t.Parallel()
	began := bases{"r1": {Commit: "m1", At: dayOf(2)}}
	for name, c := range map[string]struct {
		branch   string
		ancestry ci.Ancestry
		files    []string
		want     int // missing tests
		notice   string
	}{
		"the first of the default branch":    {"main", nil, []string{"pay 2"}, 0, "only newer runs are recorded, and run 108 at commit m2 had more"},
		"of a branch, all that was there":    {"release/1.0", began, []string{"pay 2"}, 0, "3 tests are not expected here: run 102 on main"},
		"of a branch, a suite vanished":      {"release/1.0", began, []string{"cart 2"}, 2, "missing tests are those that run 102 on main at commit m1 had"},
		"of a branch, nobody tells its base": {"release/1.0", nil, []string{"pay 2"}, 3, "nobody tells where this branch began"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &suites{db: filepath.Join(t.TempDir(), "breadcrumb.db")}
			number, commit := 1, "m1"
			if c.branch != "main" {
				s.runNumber(t, 2, "main", "m1", nil, ci.MissingAuto, "pay 2")
				number, commit = 3, "r1"
			}
			s.runNumber(t, 8, c.branch, "m2", began, ci.MissingWarn, "pay 3", "cart 2")
			result := s.runNumber(t, number, c.branch, commit, c.ancestry, ci.MissingAuto, c.files...)
			if got := len(result.Outcome.Verdict.Missing); got != c.want || (result.Exit == ci.ExitPass) != (c.want == 0) {
				t.Errorf("%d missing, exit %d; want %d", got, result.Exit, c.want)
			}
			if !slices.ContainsFunc(result.Outcome.Notices, func(n engine.Notice) bool { return strings.Contains(n.Reason, c.notice) }) {
				t.Errorf("no notice says %q: %+v", c.notice, result.Outcome.Notices)
			}
			if c.branch != "main" {
				return
			}
			if again := s.runNumber(t, 2, c.branch, "m1", nil, ci.MissingAuto, "pay 1"); again.Exit == ci.ExitPass {
				t.Error("what an older run had may vanish")
			}
		})
	}
}
