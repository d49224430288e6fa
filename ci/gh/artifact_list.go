package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/state"
)

// The listing's calls are bounded, so that a run stays within its budget: one and
// seldom up to three for deltas, what [ArtifactBackend.searchSnapshot] needs where
// the snapshot is not among those, and what [workflowRuns.learn] needs. A run on the
// default branch folds deltas and must see many of them; others read few anyway.
const (
	maxArtifactPages       = 3 // of 100, newest first
	artifactPagesElsewhere = 1
	// maxDeltaDelay is how much older than the newest snapshot a delta may be that
	// no snapshot covers: its run was listed late, or it did not fit into a fold.
	maxDeltaDelay = 24 * time.Hour
)

// artifact is what GitHub lists. go-github v62 knows neither the digest nor
// the run.
type artifact struct {
	ID      int64     `json:"id"`
	Name    string    `json:"name"`
	Size    int64     `json:"size_in_bytes"`
	Expired bool      `json:"expired"`
	Created time.Time `json:"created_at"`
	Expires time.Time `json:"expires_at"`
	Digest  string    `json:"digest"`
	Run     struct {
		ID               int64  `json:"id"`
		RepositoryID     int64  `json:"repository_id"`
		HeadRepositoryID int64  `json:"head_repository_id"`
		HeadBranch       string `json:"head_branch"`
		HeadSHA          string `json:"head_sha"`
	} `json:"workflow_run"`
}

// List implements [state.Backend]. Deltas are looked for among the newest
// artifacts of the repository; the workflow's own snapshot is searched for until it
// is found or known not to exist, and where that takes too many requests the error
// is [state.ErrUnread].
func (b *ArtifactBackend) List(ctx context.Context, prefix string) (_ []state.Item, err error) {
	defer wrapError(&err, "list artifacts")
	b.mu.Lock()
	defer b.mu.Unlock()
	found, err := b.findArtifacts(ctx, prefix)
	if err != nil {
		return nil, err
	}
	b.found, b.former.Stray = found, b.runs.stray
	return b.itemsOf(found, prefix), nil
}

// itemsOf returns the artifacts whose items' names begin with the prefix, newest first.
func (b *ArtifactBackend) itemsOf(found []artifact, prefix string) []state.Item {
	var items []state.Item
	for _, a := range found {
		if item := a.toItem(); !a.Expired && strings.HasPrefix(item.Name, prefix) {
			items = append(items, b.runs.describe(item))
		}
	}
	sortNewestFirst(items)
	return items
}

// findArtifacts returns the artifacts that may be items of the prefix.
func (b *ArtifactBackend) findArtifacts(ctx context.Context, prefix string) ([]artifact, error) {
	if strings.HasPrefix(prefix, state.SnapshotPrefix) {
		found, err := b.searchSnapshot(ctx)
		if err != nil || len(b.ownSnapshots(found)) > 0 {
			return found, err
		}
		return b.followRename(ctx, found)
	}
	all, complete, err := b.findNewest(ctx)
	if len(all) > 0 {
		b.reached = all[len(all)-1].Created
	}
	if err != nil || complete || !strings.HasPrefix(state.SnapshotPrefix, prefix) {
		return all, err
	}
	own := b.ownSnapshots(all)
	if len(own) == 0 {
		snapshots, err := b.searchSnapshot(ctx)
		if err != nil {
			return nil, err
		}
		all = dropRepeated(append(all, snapshots...))
		if own = b.ownSnapshots(all); len(own) == 0 {
			if all, err = b.followRename(ctx, all); err != nil {
				return nil, err
			}
			own = b.ownSnapshots(all)
		}
	}
	if b.whole || !b.options.onDefaultBranch() {
		return all, nil // a pull request's run has few requests: it excuses less
	}
	var snapshot artifact
	if len(own) > 0 {
		snapshot = own[0]
	}
	runs, missed, err := b.runs.ownSince(ctx, snapshot, b.reached)
	if err != nil {
		return nil, err
	}
	b.missed = missed
	beside, err := b.findBeside(ctx, runs)
	return dropRepeated(append(all, beside...)), err
}

// ownSince returns the run of this workflow's snapshot, if there is one, and the newest
// of the runs that may have saved since: younger ones, and older ones that took long or
// were run again, unless the listing has what they saved. missed are those beyond the
// bounds.
func (r *workflowRuns) ownSince(ctx context.Context, snapshot artifact, reached time.Time) (ids, missed []int64, err error) {
	if r.pages == 0 && !r.whole {
		if err := r.readPage(ctx); err != nil {
			return nil, nil, err
		}
	}
	ids, missed = r.since(snapshot, reached, r.known)
	return ids, missed, nil
}

// findBeside returns the artifacts of some of the workflow's runs, where what was listed
// does not go back far enough: the legs' snapshots and deltas, deltas of runs that did
// not fold, and what persons decided.
func (b *ArtifactBackend) findBeside(ctx context.Context, runs []int64) ([]artifact, error) {
	var beside []artifact
	for _, id := range runs {
		for page := 1; page <= maxArtifactPages; page++ {
			found, more, err := b.listPageOf(ctx, fmt.Sprintf("runs/%d/artifacts", id), url.Values{"per_page": {"100"}, "page": {strconv.Itoa(page)}})
			if answer, ok := errors.AsType[*APIError](err); ok && answer.Status == http.StatusNotFound {
				break // somebody deleted the run, and its artifacts with it: the token lists the repository's
			}
			if err != nil {
				return nil, err
			}
			if beside = append(beside, found...); !more {
				break
			}
		}
	}
	return beside, b.runs.learnCommits(ctx, beside)
}

