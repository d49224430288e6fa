package gh_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/breadcrumb/action/ci/gh/archive"
	"github.com/breadcrumb/action/ci/gh/resultsservice"
	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/state"
)

const pullRef = "refs/pull/12/merge"

func TestCachesAreWrittenByTheDefaultBranchAlone(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	ours := a.caches(t, "refs/heads/main")
	if err := ours.Put(t.Context(), state.SnapshotPrefix+"1", mapFS(map[string]string{"a": "main"})); err != nil {
		t.Fatal(err)
	}
	pull := a.caches(t, pullRef)
	if err := pull.Put(t.Context(), state.SnapshotPrefix+"2", mapFS(map[string]string{"a": "pull"})); !errors.Is(err, state.ErrReadOnly) {
		t.Errorf("Put of a pull request = %v, want ErrReadOnly", err)
	}
	if got := getItem(t, pull, onlyItem(t, pull, state.SnapshotPrefix)); got["a"] != "main" {
		t.Errorf("a pull request reads %v", got)
	}
}

// plant keeps a cache that no job of ours saved.
func (a *actions) plant(t *testing.T, ref, key, text string) {
	t.Helper()
	tar, err := archive.TarZstd(mapFS(map[string]string{"a": text}), "breadcrumb-state")
	if err != nil {
		t.Fatal(err)
	}
	a.change(t, func(r *githubtest.Repository) {
		r.Caches = append(r.Caches, githubtest.Cache{ID: int64(50 + len(r.Caches)), Ref: ref, Key: key, Version: resultsservice.CacheVersion("zstd-without-long", "breadcrumb-state"),
			Created: a.clock, Accessed: a.clock, Content: tar})
	})
}

// The tests of a pull request run before Breadcrumb in the same job and can
// save caches of their own, among them one that covers the default branch's.
func TestPullRequestCannotPutACacheInThePlaceOfTheDefaultBranchs(t *testing.T) {
	t.Parallel()
	name := state.SnapshotPrefix + "1"
	t.Run("beside", func(t *testing.T) {
		a := newActions(t, githubtest.Options{})
		a.plant(t, "refs/heads/main", name, "main")
		a.plant(t, pullRef, state.SnapshotPrefix+"2", "forged")
		a.plant(t, "refs/pull/13/merge", name, "of another pull request, which we cannot read")
		pull := a.caches(t, pullRef)
		if got := getItem(t, pull, onlyItem(t, pull, state.SnapshotPrefix)); got["a"] != "main" {
			t.Errorf("got %v", got)
		}
	})
	for where, ref := range map[string]string{"over it": pullRef, "over it on the base branch": "refs/heads/release"} {
		t.Run(where, func(t *testing.T) {
			a := newActions(t, githubtest.Options{})
			a.plant(t, "refs/heads/main", name, "main")
			a.plant(t, ref, name, "forged")
			pull := a.caches(t, pullRef)
			if err := getInto(t, pull, onlyItem(t, pull, state.SnapshotPrefix), t.TempDir()); !errors.Is(err, state.ErrHostile) {
				t.Errorf("Get = %v, want ErrHostile", err)
			}
		})
	}
	t.Run("hidden by many", func(t *testing.T) {
		a := newActions(t, githubtest.Options{})
		a.plant(t, "refs/heads/main", name, "main")
		a.plant(t, pullRef, name, "forged")
		for i := range 100 {
			a.plant(t, pullRef, fmt.Sprint(name, i), "chaff")
		}
		pull := a.caches(t, pullRef)
		item := state.Item{ID: name, Name: name}
		if err := getInto(t, pull, item, t.TempDir()); !errors.Is(err, state.ErrHostile) {
			t.Errorf("Get = %v, want ErrHostile", err)
		}
	})
}

