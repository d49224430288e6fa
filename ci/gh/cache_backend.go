package gh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/ci/gh/archive"
	"github.com/breadcrumb/action/ci/gh/resultsservice"
	"github.com/breadcrumb/action/state"
)

// The form in which caches are kept is that of actions/cache with the path
// cacheFolder, so that it restores what is saved here, and the reverse.
const (
	cacheFolder = "breadcrumb-state"
	compression = "zstd-without-long"
)

// cacheLife is how long GitHub keeps a cache that nobody reads.
const cacheLife = 7 * 24 * time.Hour

// CacheBackend keeps items as caches of the default branch, which every run of
// the repository may read, a fork's too, and only runs on the default branch
// may write.
//
// GitHub vouches for the branch of a cache and for no event: whatever runs on
// the default branch, also on workflow_run or issue_comment, may have saved
// it. So the items' origin is not known, and who may write there is trusted.
type CacheBackend struct {
	client  *Client
	options BackendOptions
	service *resultsservice.Client
	version string
}

var _ state.Backend = (*CacheBackend)(nil)

// CacheBackend returns the backend of a repository's caches. It needs the results
// service for reading, too.
func (c *Client) CacheBackend(o BackendOptions) (*CacheBackend, error) {
	err := o.check()
	if err == nil && o.DefaultBranch == "" {
		err = errors.New("the event names no default branch, whose caches alone are trusted")
	}
	if err == nil && (o.CacheMode == "none" || o.CacheMode == "write-only") {
		err = fmt.Errorf("this job may not read caches: its cache mode is %s", o.CacheMode)
	}
	if err != nil {
		return nil, fmt.Errorf("open caches: %w", err)
	}
	service, err := c.results(o)
	if err != nil {
		return nil, fmt.Errorf("open caches: %w", err)
	}
	return &CacheBackend{client: c, options: o, service: service, version: resultsservice.CacheVersion(compression, cacheFolder)}, nil
}

// cache is what GitHub lists.
type cache struct {
	Ref      string    `json:"ref"`
	Key      string    `json:"key"`
	Version  string    `json:"version"`
	Accessed time.Time `json:"last_accessed_at"`
	Created  time.Time `json:"created_at"`
	Size     int64     `json:"size_in_bytes"`
}

// List implements [state.Backend]: the caches of the default branch, the newest
// 100.
func (b *CacheBackend) List(ctx context.Context, prefix string) ([]state.Item, error) {
	found, _, err := b.page(ctx, url.Values{"key": {prefix}, "ref": {b.options.trustedRef()}})
	if err != nil {
		return nil, fmt.Errorf("list caches: %w", err)
	}
	var items []state.Item
	for _, c := range found {
		if c.Version == b.version && c.Ref == b.options.trustedRef() && strings.HasPrefix(c.Key, prefix) {
			items = append(items, state.Item{ID: c.Key, Name: c.Key, Size: c.Size, Created: c.Created, Expires: c.Accessed.Add(cacheLife)})
		}
	}
	newestFirst(items)
	return items, nil
}

// Room implements [state.Limited]. A cache is read without the API, but for
// the look at others of its name on a pull request.
func (b *CacheBackend) Room() int {
	if b.options.trusted() {
		return state.Unlimited
	}
	return b.options.room(b.client, 0)
}

// page returns the first page of the listing and how many there are in all.
func (b *CacheBackend) page(ctx context.Context, query url.Values) ([]cache, int, error) {
	query.Set("per_page", "100")
	query.Set("sort", "created_at")
	query.Set("direction", "desc")
	owner, name := b.options.split()
	req, err := b.client.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/caches?%s", owner, name, query.Encode()), nil)
	if err != nil {
		return nil, 0, err
	}
	var out struct {
		Total  int     `json:"total_count"`
		Caches []cache `json:"actions_caches"`
	}
	if _, err := b.client.api.Do(ctx, req, &out); err != nil {
		err = b.client.fault("ask GitHub", err, refused)
		if errors.Is(err, ErrNoPermission) {
			err = fmt.Errorf("%w; give the job the permission actions: read", err)
		}
		return nil, 0, err
	}
	return out.Caches, out.Total, nil
}

