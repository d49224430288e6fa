package gh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/breadcrumb/action/ci/gh/archive"
	"github.com/breadcrumb/action/ci/gh/resultsservice"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/state"
)

// The form in which caches are kept is that of actions/cache with the path
// cacheFolder, so that each restores what the other saved.
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
// GitHub records the branch of a cache and not the event: any run on the default
// branch, also on workflow_run or issue_comment, may have saved it. So the items'
// origin is not known, and everybody who may write there is trusted.
type CacheBackend struct {
	client  *Client
	options BackendOptions
	service *resultsservice.Client
	version string
	// decisions are the artifacts of runs on comments, which may not write caches.
	decisions *ArtifactBackend

	mu     sync.Mutex
	former state.Former // found out by listing
}

var _ state.Renamer = (*CacheBackend)(nil)

// Former implements [state.Renamer]. GitHub gives no run the caches of the default
// branch's former name, so that none of them goes on.
func (b *CacheBackend) Former() state.Former {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.former
}

// noteOthers notes which branches have a history where the default one has none.
func (b *CacheBackend) noteOthers(ctx context.Context) error {
	found, _, err := b.listPage(ctx, url.Values{"key": {state.SnapshotPrefix}})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.former = state.Former{}
	for _, c := range found {
		branch, ok := strings.CutPrefix(c.Ref, "refs/heads/")
		if name := "branch " + branch; ok && c.Version == b.version && !slices.Contains(b.former.Left, name) {
			b.former.Left = append(b.former.Left, name)
		}
	}
	return err
}

