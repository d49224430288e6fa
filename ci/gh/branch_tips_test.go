package gh_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/state"
)

// line makes commits of the digits, each the child of the one before.
func line(r *githubtest.Repository, digits string) {
	for i, digit := range digits {
		made := githubtest.Past{SHA: shaOf(string(digit))}
		if i > 0 {
			made.Parents = []string{shaOf(digits[i-1 : i])}
		}
		r.Past = append(r.Past, made)
	}
}

// moves are what became of a branch, a day each and the last one a day ago: each a
// commit's digit, after the kind of change where it is no push.
func moves(branch string, all ...string) (made []githubtest.Activity) {
	end := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, move := range all {
		kind, digit, found := strings.Cut(move, " ")
		if !found {
			kind, digit = "push", move
		}
		made = append(made, githubtest.Activity{Branch: branch, Type: kind, After: strings.Repeat(digit, 40), At: end.AddDate(0, 0, i-len(all))})
	}
	return made
}

// countedCommits are the digits of the commits whose items count, each once.
func countedCommits(items []state.Item, self state.Self) string {
	var digits []string
	for _, item := range items {
		if o := item.Origin; o.Branch == "main" && o.Workflow == state.WorkflowFile(self.Info) && o.Event == "push" {
			digits = append(digits, o.HeadSHA[:1])
		}
	}
	slices.Sort(digits)
	return strings.Join(slices.Compact(digits), "")
}

