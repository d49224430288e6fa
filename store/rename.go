package store

import (
	"context"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// RenameTests makes renames by atOnce, which makes several of which none is about a test of
// another, and returns those that were made.
func RenameTests(ctx context.Context, all []flaky.Rename, now time.Time, atOnce func(context.Context, []flaky.Rename, time.Time) ([]flaky.Rename, error)) (renamed []flaky.Rename, err error) {
	for len(all) > 0 && err == nil {
		var some []flaky.Rename
		n := independentRenames(all)
		some, err = atOnce(ctx, all[:n], now)
		renamed, all = append(renamed, some...), all[n:]
	}
	return renamed, Wrap(err, "rename tests")
}

// independentRenames returns how many of the renames, the first ones, are about tests that
// no other of them is about.
func independentRenames(all []flaky.Rename) int {
	named := map[engine.TestID]bool{}
	for i, r := range all {
		if named[r.Old] || named[r.New] {
			return i
		}
		named[r.Old], named[r.New] = true, true
	}
	return len(all)
}
