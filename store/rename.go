package store

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// IndependentRenames returns how many of the renames, the first ones, are about tests that
// no other of them is about: they can be made at once.
func IndependentRenames(all []flaky.Rename) int {
	named := map[engine.TestID]bool{}
	for i, r := range all {
		if named[r.Old] || named[r.New] {
			return i
		}
		named[r.Old], named[r.New] = true, true
	}
	return len(all)
}
