package gh

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/state"
)

var (
	_ state.Follower = (*ArtifactBackend)(nil)
	_ state.Finder   = (*ArtifactBackend)(nil)
)

// Follow implements [state.Follower]. The names are a snapshot's word, so GitHub is
// asked again whether they lead here.
func (b *ArtifactBackend) Follow(ctx context.Context, former state.Former) (_ []state.Item, err error) {
	defer wrapError(&err, "list artifacts of before a rename")
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.options.onDefaultBranch() {
		return nil, nil
	}
	files, branches, err := b.leadHere(ctx, former)
	if err != nil || len(branches) == 0 {
		return nil, err
	}
	for _, file := range files {
		for _, branch := range branches {
			runs, err := b.runs.listOf(ctx, file, branch)
			if err != nil {
				return nil, err
			}
			b.adoptRuns(runs, file)
		}
	}
	found := b.found
	if !b.whole {
		beside, err := b.findBeside(ctx, b.runs.formerRuns())
		if err != nil {
			return nil, err
		}
		found = dropRepeated(append(slices.Clone(found), beside...))
	}
	if err := b.runs.learnCommits(ctx, found); err != nil {
		return nil, err
	}
	b.found = found
	return b.itemsOf(found, "breadcrumb-"), nil
}

// Missed implements [state.Finder]. What a run saved is listed where it began after the
// oldest artifact that is: ids ascend, so that this holds of all younger runs.
func (b *ArtifactBackend) Missed(unread []int64) []int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.whole {
		return nil
	}
	listed := int64(math.MaxInt64)
	for id, run := range b.runs.known {
		if run.Created.After(b.reached) && !b.reached.IsZero() {
			listed = min(listed, id)
		}
	}
	var missed []int64
	for _, id := range slices.Concat(unread, b.missed) {
		if id < listed && !slices.Contains(missed, id) {
			missed = append(missed, id)
		}
	}
	return missed
}

// FindOf implements [state.Finder], beside what List found or Follow did.
func (b *ArtifactBackend) FindOf(ctx context.Context, runs []int64) (_ []state.Item, err error) {
	defer wrapError(&err, "list artifacts of runs")
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.whole && b.options.onDefaultBranch() {
		if err := b.runs.learn(ctx, runs, len(runs)); err != nil {
			return nil, err
		}
		beside, err := b.findBeside(ctx, runs)
		if err != nil {
			return nil, err
		}
		b.found = dropRepeated(append(b.found, beside...))
	}
	return b.itemsOf(b.found, "breadcrumb-"), nil
}

// leadHere returns this workflow's file and the former ones, and those former names of the
// default branch that List did not follow: of both those of which GitHub still shows it.
// There are no branches where nothing is to be followed.
func (b *ArtifactBackend) leadHere(ctx context.Context, former state.Former) (files, branches []string, err error) {
	for _, name := range former.BranchNames() {
		if slices.Contains(b.former.BranchNames(), name) {
			continue
		}
		renamed, err := b.wasRenamed(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		if renamed {
			branches = append(branches, name)
		}
	}
	files = []string{cmp.Or(b.former.Workflow, b.options.Workflow)}
	file := former.Workflow
	if file == "" || file == files[0] || path.Dir(file) != ".github/workflows" || strings.ContainsAny(file, "?#%") {
		return files, branches, nil
	}
	if there, err := b.hasFile(ctx, file); err != nil || there {
		return files, branches, err
	}
	if former.Branch == "" {
		branches = append(branches, cmp.Or(b.former.Branch, b.options.DefaultBranch))
	}
	return append(files, file), branches, nil
}

// formerRuns returns the newest runs of before a rename that a history is taken from.
func (r *workflowRuns) formerRuns() []int64 {
	former := map[int64]runOrigin{}
	for id := range r.adopted {
		former[id] = r.known[id]
	}
	ids, _ := r.since(artifact{}, time.Time{}, former)
	return ids
}

// hasFile reports whether the default branch has a file.
func (b *ArtifactBackend) hasFile(ctx context.Context, file string) (bool, error) {
	return b.getContents(ctx, file, nil)
}
