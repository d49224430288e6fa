package state

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
)

// maxDatabase is the largest database that a snapshot may unpack to: 512 MiB,
// as much as the store opens.
const maxDatabase = 512 << 20

// unpackFile checks the digest of a compressed file and writes its content to a
// new file.
func unpackFile(dir *os.Root, name, digest, to string) error {
	if err := checkDigest(dir, name, digest); err != nil {
		return err
	}
	in, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return Unpack(in, name, to)
}

// HoldsDatabase reports whether what in holds compressed is a database, as in a snapshot,
// by how one begins (https://sqlite.org/fileformat2.html#magic_header_string).
func HoldsDatabase(in io.Reader) bool {
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return false
	}
	defer z.Close()
	head := make([]byte, 16)
	_, err = io.ReadFull(z, head)
	return err == nil && string(head) == "SQLite format 3\x00"
}

// Unpack writes the database of a snapshot, which in holds compressed and is called name
// in errors, to a new file.
func Unpack(in io.Reader, name, to string) error {
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return badContent{err}
	}
	defer z.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(z, maxDatabase+1))
	if err != nil {
		err = badContent{fmt.Errorf("unpack %s: %w", name, err)}
	} else if n > maxDatabase {
		err = badContent{fmt.Errorf("%s unpacks to more than %d bytes", name, maxDatabase)}
	}
	return errors.Join(err, out.Close())
}

// Bounds of one restore, which keep the number of requests small.
const (
	maxDeltas     = 20 // merged in one run
	minDeltas     = 5  // merged in one run of the default branch, however many requests looking for them took
	maxSnapshots  = 3  // tried until one is good
	maxBeforeFold = 12 // tried by a run that would fold otherwise
	maxOwn        = 3  // deltas of the same run's earlier attempts, on a pull request
)

// Database is what the state is restored into.
type Database interface {
	// LoadFile fills the database from a file, and leaves it empty after an
	// error.
	LoadFile(ctx context.Context, file string) error
	// Import merges a delta, which is called file in notices.
	Import(ctx context.Context, d *delta.Delta, trust store.Trust, file string) (store.Imported, error)
}

// Restored describes what Restore found.
type Restored struct {
	Snapshot string   // name of the snapshot it began with, "" for none
	Manifest Manifest // of that snapshot
	Merged   []string // names of the deltas that were merged or can never be
	Left     int      // deltas that were not merged: too many, or not readable now
	Notices  []engine.Notice
	Former   Former // what the workflow and the default branch were called, where that changed

	items  []Item  // all that were listed, newest first
	unread []int64 // runs whose deltas were not merged
	// foldable is false when some history could not be read now but may be
	// readable the next time: then no new snapshot may follow.
	foldable bool
}

// Whole reports whether nothing is known of the history that was not read.
func (r *Restored) Whole() bool { return r.foldable && r.Left == 0 }

// Restore fills db with the newest trusted snapshot and the deltas that it
// does not cover. What cannot be used is left out with a notice: without it
// fewer failures are excused, never more. The error is a fault of the database
// or of ctx.
func Restore(ctx context.Context, backend Backend, self Self, db Database) (*Restored, error) {
	r := &restore{backend: backend, self: self, db: db, out: &Restored{foldable: true}}
	items, err := backend.List(ctx, "breadcrumb-")
	if err != nil {
		r.out.foldable = false
		r.addNotice("", fmt.Errorf("the history cannot be listed, so no failure is excused by it: %w", err))
		return r.out, ctx.Err()
	}
	r.out.items = items
	if renamer, ok := backend.(Renamer); ok {
		r.noteRename(renamer.Former())
	}
	if err := r.loadNewestSnapshot(ctx, items); err != nil {
		return r.out, err
	}
	if err = r.followFormer(ctx); err != nil {
		return r.out, err
	}
	if err = r.findUnread(ctx); err != nil {
		return r.out, err
	}
	return r.out, r.mergeDeltas(ctx, r.out.items)
}

// restore is one run of Restore.
type restore struct {
	backend Backend
	self    Self
	db      Database
	out     *Restored
}

func (r *restore) addNotice(item string, err error) {
	r.out.Notices = append(r.out.Notices, engine.Notice{File: item, Severity: engine.SeverityWarning, Reason: err.Error()})
}

// noteRename says which history goes on under a new name, or does not.
func (r *restore) noteRename(f Former) {
	r.out.Former = f
	if f.Stray != "" {
		r.addNotice("", fmt.Errorf("runs under the default branch's name saved history for commits that are not on it or never were its tip, as %.12s: a tag of that name, or a branch that was rewritten; that history does not count", f.Stray))
	}
	names := fmt.Sprintf("%q", f.Branch)
	for _, name := range f.Branches {
		names += fmt.Sprintf(" and %q", name)
	}
	switch {
	case f.Branch != "" && f.Workflow != "":
		r.addNotice("", fmt.Errorf("the default branch was %s, GitHub says, and this workflow has no history: that of %s on it goes on here, its file is gone", names, f.Workflow))
	case f.Branch != "":
		r.addNotice("", fmt.Errorf("the default branch was %s, GitHub says: its history goes on", names))
	case f.Workflow != "":
		r.addNotice("", fmt.Errorf("this workflow has no history, and that of %s goes on here: its file is gone", f.Workflow))
	}
	if len(f.Left) > 0 {
		r.addNotice("", fmt.Errorf("this workflow has no history; nothing shows that it was %s before, so theirs is not taken over", strings.Join(f.Left, " or ")))
	}
}

