package state

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/breadcrumb/action/internal/replace"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
)

// maxListed is how long an item without an expiry may be listed: the longest
// an artifact can be kept.
const maxListed = 400 * 24 * time.Hour

// coverItems adds the merged items to those covered, and removes the deltas that no
// longer exist: past their expiry and not listed.
func (m *Manifest) coverItems(listed []Item, merged []string, now time.Time) {
	covers := map[string]time.Time{}
	for name, until := range m.Covers {
		if until.After(now) {
			covers[name] = until
		}
	}
	for _, name := range merged {
		covers[name] = now.Add(maxListed)
	}
	for _, item := range listed {
		_, had := m.Covers[item.Name]
		if _, has := covers[item.Name]; !had && !has {
			continue
		}
		if covers[item.Name] = now.Add(maxListed); !item.Expires.IsZero() {
			covers[item.Name] = item.Expires.Add(24 * time.Hour)
		}
	}
	m.Covers = covers
}

// packFile compresses a file and returns the digest of what it wrote.
func packFile(from, to string) (digest string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return "", err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	sum := sha256.New()
	z, err := zstd.NewWriter(io.MultiWriter(out, sum), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(windowFor(info.Size())))
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(z, in); err != nil {
		return "", errors.Join(err, z.Close())
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return digestText(sum.Sum(nil)), nil
}

// windowFor returns the window that packs a file of so many bytes as well as any larger
// one: packing and unpacking need memory for all of it.
func windowFor(size int64) int {
	window := zstd.MinWindowSize
	for window < maxWindow && int64(window) < size {
		window *= 2
	}
	return window
}

// DeltaName returns the name of the run's delta. It begins with the run id, so
// that a backend which knows the run can tell a forged one.
func (s Self) DeltaName() string { return DeltaPrefix + s.nameSuffix() }

// SnapshotName returns the name of the snapshot that the run saves.
func (s Self) SnapshotName() string { return SnapshotPrefix + s.nameSuffix() }

func (s Self) nameSuffix() string {
	i := s.Info
	sum := sha256.New()
	for _, text := range []string{i.Repository, i.Workflow, i.Job, i.Leg, s.ReportDigest} {
		fmt.Fprintf(sum, "%d:%s", len(text), text)
	}
	return fmt.Sprintf("%d-%d-%s", i.RunID, i.RunAttempt, hex.EncodeToString(sum.Sum(nil)[:8]))
}

// WriteDelta writes a delta to a file, completely or not at all. Of one that is too large
// it writes the part that fits; then the error wraps [store.ErrLeftOut].
func WriteDelta(d *delta.Delta, file string) error {
	err := replace.Write(file, filepath.Base(file)+".tmp-*", d.Write)
	if !errors.Is(err, delta.ErrTooLarge) {
		return store.Wrap(err, "write delta")
	}
	part, left := d.Fit()
	if err := replace.Write(file, filepath.Base(file)+".tmp-*", part.Write); err != nil {
		return fmt.Errorf("write delta: %w", err)
	}
	return fmt.Errorf("write delta: %w, and of this one %d records %w", delta.ErrTooLarge, left, store.ErrLeftOut)
}

// SaveDelta saves the delta in a file under the name of the run. It is no
// error when the name is taken, because then the run was saved before, nor
// when a run that is not trusted may not write to the backend.
func SaveDelta(ctx context.Context, backend Backend, self Self, file string) error {
	dir, err := os.MkdirTemp("", "breadcrumb-state-*")
	if err != nil {
		return fmt.Errorf("save delta: %w", err)
	}
	defer os.RemoveAll(dir)
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, deltaFile), text, 0o644)
	}
	if err == nil {
		err = backend.Put(ctx, self.DeltaName(), os.DirFS(dir))
	}
	if errors.Is(err, ErrExists) || errors.Is(err, ErrReadOnly) && !self.Info.Trusted() {
		return nil
	}
	return store.Wrap(err, "save delta")
}

// NewSnapshot is the database of which Fold makes a snapshot.
type NewSnapshot struct {
	Database string      // its file
	Facts    store.Facts // of the database
	Now      time.Time
}

// Fold saves the database that Restore filled and this run added to as a new
// snapshot, and reports whether it did. It does nothing for a run that is not
// trusted, nor when history could not be read that may be readable the next time:
// a newer snapshot would hide it.
func Fold(ctx context.Context, backend Backend, self Self, restored *Restored, s NewSnapshot) (bool, error) {
	if !self.Info.Trusted() || !restored.foldable {
		return false, nil
	}
	if err := saveSnapshot(ctx, backend, self, restored, s); err != nil {
		if errors.Is(err, ErrExists) || errors.Is(err, ErrOvertaken) {
			return false, nil
		}
		return false, fmt.Errorf("save snapshot: %w", err)
	}
	return true, nil
}

