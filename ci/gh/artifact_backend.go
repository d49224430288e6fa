package gh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/ci/gh/archive"
	"github.com/breadcrumb/action/ci/gh/resultsservice"
	"github.com/breadcrumb/action/state"
)

// ArtifactBackend keeps items as artifacts of the workflow runs that made them.
// GitHub records the run of each, and deletes them after the repository's
// retention time.
//
// It is written through the results service, which every job may do, also one
// of a fork, and read through the API, which needs the permission actions:
// read.
type ArtifactBackend struct {
	client     *Client
	options    BackendOptions
	service    *resultsservice.Client
	unwritable error // why there is no service

	listed atomic.Pointer[time.Time] // when GitHub listed artifacts last, by its clock

	mu   sync.Mutex
	runs workflowRuns
	// By listing: what was found, whether that is all that the repository has, from when
	// on it is, which runs may have saved more, and what was found out about renames.
	found   []artifact
	whole   bool
	reached time.Time
	missed  []int64
	former  state.Former
}

var (
	_ state.Renamer = (*ArtifactBackend)(nil)
	_ state.Mortal  = (*ArtifactBackend)(nil)
)

// ArtifactBackend returns the backend of a repository's artifacts. Without the
// results service, as outside of a job, it can be read and Put is an error.
func (c *Client) ArtifactBackend(o BackendOptions) (_ *ArtifactBackend, err error) {
	defer wrapError(&err, "open artifacts")
	if err := o.check(); err != nil {
		return nil, err
	}
	service, err := c.resultsService(o)
	if err != nil && !errors.Is(err, errNoResults) {
		return nil, err
	}
	return &ArtifactBackend{client: c, options: o, service: service, unwritable: err,
		runs: workflowRuns{client: c, options: o, known: map[int64]runOrigin{}, adopted: map[int64]bool{},
			commits: branchCommits{client: c, repository: o.Repository, branch: o.DefaultBranch},
			tips:    newBranchTips(c, o, o.DefaultBranch), former: map[string]*branchTips{}}}, nil
}

// Room implements [state.Limited]. An artifact is one request; saving takes
// none.
func (b *ArtifactBackend) Room() int { return b.options.requestsLeft(b.client, 0) }

// Get implements [state.Backend]: the artifact's zip, whose digest must be the
// listed one.
func (b *ArtifactBackend) Get(ctx context.Context, item state.Item, into *os.Root) (err error) {
	defer wrapError(&err, "read artifact %s", item.Name)
	if item.Size > maxDownloadBytes {
		return state.ErrTooLarge
	}
	zip, err := newTempFile()
	if err != nil {
		return err
	}
	defer zip.Close()
	if err := b.download(ctx, item, zip); err != nil {
		return err
	}
	if item.Digest != "" && item.Digest != zip.Digest() {
		return fmt.Errorf("its digest is %s, and GitHub lists %s", zip.Digest(), item.Digest)
	}
	return archive.Unzip(zip.file, zip.size, into)
}

// download fills a file with an artifact. Signed addresses are good for a minute:
// one that ran out while waiting is asked for again, once.
func (b *ArtifactBackend) download(ctx context.Context, item state.Item, into *tempFile) error {
	var err error
	for range 2 {
		var address string
		if address, err = b.signedAddress(ctx, item.ID); err != nil {
			return err
		}
		if err = b.client.download(ctx, address, into); !errors.Is(err, errAddressRefused) {
			return err
		}
	}
	return err
}

// signedAddress returns the signed address of an artifact's zip.
func (b *ArtifactBackend) signedAddress(ctx context.Context, id string) (string, error) {
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		return "", state.ErrGone
	}
	req, err := b.client.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/actions/artifacts/%s/zip", b.options.Repository, id), nil)
	if err != nil {
		return "", err
	}
	resp, err := b.client.withoutRedirects().Do(req.WithContext(ctx))
	if err != nil {
		return "", resultsservice.WithoutAddress(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusFound {
		return resp.Header.Get("Location"), nil
	}
	err = github.CheckResponse(resp)
	if err == nil {
		return "", fmt.Errorf("GitHub answered %d where it redirects", resp.StatusCode)
	}
	return "", b.client.fault("ask for its address", err, goneOrRefused)
}

// Put implements [state.Backend]. A Put whose answer was lost can be repeated:
// the same files under the same name in the same run are one artifact.
//
// A run's first snapshot is saved under its workflow's [snapshotName]. A name can be taken once
// in a run: the other legs of a matrix, which know of the legs that ended before
// them, save their snapshots under the item's own name, for a day.
func (b *ArtifactBackend) Put(ctx context.Context, item string, files fs.FS) error {
	err := b.PutFor(ctx, item, files, 0)
	if errors.Is(err, state.ErrExists) && strings.HasPrefix(item, state.SnapshotPrefix) {
		return b.PutFor(ctx, item, files, legSnapshotLife)
	}
	return err
}

// Kept implements [state.Mortal].
func (b *ArtifactBackend) Kept() time.Duration {
	return time.Duration(b.options.RetentionDays) * 24 * time.Hour
}

// PutFor implements [state.Mortal]. A snapshot that is kept for longer than those of the
// other legs must be found by its workflow's name: where that is taken, the error is
// [state.ErrExists].
func (b *ArtifactBackend) PutFor(ctx context.Context, item string, files fs.FS, life time.Duration) (err error) {
	defer wrapError(&err, "save artifact %s", item)
	if b.unwritable != nil {
		return b.unwritable
	}
	zip, err := archive.Zip(files)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(item, state.SnapshotPrefix) {
		return b.upload(ctx, item, zip, life)
	}
	err = b.upload(ctx, snapshotName(b.options.Workflow), zip, life)
	if errors.Is(err, state.ErrExists) && life > 0 && life <= legSnapshotLife {
		return b.upload(ctx, item, zip, life)
	}
	return err
}

// now returns GitHub's time, as far as its lists tell: a runner's clock may be years off.
func (b *ArtifactBackend) now() time.Time {
	if seen := b.listed.Load(); seen != nil {
		return *seen
	}
	return b.client.now()
}

// upload uploads a zip under a name. GitHub keeps it for a time, or with 0 for as long
// as the repository keeps artifacts.
func (b *ArtifactBackend) upload(ctx context.Context, name string, zip []byte, life time.Duration) error {
	var until time.Time
	if life > 0 {
		until = b.now().Add(life)
	}
	sum := sha256.Sum256(zip)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	for try := range maxUploadNames {
		candidate := uploadName(name, try)
		address, err := b.service.CreateArtifact(ctx, candidate, until)
		if errors.Is(err, resultsservice.ErrExists) {
			saved, finished, err := b.service.FindArtifact(ctx, candidate)
			switch {
			case err != nil:
				return err
			case finished && saved == digest:
				return nil
			case finished:
				return state.ErrExists
			}
			continue
		}
		if err != nil {
			return err
		}
		if err := b.service.Upload(ctx, address, resultsservice.ZipType, zip); err != nil {
			return err
		}
		return b.finalize(ctx, candidate, int64(len(zip)), digest)
	}
	return errors.New("its name is taken by uploads that were never finished")
}

// finalize ends an upload. When the answer is lost, the list of the run's
// artifacts says whether it was done.
func (b *ArtifactBackend) finalize(ctx context.Context, name string, size int64, digest string) error {
	err := b.service.FinalizeArtifact(ctx, name, size, digest)
	if err == nil || ctx.Err() != nil {
		return err
	}
	saved, finished, findErr := b.service.FindArtifact(ctx, name)
	if finished && saved == digest {
		return nil
	}
	return errors.Join(err, findErr)
}