// CacheBackend returns the backend of a repository's caches. It needs the results
// service for reading, too.
func (c *Client) CacheBackend(o BackendOptions) (_ *CacheBackend, err error) {
	defer wrapError(&err, "open caches")
	if err := o.check(); err != nil {
		return nil, err
	}
	switch {
	case o.DefaultBranch == "":
		return nil, errors.New("the event names no default branch, whose caches alone are trusted")
	case o.CacheMode == "none" || o.CacheMode == "write-only":
		return nil, fmt.Errorf("this job may not read caches: its cache mode is %s", o.CacheMode)
	}
	service, err := c.resultsService(o)
	if err != nil {
		return nil, err
	}
	decisions, err := c.ArtifactBackend(o)
	if err != nil {
		return nil, err
	}
	return &CacheBackend{client: c, options: o, service: service, version: resultsservice.CacheVersion(compression, cacheFolder), decisions: decisions}, nil
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

// maxCachePages bounds the pages of 100 caches that are listed. The workflows of a
// repository share one history, so a snapshot is mostly among the newest.
const maxCachePages = 5

// List implements [state.Backend]: the caches of the default branch, back to the
// newest snapshot and the end of its page.
func (b *CacheBackend) List(ctx context.Context, prefix string) (_ []state.Item, err error) {
	defer wrapError(&err, "list caches")
	var items []state.Item
	seen, read := map[string]bool{}, 0
	for page := 1; ; page++ {
		found, total, err := b.listPage(ctx, url.Values{"key": {prefix}, "ref": {b.options.defaultRef()}, "page": {strconv.Itoa(page)}})
		if err != nil {
			return nil, err
		}
		snapshot := false
		for _, c := range found {
			if c.Version != b.version || c.Ref != b.options.defaultRef() || !strings.HasPrefix(c.Key, prefix) || seen[c.Key] {
				continue
			}
			seen[c.Key] = true
			snapshot = snapshot || strings.HasPrefix(c.Key, state.SnapshotPrefix)
			items = append(items, state.Item{ID: c.Key, Name: c.Key, Size: c.Size, Created: c.Created, Expires: c.Accessed.Add(cacheLife)})
		}
		if read += len(found); snapshot || read >= total || len(found) == 0 {
			break
		}
		if page == maxCachePages {
			return nil, fmt.Errorf("no snapshot is among the newest %d of %d caches: %w", read, total, state.ErrUnread)
		}
	}
	if len(items) == 0 && b.options.onDefaultBranch() {
		if err := b.noteOthers(ctx); err != nil {
			return nil, err
		}
	}
	decided, err := b.listDecisions(ctx, prefix)
	if err != nil {
		return nil, err
	}
	items = append(items, decided...)
	sortNewestFirst(items)
	return items, nil
}

// Room implements [state.Limited]. A cache is read without the API, but for
// the look at others of its name on a pull request.
func (b *CacheBackend) Room() int {
	if b.options.onDefaultBranch() {
		return state.Unlimited
	}
	return b.options.requestsLeft(b.client, 0)
}

// listPage returns a page of the listing and how many there are in all.
func (b *CacheBackend) listPage(ctx context.Context, query url.Values) ([]cache, int, error) {
	query.Set("per_page", "100")
	query.Set("sort", "created_at")
	query.Set("direction", "desc")
	var out struct {
		Total  int     `json:"total_count"`
		Caches []cache `json:"actions_caches"`
	}
	if _, err := b.client.get(ctx, fmt.Sprintf("repos/%s/actions/caches?%s", b.options.Repository, query.Encode()), &out); err != nil {
		return nil, 0, b.client.faultNeeding("actions: read", "ask GitHub", err)
	}
	return out.Caches, out.Total, nil
}

// Get implements [state.Backend].
func (b *CacheBackend) Get(ctx context.Context, item state.Item, into *os.Root) (err error) {
	if id, ok := strings.CutPrefix(item.ID, decisionMark); ok {
		item.ID = id
		return b.decisions.Get(ctx, item, into)
	}
	defer wrapError(&err, "read cache %s", item.Name)
	tar, err := newTempFile()
	if err != nil {
		return err
	}
	defer tar.Close()
	if err := b.download(ctx, item.ID, tar); err != nil {
		return err
	}
	if err := b.checkOtherBranches(ctx, item.ID); err != nil {
		return err
	}
	return archive.UntarZstd(tar.file, cacheFolder, into)
}

// download fills a file with the cache of a key, or returns state.ErrGone.
func (b *CacheBackend) download(ctx context.Context, key string, into *tempFile) error {
	address, err := b.service.FindCache(ctx, key, b.version)
	if err != nil {
		return err
	}
	if address == "" {
		return state.ErrGone
	}
	return b.client.download(ctx, address, into)
}

// checkOtherBranches refuses a key that a branch other than the default one keeps
// too: the service looks there first, so a pull request could put a cache of
// its own in the place of the default branch's.
func (b *CacheBackend) checkOtherBranches(ctx context.Context, key string) error {
	if b.options.onDefaultBranch() {
		return nil
	}
	found, total, err := b.listPage(ctx, url.Values{"key": {key}})
	if err != nil {
		return err
	}
	shadowed := slices.ContainsFunc(found, func(c cache) bool {
		return c.Key == key && c.Ref != b.options.defaultRef() && (c.Ref == b.options.Ref || !strings.HasPrefix(c.Ref, "refs/pull/"))
	})
	if shadowed || total > len(found) {
		return fmt.Errorf("another branch keeps a cache of this name: %w", state.ErrHostile)
	}
	return nil
}

// Put implements [state.Backend]. Of a run that is not on the default branch it
// returns [state.ErrReadOnly]; what a run on a comment saves is an artifact.
func (b *CacheBackend) Put(ctx context.Context, name string, files fs.FS) (err error) {
	defer wrapError(&err, "save cache %s", name)
	if !b.options.mayWrite() {
		return b.putDecision(ctx, name, files)
	}
	tar, err := archive.TarZstd(files, cacheFolder)
	if err != nil {
		return err
	}
	for try := range maxUploadNames {
		key := uploadName(name, try)
		address, err := b.service.CreateCache(ctx, key, b.version)
		if errors.Is(err, resultsservice.ErrExists) {
			err := b.compareContent(ctx, key, tar)
			if errors.Is(err, state.ErrGone) {
				continue
			}
			return err
		}
		if err != nil {
			return err
		}
		if err := b.service.Upload(ctx, address, resultsservice.BytesType, tar); err != nil {
			return err
		}
		return b.finalize(ctx, key, tar)
	}
	return errors.New("its key is taken by uploads that were never finished")
}

// mayWrite reports whether the job may save caches.
func (o BackendOptions) mayWrite() bool {
	return o.onDefaultBranch() && o.CacheMode != "read" && (engine.IsTrustedEvent(o.Event) || o.Event == "" || o.CacheMode != "")
}

// finalize ends an upload. When the answer is lost, the cache itself shows whether
// it was done.
func (b *CacheBackend) finalize(ctx context.Context, key string, tar []byte) error {
	err := b.service.FinalizeCache(ctx, key, b.version, int64(len(tar)))
	if err != nil && ctx.Err() == nil && b.compareContent(ctx, key, tar) == nil {
		return nil
	}
	return err
}

// compareContent returns nil when the cache of the key holds tar, state.ErrExists
// when it holds another, and state.ErrGone when there is none to read.
func (b *CacheBackend) compareContent(ctx context.Context, key string, tar []byte) error {
	saved, err := newTempFile()
	if err != nil {
		return err
	}
	defer saved.Close()
	if err := b.download(ctx, key, saved); err != nil {
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
