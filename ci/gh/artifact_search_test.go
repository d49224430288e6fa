package gh_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/state"
)

// The names under which two workflows save their snapshots.
const (
	ofE2E = "breadcrumb-snapshot-of-3e103440521ada06"
	ofAPI = "breadcrumb-snapshot-of-45219019a341aa9f"
)

// snapshots saves n snapshots of a workflow under an artifact's name, each of a run
// of its own, from the number of a run on.
func (a *actions) snapshots(t *testing.T, n int, workflow, name string, from int64) {
	t.Helper()
	a.change(t, func(r *githubtest.Repository) {
		for i := range int64(n) {
			r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: from + i, Event: "push", Path: ".github/workflows/" + workflow, HeadBranch: "main", HeadSHA: mainSHA})
			r.Artifacts = append(r.Artifacts, zipArtifact(from+i, from+i, name))
		}
	})
}

// workflow returns the backend of a run of another workflow, and the run.
func (a *actions) workflow(t *testing.T, file string, run int64) (state.Backend, state.Self) {
	t.Helper()
	a.change(t, func(r *githubtest.Repository) {
		r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: run, Event: "push", Path: ".github/workflows/" + file, HeadBranch: "main", HeadSHA: mainSHA})
	})
	client, o := a.job(t, run, "refs/heads/main")
	o.Workflow = ".github/workflows/" + file
	backend, err := client.ArtifactBackend(o)
	if err != nil {
		t.Fatal(err)
	}
	return backend, state.Self{DefaultBranch: "main", Info: engine.RunInfo{RepositoryID: shopID, Repository: shopName, RunID: run, RunAttempt: 1, DefaultBranch: true,
		Workflow: shopName + "/" + o.Workflow + "@refs/heads/main"}}
}

// listed is the backend of workflow when it has listed what is there.
func (a *actions) listed(t *testing.T, file string, run int64) state.Finder {
	t.Helper()
	backend, _ := a.workflow(t, file, run)
	if _, err := backend.List(t.Context(), "breadcrumb-"); err != nil {
		t.Fatal(err)
	}
	return backend.(state.Finder)
}

func TestAWorkflowFindsItsOwnSnapshotWhateverOthersSaved(t *testing.T) {
	t.Parallel()
	const own, most = 10_000, 13
	for name, c := range map[string]struct {
		name   string // of the own snapshot
		others string // names of the others' snapshots
		n      int
	}{
		"of this version":               {ofAPI, ofE2E, 300},
		"of this version, others older": {ofAPI, "breadcrumb-snapshot", 300},
		"of an older version":           {"breadcrumb-snapshot", "breadcrumb-snapshot", 99},
		"of an older version, far back": {"breadcrumb-snapshot", "breadcrumb-snapshot", 450},
		"under a name others forge":     {ofAPI, ofAPI, 250},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.snapshots(t, 1, "api.yml", c.name, own)
			a.snapshots(t, c.n, "e2e.yml", c.others, own+1)
			backend, self := a.workflow(t, "api.yml", 50_000)
			before := a.CountREST()
			items, err := backend.List(t.Context(), "breadcrumb-")
			if err != nil {
				t.Fatal(err)
			}
			if calls := a.CountREST() - before; calls > most {
				t.Errorf("it took %d calls, more than %d", calls, most)
			}
			found := 0
			for _, item := range items {
				o := item.Origin
				if strings.HasPrefix(item.Name, state.SnapshotPrefix) && o.Workflow == state.WorkflowFile(self.Info) {
					found++
					if o.RunID != own || o.Event != "push" {
						t.Errorf("%s has the origin %+v", item.Name, o)
					}
				}
			}
			if found != 1 {
				t.Errorf("%d snapshots of its own among %d items, want 1", found, len(items))
			}
		})
	}
}

