package gh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/breadcrumb/action/ci/gh/archive"
	"github.com/breadcrumb/action/state"
)

// decisionArtifact is the name of the first artifact that a run saves that may read caches and not write
// them, as GitHub has it since June 2026 for runs on comments
// (https://github.blog/changelog/2026-06-26-read-only-actions-cache-for-untrusted-triggers).
// Such a run has nothing to keep but what a person decided. The next run on the default
// branch folds it into the caches.
const decisionArtifact = "breadcrumb-decision"

// maxDecisions bounds the decisions that one run keeps: GitHub takes one artifact of a
// name from it, and artifacts are found by name.
const maxDecisions = 4

func decisionName(n int) string {
	if n == 0 {
		return decisionArtifact
	}
	return fmt.Sprintf("%s-%d", decisionArtifact, n+1)
}

// decisionMark begins the id of an item that is such an artifact.
const decisionMark = "artifact:"

var errManyDecisions = fmt.Errorf("a comment may decide %d things at most where caches keep the history; write a second one", maxDecisions)

// Deferred reports whether pull requests know of what this run saves only when a run on
// the default branch has folded it.
func (b *CacheBackend) Deferred() bool { return !b.options.mayWrite() }

// putDecision saves the delta of a run on a comment as an artifact. Of any other run it
// returns [state.ErrReadOnly].
func (b *CacheBackend) putDecision(ctx context.Context, name string, files fs.FS) error {
	if !b.options.onDefaultBranch() || b.options.Event != "issue_comment" || !strings.HasPrefix(name, state.DeltaPrefix) {
		return state.ErrReadOnly
	}
	zip, err := archive.Zip(files)
	if err != nil {
		return err
	}
	for n := range maxDecisions {
		err := b.decisions.upload(ctx, decisionName(n), zip, 0)
		if !errors.Is(err, state.ErrExists) {
			return err
		}
	}
	return errManyDecisions
}

// listDecisions returns the decisions that runs on comments saved, of every workflow: all
// of them have one history. A pull request's run, which has few requests, does without until
// a run on the default branch folded them.
func (b *CacheBackend) listDecisions(ctx context.Context, prefix string) ([]state.Item, error) {
	if !b.options.onDefaultBranch() || !strings.HasPrefix(state.DeltaPrefix, prefix) {
		return nil, nil
	}
	d := b.decisions
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []artifact
	for n := range maxDecisions {
		named, _, err := d.listPage(ctx, url.Values{"per_page": {"100"}, "name": {decisionName(n)}})
		if err != nil {
			return nil, err
		}
		if len(named) == 0 {
			break
		}
		found = append(found, named...)
	}
	if len(found) == 0 {
		return nil, nil
	}
	runs := d.runsOf(found, decisionArtifact)
	if err := d.runs.learn(ctx, runs, maxRunLookups); err != nil {
		return nil, err
	}
	if err := d.runs.learnComments(ctx, runs); err != nil {
		return nil, err
	}
	isDecision := func(a artifact) bool {
		return d.runs.known[a.Run.ID].Event == state.CommandEvent && !a.Expired && d.runs.bearsDefaultBranch(a.toItem().Origin)
	}
	if err := d.runs.learnTips(ctx, commitsOf(found, d.runs.known, isDecision)); err != nil {
		return nil, err
	}
	var items []state.Item
	for _, a := range found {
		if a.Expired || !strings.HasPrefix(a.Name, decisionArtifact) {
			continue
		}
		a.Name = fmt.Sprintf("%s%d-%d", state.DeltaPrefix, a.Run.ID, a.ID)
		item := d.runs.describe(a.toItem())
		item.ID, item.Origin.RunAttempt, item.Origin.Shared = decisionMark+item.ID, 0, true // the name tells no attempt
		items = append(items, item)
	}
	return items, nil
}
