package gh_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/state"
)

// shaOf is the commit of a digit.
func shaOf(digit string) string { return strings.Repeat(digit, 40) }

// saveOn saves a snapshot and a delta as a run of a workflow on a branch did.
func saveOn(r *githubtest.Repository, run int64, event, file, branch, sha, name string) {
	r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: run, Event: event, Path: ".github/workflows/" + file, HeadBranch: branch, HeadSHA: sha})
	delta := zipArtifact(run*10+1, run, state.Self{}.DeltaName())
	delta.Name = strings.Replace(delta.Name, state.DeltaPrefix+"0-", state.DeltaPrefix+"900-", 1)
	r.Artifacts = append(r.Artifacts, zipArtifact(run*10, run, name), delta)
}

// past is a default branch a - b - c beside which d branched off from b.
func past(r *githubtest.Repository) {
	r.Branches = []githubtest.Branch{{Name: "main", SHA: shaOf("c")}}
	r.Past = []githubtest.Past{{SHA: shaOf("a")}, {SHA: shaOf("b"), Parents: []string{shaOf("a")}}, {SHA: shaOf("c"), Parents: []string{shaOf("b")}},
		{SHA: shaOf("d"), Parents: []string{shaOf("b")}}}
}

func TestAHistoryGoesOnAfterARename(t *testing.T) {
	t.Parallel()
	file := func(r *githubtest.Repository, names ...string) {
		for _, name := range names {
			r.Contents = append(r.Contents, githubtest.Content{Ref: "main", Path: ".github/workflows/" + name, Text: "on: push"})
		}
	}
	for name, c := range map[string]struct {
		change func(*githubtest.Repository)
		want   state.Former
		items  int // that are the default branch's own
	}{
		"of the default branch": {func(r *githubtest.Repository) {
			r.Renamed = map[string]string{"master": "main"}
			saveOn(r, 900, "push", "api.yml", "master", shaOf("b"), ofAPI)
		}, state.Former{Branch: "master"}, 2},
		"of the default branch, by an older version": {func(r *githubtest.Repository) {
			r.Renamed = map[string]string{"master": "main"}
			saveOn(r, 900, "push", "api.yml", "master", shaOf("b"), "breadcrumb-snapshot")
		}, state.Former{Branch: "master"}, 2},
		"a branch that was never renamed": {func(r *githubtest.Repository) {
			saveOn(r, 900, "push", "api.yml", "master", shaOf("b"), ofAPI)
		}, state.Former{Left: []string{"branch master"}}, 0},
		"a branch made anew under the old name": {func(r *githubtest.Repository) {
			r.Renamed = map[string]string{"master": "main"}
			r.Branches = append(r.Branches, githubtest.Branch{Name: "master", SHA: shaOf("b")})
			saveOn(r, 900, "push", "api.yml", "master", shaOf("b"), ofAPI)
		}, state.Former{Left: []string{"branch master"}}, 0},
		"a commit of the old name that never came to the default branch": {func(r *githubtest.Repository) {
			r.Renamed = map[string]string{"master": "main"}
			saveOn(r, 900, "push", "api.yml", "master", shaOf("d"), ofAPI)
		}, state.Former{Left: []string{"branch master"}}, 0},
		"a pull request under the old name": {func(r *githubtest.Repository) {
			r.Renamed = map[string]string{"master": "main"}
			saveOn(r, 900, "pull_request", "api.yml", "master", shaOf("b"), ofAPI)
		}, state.Former{Left: []string{"branch master"}}, 0},
		"another branch that was renamed": {func(r *githubtest.Repository) {
			r.Renamed = map[string]string{"topic": "feature"}
			saveOn(r, 900, "push", "api.yml", "topic", shaOf("b"), ofAPI)
		}, state.Former{Left: []string{"branch topic"}}, 0},
		"of the default branch, where only another workflow has a history": {func(r *githubtest.Repository) {
			file(r, "api.yml", "e2e.yml")
			r.Renamed = map[string]string{"master": "main"}
			saveOn(r, 900, "push", "e2e.yml", "master", shaOf("b"), ofE2E)
		}, state.Former{Branch: "master"}, 0},
		"of the workflow's file": {func(r *githubtest.Repository) {
			file(r, "api.yml")
			saveOn(r, 900, "push", "e2e.yml", "main", shaOf("b"), ofE2E)
		}, state.Former{Workflow: ".github/workflows/e2e.yml"}, 2},
		"another workflow that is still there": {func(r *githubtest.Repository) {
			file(r, "api.yml", "e2e.yml")
			saveOn(r, 900, "push", "e2e.yml", "main", shaOf("b"), ofE2E)
		}, state.Former{}, 0},
		"a token that reads no files": {func(r *githubtest.Repository) {
			saveOn(r, 900, "push", "e2e.yml", "main", shaOf("b"), ofE2E)
		}, state.Former{Left: []string{".github/workflows/e2e.yml"}}, 0},
		"a file that was renamed again before its run ended": {func(r *githubtest.Repository) {
			file(r, "tests.yml")
			saveOn(r, 900, "push", "e2e.yml", "main", shaOf("b"), ofE2E)
		}, state.Former{Left: []string{".github/workflows/e2e.yml"}}, 0},
		"of the one file that is gone, beside many others": {func(r *githubtest.Repository) {
			file(r, "api.yml", "a.yml", "b.yml", "c.yml", "d.yml", "f.yml", "g.yml")
			for i, name := range []string{"a.yml", "b.yml", "c.yml", "d.yml", "f.yml", "g.yml"} {
				r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: int64(700 + i), Event: "push", Path: ".github/workflows/" + name, HeadBranch: "main", HeadSHA: shaOf("b")})
			}
			saveOn(r, 900, "push", "e2e.yml", "main", shaOf("b"), ofE2E)
		}, state.Former{Workflow: ".github/workflows/e2e.yml"}, 2},
		"more files that are gone than are looked at": {func(r *githubtest.Repository) {
			file(r, "api.yml")
			for i, name := range []string{"a.yml", "b.yml", "c.yml", "d.yml", "f.yml"} {
				r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: int64(700 + i), Event: "push", Path: ".github/workflows/" + name, HeadBranch: "main", HeadSHA: shaOf("b")})
			}
			saveOn(r, 900, "push", "e2e.yml", "main", shaOf("b"), ofE2E)
		}, state.Former{Left: []string{".github/workflows/f.yml", ".github/workflows/e2e.yml", ".github/workflows/d.yml", ".github/workflows/c.yml", ".github/workflows/b.yml", "others"}}, 0},
		"of the default branch, where files are gone that nothing tells apart": {func(r *githubtest.Repository) {
			file(r, "api.yml")
			r.Renamed = map[string]string{"master": "main"}
			saveOn(r, 900, "push", "e2e.yml", "master", shaOf("b"), ofE2E)
			for i, name := range []string{"a.yml", "b.yml", "c.yml", "d.yml", "f.yml"} {
				r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: int64(700 + i), Event: "push", Path: ".github/workflows/" + name, HeadBranch: "master", HeadSHA: shaOf("b")})
			}
			decideOn(r, 902, "push", "master", shaOf("b"))
		}, state.Former{Branch: "master", Left: []string{".github/workflows/f.yml", ".github/workflows/e2e.yml", ".github/workflows/d.yml", ".github/workflows/c.yml", ".github/workflows/b.yml", "others"}}, 1},
		"a workflow that only a pull request ran": {func(r *githubtest.Repository) {
			file(r, "api.yml")
			saveOn(r, 900, "push", "e2e.yml", "topic", shaOf("b"), ofE2E)
		}, state.Former{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.change(t, func(r *githubtest.Repository) {
				r.Runs = nil
				past(r)
				c.change(r)
			})
			backend, self := a.workflow(t, "api.yml", 50_000)
			items, err := backend.List(t.Context(), "breadcrumb-")
			if err != nil {
				t.Fatal(err)
			}
			own := 0
			for _, item := range items {
				if o := item.Origin; o.Branch == "main" && o.Workflow == state.WorkflowFile(self.Info) && o.Event == "push" {
					own++
				}
			}
			if own != c.items {
				t.Errorf("%d items are its own, want %d", own, c.items)
			}
			if diff := cmp.Diff(c.want, backend.(state.Renamer).Former()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// decideOn saves what a comment's command decided as a run on a branch did, without a snapshot.
func decideOn(r *githubtest.Repository, run int64, event, branch, sha string) {
	r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: run, Event: event, Path: ".github/workflows/api.yml", HeadBranch: branch, HeadSHA: sha})
	r.Artifacts = append(r.Artifacts, zipArtifact(run*10, run, state.DeltaPrefix+strings.Repeat("9", 3)+"-1-0123456789abcdef"))
}

// twice is past, whose branch was called master, then trunk, and now main.
func twice(r *githubtest.Repository) {
	past(r)
	r.Renamed = map[string]string{"master": "main", "trunk": "main"}
	r.Activities = []githubtest.Activity{{Branch: "master", After: shaOf("a")}, {Branch: "master", After: shaOf("b")}, {Branch: "master", Type: "branch_deletion"},
		{Branch: "trunk", Type: "branch_creation", After: shaOf("b")}, {Branch: "trunk", Type: "branch_deletion"}, {Branch: "main", Type: "branch_creation", After: shaOf("b")}}
	for i := range r.Activities {
		r.Activities[i].At = time.Date(2026, 1, 30, 12, i, 0, 0, time.UTC)
	}
}

// The second name was there too short for a snapshot.
func TestWhatWasDecidedUnderANameInBetweenGoesOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*githubtest.Repository)
		want   state.Former
		events []string // of the items that are the default branch's own
	}{
		"a command in a comment": {func(r *githubtest.Repository) {
			decideOn(r, 901, "issue_comment", "trunk", shaOf("b"))
		}, state.Former{Branch: "master", Branches: []string{"trunk"}}, []string{"issue_comment", "push", "push"}},
		"a run whose snapshot was not due": {func(r *githubtest.Repository) {
			decideOn(r, 901, "push", "trunk", shaOf("b"))
		}, state.Former{Branch: "master", Branches: []string{"trunk"}}, []string{"push", "push", "push"}},
		"a run of another branch, of a commit that was merged": {func(r *githubtest.Repository) {
			decideOn(r, 901, "push", "topic", shaOf("b"))
		}, state.Former{Branch: "master"}, []string{"push", "push"}},
		"a branch made anew under the name": {func(r *githubtest.Repository) {
			r.Branches = append(r.Branches, githubtest.Branch{Name: "trunk", SHA: shaOf("b")})
			decideOn(r, 901, "issue_comment", "trunk", shaOf("b"))
		}, state.Former{Branch: "master"}, []string{"push", "push"}},
		"a commit that never came to the default branch": {func(r *githubtest.Repository) {
			decideOn(r, 901, "issue_comment", "trunk", shaOf("d"))
		}, state.Former{Branch: "master", Branches: []string{"trunk"}}, []string{"push", "push"}},
		"a pull request": {func(r *githubtest.Repository) {
			decideOn(r, 901, "pull_request", "trunk", shaOf("b"))
		}, state.Former{Branch: "master"}, []string{"push", "push"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.change(t, func(r *githubtest.Repository) {
				r.Runs = nil
				twice(r)
				saveOn(r, 900, "push", "api.yml", "master", shaOf("b"), ofAPI)
				c.change(r)
			})
			backend, self := a.workflow(t, "api.yml", 50_000)
			items, err := backend.List(t.Context(), "breadcrumb-")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.events, ownEvents(items, self)); diff != "" {
				t.Errorf("events of its own items (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.want, backend.(state.Renamer).Former()); diff != "" {
				t.Error(diff)
			}
			if c.want.Branches == nil {
				return
			}
			// A later run knows the names from its snapshot.
			a.change(t, func(r *githubtest.Repository) { saveOn(r, 902, "push", "api.yml", "main", shaOf("b"), ofAPI) })
			backend, self = a.workflow(t, "api.yml", 50_000)
			if _, err := backend.List(t.Context(), "breadcrumb-"); err != nil {
				t.Fatal(err)
			}
			items, err = backend.(state.Follower).Follow(t.Context(), c.want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append(c.events, "push", "push"), ownEvents(items, self)); diff != "" {
				t.Errorf("events of its own items later (-want +got):\n%s", diff)
			}
		})
	}
}

// ownEvents returns the events of the items that are this workflow's on the default branch, sorted.
func ownEvents(items []state.Item, self state.Self) (events []string) {
	for _, item := range items {
		if o := item.Origin; o.Branch == "main" && o.Workflow == state.WorkflowFile(self.Info) {
			events = append(events, o.Event)
		}
	}
	slices.Sort(events)
	return events
}