func TestANewWorkflowHasNoSnapshotHoweverManyOthersSaved(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.snapshots(t, 1500, "e2e.yml", "breadcrumb-snapshot", 10_000)
	a.change(t, func(r *githubtest.Repository) {
		for _, file := range []string{"api.yml", "e2e.yml"} {
			r.Contents = append(r.Contents, githubtest.Content{Path: ".github/workflows/" + file, Text: "on: push"})
		}
	})
	backend, self := a.workflow(t, "api.yml", 50_000)
	before := a.CountREST()
	restored, err := state.Restore(t.Context(), backend, self, nil)
	if err != nil || len(restored.Notices) > 0 || restored.Snapshot != "" {
		t.Errorf("%+v, %v", restored, err)
	}
	if calls := a.CountREST() - before; calls > 9 {
		t.Errorf("it took %d calls", calls)
	}
	if folded, err := state.Fold(t.Context(), backend, self, restored, newSnapshot(t)); !folded || err != nil {
		t.Errorf("Fold = %v, %v; want a first snapshot", folded, err)
	}
}

func TestNothingIsFoldedOverWhatTheSearchDidNotReach(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.snapshots(t, 1, "api.yml", "breadcrumb-snapshot", 10_000)
	a.snapshots(t, 1500, "e2e.yml", "breadcrumb-snapshot", 10_001)
	backend, self := a.workflow(t, "api.yml", 50_000)
	if _, err := backend.List(t.Context(), "breadcrumb-"); !errors.Is(err, state.ErrUnread) {
		t.Fatalf("List = %v, want ErrUnread", err)
	}
	restored, err := state.Restore(t.Context(), backend, self, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(restored.Notices) != 1 || !strings.Contains(restored.Notices[0].Reason, "nothing is saved over it") {
		t.Errorf("notices %+v", restored.Notices)
	}
	if folded, err := state.Fold(t.Context(), backend, self, restored, newSnapshot(t)); folded || err != nil {
		t.Errorf("Fold = %v, %v", folded, err)
	}
}

func TestALookFromOutsideFindsTheSnapshotOfAnyWorkflow(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.snapshots(t, 1, "api.yml", ofAPI, 10_000)
	a.fill(t, 1000)
	client, _ := a.job(t, mainRun, "refs/heads/main")
	o, err := client.BackendOptions(t.Context(), shopName)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := client.ArtifactBackend(o)
	if err != nil {
		t.Fatal(err)
	}
	self := state.Self{AnyWorkflow: true, DefaultBranch: o.DefaultBranch, Info: engine.RunInfo{RepositoryID: shopID, Repository: shopName}}
	c, err := state.Inspect(t.Context(), backend, self)
	if err != nil || !strings.HasPrefix(c.Snapshot, fmt.Sprint(state.SnapshotPrefix, 10_000)) {
		t.Errorf("%+v, %v", c, err)
	}
}

func newSnapshot(t *testing.T) state.NewSnapshot {
	t.Helper()
	file := filepath.Join(t.TempDir(), "breadcrumb.db")
	if err := os.WriteFile(file, []byte("database"), 0o600); err != nil {
		t.Fatal(err)
	}
	return state.NewSnapshot{Database: file}
}

// What the legs of a run saved is found together, however far back.
func TestTheLegsOfARunAreFoundBehindOthersArtifacts(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	const first, second = 10_000, 10_001
	a.snapshots(t, 1, "api.yml", ofAPI, first)
	want := []string{
		fmt.Sprintf("%s%d-%d", state.SnapshotPrefix, first, first), fmt.Sprintf("%s%d-1-b", state.SnapshotPrefix, first),
		fmt.Sprintf("%s%d-1-a", state.DeltaPrefix, first), fmt.Sprintf("%s%d-1-b", state.DeltaPrefix, first), fmt.Sprintf("%s%d-1-a", state.DeltaPrefix, second),
	}
	a.change(t, func(r *githubtest.Repository) {
		r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: second, Event: "push", Path: ".github/workflows/api.yml", HeadBranch: "main", HeadSHA: mainSHA})
		for i, name := range want[1:4] {
			r.Artifacts = append(r.Artifacts, zipArtifact(int64(11_000+i), first, name))
		}
		r.Artifacts = append(r.Artifacts, zipArtifact(12_000, second, want[4]))
	})
	a.fill(t, 1000)
	backend, self := a.workflow(t, "api.yml", 500_000)
	before := a.CountREST()
	items, err := backend.List(t.Context(), "breadcrumb-")
	if err != nil {
		t.Fatal(err)
	}
	if calls := a.CountREST() - before; calls > 10 {
		t.Errorf("it took %d calls", calls)
	}
	found := map[string]bool{}
	for _, item := range items {
		if item.Origin.Workflow == state.WorkflowFile(self.Info) {
			found[item.Name] = true
		}
	}
	for _, name := range want {
		if !found[name] {
			t.Errorf("%s is not found", name)
		}
	}
}

