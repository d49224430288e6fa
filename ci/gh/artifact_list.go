package gh

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/breadcrumb/action/state"
)

// The listing's calls are bounded, so that a run stays within its budget: one
// for snapshots, one and seldom up to three for deltas, and what [runOrigins]
// needs. A run on the default branch folds deltas and must see many of them;
// others read few anyway.
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
	found, err := b.find(ctx, prefix)
	if err != nil {
		return nil, err
	}
	var items []state.Item
	for _, a := range found {
		if item := a.item(); !a.Expired && strings.HasPrefix(item.Name, prefix) {
			items = append(items, item)
		}
	}
	sortNewestFirst(items)
	if err := b.origins.complete(ctx, items); err != nil {
		return nil, err
	}
	return items, nil
}

// find returns the artifacts that may be items of the prefix.
func (b *ArtifactBackend) find(ctx context.Context, prefix string) ([]artifact, error) {
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
			if item := a.item(); strings.HasPrefix(item.Name, state.SnapshotPrefix) && a.Created.After(newestSnapshot) && b.options.isOfDefaultBranch(item.Origin) {
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

// item returns the artifact as an item. What [runOrigins] must ask for is missing.
func (a artifact) item() state.Item {
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

// runOrigins knows which event and workflow started a run. GitHub does not say so
// where it lists artifacts; one call asks for the default branch's newest 100
// runs.
type runOrigins struct {
	client  *Client
	options BackendOptions

	mu    sync.Mutex
	known map[int64]runOrigin
}

// runOrigin is a workflow run as GitHub describes it.
type runOrigin struct {
	ID    int64  `json:"id"`
	Event string `json:"event"`
	Path  string `json:"path"`
}

// complete sets the event and workflow of the items that the default branch of
// this repository made. Of other items, and of runs that are too old to be
// found with few calls, they stay empty, so that the item is not trusted.
// Items are newest first.
func (r *runOrigins) complete(ctx context.Context, items []state.Item) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	unknown := r.unknownRuns(items)
	if len(unknown) > 1 {
		if err := r.askNewest(ctx); err != nil {
			return err
		}
		unknown = r.unknownRuns(items)
		if !r.options.onDefaultBranch() && len(r.known) > 0 {
			unknown = nil // a pull request reads nothing of what is older
		}
	}
	for _, id := range unknown[:min(len(unknown), maxRunLookups)] {
		if err := r.askOne(ctx, id); err != nil {
			return err
		}
	}
	for i := range items {
		if known, ok := r.known[items[i].Origin.RunID]; ok {
			items[i].Origin.Event, items[i].Origin.Workflow = known.Event, known.Path
		}
	}
	return nil
}

// unknownRuns returns the runs of the default branch that are not known yet.
func (r *runOrigins) unknownRuns(items []state.Item) []int64 {
	var ids []int64
	for _, item := range items {
		id := item.Origin.RunID
		if _, known := r.known[id]; !known && r.options.isOfDefaultBranch(item.Origin) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// askNewest asks for the newest runs of the default branch.
func (r *runOrigins) askNewest(ctx context.Context) error {
	query := url.Values{"per_page": {"100"}, "exclude_pull_requests": {"true"}}
	if r.options.DefaultBranch != "" {
		query.Set("branch", r.options.DefaultBranch)
	}
	var out struct {
		Runs []runOrigin `json:"workflow_runs"`
	}
	if err := r.ask(ctx, "?"+query.Encode(), &out); err != nil {
		return err
	}
	r.keep(out.Runs...)
	return nil
}

// askOne asks for one run. Of one that was deleted, event and workflow stay empty.
func (r *runOrigins) askOne(ctx context.Context, id int64) error {
	out := runOrigin{ID: id}
	if err := r.ask(ctx, fmt.Sprintf("/%d?exclude_pull_requests=true", id), &out); err != nil {
		return err
	}
	r.keep(out)
	return nil
}

func (r *runOrigins) keep(all ...runOrigin) {
	if r.known == nil {
		r.known = map[int64]runOrigin{}
	}
	for _, one := range all {
		r.known[one.ID] = one
	}
}

// ask reads a path below the repository's runs. Where there is nothing, out stays
// as it is.
func (r *runOrigins) ask(ctx context.Context, below string, out any) error {
	resp, err := r.client.get(ctx, fmt.Sprintf("repos/%s/actions/runs%s", r.options.Repository, below), out)
	if err != nil && resp != nil && resp.StatusCode == http.StatusNotFound {
		return nil
	}
	return r.client.fault("ask GitHub for workflow runs", err, refused)
}