// Get implements [state.Backend].
func (b *CacheBackend) Get(ctx context.Context, item state.Item, into *os.Root) error {
	if err := b.get(ctx, item, into); err != nil {
		return fmt.Errorf("read cache %s: %w", item.Name, err)
	}
	return nil
}

func (b *CacheBackend) get(ctx context.Context, item state.Item, into *os.Root) error {
	tar, err := newSpool()
	if err != nil {
		return err
	}
	defer tar.Close()
	if err := b.fetch(ctx, item.ID, tar); err != nil {
		return err
	}
	if err := b.checkShadow(ctx, item.ID); err != nil {
		return err
	}
	return archive.UntarZstd(tar.file, cacheFolder, into)
}

// fetch downloads the cache of a key, or returns state.ErrGone.
func (b *CacheBackend) fetch(ctx context.Context, key string, into *spool) error {
	hit, found, err := b.service.FindCache(ctx, key, b.version)
	if err != nil {
		return err
	}
	if !found || hit.Key != key {
		return state.ErrGone
	}
	return b.client.download(ctx, hit.URL, into)
}

// checkShadow refuses a key that a branch other than the default one keeps
// too: the service looks there first, so a pull request could put a cache of
// its own in the place of the default branch's.
func (b *CacheBackend) checkShadow(ctx context.Context, key string) error {
	if b.options.trusted() {
		return nil
	}
	found, total, err := b.page(ctx, url.Values{"key": {key}})
	if err != nil {
		return err
	}
	shadowed := slices.ContainsFunc(found, func(c cache) bool {
		return c.Key == key && c.Ref != b.options.trustedRef() && (c.Ref == b.options.Ref || !strings.HasPrefix(c.Ref, "refs/pull/"))
	})
	if shadowed || total > len(found) {
		return fmt.Errorf("another branch keeps a cache of this name: %w", state.ErrHostile)
	}
	return nil
}

// Put implements [state.Backend]. Of a run that is not on the default branch it
// returns [state.ErrReadOnly].
func (b *CacheBackend) Put(ctx context.Context, name string, files fs.FS) error {
	if err := b.put(ctx, name, files); err != nil {
		return fmt.Errorf("save cache %s: %w", name, err)
	}
	return nil
}

func (b *CacheBackend) put(ctx context.Context, name string, files fs.FS) error {
	if !b.options.trusted() || b.options.CacheMode == "read" {
		return state.ErrReadOnly
	}
	tar, err := archive.TarZstd(files, cacheFolder)
	if err != nil {
		return err
	}
	for try := range maxHalfDone {
		key := name
		if try > 0 {
			key = fmt.Sprintf("%s-again%d", name, try)
		}
		address, err := b.service.CreateCache(ctx, key, b.version)
		if errors.Is(err, resultsservice.ErrExists) {
			err := b.compare(ctx, key, tar)
			if errors.Is(err, state.ErrGone) {
				continue
			}
			return err
		}
		if err != nil {
			return err
		}
		if err := b.service.Upload(ctx, address, tar); err != nil {
			return err
		}
		return b.finalize(ctx, key, tar)
	}
	return errors.New("its key is taken by uploads that were never finished")
}

// finalize ends an upload. Of an answer that was lost, the cache itself tells
// whether it was done.
func (b *CacheBackend) finalize(ctx context.Context, key string, tar []byte) error {
	err := b.service.FinalizeCache(ctx, key, b.version, int64(len(tar)))
	if err == nil || ctx.Err() != nil {
		return err
	}
	if b.compare(ctx, key, tar) == nil {
		return nil
	}
	return err
}

// compare returns nil when the cache of the key holds tar, state.ErrExists
// when it holds another, and state.ErrGone when there is none to read.
func (b *CacheBackend) compare(ctx context.Context, key string, tar []byte) error {
	saved, err := newSpool()
	if err != nil {
		return err
	}
	defer saved.Close()
	if err := b.fetch(ctx, key, saved); err != nil {
		return err
	}
	content, err := io.ReadAll(saved.file)
	if err != nil {
		return fmt.Errorf("read temporary file: %w", err)
	}
	if !bytes.Equal(content, tar) {
		return state.ErrExists
	}
	return nil
}