func TestLostAnswersLeaveOneCache(t *testing.T) {
	t.Parallel()
	const service = "/twirp/github.actions.results.api.v1.CacheService/"
	for _, method := range []string{"CreateCacheEntry", "FinalizeCacheEntryUpload", "GetCacheEntryDownloadURL"} {
		t.Run(method, func(t *testing.T) {
			a := newActions(t, githubtest.Options{})
			a.Inject(githubtest.Fault{Path: service + method, Times: 1, Drop: githubtest.DropAfter})
			backend := a.caches(t, "refs/heads/main")
			for range 2 {
				if err := backend.Put(t.Context(), state.DeltaPrefix+"1-1", mapFS(map[string]string{"a": "whole"})); err != nil {
					t.Errorf("Put = %v", err)
				}
			}
			if got := getItem(t, backend, onlyItem(t, backend, state.DeltaPrefix)); got["a"] != "whole" {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestCacheModesAreHonoured(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	client, o := a.job(t, mainRun, "refs/heads/main")
	for mode, want := range map[string]string{"none": "may not read caches", "write-only": "may not read caches"} {
		o.CacheMode = mode
		if _, err := client.CacheBackend(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	o.CacheMode = "read"
	backend, err := client.CacheBackend(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := backend.Put(t.Context(), state.DeltaPrefix+"1", mapFS(map[string]string{"a": "x"})); !errors.Is(err, state.ErrReadOnly) {
		t.Errorf("mode read: Put = %v", err)
	}
}

func TestForgedCachesAreRefused(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.plant(t, "refs/heads/main", state.DeltaPrefix+"1", "x")
	a.change(t, func(r *githubtest.Repository) {
		r.Caches[0].Content = r.Caches[0].Content[:len(r.Caches[0].Content)/2]
	})
	backend := a.caches(t, "refs/heads/main")
	if err := getInto(t, backend, onlyItem(t, backend, state.DeltaPrefix), t.TempDir()); err == nil {
		t.Error("a truncated cache was taken")
	}
	if items, err := backend.List(t.Context(), state.SnapshotPrefix); err != nil || len(items) != 0 {
		t.Errorf("%v, %v", items, err)
	}
	var none bytes.Buffer
	if err := archive.UntarZstd(&none, "breadcrumb-state", nil); err == nil {
		t.Error("an empty archive was taken")
	}
}

func TestCachesAreListedBackToASnapshot(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]error{99: nil, 250: nil, 600: state.ErrUnread} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			a := newActions(t, githubtest.Options{})
			a.plant(t, "refs/heads/main", state.SnapshotPrefix+"1", "the snapshot")
			a.change(t, func(r *githubtest.Repository) {
				for i := range n {
					delta := r.Caches[0]
					delta.ID, delta.Key = int64(100+i), fmt.Sprint(state.DeltaPrefix, i)
					r.Caches = append(r.Caches, delta)
				}
			})
			items, err := a.caches(t, "refs/heads/main").List(t.Context(), "breadcrumb-")
			if !errors.Is(err, want) {
				t.Fatalf("List = %v, want %v", err, want)
			}
			if want == nil && len(items) != n+1 {
				t.Errorf("%d items of %d", len(items), n+1)
			}
		})
	}
}

func TestAHistoryInCachesOfAFormerNameIsTold(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.plant(t, "refs/heads/master", state.SnapshotPrefix+"1", "of before")
	backend := a.caches(t, "refs/heads/main")
	if items, err := backend.List(t.Context(), "breadcrumb-"); err != nil || len(items) != 0 {
		t.Fatalf("%v, %v", items, err)
	}
	if left := backend.Former().Left; len(left) != 1 || left[0] != "branch master" {
		t.Errorf("left are %q", left)
	}
	a.plant(t, "refs/heads/main", state.SnapshotPrefix+"2", "of now")
	now := a.caches(t, "refs/heads/main")
	if items, err := now.List(t.Context(), "breadcrumb-"); err != nil || len(items) != 1 || now.Former().Left != nil {
		t.Errorf("%v, %v, left %q", items, err, now.Former().Left)
	}
}

// GitHub lets a run on a comment read caches and not write them.
func TestADecisionIsKeptBesideTheCaches(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.change(t, func(r *githubtest.Repository) {
		r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: 900, Event: "issue_comment", Path: ".github/workflows/e2e.yml", HeadBranch: "main", HeadSHA: mainSHA})
	})
	client, o := a.job(t, 900, "refs/heads/main")
	o.Event = "issue_comment"
	commented, err := client.CacheBackend(o)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		err := commented.Put(t.Context(), fmt.Sprint(state.DeltaPrefix, "900-1-", n), mapFS(map[string]string{"a": fmt.Sprint(n)}))
		if full := n == 4; full != (err != nil) || full && !strings.Contains(err.Error(), "a comment may decide 4 things at most") {
			t.Errorf("decision %d: %v", n, err)
		}
	}
	if err := commented.Put(t.Context(), state.SnapshotPrefix+"900-1", mapFS(map[string]string{"a": "x"})); !errors.Is(err, state.ErrReadOnly) {
		t.Errorf("a snapshot: %v", err)
	}
	items, err := a.caches(t, "refs/heads/main").List(t.Context(), state.DeltaPrefix)
	if err != nil || len(items) != 4 {
		t.Fatalf("%v, %v", items, err)
	}
	for _, item := range items {
		if item.Origin.Event != "issue_comment" || !item.Origin.Shared || item.Origin.Workflow != ".github/workflows/e2e.yml" || item.Origin.RunID != 900 || !strings.HasPrefix(item.Name, state.DeltaPrefix+"900-") {
			t.Errorf("%+v", item)
		}
		if got := getItem(t, a.caches(t, "refs/heads/main"), item); len(got["a"]) != 1 {
			t.Errorf("%s holds %v", item.Name, got)
		}
	}
	if items, err := a.caches(t, pullRef).List(t.Context(), state.DeltaPrefix); err != nil || len(items) != 0 {
		t.Errorf("a pull request's run, which has few requests, sees %v, %v", items, err)
	}
	o.CacheMode = "write"
	if writing, err := client.CacheBackend(o); err != nil || writing.Put(t.Context(), state.DeltaPrefix+"900-1-cache", mapFS(map[string]string{"a": "x"})) != nil {
		t.Errorf("a workflow that says cache-mode: write does not write caches: %v", err)
	}
}

// Another workflow's decisions are listed, and those of this one under a former name: of them
// a release counts.
func TestADecisionOfAnotherWorkflowIsListed(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	a.change(t, func(r *githubtest.Repository) {
		r.Runs = append(r.Runs, githubtest.WorkflowRun{ID: 900, Event: "issue_comment", Path: ".github/workflows/former.yml", HeadBranch: "main", HeadSHA: mainSHA},
			githubtest.WorkflowRun{ID: 901, Event: "push", Path: ".github/workflows/former.yml", HeadBranch: "main", HeadSHA: mainSHA},
			githubtest.WorkflowRun{ID: 902, Event: "issue_comment", Path: ".github/workflows/former.yml", HeadBranch: "topic", HeadSHA: mainSHA})
		for run := int64(900); run < 903; run++ {
			r.Artifacts = append(r.Artifacts, zipArtifact(run*10, run, "breadcrumb-decision"))
		}
	})
	items, err := a.caches(t, "refs/heads/main").List(t.Context(), state.DeltaPrefix)
	if err != nil {
		t.Fatal(err)
	}
	var vouched []int64 // runs on comments of the default branch
	for _, item := range items {
		if o := item.Origin; o.Shared && o.Event == state.CommandEvent && o.Branch == "main" {
			vouched = append(vouched, o.RunID)
		}
	}
	if len(vouched) != 1 || vouched[0] != 900 {
		t.Errorf("listed as decisions: %v of %+v", vouched, items)
	}
}
