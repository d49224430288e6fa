package gh

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/state"
)

// StateBranch is the branch on which [BranchBackend] keeps items. It shares no
// commit with any other branch.
const StateBranch = "breadcrumb-state"

// stampFormat is the time in the name of an item's folder,
// "20260131T120000.000Z_breadcrumb-delta-…", since git keeps none.
const stampFormat = "20060102T150405.000Z"

// BranchBackend keeps items as folders of the branch [StateBranch], written and
// read through the Git data API without a checkout. Nothing expires, and every
// item costs one commit. GitHub controls who may push there, which needs
// contents: write, and does not record which run did it: everybody who may write is
// trusted. Only runs on the default branch write.
type BranchBackend struct {
	client      *Client
	options     BackendOptions
	owner, name string

	mu     sync.Mutex
	listed map[string][]*github.TreeEntry // files of items by their tree, as listed
	head   *branchHead                    // that a Put of ours left; nil where GitHub must be asked
}

var _ state.Replacer = (*BranchBackend)(nil)

// BranchBackend returns the backend of a repository's branch [StateBranch], which
// the first Put makes.
func (c *Client) BranchBackend(o BackendOptions) (*BranchBackend, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("open branch %s: %w", StateBranch, err)
	}
	owner, name, _ := strings.Cut(o.Repository, "/")
	return &BranchBackend{client: c, options: o, owner: owner, name: name, listed: map[string][]*github.TreeEntry{}}, nil
}

// saveRequests are what it takes to save a delta and a snapshot where nobody
// else saves: the newest commit and its tree, three requests, then for each its
// one or two blobs, two trees, a commit and the branch.
const saveRequests = 3 + (1 + 4) + (2 + 4)

// Room implements [state.Limited]. A delta is one request: its one file.
func (b *BranchBackend) Room() int { return b.options.requestsLeft(b.client, saveRequests) }

// List implements [state.Backend]. An item's time is that of the clock of the
// run that saved it.
func (b *BranchBackend) List(ctx context.Context, prefix string) (_ []state.Item, err error) {
	defer wrapError(&err, "list branch %s", StateBranch)
	tree, _, err := b.client.api.Git.GetTree(ctx, b.owner, b.name, StateBranch, true)
	if noBranch(err) {
		return nil, nil
	}
	if err == nil && tree.GetTruncated() {
		err = errors.New("GitHub lists only a part of what it holds")
	}
	if err != nil {
		return nil, b.client.fault("read tree", err, refused)
	}
	inside := map[string][]*github.TreeEntry{}
	for _, e := range tree.Entries {
		if cut := strings.LastIndexByte(e.GetPath(), '/'); cut > 0 {
			dir := e.GetPath()[:cut]
			inside[dir] = append(inside[dir], e)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var items []state.Item
	for _, e := range tree.Entries {
		at, name, ok := parseFolder(e.GetPath())
		if ok && e.GetType() == "tree" && strings.HasPrefix(name, prefix) {
			item := state.Item{ID: e.GetSHA(), Name: name, Created: at}
			for _, file := range inside[e.GetPath()] {
				file.Path = github.String(file.GetPath()[len(e.GetPath())+1:])
				item.Size += int64(file.GetSize())
			}
			b.listed[item.ID] = inside[e.GetPath()]
			items = append(items, item)
		}
	}
	sortNewestFirst(items)
	return items, nil
}

// parseFolder returns the time and the name of an item from the name of its folder.
func parseFolder(folder string) (at time.Time, name string, ok bool) {
	stamp, name, ok := strings.Cut(folder, "_")
	if !ok || name == "" || strings.Contains(name, "/") {
		return time.Time{}, "", false
	}
	at, err := time.Parse(stampFormat, stamp)
	return at, name, err == nil
}

// noBranch reports whether an error says that there is no such branch, or no
// commit at all.
func noBranch(err error) bool {
	answer, ok := errors.AsType[*github.ErrorResponse](err)
	return ok && (statusOf(answer.Response) == http.StatusNotFound || statusOf(answer.Response) == http.StatusConflict)
}

// Get implements [state.Backend].
func (b *BranchBackend) Get(ctx context.Context, item state.Item, into *os.Root) (err error) {
	defer wrapError(&err, "read %s from branch %s", item.Name, StateBranch)
	entries, err := b.filesOf(ctx, item)
	if err != nil {
		return err
	}
	left := int64(state.MaxBytes)
	for _, e := range entries {
		if e.GetType() != "blob" || e.GetMode() != "100644" {
			return fmt.Errorf("%q: %w", e.GetPath(), state.ErrHostile)
		}
		if int64(e.GetSize()) > left {
			return state.ErrTooLarge
		}
		n, err := b.getFile(ctx, e, into, left)
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// filesOf returns what an item holds, as it was listed or as git says.
func (b *BranchBackend) filesOf(ctx context.Context, item state.Item) ([]*github.TreeEntry, error) {
	b.mu.Lock()
	entries, known := b.listed[item.ID]
	b.mu.Unlock()
	if known {
		return entries, nil
	}
	tree, _, err := b.client.api.Git.GetTree(ctx, b.owner, b.name, url.PathEscape(item.ID), false)
	if err != nil {
		return nil, b.client.fault("read tree", err, map[int]error{
			http.StatusForbidden: ErrNoPermission, http.StatusNotFound: state.ErrGone, http.StatusUnprocessableEntity: state.ErrGone,
		})
	}
	return tree.Entries, nil
}

// getFile writes one blob, checked against the name that git gives it.
func (b *BranchBackend) getFile(ctx context.Context, e *github.TreeEntry, into *os.Root, limit int64) (int64, error) {
	blob, err := newTempFile()
	if err != nil {
		return 0, err
	}
	defer blob.Close()
	req, err := b.client.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/git/blobs/%s", b.owner, b.name, url.PathEscape(e.GetSHA())), nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", "application/vnd.github.raw+json")
	if _, err := b.client.api.Do(withTempFile(ctx, blob), req, nil); err != nil {
		return 0, b.client.fault("read blob", err, goneOrRefused)
	}
	sum, err := blobName(blob.file, blob.size)
	if err != nil {
		return 0, err
	}
	if sum != e.GetSHA() {
		return 0, fmt.Errorf("%s is blob %s, and its tree lists %s", e.GetPath(), sum, e.GetSHA())
	}
	return state.WriteFile(into, e.GetPath(), blob.file, limit)
}

// blobName returns git's name for a file of so many bytes with the content of
// f, which is read from its start and then rewound.
func blobName(f *os.File, size int64) (string, error) {
	sum := sha1.New() //nolint:gosec // git's choice
	fmt.Fprintf(sum, "blob %d\x00", size)
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read temporary file: %w", err)
	}
	if err := rewind(f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
