package gh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/state"
)

// A run's first snapshot has a name that says whose it is: GitHub filters artifacts
// by their exact name only, and a workflow must find its own among the thousands of
// artifacts of a busy repository. Older versions saved those of all workflows as
// snapshotArtifact, which is searched, too.
const (
	snapshotArtifact  = "breadcrumb-snapshot"
	ownSnapshotPrefix = "breadcrumb-snapshot-of-"
	legSnapshotLife   = 24 * time.Hour
)

// snapshotName is the name of the first snapshot that a run of a workflow saves. A
// workflow is known by its file: GitHub gives a renamed file another id as well.
func snapshotName(workflow string) string {
	if workflow == "" {
		return snapshotArtifact
	}
	sum := sha256.Sum256([]byte(workflow))
	return ownSnapshotPrefix + hex.EncodeToString(sum[:8])
}

// Bounds of the search, in pages of 100. Mostly the first page of the first name
// has the snapshot.
const (
	maxSearchPages       = 10
	searchPagesElsewhere = 3
)

// searchSnapshot returns artifacts with a snapshot of this workflow among them, or
// none when there is no such snapshot.
func (b *ArtifactBackend) searchSnapshot(ctx context.Context) ([]artifact, error) {
	names, err := b.snapshotNames(ctx)
	if err != nil {
		return nil, err
	}
	var all []artifact
	left, undecided := searchPagesElsewhere, false
	if b.options.onDefaultBranch() {
		left = maxSearchPages
	}
	for _, name := range names {
		for page := 1; ; page++ {
			if left--; left < 0 {
				return nil, fmt.Errorf("this workflow's snapshot is not among the newest %d of the repository: %w", len(all), state.ErrUnread)
			}
			found, more, err := b.listPage(ctx, url.Values{"name": {name}, "per_page": {"100"}, "page": {strconv.Itoa(page)}})
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
			runs := b.runsOf(found, state.SnapshotPrefix)
			if err := b.runs.learn(ctx, runs, maxRunLookups); err != nil {
				return nil, err
			}
			if err := b.runs.learnCommits(ctx, found); err != nil {
				return nil, err
			}
			if len(b.ownSnapshots(found)) > 0 {
				return dropRepeated(all), nil
			}
			undecided = undecided || !b.runs.decide(runs) || slices.ContainsFunc(commitsOf(found, b.runs.known, b.mayBeOwn), b.runs.isUndecided)
			if !more || b.runs.reachBack(found) {
				break
			}
		}
	}
	if undecided {
		return nil, fmt.Errorf("it takes too many requests to learn whose the %d snapshots of the repository are: %w", len(all), state.ErrUnread)
	}
	return dropRepeated(all), nil
}

// snapshotNames returns the names under which the snapshot may be. Who looks from
// outside of a run means that of any workflow.
func (b *ArtifactBackend) snapshotNames(ctx context.Context) ([]string, error) {
	if b.options.Workflow != "" {
		return []string{snapshotName(b.options.Workflow), snapshotArtifact}, nil
	}
	workflows, err := b.runs.listWorkflows(ctx)
	names := make([]string, 0, len(workflows)+1)
	for _, path := range workflows[:min(len(workflows), maxSearchPages-1)] {
		names = append(names, snapshotName(path))
	}
	return append(names, snapshotArtifact), err
}

// runsOf returns the runs that name the default branch, each once, and saved those of
// the artifacts whose names begin with a prefix.
func (b *ArtifactBackend) runsOf(found []artifact, prefix string) []int64 {
	var ids []int64
	seen := map[int64]bool{}
	for _, a := range found {
		if item := a.toItem(); !a.Expired && !seen[a.Run.ID] && strings.HasPrefix(item.Name, prefix) && b.runs.bearsDefaultBranch(item.Origin) {
			seen[a.Run.ID] = true
			ids = append(ids, a.Run.ID)
		}
	}
	return ids
}

// ownSnapshots returns the snapshots that count for this workflow, newest first as
// they are listed.
func (b *ArtifactBackend) ownSnapshots(found []artifact) []artifact {
	return slices.DeleteFunc(slices.Clone(found), func(a artifact) bool { return !b.mayBeOwn(a) || !b.runs.vouchesFor(a.toItem().Origin) })
}

// mayBeOwn reports whether an artifact is a snapshot that counts for this workflow as
// long as its commit does.
func (b *ArtifactBackend) mayBeOwn(a artifact) bool {
	return strings.HasPrefix(a.toItem().Name, state.SnapshotPrefix) && b.runs.wouldCount(a) && engine.IsTrustedEvent(b.runs.known[a.Run.ID].Event)
}

// decide reports whether of each run it is known whether it is of this workflow.
func (r *workflowRuns) decide(ids []int64) bool { return len(r.undecided(ids)) == 0 }

// reachBack reports whether the artifacts, listed newest first, go back to before
// this workflow's first run.
func (r *workflowRuns) reachBack(found []artifact) bool {
	return r.whole && len(found) > 0 && (r.oldest == 0 || found[len(found)-1].Run.ID < r.oldest)
}