// A snapshot at the end of what is listed hides nothing that its run, or one that began
// before, saved.
func TestTheLegsOfARunAreFoundBeyondTheLastPage(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	const run = 10_000
	legs := []string{fmt.Sprintf("%s%d-1-a", state.DeltaPrefix, run), fmt.Sprintf("%s%d-1-b", state.DeltaPrefix, run), fmt.Sprintf("%s%d-1-b", state.DeltaPrefix, run-1)}
	a.change(t, func(r *githubtest.Repository) {
		for id := int64(run - 1); id <= run; id++ {
			r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: id, Event: "push", Path: ".github/workflows/api.yml", HeadBranch: "main", HeadSHA: mainSHA})
		}
		id := int64(11_000)
		add := func(n int, run int64, name string) {
			for range n {
				id++
				r.Artifacts = append(r.Artifacts, zipArtifact(id, run, name))
			}
		}
		add(1, run, legs[0])
		add(1, run, legs[1])
		add(1, run-1, legs[2])
		add(10, pullRun, "blob-report")
		add(1, run, ofAPI)
		add(295, pullRun, "blob-report")
	})
	backend, _ := a.workflow(t, "api.yml", 500_000)
	items, err := backend.List(t.Context(), "breadcrumb-")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range legs {
		if !slices.ContainsFunc(items, func(i state.Item) bool { return i.Name == name }) {
			t.Errorf("%s is not found", name)
		}
	}
}

// What a person decided is found behind others' artifacts also before the workflow
// saved its first snapshot.
func TestADecisionIsFoundBehindOthersArtifacts(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	const run = 10_000
	want := fmt.Sprintf("%s%d-1-a", state.DeltaPrefix, run)
	a.change(t, func(r *githubtest.Repository) {
		r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: run, Event: "issue_comment", Path: ".github/workflows/api.yml", HeadBranch: "main", HeadSHA: mainSHA})
		r.Artifacts = append(r.Artifacts, zipArtifact(9_000, run, want))
	})
	a.fill(t, 400)
	backend, _ := a.workflow(t, "api.yml", 500_000)
	items, err := backend.List(t.Context(), "breadcrumb-")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(items, func(i state.Item) bool { return i.Name == want && i.Origin.Event == "issue_comment" }) {
		t.Errorf("%s is not found among %d items", want, len(items))
	}
}

// Of more runs than are looked at behind others' artifacts, the rest is named, and found
// when it is asked for.
func TestRunsBeyondTheBoundAreNamed(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	const first, runs = 10_000, 9
	a.snapshots(t, 1, "api.yml", ofAPI, first)
	a.change(t, func(r *githubtest.Repository) {
		for id := int64(first + 1); id <= first+runs; id++ {
			r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: id, Event: "push", Path: ".github/workflows/api.yml", HeadBranch: "main", HeadSHA: mainSHA})
			r.Artifacts = append(r.Artifacts, zipArtifact(1_000+id, id, fmt.Sprintf("%s%d-1-a", state.DeltaPrefix, id)))
		}
	})
	a.fill(t, 400)
	backend, _ := a.workflow(t, "api.yml", 500_000)
	items, err := backend.List(t.Context(), "breadcrumb-")
	if err != nil {
		t.Fatal(err)
	}
	finder := backend.(state.Finder)
	missed := finder.Missed(nil)
	for id := int64(first + 1); id <= first+runs; id++ {
		found := slices.ContainsFunc(items, func(i state.Item) bool { return i.Origin.RunID == id })
		if found == slices.Contains(missed, id) {
			t.Errorf("run %d: found %t, among the missed %t", id, found, !found)
		}
	}
	if len(missed) == 0 {
		t.Fatal("no run is missed, so this shows nothing")
	}
	if items, err = finder.FindOf(t.Context(), missed); err != nil {
		t.Fatal(err)
	}
	for _, id := range missed {
		if !slices.ContainsFunc(items, func(i state.Item) bool { return i.Origin.RunID == id }) {
			t.Errorf("run %d is not found when asked for", id)
		}
	}
}

