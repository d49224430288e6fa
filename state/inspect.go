package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// Condition describes the state in a backend.
type Condition struct {
	Snapshot   string    // name of the newest trusted snapshot, "" for none
	Created    time.Time // when it was saved
	Expires    time.Time // when the last of the history is gone if nothing runs any more; zero: never
	Covered    int       // deltas inside
	Uncovered  int       // deltas that a run would still merge
	NextLost   time.Time // when the first of those expires; zero: never
	Unreadable error     // why the snapshot cannot be used
}

// Inspect describes the state in a backend without changing anything.
func Inspect(ctx context.Context, backend Backend, self Self) (Condition, error) {
	items, err := backend.List(ctx, "breadcrumb-")
	if err != nil {
		return Condition{}, fmt.Errorf("list state: %w", err)
	}
	r := &restore{backend: backend, self: self, out: &Restored{}}
	c := Condition{}
	for _, item := range items {
		if strings.HasPrefix(item.Name, SnapshotPrefix) && self.classify(item) == trusted {
			c.Snapshot, c.Created, c.Expires = item.Name, item.Created, lastExpiry(items, self)
			c.Unreadable = r.useItem(ctx, item, func(_ string, files *os.Root) (err error) {
				r.out.Manifest, err = readManifest(files, self.Info.RepositoryID)
				return errors.Join(err, unpackable(files, r.out.Manifest))
			})
			break
		}
	}
	c.Covered = len(r.out.Manifest.Covers)
	due := r.listDueDeltas(items)
	c.Uncovered = len(due)
	for _, item := range due {
		if !item.Expires.IsZero() && (c.NextLost.IsZero() || item.Expires.Before(c.NextLost)) {
			c.NextLost = item.Expires
		}
	}
	return c, ctx.Err()
}

// lastExpiry returns when the last of the trusted items expires, zero where one never
// does. Most snapshots do so early: what is in them is in older ones and deltas, too.
func lastExpiry(items []Item, self Self) (last time.Time) {
	for _, item := range items {
		switch {
		case self.classify(item) != trusted:
		case item.Expires.IsZero():
			return time.Time{}
		case item.Expires.After(last):
			last = item.Expires
		}
	}
	return last
}

// unpackable returns an error if the database of the snapshot is not the one
// in the manifest.
func unpackable(files *os.Root, m Manifest) error {
	if m.Digest == "" {
		return nil
	}
	return checkDigest(files, databaseFile, m.Digest)
}
