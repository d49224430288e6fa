package gh_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/internal/githubtest"
)

func target() gh.CheckTarget {
	return gh.CheckTarget{Repository: shopName, Commit: shaOf("b"), Name: "browser tests", For: "breadcrumb:ci.yml", Details: "https://github.com/octo-org/shop/actions/runs/1"}
}

func findCheck(t *testing.T, a *actions) *gh.CheckRun {
	t.Helper()
	client, _ := a.job(t, mainRun, "refs/heads/main")
	run, err := client.FindCheckRun(t.Context(), target())
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Whichever answer is lost, there is one check run, and it has the verdict.
func TestACheckRunIsMadeOnce(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]githubtest.Fault{
		"all well":        {Path: "/nowhere"},
		"create is lost":  {Method: "POST", Path: "/repos/*/*/check-runs", Times: 1, Drop: githubtest.DropAfter},
		"update is lost":  {Method: "PATCH", Path: "/repos/*/*/check-runs/*", Times: 1, Drop: githubtest.DropAfter},
		"list is refused": {Method: "GET", Path: "/repos/*/*/commits/*/check-runs", Times: 1, Status: 502},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.Inject(fault)
			for range 2 { // a re-run does the same once more
				run := findCheck(t, a)
				if err := run.Begin(t.Context(), gh.CheckText{Title: "t", Summary: "s"}, a.now()); err != nil {
					t.Fatal(err)
				}
				if all := a.CheckRuns(shopName); len(all) != 1 || all[0].Status != "in_progress" || all[0].Conclusion != "" {
					t.Fatalf("begun: %+v", all)
				}
				if err := run.End(t.Context(), gh.ConclusionSuccess, gh.CheckText{Title: "t", Summary: "s"}, a.now()); err != nil {
					t.Fatal(err)
				}
				if all := a.CheckRuns(shopName); len(all) != 1 || all[0].Conclusion != "success" {
					t.Fatalf("ended: %+v", all)
				}
			}
		})
	}
}

func TestOnlyAPendingCheckRunIsEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		there []githubtest.CheckRun
		was   bool
		want  []string // conclusions
	}{
		"none":         {nil, true, []string{"failure"}},
		"pending":      {[]githubtest.CheckRun{{Status: "in_progress"}}, true, []string{"failure"}},
		"queued":       {[]githubtest.CheckRun{{Status: "queued"}}, true, []string{"failure"}},
		"with verdict": {[]githubtest.CheckRun{{Status: "completed", Conclusion: "success"}}, false, []string{"success"}},
		"one of two":   {[]githubtest.CheckRun{{Status: "completed", Conclusion: "success"}, {Status: "in_progress"}}, true, []string{"success", "failure"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.change(t, func(r *githubtest.Repository) {
				for i, run := range c.there {
					run.ID, run.App, run.Name, run.HeadSHA, run.ExternalID = int64(i+1), "github-actions", target().Name, target().Commit, target().For
					r.CheckRuns = append(r.CheckRuns, run)
				}
			})
			was, err := findCheck(t, a).EndPending(t.Context(), gh.ConclusionFailure, gh.CheckText{Title: "t", Summary: "s"}, a.now())
			if err != nil || was != c.was {
				t.Errorf("EndPending = %v, %v", was, err)
			}
			all := a.CheckRuns(shopName)
			if len(all) != len(c.want) {
				t.Fatalf("%+v", all)
			}
			for i, run := range all {
				if run.Conclusion != c.want[i] {
					t.Errorf("check run %d: %q, want %q", i, run.Conclusion, c.want[i])
				}
			}
		})
	}
}

func TestTheTextsOfACheckRunFit(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	long := strings.Repeat("é\n", 100_000)
	if err := findCheck(t, a).End(t.Context(), gh.ConclusionFailure, gh.CheckText{Title: long, Summary: long}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	shown := a.CheckRuns(shopName)[0].Output
	if n := len(shown.Title); n > 255 || n < 240 || strings.Contains(shown.Title, "\n") || !utf8.ValidString(shown.Title) {
		t.Errorf("a title of %d bytes: %q", n, shown.Title)
	}
	if n := len(shown.Summary); n > 65535 || n < 65500 || !utf8.ValidString(shown.Summary) {
		t.Errorf("a summary of %d bytes", n)
	}
}

func TestACheckRunNeedsAPermission(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{Fork: true})
	err := findCheck(t, a).Begin(t.Context(), gh.CheckText{}, a.now())
	if !errors.Is(err, gh.ErrNoPermission) || !strings.Contains(err.Error(), "checks: write") {
		t.Errorf("Begin = %v", err)
	}
}