// A tag named like the default branch makes a run of any commit look like the branch's.
// What such a run saved counts where the commit was the branch's tip: then its workflow
// is the branch's own.
func TestARunCountsForACommitThatWasTheBranchsTip(t *testing.T) {
	t.Parallel()
	merge := func(r *githubtest.Repository, onto, head string) {
		r.Past = append(r.Past, githubtest.Past{SHA: shaOf("f"), Parents: []string{shaOf(onto), shaOf(head)}})
	}
	moved := map[string]struct {
		tip    string
		change func(*githubtest.Repository)
		runs   string // commits of runs under the branch's name
		want   string // those that count
	}{
		"a pull request merged with its commits": {"f", func(r *githubtest.Repository) {
			line(r, "ade")
			merge(r, "a", "e")
			r.Activities = moves("main", "branch_creation a", "pr_merge f")
		}, "adef", "af"},
		"a pull request merged by rebase": {"e", func(r *githubtest.Repository) {
			line(r, "ade")
			r.Activities = moves("main", "branch_creation a", "pr_merge e")
		}, "ade", "ae"},
		"a pull request merged by squash": {"b", func(r *githubtest.Repository) {
			line(r, "ab")
			r.Past = append(r.Past, githubtest.Past{SHA: shaOf("d"), Parents: []string{shaOf("a")}})
			r.Activities = moves("main", "branch_creation a", "pr_merge b")
		}, "abd", "ab"},
		"two pull requests merged by the queue": {"e", func(r *githubtest.Repository) {
			line(r, "abcde")
			r.Activities = moves("main", "branch_creation a", "merge_queue_merge c", "merge_queue_merge e")
		}, "abcde", "ace"},
		"several commits pushed at once": {"c", func(r *githubtest.Repository) {
			line(r, "abc")
			r.Activities = moves("main", "branch_creation a", "c")
		}, "abc", "ac"},
		"a tip that a force push took off the branch": {"c", func(r *githubtest.Repository) {
			past(r)
			r.Activities = moves("main", "branch_creation a", "b", "d", "force_push c")
		}, "abcd", "abc"},
		"a tip that a force push brought back": {"c", func(r *githubtest.Repository) {
			line(r, "abc")
			r.Activities = moves("main", "branch_creation a", "c", "force_push a", "c")
		}, "abc", "ac"},
		"the tip of another branch": {"e", func(r *githubtest.Repository) {
			line(r, "ade")
			r.Activities = append(moves("topic", "branch_creation d", "e"), moves("main", "branch_creation a", "pr_merge e")...)
		}, "ade", "ae"},
		"the tip of a branch whose name begins with the default one's": {"e", func(r *githubtest.Repository) {
			line(r, "ade")
			r.Activities = append(moves("main/x", "branch_creation d"), moves("main", "branch_creation a", "pr_merge e")...)
		}, "ade", "ae"},
		"a branch that had the name before": {"e", func(r *githubtest.Repository) {
			line(r, "ade")
			r.Activities = moves("main", "branch_creation d", "branch_deletion 0", "branch_creation a", "pr_merge e")
		}, "ade", "ae"},
		"a branch that had the name before, and a list that lacks who made the new one": {"e", func(r *githubtest.Repository) {
			line(r, "ade")
			r.Activities = moves("main", "branch_creation d", "branch_deletion 0", "e")
			r.Activities[2].Before = shaOf("a")
		}, "ade", "ae"},
		"a list that does not go back to the first commit": {"d", func(r *githubtest.Repository) {
			line(r, "abcd")
			r.Activities = moves("main", "d")
			r.Activities[0].Before = shaOf("c")
		}, "abcd", "cd"},
		"the present tip, which is not listed yet": {"c", func(r *githubtest.Repository) {
			line(r, "abc")
			r.Activities = moves("main", "branch_creation a")
		}, "abc", "ac"},
	}
	promise.Tried(t, "tips", len(moved))
	for name, c := range moved {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.change(t, func(r *githubtest.Repository) {
				r.Runs = nil
				c.change(r)
				r.Branches = []githubtest.Branch{{Name: "main", SHA: shaOf(c.tip)}}
				for i, digit := range c.runs {
					saveOn(r, int64(900+i), "push", "api.yml", "main", shaOf(string(digit)), ofAPI)
				}
			})
			backend, self := a.workflow(t, "api.yml", 50_000)
			items, err := backend.List(t.Context(), "breadcrumb-")
			if err != nil {
				t.Fatal(err)
			}
			if got := countedCommits(items, self); got != c.want {
				t.Errorf("what counts is of %s, want %s", got, c.want)
			}
			if stray := backend.(state.Renamer).Former().Stray; stray == "" != (c.runs == c.want) || stray != "" && strings.Contains(c.want, stray[:1]) {
				t.Errorf("the stray commit is %q", stray)
			}
			if n := a.Count("GET", "/repos/*/*/activity"); n != 1 {
				t.Errorf("the activity is asked for %d times", n)
			}
		})
	}
}

// What is said of other branches does not count, whether it was asked for or not.
func TestTheTipOfAnotherBranchCountsNotEvenUnasked(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.change(t, func(r *githubtest.Repository) {
		r.Runs = nil
		line(r, "ade")
		r.Branches = []githubtest.Branch{{Name: "main", SHA: shaOf("e")}}
		r.Activities = append(moves("main", "branch_creation a", "pr_merge e"), moves("topic", "branch_creation d", "e")...)
		saveOn(r, 900, "push", "api.yml", "main", shaOf("a"), ofAPI)
		saveOn(r, 901, "push", "api.yml", "main", shaOf("d"), ofAPI)
	})
	whole := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/activity") {
			r.URL.RawQuery = ""
		}
		a.ServeHTTP(w, r)
	}))
	t.Cleanup(whole.Close)
	a.api = whole.URL
	backend, self := a.workflow(t, "api.yml", 50_000)
	items, err := backend.List(t.Context(), "breadcrumb-")
	if err != nil {
		t.Fatal(err)
	}
	if got := countedCommits(items, self); got != "a" {
		t.Errorf("what counts is of %s, want that of a", got)
	}
}

