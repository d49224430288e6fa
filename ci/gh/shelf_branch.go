package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/state"
)

// StateBranch is the branch on which [BranchShelf] keeps items. It shares no
// commit with any other branch.
const StateBranch = "breadcrumb-state"

// stampFormat is the time in the name of an item's folder,
// "20260131T120000.000Z_breadcrumb-delta-…", since git keeps none.
const stampFormat = "20060102T150405.000Z"

// BranchShelf keeps items as folders of the branch [StateBranch], written and
// read through the Git data API without a checkout. Nothing expires, and every
// item costs one commit. GitHub says who may push there, which needs contents:
// write, and vouches for no run: who may write is trusted.
type BranchShelf struct {
	client      *Client
	owner, name string
}

var _ state.Replacer = (*BranchShelf)(nil)

// BranchShelf returns the shelf of a repository's branch [StateBranch], which
// the first Put makes.
func (c *Client) BranchShelf(o ShelfOptions) (*BranchShelf, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("open branch %s: %w", StateBranch, err)
	}
	s := &BranchShelf{client: c}
	s.owner, s.name = o.split()
	return s, nil
}

// List implements [state.Shelf]. An item's time is that of the clock of the
// run that saved it.
func (s *BranchShelf) List(ctx context.Context, prefix string) ([]state.Item, error) {
	tree, _, err := s.client.api.Git.GetTree(ctx, s.owner, s.name, StateBranch, true)
	if noBranch(err) {
		return nil, nil
	}
	if err == nil && tree.GetTruncated() {
		err = errors.New("GitHub lists only a part of what it holds")
	}
	if err != nil {
		return nil, fmt.Errorf("list branch %s: %w", StateBranch, s.client.fault("read tree", err, refused))
	}
	sizes := map[string]int64{}
	for _, e := range tree.Entries {
		sizes[path.Dir(e.GetPath())] += int64(e.GetSize())
	}
	var items []state.Item
	for _, e := range tree.Entries {
		at, name, ok := parseFolder(e.GetPath())
		if ok && e.GetType() == "tree" && strings.HasPrefix(name, prefix) {
			items = append(items, state.Item{ID: e.GetSHA(), Name: name, Size: sizes[e.GetPath()], Created: at})
		}
	}
	newestFirst(items)
	return items, nil
}

// folder returns the name of an item's folder.
func folder(name string, at time.Time) string { return at.UTC().Format(stampFormat) + "_" + name }

// parseFolder returns what folder made it of.
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
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) {
		return false
	}
	return statusOf(answer.Response) == http.StatusNotFound || statusOf(answer.Response) == http.StatusConflict
}

// Get implements [state.Shelf].
func (s *BranchShelf) Get(ctx context.Context, item state.Item, into *os.Root) error {
	if err := s.get(ctx, item, into); err != nil {
		return fmt.Errorf("read %s from branch %s: %w", item.Name, StateBranch, err)
	}
	return nil
}

func (s *BranchShelf) get(ctx context.Context, item state.Item, into *os.Root) error {
	tree, _, err := s.client.api.Git.GetTree(ctx, s.owner, s.name, url.PathEscape(item.ID), false)
	if err != nil {
		return s.client.fault("read tree", err, map[int]error{
			http.StatusForbidden: ErrNoPermission, http.StatusNotFound: state.ErrGone, http.StatusUnprocessableEntity: state.ErrGone,
		})
	}
	left := int64(state.MaxBytes)
	for _, e := range tree.Entries {
		if e.GetType() != "blob" || e.GetMode() != "100644" {
			return fmt.Errorf("%q: %w", e.GetPath(), state.ErrHostile)
		}
		if int64(e.GetSize()) > left {
			return state.ErrTooLarge
		}
		n, err := s.getFile(ctx, e, into, left)
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// getFile writes one blob, checked against the name that git gives it.
func (s *BranchShelf) getFile(ctx context.Context, e *github.TreeEntry, into *os.Root, limit int64) (int64, error) {
	blob, err := newSpool()
	if err != nil {
		return 0, err
	}
	defer blob.Close()
	req, err := s.client.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/git/blobs/%s", s.owner, s.name, url.PathEscape(e.GetSHA())), nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", "application/vnd.github.raw+json")
	if _, err := s.client.api.Do(withSpool(ctx, blob), req, nil); err != nil {
		return 0, s.client.fault("read blob", err, goneOrRefused)
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