// followFormer adds the items of before a rename that an earlier run could not read all.
// Where they cannot be listed the next run tries again.
func (r *restore) followFormer(ctx context.Context) error {
	follower, ok := r.backend.(Follower)
	if !ok || r.out.Manifest.Former == nil || !r.self.Info.Trusted() {
		return nil
	}
	items, err := follower.Follow(ctx, *r.out.Manifest.Former)
	if err != nil {
		r.addNotice("", fmt.Errorf("what was saved before a rename is not read: %w", err))
		return ctx.Err()
	}
	if items != nil {
		r.out.items = items
	}
	return nil
}

// findUnread adds the items of the first runs that did not fit into the snapshot, or
// that the listing did not reach. Others may have saved so much since, or so long ago,
// that they are listed no longer.
func (r *restore) findUnread(ctx context.Context) error {
	finder, ok := r.backend.(Finder)
	if !ok || !r.self.Info.Trusted() {
		return nil
	}
	unread := finder.Missed(r.out.Manifest.Unread)
	if len(unread) == 0 {
		return nil
	}
	n := min(len(unread), r.countFindable())
	items, err := finder.FindOf(ctx, unread[:n])
	if err != nil {
		r.addNotice("", fmt.Errorf("what did not fit into the snapshot is not read: %w", err))
		r.out.foldable = false
		return ctx.Err()
	}
	r.out.items = items
	r.out.unread = slices.Clone(unread[n:min(len(unread), n+maxUnread)])
	r.out.Left += len(unread) - n // at least one delta each
	return nil
}

// Bounds of the runs that a snapshot names, ten bytes each, and of those that one run looks
// for: each is a request or two.
const (
	maxUnread = 1000
	maxFound  = 4
)

// countFindable returns of how many runs to look for deltas, at least one: each takes
// requests, too, which those that are found already need to be merged.
func (r *restore) countFindable() int {
	const requests = 3 // to look a run up, to list its artifacts and to read a delta of it
	due := len(r.listDueDeltas(r.out.items))
	return min(maxFound, max(1, minDeltas-due, (r.countRoom()-due)/requests))
}

// useItem fetches an item into a temporary directory and calls use with it.
func (r *restore) useItem(ctx context.Context, item Item, use func(dir string, files *os.Root) error) (err error) {
	dir, err := os.MkdirTemp("", "breadcrumb-state-*")
	if err != nil {
		return fmt.Errorf("make temporary directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	inside := filepath.Join(dir, "item")
	if err := os.Mkdir(inside, 0o700); err != nil {
		return err
	}
	files, err := os.OpenRoot(inside)
	if err != nil {
		return err
	}
	defer files.Close()
	if err := r.backend.Get(ctx, item, files); err != nil {
		return err
	}
	return use(dir, files)
}

// loadNewestSnapshot loads the newest trusted snapshot that is good.
func (r *restore) loadNewestSnapshot(ctx context.Context, items []Item) error {
	tried := 0
	for _, item := range items {
		if !strings.HasPrefix(item.Name, SnapshotPrefix) || r.self.classify(item) != trusted {
			continue
		}
		if tried++; tried > maxSnapshots && (!r.self.Info.Trusted() || tried > maxBeforeFold || r.countRoom() <= 0) {
			r.out.foldable = false
			r.addNotice(item.Name, fmt.Errorf("this snapshot and older ones are not read, after %d that cannot be used: nothing is saved over them", tried-1))
			return nil
		}
		err := r.useItem(ctx, item, func(dir string, files *os.Root) error { return r.loadSnapshot(ctx, dir, files) })
		if err == nil {
			r.out.Snapshot = item.Name
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if transient(err) && !errors.Is(err, ErrGone) {
			r.out.foldable = false
		}
		r.addNotice(item.Name, fmt.Errorf("this snapshot is set aside: %w", err))
	}
	return nil
}

func (r *restore) loadSnapshot(ctx context.Context, dir string, files *os.Root) error {
	m, err := readManifest(files, r.self.Info.RepositoryID)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "snapshot.db")
	if err := unpackFile(files, databaseFile, m.Digest, file); err != nil {
		return err
	}
	err = r.db.LoadFile(ctx, file)
	if errors.Is(err, store.ErrUnreadable) {
		return badContent{err}
	}
	if err != nil {
		return err
	}
	r.out.Manifest = m
	return nil
}

// countRoom returns how many more items the run may read.
func (r *restore) countRoom() int {
	if l, ok := r.backend.(Limited); ok {
		return l.Room()
	}
	return Unlimited
}

// trustDelta returns which records of an item's delta are imported. Where the
// backend does not know who saved it, the delta of a run that calls itself one
// of a pull request or branch is imported as such: it only counts there.
func (s Self) trustDelta(item Item, c class, d *delta.Delta) store.Trust {
	t := store.Trust{RepositoryID: s.Info.RepositoryID, Manual: c == manualOnly, Releases: c == releaseOnly}
	if c == branchOnly {
		t.Only = &store.OnlyRun{RunID: item.Origin.RunID, RunAttempt: item.Origin.RunAttempt, Branch: item.Origin.Branch}
	}
	if run := store.Apart(d); c == trusted && !item.Origin.Known && run != nil {
		t.Only = &store.OnlyRun{RunID: run.Key.RunID, RunAttempt: run.Key.RunAttempt, Branch: run.Branch}
		t.RepositoryID = run.Key.RepositoryID
	}
	return t
}