// findNewest returns the repository's newest artifacts, and whether they have a
// snapshot of this workflow and go back to where no delta can be missing.
func (b *ArtifactBackend) findNewest(ctx context.Context) (all []artifact, complete bool, err error) {
	var newestSnapshot time.Time
	pages := artifactPagesElsewhere
	if b.options.onDefaultBranch() {
		pages = maxArtifactPages
	}
	for page := 1; page <= pages; page++ {
		listed, more, err := b.listPage(ctx, url.Values{"per_page": {"100"}, "page": {strconv.Itoa(page)}})
		if err != nil {
			return nil, false, err
		}
		all = append(all, listed...)
		if err := b.runs.learn(ctx, b.runsOf(listed, "breadcrumb-"), 0); err != nil {
			return nil, false, err
		}
		if err := b.runs.learnCommits(ctx, listed); err != nil {
			return nil, false, err
		}
		if own := b.ownSnapshots(listed); len(own) > 0 && newestSnapshot.IsZero() {
			newestSnapshot = own[0].Created
		}
		if !newestSnapshot.IsZero() && (!more || listed[len(listed)-1].Created.Before(newestSnapshot.Add(-maxDeltaDelay))) {
			complete = true
		}
		if b.whole = !more; !more || complete {
			break
		}
	}
	return dropRepeated(all), complete, nil
}

// listPage returns one page of the listing and whether there is another.
func (b *ArtifactBackend) listPage(ctx context.Context, query url.Values) ([]artifact, bool, error) {
	return b.listPageOf(ctx, "artifacts", query)
}

// listPageOf is listPage of a list below the repository's actions.
func (b *ArtifactBackend) listPageOf(ctx context.Context, list string, query url.Values) ([]artifact, bool, error) {
	var out struct {
		Artifacts []artifact `json:"artifacts"`
	}
	resp, err := b.client.get(ctx, fmt.Sprintf("repos/%s/actions/%s?%s", b.options.Repository, list, query.Encode()), &out)
	if err != nil {
		return nil, false, b.client.faultNeeding("actions: read", "ask GitHub", err)
	}
	if at := answeredAt(resp); !at.IsZero() {
		b.listed.Store(&at)
	}
	for i, a := range out.Artifacts { // GitHub says so some time later
		out.Artifacts[i].Expired = a.Expired || !a.Expires.IsZero() && !a.Expires.After(b.now())
	}
	return out.Artifacts, resp.NextPage > 0 && len(out.Artifacts) > 0, nil
}

// dropRepeated drops what a page repeats because artifacts were saved in between.
func dropRepeated(all []artifact) []artifact {
	seen := make(map[int64]bool, len(all))
	return slices.DeleteFunc(all, func(a artifact) bool {
		again := seen[a.ID]
		seen[a.ID] = true
		return again
	})
}

// toItem returns the artifact as an item. What [workflowRuns.describe] must ask for
// is missing.
func (a artifact) toItem() state.Item {
	name := a.Name
	if name == snapshotArtifact || strings.HasPrefix(name, ownSnapshotPrefix) {
		name = fmt.Sprintf("%s%d-%d", state.SnapshotPrefix, a.Run.ID, a.ID)
	}
	return state.Item{
		ID: strconv.FormatInt(a.ID, 10), Name: name, Size: a.Size, Digest: a.Digest, Created: a.Created, Expires: a.Expires,
		Origin: state.Origin{
			Known: true, RepositoryID: a.Run.RepositoryID, HeadRepositoryID: a.Run.HeadRepositoryID,
			Branch: a.Run.HeadBranch, HeadSHA: a.Run.HeadSHA, RunID: a.Run.ID, RunAttempt: attemptOf(name, a.Run.ID),
		},
	}
}

// attemptOf returns the attempt in the name of a delta of the run,
// "breadcrumb-delta-<run>-<attempt>-…", 0 where it names none. GitHub names the
// run of an artifact and not the attempt; a run that names a wrong attempt can
// only speak for another attempt of its own.
func attemptOf(name string, run int64) int {
	rest, ok := strings.CutPrefix(name, fmt.Sprintf("%s%d-", state.DeltaPrefix, run))
	if !ok {
		return 0
	}
	text, _, _ := strings.Cut(rest, "-")
	attempt, err := strconv.ParseInt(text, 10, 32)
	if err != nil || attempt < 1 {
		return 0
	}
	return int(attempt)
}

// describe adds the event and the workflow of the run that saved an item. Of items
// that are not the default branch's, and of runs that are too old to be found with
// few calls, they stay empty, so that the item is not trusted.
func (r *workflowRuns) describe(item state.Item) state.Item {
	if run, known := r.known[item.Origin.RunID]; known && r.vouchesFor(item.Origin) {
		item.Origin.Event, item.Origin.Workflow = run.Event, run.Path
		if r.adopted[run.ID] {
			item.Origin.Branch = r.options.DefaultBranch
		}
	}
	return item
}