func saveSnapshot(ctx context.Context, backend Backend, self Self, restored *Restored, s NewSnapshot) (err error) {
	dir, err := os.MkdirTemp("", "breadcrumb-state-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	digest, err := packFile(s.Database, filepath.Join(dir, databaseFile))
	if err != nil {
		return err
	}
	m := restored.Manifest
	m.coverItems(restored.items, append(restored.Merged, self.DeltaName()), s.Now)
	m.Former, m.Unread = restored.rememberRename(s.Now), restored.unread
	m.Created, m.Digest, m.Format, m.RepositoryID = s.Now.UTC(), digest, manifestFormat, self.Info.RepositoryID
	m.Schema, m.Watermark = s.Facts.Schema, s.Facts.Watermark
	rows := s.Facts.Rows
	m.Rows = map[string]int{"runs": rows.Runs, "results": rows.Results, "tests": rows.Tests, "heals": rows.Heals,
		"refusals": rows.Refusals, "fingerprints": rows.Fingerprints, "quarantine": rows.Quarantined}
	if b, ok := backend.(Mortal); ok {
		return m.putMortal(ctx, b, self.SnapshotName(), dir)
	}
	if err := m.write(dir); err != nil {
		return err
	}
	if r, ok := backend.(Replacer); ok {
		return r.Replace(ctx, self.SnapshotName(), os.DirFS(dir), restored.items, restored.superseded(m))
	}
	return backend.Put(ctx, self.SnapshotName(), os.DirFS(dir))
}

// write writes the manifest beside the database.
func (m *Manifest) write(dir string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, manifestFile), append(text, '\n'), 0o644)
}

// putMortal saves the snapshot in a directory for as long as it is worth.
func (m *Manifest) putMortal(ctx context.Context, backend Mortal, name, dir string) error {
	days, long := m.Days, m.Long
	life := m.chooseLife(m.Created)
	if err := m.write(dir); err != nil {
		return err
	}
	if kept := backend.Kept(); kept > 0 && life >= kept {
		return backend.Put(ctx, name, os.DirFS(dir))
	}
	err := backend.PutFor(ctx, name, os.DirFS(dir), life)
	if !errors.Is(err, ErrExists) || life == shortLife {
		return err
	}
	m.Days, m.Long = days.next(), long.next() // another one will be it
	if err := m.write(dir); err != nil {
		return err
	}
	return backend.PutFor(ctx, name, os.DirFS(dir), shortLife)
}

// How long snapshots are kept where a place can be told: most until there are dozens of
// newer ones, some over days on which nothing runs, and some as long as anything is, each
// after a time or so many snapshots. Deltas are kept as long as anything is, so that what
// a snapshot held that is gone is merged anew into the one before it, of which a run
// takes in 20 and a snapshot names 64.
const (
	shortLife = 24 * time.Hour
	daysLife  = 6 * 24 * time.Hour

	daysAfter, daysAfterSnapshots = 6 * time.Hour, 15
	longAfter, longAfterSnapshots = 48 * time.Hour, 60
)

// chooseLife returns how long the snapshot is kept that is saved now, 0 for as long as
// anything is. m describes the one it was made from, so that what counts as saved was
// also read.
func (m *Manifest) chooseLife(now time.Time) time.Duration {
	m.Days, m.Long = m.Days.next(), m.Long.next()
	switch {
	case m.Long.isDue(now, longAfter, longAfterSnapshots):
		m.Long, m.Days = Anchor{Saved: now.UTC()}, Anchor{Saved: now.UTC()}
		return 0
	case m.Days.isDue(now, daysAfter, daysAfterSnapshots):
		m.Days = Anchor{Saved: now.UTC()}
		return daysLife
	}
	return shortLife
}

// next returns the anchor after one more snapshot.
func (a Anchor) next() Anchor { return Anchor{a.Saved, a.Since + 1} }

// isDue reports whether it is time for another one. An anchor of a clock that is ahead
// does not keep others from it.
func (a Anchor) isDue(now time.Time, after time.Duration, snapshots int) bool {
	return a.Since >= snapshots || now.Sub(a.Saved).Abs() >= after
}

// renameLife is how long a snapshot remembers a rename at the least: runs that began
// before may end late. As long as deltas are left, which a run takes in 20 at a time, it
// is not forgotten either: some may be of before, merged anew where a snapshot is gone.
const renameLife = 7 * 24 * time.Hour

// maxRemembered bounds the other names of the default branch that a snapshot remembers.
const maxRemembered = 4

// rememberRename returns the former names of which later runs must know, nil for none:
// those found now, and those of the snapshot unless they are forgotten.
func (r *Restored) rememberRename(now time.Time) *Former {
	before := r.Manifest.Former
	if before != nil && r.Left == 0 && now.Sub(before.Found) > renameLife {
		before = nil
	}
	if r.Former.Branch == "" && r.Former.Workflow == "" {
		return before
	}
	found := r.Former
	found.Found, found.Branches = now.UTC(), slices.Clone(found.Branches)
	if before != nil {
		found.Workflow = cmp.Or(found.Workflow, before.Workflow)
		for _, name := range before.BranchNames() {
			if !slices.Contains(found.BranchNames(), name) && len(found.Branches) < maxRemembered {
				found.Branches = append(found.Branches, name)
			}
		}
	}
	return &found
}

// superseded returns the listed items that a snapshot with this manifest
// replaces: the deltas it covers, the snapshot it was made from and older
// ones. A snapshot that was set aside stays.
func (r *Restored) superseded(m Manifest) []Item {
	var gone []Item
	behind := false
	for _, item := range r.items { // newest first
		_, covered := m.Covers[item.Name]
		behind = behind || item.Name == r.Snapshot
		if covered || behind && strings.HasPrefix(item.Name, SnapshotPrefix) {
			gone = append(gone, item)
		}
	}
	return gone
}
