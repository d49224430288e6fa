package state

import (
	"slices"
	"strconv"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestWhatAnItemMayBeUsedFor(t *testing.T) {
	self := Self{DefaultBranch: "main", Info: engine.RunInfo{Repository: "o/r", RepositoryID: 7, Workflow: "o/r/.github/workflows/ci.yml@refs/heads/main"}}
	own, other := ".github/workflows/ci.yml", ".github/workflows/former.yml"
	for name, tt := range map[string]struct {
		change func(*Item)
		want   class
	}{
		"a run on the default branch":             {func(*Item) {}, trusted},
		"of another workflow":                     {func(i *Item) { i.Origin.Workflow = other }, refused},
		"of another workflow, shared":             {func(i *Item) { i.Origin.Workflow, i.Origin.Shared = other, true }, refused},
		"a comment":                               {func(i *Item) { i.Origin.Event = CommandEvent }, manualOnly},
		"a comment of another workflow":           {func(i *Item) { i.Origin.Event, i.Origin.Workflow = CommandEvent, other }, refused},
		"a comment of another workflow, shared":   {func(i *Item) { i.Origin.Event, i.Origin.Workflow, i.Origin.Shared = CommandEvent, other, true }, releaseOnly},
		"its snapshot":                            {func(i *Item) { i.Origin.Event, i.Origin.Shared, i.Name = CommandEvent, true, SnapshotPrefix+"5-1" }, refused},
		"a comment of a fork, shared":             {func(i *Item) { i.Origin.Event, i.Origin.Shared, i.Origin.HeadRepositoryID = CommandEvent, true, 8 }, refused},
		"a comment of another branch, shared":     {func(i *Item) { i.Origin.Event, i.Origin.Shared, i.Origin.Branch = CommandEvent, true, "topic" }, branchOnly},
		"a comment under another run's name":      {func(i *Item) { i.Origin.Event, i.Origin.Shared, i.Name = CommandEvent, true, DeltaPrefix+"6-1" }, refused},
		"a run of which nobody knows who made it": {func(i *Item) { i.Origin = Origin{} }, trusted},
	} {
		item := Item{Name: DeltaPrefix + "5-1", Origin: Origin{Known: true, RepositoryID: 7, HeadRepositoryID: 7, Branch: "main", Event: "push", Workflow: own, RunID: 5}}
		tt.change(&item)
		if got := self.classify(item); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// What counts for all is found again before what only its pull request reads, however much
// earlier runs have noted.
func TestRunsThatCountForAllAreNotedFirst(t *testing.T) {
	item := func(run int64, branch string) Item {
		return Item{Name: DeltaPrefix + strconv.FormatInt(run, 10) + "-1", Origin: Origin{Known: true, RepositoryID: 7, HeadRepositoryID: 7,
			Branch: branch, Event: "push", Workflow: ".github/workflows/ci.yml", RunID: run}}
	}
	info := engine.RunInfo{Repository: "o/r", RepositoryID: 7, Workflow: "o/r/.github/workflows/ci.yml@refs/heads/main"}
	r := &restore{self: Self{DefaultBranch: "main", Info: info}, out: &Restored{unread: []int64{3, 4}}}
	r.noteUnread([]Item{item(9, "topic"), item(5, "main"), item(3, "topic"), item(6, "main"), item(5, "main"), {Name: "of nobody"}})
	if want := []int64{5, 6, 3, 4, 9}; !slices.Equal(r.out.unread, want) {
		t.Errorf("noted %v, want %v", r.out.unread, want)
	}
	for run := range int64(2 * maxUnread) {
		r.out.unread = append(r.out.unread, 100+run)
	}
	r.noteUnread([]Item{item(7, "main")})
	if len(r.out.unread) != maxUnread || r.out.unread[0] != 7 {
		t.Errorf("%d are noted, the first %d", len(r.out.unread), r.out.unread[0])
	}
}
