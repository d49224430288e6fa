// Package state keeps what runs recorded across jobs, reruns and forks. Every
// run saves a delta, the default branch folds deltas into a snapshot, and a
// restore is the newest trusted snapshot with all deltas that it does not
// cover. Nothing saved is ever rewritten, so that no race loses anything. A
// [Backend] is where it is kept; whose items are used is decided in trust.go.
package state

// The names of items begin with these.
const (
	DeltaPrefix    = "breadcrumb-delta-"
	SnapshotPrefix = "breadcrumb-snapshot-"
)
