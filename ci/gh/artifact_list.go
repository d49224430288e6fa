package gh

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/state"
)

// The listing's calls are bounded, so that a run stays within its budget: one
// for snapshots, one and seldom up to three for deltas, and what
// [ArtifactBackend.addOrigins] needs. A run on the default branch folds deltas and
// must see many of them; others read few anyway.
const (
	maxArtifactPages       = 3 // of 100, newest first
	artifactPagesElsewhere = 1
	maxRunLookups          = 2 // a call each
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

// List implements [state.Backend]. Snapshots are found by GitHub's filter for
// the exact name, wherever they are; deltas among the newest artifacts of the
// repository.
func (b *ArtifactBackend) List(ctx context.Context, prefix string) (_ []state.Item, err error) {
	defer wrapError(&err, "list artifacts")
	found, err := b.findArtifacts(ctx, prefix)
	if err != nil {
		return nil, err
	}
	var items []state.Item
	for _, a := range found {
		if item := a.toItem(); !a.Expired && strings.HasPrefix(item.Name, prefix) {
			items = append(items, item)
		}
	}
	sortNewestFirst(items)
	if err := b.addOrigins(ctx, items); err != nil {
		return nil, err
	}
	return items, nil
}

// findArtifacts returns the artifacts that may be items of the prefix.
func (b *ArtifactBackend) findArtifacts(ctx context.Context, prefix string) ([]artifact, error) {
	snapshots := url.Values{"name": {snapshotArtifact}, "per_page": {"100"}}
	if strings.HasPrefix(prefix, state.SnapshotPrefix) {
		found, _, err := b.listPage(ctx, snapshots)
		return found, err
	}
	var all []artifact
	var newestSnapshot time.Time
	pages := artifactPagesElsewhere
	if b.options.onDefaultBranch() {
		pages = maxArtifactPages
	}
	for page := 1; page <= pages; page++ {
		found, more, err := b.listPage(ctx, url.Values{"per_page": {"100"}, "page": {strconv.Itoa(page)}})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		for _, a := range found {
			if item := a.toItem(); strings.HasPrefix(item.Name, state.SnapshotPrefix) && a.Created.After(newestSnapshot) && b.options.isOfDefaultBranch(item.Origin) {
				newestSnapshot = a.Created
			}
		}
		if !more || !newestSnapshot.IsZero() && found[len(found)-1].Created.Before(newestSnapshot.Add(-maxDeltaDelay)) {
			break
		}
	}
	if newestSnapshot.IsZero() && len(all) >= 100 && strings.HasPrefix(state.SnapshotPrefix, prefix) {
		found, _, err := b.listPage(ctx, snapshots)
		return append(all, found...), err
	}
	return dropRepeated(all), nil
}

// listPage returns one page of the listing and whether there is another.
func (b *ArtifactBackend) listPage(ctx context.Context, query url.Values) ([]artifact, bool, error) {
	var out struct {
		Artifacts []artifact `json:"artifacts"`
	}
	resp, err := b.client.get(ctx, fmt.Sprintf("repos/%s/actions/artifacts?%s", b.options.Repository, query.Encode()), &out)
	if err != nil {
		return nil, false, b.client.faultNeeding("actions: read", "ask GitHub", err)
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

// toItem returns the artifact as an item. What [ArtifactBackend.addOrigins] must ask for
// is missing.
func (a artifact) toItem() state.Item {
	name := a.Name
	if name == snapshotArtifact {
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

// runOrigin is a workflow run as GitHub describes it.
type runOrigin struct {
	ID    int64  `json:"id"`
	Event string `json:"event"`
	Path  string `json:"path"`
}

// addOrigins sets the event and workflow of the items that the default branch of
// this repository made: GitHub does not say them where it lists artifacts, and one
// call asks for the default branch's newest 100 runs. Of other items, and of runs
// that are too old to be found with few calls, they stay empty, so that the item is
// not trusted. Items are newest first.
func (b *ArtifactBackend) addOrigins(ctx context.Context, items []state.Item) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	unknown := b.unknownRuns(items)
	if len(unknown) > 1 {
		if err := b.askNewestRuns(ctx); err != nil {
			return err
		}
		unknown = b.unknownRuns(items)
		if !b.options.onDefaultBranch() && len(b.known) > 0 {
			unknown = nil // a pull request reads nothing of what is older
		}
	}
	for _, id := range unknown[:min(len(unknown), maxRunLookups)] {
		run := runOrigin{ID: id} // stays as it is for a run that was deleted
		if err := b.askForRuns(ctx, fmt.Sprintf("/%d?exclude_pull_requests=true", id), &run); err != nil {
			return err
		}
		b.known[run.ID] = run
	}
	for i := range items {
		if known, ok := b.known[items[i].Origin.RunID]; ok {
			items[i].Origin.Event, items[i].Origin.Workflow = known.Event, known.Path
		}
	}
	return nil
}

// unknownRuns returns the runs of the default branch that are not known yet.
func (b *ArtifactBackend) unknownRuns(items []state.Item) []int64 {
	var ids []int64
	for _, item := range items {
		id := item.Origin.RunID
		if _, known := b.known[id]; !known && b.options.isOfDefaultBranch(item.Origin) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// askNewestRuns asks for the newest runs of the default branch.
func (b *ArtifactBackend) askNewestRuns(ctx context.Context) error {
	query := url.Values{"per_page": {"100"}, "exclude_pull_requests": {"true"}}
	if b.options.DefaultBranch != "" {
		query.Set("branch", b.options.DefaultBranch)
	}
	var out struct {
		Runs []runOrigin `json:"workflow_runs"`
	}
	err := b.askForRuns(ctx, "?"+query.Encode(), &out)
	for _, run := range out.Runs {
		b.known[run.ID] = run
	}
	return err
}

// askForRuns reads a path below the repository's runs. Where there is nothing, out
// stays as it is.
func (b *ArtifactBackend) askForRuns(ctx context.Context, below string, out any) error {
	resp, err := b.client.get(ctx, fmt.Sprintf("repos/%s/actions/runs%s", b.options.Repository, below), out)
	if err != nil && resp != nil && resp.StatusCode == http.StatusNotFound {
		return nil
	}
	return b.client.fault("ask GitHub for workflow runs", err, refused)
}
