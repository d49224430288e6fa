package gh_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/state"
)

func TestBranchKeepsTheItemsOfRunsThatRace(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	var all sync.WaitGroup
	for i := range 10 {
		backend := a.branch(t) // a process of its own
		all.Go(func() {
			for j := range 3 {
				name := fmt.Sprintf("%s%d-%d", state.DeltaPrefix, i, j)
				if err := backend.Put(t.Context(), name, mapFS(map[string]string{"a": name})); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	items, err := a.branch(t).List(t.Context(), state.DeltaPrefix)
	if err != nil || len(items) != 30 {
		t.Fatalf("%d items, %v", len(items), err)
	}
}

func TestBranchRemovesWhatASnapshotCoversInTheSameCommit(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	backend := a.branch(t)
	for i := range 3 {
		if err := backend.Put(t.Context(), fmt.Sprint(state.DeltaPrefix, i), mapFS(map[string]string{"a": fmt.Sprint(i)})); err != nil {
			t.Fatal(err)
		}
	}
	items, err := backend.List(t.Context(), state.DeltaPrefix)
	if err != nil {
		t.Fatal(err)
	}
	gone := append(items[:2:2], state.Item{ID: "0123456789012345678901234567890123456789", Name: state.DeltaPrefix + "never"})
	before := a.Count("PATCH", "/repos/*/*/git/refs/heads/*")
	if err := backend.Replace(t.Context(), state.SnapshotPrefix+"1", mapFS(map[string]string{"a": "all"}), items, gone); err != nil {
		t.Fatal(err)
	}
	if n := a.Count("PATCH", "/repos/*/*/git/refs/heads/*") - before; n != 1 {
		t.Errorf("the branch moved %d times", n)
	}
	if left := onlyItem(t, backend, state.DeltaPrefix); left.Name != items[2].Name {
		t.Errorf("%s is left", left.Name)
	}
	if got := getItem(t, backend, onlyItem(t, backend, state.SnapshotPrefix)); got["a"] != "all" {
		t.Errorf("got %v", got)
	}
	if got := getItem(t, backend, items[0]); got["a"] == "" {
		t.Error("a run that listed a delta before it was removed cannot read it")
	}

	// A run that began before that snapshot would hide what it covers.
	if err := backend.Replace(t.Context(), state.SnapshotPrefix+"2", mapFS(map[string]string{"a": "less"}), items, items); !errors.Is(err, state.ErrOvertaken) {
		t.Errorf("Replace of a run that was overtaken = %v, want ErrOvertaken", err)
	}
	onlyItem(t, backend, state.DeltaPrefix)
	onlyItem(t, backend, state.SnapshotPrefix)
}

func TestLostAnswersLeaveOneFolder(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"blobs", "trees", "commits", "refs", "refs/heads/breadcrumb-state"} {
		for name, drop := range map[string]githubtest.Drop{"before": githubtest.DropBefore, "after": githubtest.DropAfter} {
			t.Run(path+" "+name, func(t *testing.T) {
				a := newActions(t, githubtest.Options{})
				if path == "refs/heads/breadcrumb-state" {
					if err := a.branch(t).Put(t.Context(), state.SnapshotPrefix+"0", mapFS(map[string]string{"a": "first"})); err != nil {
						t.Fatal(err)
					}
				}
				a.Inject(githubtest.Fault{Path: "/repos/*/*/git/" + path, Times: 1, Drop: drop})
				for range 2 {
					if err := a.branch(t).Put(t.Context(), state.DeltaPrefix+"1-1", mapFS(map[string]string{"a": "whole"})); err != nil {
						t.Errorf("Put = %v", err)
					}
				}
				backend := a.branch(t)
				if got := getItem(t, backend, onlyItem(t, backend, state.DeltaPrefix)); got["a"] != "whole" {
					t.Errorf("got %v", got)
				}
			})
		}
	}
}

func TestForgedBranchesAreRefused(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	backend := a.branch(t)
	if err := backend.Put(t.Context(), state.DeltaPrefix+"1-1", mapFS(map[string]string{"a": "x"})); err != nil {
		t.Fatal(err)
	}
	item := onlyItem(t, backend, state.DeltaPrefix)
	for name, forge := range map[string]func(*githubtest.TreeLine){
		"a link":       func(l *githubtest.TreeLine) { l.Mode = "120000" },
		"a folder":     func(l *githubtest.TreeLine) { l.Type, l.Mode = "tree", "040000" },
		"a name above": func(l *githubtest.TreeLine) { l.Path = "../a" },
	} {
		a.change(t, func(r *githubtest.Repository) {
			r.Git.Objects[item.ID] = githubtest.GitObject{Tree: []githubtest.TreeLine{{Path: "a", Mode: "100644", Type: "blob", SHA: r.Git.Objects[item.ID].Tree[0].SHA}}}
			forge(&r.Git.Objects[item.ID].Tree[0])
		})
		if err := getInto(t, a.branch(t), item, t.TempDir()); !errors.Is(err, state.ErrHostile) {
			t.Errorf("%s: Get = %v, want ErrHostile", name, err)
		}
	}
	a.change(t, func(r *githubtest.Repository) {
		line := githubtest.TreeLine{Path: "a", Mode: "100644", Type: "blob", SHA: r.Git.Objects[item.ID].Tree[0].SHA}
		r.Git.Objects[item.ID] = githubtest.GitObject{Tree: []githubtest.TreeLine{line}}
		r.Git.Objects[line.SHA] = githubtest.GitObject{Content: []byte("other")}
	})
	if err := getInto(t, backend, item, t.TempDir()); err == nil {
		t.Error("a blob of another content was taken")
	}
}

func TestTheBranchesOrderIsThatOfItsCommits(t *testing.T) {
	t.Parallel()
	a := newActions(t, githubtest.Options{})
	start := a.now()
	for i, off := range []time.Duration{0, 50 * 365 * 24 * time.Hour, time.Minute, -time.Hour} {
		a.mu.Lock()
		a.clock = start.Add(off)
		a.mu.Unlock()
		if err := a.branch(t).Put(t.Context(), fmt.Sprint(state.SnapshotPrefix, i), mapFS(map[string]string{"a": fmt.Sprint(i)})); err != nil {
			t.Fatal(err)
		}
	}
	items, err := a.branch(t).List(t.Context(), state.SnapshotPrefix)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		if want := fmt.Sprint(state.SnapshotPrefix, 3-i); item.Name != want {
			t.Errorf("item %d is %s of %v, want %s", i, item.Name, item.Created, want)
		}
	}
}
