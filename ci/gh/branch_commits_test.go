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

// longPast is a branch of 130 commits, and 40 runs of every third of them.
func longPast(r *githubtest.Repository) {
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
}

// counted returns how many of the listed items are the workflow's own.
func counted(items []state.Item, self state.Self) int {
	own := 0
	for _, item := range items {
		if item.Origin.Workflow == state.WorkflowFile(self.Info) {
			own++
		}
	}
	return own
}

// A fold of many deltas asks GitHub once for the newest commits, and once more for
// those that are further back.
func TestCommitsAreAskedForTogether(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.change(t, longPast)
	backend, self := a.workflow(t, "api.yml", 50_000)
	before := a.Count("POST", "/graphql")
	items, err := backend.List(t.Context(), "breadcrumb-")
	if err != nil {
		t.Fatal(err)
	}
	if own := counted(items, self); own != 80 {
		t.Errorf("%d items count, want 80", own)
	}
	if n := a.Count("POST", "/graphql") - before; n > 2 {
		t.Errorf("%d queries", n)
	}
}

// noGraphQL is what a GitHub answers that has none.
var noGraphQL = githubtest.Fault{Method: "POST", Path: "/graphql", Status: 404, Message: "Not Found"}

// Without GraphQL the REST API says the same: of the newest hundred commits together,
// and of each that is further back once.
func TestWithoutGraphQLEachCommitIsComparedOnce(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.change(t, func(r *githubtest.Repository) {
		longPast(r)
		r.Past = append(r.Past, githubtest.Past{SHA: shaOf("e"), Parents: []string{fmt.Sprintf("%040x", 120)}})
		r.Tags = map[string]string{"main": shaOf("e")}
		saveOn(r, 2_000, "push", "api.yml", "main", shaOf("e"), ofAPI) // a tag's, beside the branch
		saveOn(r, 2_001, "push", "api.yml", "main", shaOf("f"), ofAPI) // GitHub no longer has it
	})
	a.Inject(noGraphQL)
	backend, self := a.workflow(t, "api.yml", 50_000)
	for range 2 {
		items, err := backend.List(t.Context(), "breadcrumb-")
		if err != nil {
			t.Fatal(err)
		}
		if own := counted(items, self); own != 80 {
			t.Errorf("%d items count, want 80", own)
		}
	}
	if n := a.Count("GET", "/repos/*/*/commits"); n != 1 {
		t.Errorf("the newest commits are listed %d times", n)
	}
	if n := a.Count("GET", "/repos/*/*/compare/*"); n != 9+2 {
		t.Errorf("%d commits are compared, want the 9 that are far back and 2 strays", n)
	}
}

// Who pushes many tags of the branch's name makes no run ask for ever: it knows less
// then, says so, and saves nothing over what it does not know.
func TestWithoutGraphQLTooManyCommitsAreNoHistory(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.change(t, func(r *githubtest.Repository) {
		longPast(r)
		for i := range int64(60) {
			saveOn(r, 2_000+i, "push", "api.yml", "main", fmt.Sprintf("%040x", 9_000+i), ofAPI)
		}
	})
	a.Inject(noGraphQL)
	backend, self := a.workflow(t, "api.yml", 50_000)
	restored, err := state.Restore(t.Context(), backend, self, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(restored.Notices) != 1 || !strings.Contains(restored.Notices[0].Reason, "more than 50 are not among its newest 100") {
		t.Errorf("notices %+v", restored.Notices)
	}
	if folded, err := state.Fold(t.Context(), backend, self, restored, newSnapshot(t)); folded || err != nil {
		t.Errorf("Fold = %v, %v", folded, err)
	}
	if n := a.Count("GET", "/repos/*/*/compare/*"); n > 50 {
		t.Errorf("%d commits are compared", n)
	}
}

// Where neither of GitHub's APIs says it, no failure is excused and nothing is saved over
// what is there.
func TestNothingCountsWhereGitHubDoesNotSayWhatIsOnTheBranch(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]githubtest.Fault{
		"the branch is refused":       {Path: "/repos/*/*/git/ref/heads/main", Status: 403, Message: "Resource not accessible by integration"},
		"the branch is down":          {Path: "/repos/*/*/git/ref/heads/main", Status: 502, Message: "Bad Gateway"},
		"the branch is not there":     {Path: "/repos/*/*/git/ref/heads/main", Status: 404, Message: "Not Found"},
		"the commits are refused":     {Path: "/repos/*/*/commits", Status: 403, Message: "Resource not accessible by integration"},
		"the comparison is refused":   {Path: "/repos/*/*/compare/*", Status: 403, Message: "Resource not accessible by integration"},
		"the comparison is down":      {Path: "/repos/*/*/compare/*", Status: 502, Message: "Bad Gateway"},
		"the comparison is no answer": {Path: "/repos/*/*/compare/*", Drop: githubtest.DropMidway},
	} {
		for graphQL, without := range map[string]githubtest.Fault{"no GraphQL": noGraphQL, "GraphQL refused": {Path: "/graphql", Status: 403, Message: "Resource not accessible by integration"},
			"GraphQL down": {Path: "/graphql", Status: 502, Message: "Bad Gateway"}} {
			t.Run(name+", "+graphQL, func(t *testing.T) {
				t.Parallel()
				a := newActions(t, githubtest.Options{})
				a.change(t, longPast)
				a.Inject(fault)
				a.Inject(without)
				backend, self := a.workflow(t, "api.yml", 50_000)
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
