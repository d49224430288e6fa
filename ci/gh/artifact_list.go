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

// The listing's calls are bounded, so that a run stays within its budget: one
// for snapshots, one and seldom up to three for deltas, and what [runs] needs.
// Who folds must see many deltas; others read few anyway.
const (
	maxArtifactPages = 3 // of 100, newest first
	pagesOfPull      = 1
	// lateness is how much older than the newest snapshot a delta may be that
	// no snapshot covers: its run was listed late, or did not fit into a fold.
	lateness = 24 * time.Hour
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
func (b *ArtifactBackend) List(ctx context.Context, prefix string) ([]state.Item, error) {
	found, err := b.find(ctx, prefix)
	if err != nil {
		return nil, fmt.Errorf("list artifacts: %w", err)
	}
	var items []state.Item
	for _, a := range found {
		if name := itemName(a); !a.Expired && strings.HasPrefix(name, prefix) {
			items = append(items, a.item(name))
		}
	}
	newestFirst(items)
	if err := b.runs.complete(ctx, items); err != nil {
		return nil, fmt.Errorf("list artifacts: %w", err)
	}
	return items, nil
}

// find returns the artifacts that may be items of the prefix.
func (b *ArtifactBackend) find(ctx context.Context, prefix string) ([]artifact, error) {
	if strings.HasPrefix(prefix, state.SnapshotPrefix) {
		found, _, err := b.page(ctx, url.Values{"name": {snapshotArtifact}, "per_page": {"100"}})
		return found, err
	}
	var all []artifact
	var snapshot time.Time // when the newest one was made that was seen
	pages := pagesOfPull
	if b.options.trusted() {
		pages = maxArtifactPages
	}
	for page := 1; page <= pages; page++ {
		found, more, err := b.page(ctx, url.Values{"per_page": {"100"}, "page": {strconv.Itoa(page)}})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		for _, a := range found {
			if isSnapshot(a.Name) && a.Created.After(snapshot) && b.options.madeIt(a.item("").Origin) {
				snapshot = a.Created
			}
		}
		if !more || !snapshot.IsZero() && found[len(found)-1].Created.Before(snapshot.Add(-lateness)) {
			break
		}
	}
	if snapshot.IsZero() && len(all) >= 100 && strings.HasPrefix(state.SnapshotPrefix, prefix) {
		found, _, err := b.page(ctx, url.Values{"name": {snapshotArtifact}, "per_page": {"100"}})
		return append(all, found...), err
	}
	return unique(all), nil
}

// page returns one page of the listing and whether there is another.
func (b *ArtifactBackend) page(ctx context.Context, query url.Values) ([]artifact, bool, error) {
	req, err := b.client.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/artifacts?%s", b.owner, b.name, query.Encode()), nil)
	if err != nil {
		return nil, false, err
	}
	var out struct {
		Artifacts []artifact `json:"artifacts"`
	}
	resp, err := b.client.api.Do(ctx, req, &out)
	if err != nil {
		err = b.client.fault("ask GitHub", err, refused)
		if errors.Is(err, ErrNoPermission) {
			err = fmt.Errorf("%w; give the job the permission actions: read", err)
		}
		return nil, false, err
	}
	return out.Artifacts, resp.NextPage > 0 && len(out.Artifacts) > 0, nil
}

// unique drops what a page repeats because artifacts were saved in between.
func unique(all []artifact) []artifact {
	seen := make(map[int64]bool, len(all))
	return slices.DeleteFunc(all, func(a artifact) bool {
		again := seen[a.ID]
		seen[a.ID] = true
		return again
	})
}

// item returns the artifact as an item, without what only its run tells.
func (a artifact) item(name string) state.Item {
	item := state.Item{
		ID: strconv.FormatInt(a.ID, 10), Name: name, Size: a.Size, Digest: a.Digest, Created: a.Created, Expires: a.Expires,
		Origin: state.Origin{
			Known: true, RepositoryID: a.Run.RepositoryID, HeadRepositoryID: a.Run.HeadRepositoryID,
			Branch: a.Run.HeadBranch, HeadSHA: a.Run.HeadSHA, RunID: a.Run.ID, RunAttempt: attemptOf(name, a.Run.ID),
		},
	}
	return item
}

// attemptOf returns the attempt in the name of a delta of the run,
// "breadcrumb-delta-<run>-<attempt>-…", 0 where it names none. GitHub says the
// run of an artifact and no attempt; but an attempt that names another one
// speaks for its own run all the same.
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