// What runs of before a rename saved counts where the commit was the tip under the old
// name, before the rename.
func TestAfterARenameACommitMustHaveBeenTheTipBefore(t *testing.T) {
	t.Parallel()
	renamed := func(after ...githubtest.Activity) []githubtest.Activity {
		old, present := moves("master", "branch_creation a", "pr_merge c", "branch_deletion 0"), moves("main", "branch_creation c")
		return append(append(old, present...), after...)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		activities []githubtest.Activity
		want       string
	}{
		"the branch was renamed": {renamed(), "ac"},
		"somebody made a branch of the old name and deleted it": {renamed(
			githubtest.Activity{Branch: "master", Type: "branch_creation", After: shaOf("b"), At: now.Add(-time.Hour)},
			githubtest.Activity{Branch: "master", Type: "branch_deletion", At: now.Add(-time.Hour)}), "ac"},
		"a branch had the old name before": {append(moves("master", "branch_creation b", "branch_deletion 0", "branch_creation a", "pr_merge c", "branch_deletion 0"),
			moves("main", "branch_creation c")...), "ac"},
		"the list takes the new name for the old":            {moves("main", "branch_creation a", "pr_merge c"), "ac"},
		"the list does not say when it had the new name":     {moves("master", "branch_creation a", "pr_merge c"), "c"},
		"the list knows the branch under its new name alone": {moves("main", "branch_creation c"), "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.change(t, func(r *githubtest.Repository) {
				r.Runs = nil
				line(r, "abc")
				r.Branches = []githubtest.Branch{{Name: "main", SHA: shaOf("c")}}
				r.Renamed = map[string]string{"master": "main"}
				r.Activities = c.activities
				for i, digit := range "abc" {
					saveOn(r, int64(900+i), "push", "api.yml", "master", shaOf(string(digit)), ofAPI)
				}
			})
			backend, self := a.workflow(t, "api.yml", 50_000)
			items, err := backend.List(t.Context(), "breadcrumb-")
			if err != nil {
				t.Fatal(err)
			}
			if got := countedCommits(items, self); got != c.want {
				t.Errorf("what counts is of %s, want %s", got, c.want)
			}
			if diff := cmp.Diff(state.Former{Branch: "master"}, backend.(state.Renamer).Former()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// busyPast is a branch of n commits, each pushed so long after the one before, and one
// run of the commit that was pushed back-th from the end.
func busyPast(a *actions, n, back int, between time.Duration) func(*githubtest.Repository) {
	return func(r *githubtest.Repository) {
		sha := func(i int) string { return fmt.Sprintf("%040x", i+1) }
		r.Runs, r.Branches = nil, []githubtest.Branch{{Name: "main", SHA: sha(n - 1)}}
		for i := range n {
			at, made := a.clock.Add(time.Duration(i-n)*between), githubtest.Past{SHA: sha(i)}
			if i > 0 {
				made.Parents = []string{sha(i - 1)}
			}
			r.Past = append(r.Past, made)
			r.Activities = append(r.Activities, githubtest.Activity{Branch: "main", After: sha(i), At: at})
		}
		saveOn(r, 900, "push", "api.yml", "main", sha(n-back), ofAPI)
		r.Runs[0].Created = r.Activities[n-back].At.Add(time.Minute)
	}
}

// The list is read as far as it takes, at most 10 pages and 3 on a pull request. What
// lies further back is not overwritten.
func TestOlderTipsTakeMorePages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		back, pages int
		ref         string
		unread      bool
	}{
		"on the first page":                     {90, 1, "refs/heads/main", false},
		"on the third":                          {250, 3, "refs/heads/main", false},
		"on the last":                           {990, 10, "refs/heads/main", false},
		"further back":                          {1050, 10, "refs/heads/main", true},
		"of a pull request, on the first page":  {90, 1, "refs/pull/7/merge", false},
		"of a pull request, on the third":       {250, 3, "refs/pull/7/merge", false},
		"of a pull request, further back still": {350, 3, "refs/pull/7/merge", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.change(t, busyPast(a, 1100, c.back, time.Minute))
			_, self := a.workflow(t, "api.yml", 50_000)
			client, o := a.job(t, 50_000, c.ref)
			o.Workflow = ".github/workflows/api.yml"
			backend, err := client.ArtifactBackend(o)
			if err != nil {
				t.Fatal(err)
			}
			items, err := backend.List(t.Context(), state.SnapshotPrefix)
			if unread := err != nil && strings.Contains(err.Error(), "it takes too many requests"); unread != c.unread || err != nil && !unread {
				t.Fatalf("%d items, %v", len(items), err)
			}
			if own := counted(items, self); !c.unread && own != 1 {
				t.Errorf("%d snapshots count, want 1", own)
			}
			if n := a.Count("GET", "/repos/*/*/activity"); n != c.pages {
				t.Errorf("%d pages are read, want %d", n, c.pages)
			}
			if !c.unread {
				return
			}
			restored, err := state.Restore(t.Context(), backend, self, nil)
			if err != nil || len(restored.Notices) != 1 {
				t.Errorf("notices %+v, %v", restored.Notices, err)
			}
			if folded, err := state.Fold(t.Context(), backend, self, restored, newSnapshot(t)); folded || err != nil {
				t.Errorf("Fold = %v, %v", folded, err)
			}
		})
	}
}

