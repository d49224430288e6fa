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
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/ci/gh/archive"
	"github.com/breadcrumb/action/ci/gh/resultsservice"
	"github.com/breadcrumb/action/state"
)

// ArtifactBackend keeps items as artifacts of the workflow runs that made them.
// GitHub vouches for the run of each, and takes them away after the
// repository's retention time.
//
// It is written through the results service, which every job may do, also one
// of a fork, and read through the API, which needs the permission actions:
// read.
type ArtifactBackend struct {
	client      *Client
	options     BackendOptions
	owner, name string
	service     *resultsservice.Client
	unwritable  error // why there is no service

	runs runs
}

var _ state.Backend = (*ArtifactBackend)(nil)

// ArtifactBackend returns the backend of a repository's artifacts. Without the
// results service, as outside of a job, it can be read and Put is an error.
func (c *Client) ArtifactBackend(o BackendOptions) (*ArtifactBackend, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("open artifacts: %w", err)
	}
	service, err := c.results(o)
	if err != nil && !errors.Is(err, errNoResults) {
		return nil, fmt.Errorf("open artifacts: %w", err)
	}
	s := &ArtifactBackend{client: c, options: o, service: service, unwritable: err}
	s.owner, s.name = o.split()
	s.runs = runs{client: c, options: o}
	return s, nil
}

// Room implements [state.Limited]. An artifact is one request; saving takes
// none.
func (b *ArtifactBackend) Room() int { return b.options.room(b.client, 0) }

// Get implements [state.Backend]: the artifact's zip, whose digest must be the
// listed one.
func (b *ArtifactBackend) Get(ctx context.Context, item state.Item, into *os.Root) error {
	if err := b.get(ctx, item, into); err != nil {
		return fmt.Errorf("read artifact %s: %w", item.Name, err)
	}
	return nil
}

func (b *ArtifactBackend) get(ctx context.Context, item state.Item, into *os.Root) error {
	if item.Size > maxSpoolBytes {
		return state.ErrTooLarge
	}
	zip, err := newSpool()
	if err != nil {
		return err
	}
	defer zip.Close()
	if err := b.fetch(ctx, item, zip); err != nil {
		return err
	}
	if item.Digest != "" && item.Digest != zip.Digest() {
		return fmt.Errorf("its digest is %s, and GitHub lists %s", zip.Digest(), item.Digest)
	}
	return archive.Unzip(zip.file, zip.size, into)
}

// fetch downloads an artifact. Signed addresses are good for a minute: one
// that ran out while waiting is asked for again, once.
func (b *ArtifactBackend) fetch(ctx context.Context, item state.Item, into *spool) error {
	var err error
	for range 2 {
		var address string
		if address, err = b.address(ctx, item.ID); err != nil {
			return err
		}
		if err = b.client.download(ctx, address, into); !errors.Is(err, errRefused) {
			return err
		}
	}
	return err
}

// address returns the signed address of an artifact's zip.
func (b *ArtifactBackend) address(ctx context.Context, id string) (string, error) {
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		return "", state.ErrGone
	}
	req, err := b.client.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/artifacts/%s/zip", b.owner, b.name, id), nil)
	if err != nil {
		return "", err
	}
	resp, err := b.client.unfollowed().Do(req.WithContext(ctx))
	if err != nil {
		return "", withoutAddress(err)
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

// goneOrRefused maps the statuses of asking for one thing that was listed.
var goneOrRefused = map[int]error{
	http.StatusForbidden: ErrNoPermission,
	http.StatusNotFound:  state.ErrGone,
	http.StatusGone:      state.ErrGone,
}

// Put implements [state.Backend]. A Put whose answer was lost can be repeated:
// the same files under the same name in the same run are one artifact.
func (b *ArtifactBackend) Put(ctx context.Context, name string, files fs.FS) error {
	if b.unwritable != nil {
		return fmt.Errorf("save artifact %s: %w", name, b.unwritable)
	}
	zip, err := archive.Zip(files)
	if err == nil {
		err = b.put(ctx, name, zip)
	}
	if err != nil {
		return fmt.Errorf("save artifact %s: %w", name, err)
	}
	return nil
}

// maxHalfDone bounds the names that are tried after half-done uploads.
const maxHalfDone = 3

// put uploads a zip.
func (b *ArtifactBackend) put(ctx context.Context, item string, zip []byte) error {
	if !strings.HasPrefix(item, state.SnapshotPrefix) {
		return b.upload(ctx, item, zip, time.Time{})
	}
	err := b.upload(ctx, snapshotArtifact, zip, time.Time{})
	if errors.Is(err, state.ErrExists) {
		return b.upload(ctx, item, zip, b.client.now().Add(legLife))
	}
	return err
}

// upload uploads a zip under a name, for as long as the repository keeps
// artifacts or until a time. A name that was reserved and never finished cannot
// be had again, since its address was in the lost answer: then another one is
// taken.
func (b *ArtifactBackend) upload(ctx context.Context, name string, zip []byte, until time.Time) error {
	sum := sha256.Sum256(zip)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	for try := range maxHalfDone {
		candidate := name
		if try > 0 {
			candidate = fmt.Sprintf("%s-again%d", name, try)
		}
		address, err := b.service.CreateArtifact(ctx, candidate, until)
		if errors.Is(err, resultsservice.ErrExists) {
			saved, finished, err := b.service.FindArtifact(ctx, candidate)
			switch {
			case err != nil:
				return err
			case finished && saved.Digest == digest:
				return nil
			case finished:
				return state.ErrExists
			}
			continue
		}
		if err != nil {
			return err
		}
		if err := b.service.UploadZip(ctx, address, zip); err != nil {
			return err
		}
		return b.finalize(ctx, candidate, int64(len(zip)), digest)
	}
	return errors.New("its name is taken by uploads that were never finished")
}

// finalize ends an upload. Of an answer that was lost, the list of the run's
// artifacts tells whether it was done.
func (b *ArtifactBackend) finalize(ctx context.Context, name string, size int64, digest string) error {
	_, err := b.service.FinalizeArtifact(ctx, name, size, digest)
	if err == nil || ctx.Err() != nil {
		return err
	}
	saved, finished, findErr := b.service.FindArtifact(ctx, name)
	if finished && saved.Digest == digest {
		return nil
	}
	return errors.Join(err, findErr)
}

// snapshotArtifact is the name of a run's first snapshot. GitHub filters
// artifacts by their exact name only, and a snapshot must be found among the
// thousands of artifacts of a busy repository. Names are taken once a run: the
// other legs of a matrix, which know of the legs that ended before them, save
// theirs under the item's own name, for a week.
const (
	snapshotArtifact = "breadcrumb-snapshot"
	legLife          = 7 * 24 * time.Hour
)

// isSnapshot reports whether an artifact's name is that of a snapshot.
func isSnapshot(name string) bool {
	return name == snapshotArtifact || strings.HasPrefix(name, state.SnapshotPrefix)
}

// itemName returns the name of an artifact's item.
func itemName(a artifact) string {
	if a.Name == snapshotArtifact {
		return fmt.Sprintf("%s%d-%d", state.SnapshotPrefix, a.Run.ID, a.ID)
	}
	return a.Name
}