// Runs that wait for weeks, as for an approval, leave nothing unread where what they may
// have saved since is listed.
func TestRunsThatHaveNotEndedAreNotMissed(t *testing.T) {
	t.Parallel()
	const snapshot, waiting = 10_000, 12
	for name, c := range map[string]struct {
		since time.Duration // how much older than the snapshot the oldest artifact is that is listed
		want  bool
	}{"listed": {5 * time.Hour, false}, "beyond the listing": {0, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.change(t, func(r *githubtest.Repository) {
				for id := int64(snapshot - waiting); id <= snapshot; id++ {
					r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: id, Event: "push", Path: ".github/workflows/api.yml", HeadBranch: "main", HeadSHA: mainSHA})
				}
				for i := range int64(400) {
					r.Artifacts = append(r.Artifacts, githubtest.Artifact{ID: 20_000 + i, Run: pullRun, Name: "blob-report", Created: a.clock.Add(-c.since), Content: []byte("x")})
				}
				own := zipArtifact(30_000, snapshot, ofAPI)
				own.Created = a.clock
				r.Artifacts = append(r.Artifacts, own)
			})
			finder := a.listed(t, "api.yml", 50_000)
			if missed := finder.Missed(nil); len(missed) > 0 != c.want {
				t.Errorf("missed %v, want some: %t", missed, c.want)
			}
		})
	}
}

// A run that somebody deleted has nothing any more: what other runs saved is read.
func TestADeletedRunHasNothingToRead(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	const kept, deleted = 10_000, 10_001
	want := fmt.Sprintf("%s%d-1-a", state.DeltaPrefix, kept)
	a.snapshots(t, 1, "api.yml", ofAPI, kept)
	a.change(t, func(r *githubtest.Repository) { r.Artifacts = append(r.Artifacts, zipArtifact(12_000, kept, want)) })
	a.fill(t, 400)
	finder := a.listed(t, "api.yml", 500_000)
	items, err := finder.FindOf(t.Context(), []int64{deleted, kept})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(items, func(i state.Item) bool { return i.Name == want }) {
		t.Errorf("%s is not found", want)
	}
}

// Of the runs that a snapshot names as unread those are missed that began before what is
// listed: the deltas of the others wait there.
func TestOnlyRunsOfBeforeTheListingAreMissed(t *testing.T) {
	t.Parallel()
	const old, young, pull = 10_000, 10_010, 10_020
	for name, c := range map[string]struct {
		artifacts int // of others, behind which the listing may end
		want      []int64
	}{"the listing ends": {400, []int64{old}}, "all is listed": {100, nil}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.change(t, func(r *githubtest.Repository) {
				for id, age := range map[int64]time.Duration{old: 10 * time.Hour, young: time.Hour} {
					r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: id, Event: "push", Path: ".github/workflows/api.yml", HeadBranch: "main", HeadSHA: mainSHA, Created: a.clock.Add(-age)})
				}
				for i := range int64(c.artifacts) {
					r.Artifacts = append(r.Artifacts, githubtest.Artifact{ID: 20_000 + i, Run: pullRun, Name: "blob-report", Created: a.clock.Add(-5 * time.Hour), Content: []byte("x")})
				}
				own := zipArtifact(30_000, young, ofAPI)
				own.Created = a.clock
				r.Artifacts = append(r.Artifacts, own)
			})
			finder := a.listed(t, "api.yml", 50_000)
			if got := finder.Missed([]int64{old, young, pull}); !slices.Equal(got, c.want) {
				t.Errorf("missed %v, want %v", got, c.want)
			}
		})
	}
}