// A run is of a commit that became the tip shortly before it, or was it then: of one
// that is not found there no older page is read.
func TestATagsRunMakesNobodyReadTheWholeActivity(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.change(t, busyPast(a, 1100, 90, time.Hour))
	a.change(t, func(r *githubtest.Repository) {
		r.Past = append(r.Past, githubtest.Past{SHA: shaOf("d"), Parents: []string{fmt.Sprintf("%040x", 1000)}},
			githubtest.Past{SHA: shaOf("e"), Parents: []string{r.Branches[0].SHA, shaOf("d")}})
		r.Branches[0].SHA = shaOf("e")
		for i := range int64(30) {
			saveOn(r, 2_000+i, "push", "api.yml", "main", shaOf("d"), ofAPI)
			r.Runs[len(r.Runs)-1].Created = a.clock
		}
	})
	backend, self := a.workflow(t, "api.yml", 50_000)
	items, err := backend.List(t.Context(), "breadcrumb-")
	if err != nil {
		t.Fatal(err)
	}
	if own := counted(items, self); own != 2 {
		t.Errorf("%d items count, want the snapshot and the delta of the branch's own run", own)
	}
	if n := a.Count("GET", "/repos/*/*/activity"); n > 2 {
		t.Errorf("%d pages are read", n)
	}
}

// Where GitHub does not say what was the tip, no failure is excused and nothing is saved over
// what is there.
func TestNothingCountsWhereGitHubDoesNotSayWhatWasTheTip(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]githubtest.Fault{
		"refused":        {Status: 403, Message: "Resource not accessible by integration"},
		"not there":      {Status: 404, Message: "Not Found"},
		"too many":       {Status: 422, Message: "Validation failed, or the endpoint has been spammed."},
		"down":           {Status: 502, Message: "Bad Gateway"},
		"cut off":        {Drop: githubtest.DropMidway},
		"the older ones": {Status: 403, Message: "Resource not accessible by integration", Skip: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.change(t, busyPast(a, 300, 150, time.Minute))
			fault.Path = "/repos/*/*/activity"
			a.Inject(fault)
			backend, self := a.workflow(t, "api.yml", 50_000)
			restored, err := state.Restore(t.Context(), backend, self, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(restored.Notices) != 1 || !strings.Contains(restored.Notices[0].Reason, "the history cannot be listed") || !strings.Contains(restored.Notices[0].Reason, "the tip of main") {
				t.Errorf("notices %+v", restored.Notices)
			}
			if folded, err := state.Fold(t.Context(), backend, self, restored, newSnapshot(t)); folded || err != nil {
				t.Errorf("Fold = %v, %v", folded, err)
			}
		})
	}
}
