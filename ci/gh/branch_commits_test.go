package gh_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/state"
)

// Whatever the run of a tag that bears the default branch's name saves, and however
// much, the default branch's own history is found and counts.
func TestATagNamedLikeTheDefaultBranchSavesForNobody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		strays int
		behind bool // the genuine history is behind them in the listing
	}{"one of its runs": {1, false}, "one, newer": {1, true}, "more than a query asks for": {120, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.change(t, func(r *githubtest.Repository) {
				past(r)
				r.Runs = nil
				r.Tags = map[string]string{"main": shaOf("d")}
				save := func(run int64, sha string) { saveOn(r, run, "push", "api.yml", "main", sha, ofAPI) }
				if !c.behind {
					save(9_000, shaOf("d"))
				}
				save(10_000, shaOf("b"))
				for i := range c.strays {
					stray := fmt.Sprintf("%040x", i+1) // a commit that GitHub no longer has
					if i == 0 {
						stray = shaOf("d")
					}
					save(int64(11_000+i), stray)
				}
			})
			backend, self := a.workflow(t, "api.yml", 50_000)
			items, err := backend.List(t.Context(), "breadcrumb-")
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]int{}
			for _, item := range items {
				if o := item.Origin; o.Workflow == state.WorkflowFile(self.Info) {
					found[o.HeadSHA]++
				}
			}
			if len(found) != 1 || found[shaOf("b")] != 2 {
				t.Errorf("what counts is of %v, want the snapshot and the delta of the default branch's commit", found)
			}
			if former := backend.(state.Renamer).Former(); former.Stray == "" || former.Stray == shaOf("b") {
				t.Errorf("the stray commit is %q", former.Stray)
			}
		})
	}
}

// A fold of many deltas asks GitHub once for the newest commits, and once more for
// those that are further back.
func TestCommitsAreAskedForTogether(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.change(t, func(r *githubtest.Repository) {
		r.Runs = nil
		for i := range 130 {
			made := githubtest.Past{SHA: fmt.Sprintf("%040x", i+1)}
			if i > 0 {
				made.Parents = []string{fmt.Sprintf("%040x", i)}
			}
			r.Past = append(r.Past, made)
		}
		r.Branches = []githubtest.Branch{{Name: "main", SHA: fmt.Sprintf("%040x", 130)}}
		for i := range int64(40) {
			saveOn(r, 900+i, "push", "api.yml", "main", fmt.Sprintf("%040x", 5+3*i), ofAPI)
		}
	})
	backend, self := a.workflow(t, "api.yml", 50_000)
	before := a.Count("POST", "/graphql")
	items, err := backend.List(t.Context(), "breadcrumb-")
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for _, item := range items {
		if item.Origin.Workflow == state.WorkflowFile(self.Info) {
			own++
		}
	}
	if own != 80 {
		t.Errorf("%d items count, want 80", own)
	}
	if n := a.Count("POST", "/graphql") - before; n > 2 {
		t.Errorf("%d queries", n)
	}
}

// Where GitHub does not say it, nobody is excused and nothing is saved over what is
// there.
func TestNothingCountsWhereGitHubDoesNotSayWhatIsOnTheBranch(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]githubtest.Fault{
		"refused": {Path: "/graphql", Status: 403, Message: "Resource not accessible by integration"},
		"down":    {Path: "/graphql", Status: 502, Message: "Bad Gateway"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.snapshots(t, 1, "api.yml", ofAPI, 10_000)
			backend, self := a.workflow(t, "api.yml", 50_000)
			a.Inject(fault)
			restored, err := state.Restore(t.Context(), backend, self, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(restored.Notices) != 1 || !strings.Contains(restored.Notices[0].Reason, "the history cannot be listed") {
				t.Errorf("notices %+v", restored.Notices)
			}
			if folded, err := state.Fold(t.Context(), backend, self, restored, newSnapshot(t)); folded || err != nil {
				t.Errorf("Fold = %v, %v", folded, err)
			}
		})
	}
}

// Git takes a tag for a short name before a branch.
func TestACommitBranchedOffFromTheBranchNotFromATagOfItsName(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.change(t, func(r *githubtest.Repository) {
		past(r)
		r.Past = append(r.Past, githubtest.Past{SHA: shaOf("e"), Parents: []string{shaOf("d")}})
		r.Tags = map[string]string{"main": shaOf("d")}
	})
	client, _ := a.job(t, pullRun, pullRef)
	ancestry, err := client.Ancestry(shopName, "main")
	if err != nil {
		t.Fatal(err)
	}
	base, err := ancestry.MergeBase(t.Context(), shaOf("e"))
	if err != nil || base.Commit != shaOf("b") {
		t.Errorf("it branched off at %q, %v, want where the branch was", base.Commit, err)
	}
}
