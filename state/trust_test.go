package state

import (
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
