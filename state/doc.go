// Package state keeps what runs recorded across jobs, reruns and forks: every
// run saves a delta, the default branch folds deltas into a snapshot, and a
// restore is the newest trusted snapshot with every delta it does not cover.
// Nothing saved is ever rewritten, so nothing is lost to a race.
package state

// The names of items begin with these.
const (
	DeltaPrefix    = "breadcrumb-delta-"
	SnapshotPrefix = "breadcrumb-snapshot-"
)
