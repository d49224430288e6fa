package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/breadcrumb/action/store/delta"
)

// mergeDeltas merges the deltas that the snapshot does not cover.
func (r *restore) mergeDeltas(ctx context.Context, items []Item) error {
	due := r.listDueDeltas(items)
	for i, item := range due {
		if isSure := i < minDeltas && r.self.Info.Trusted(); i >= maxDeltas || !isSure && r.countRoom() <= 0 {
			r.out.Left += len(due) - i
			r.noteUnread(due[i:])
			break
		}
		if err := r.mergeDelta(ctx, item); err != nil {
			return err
		}
	}
	return nil
}

// listDueDeltas returns the deltas to merge, in order. A run of a pull request may read
// few items, so what no snapshot holds comes first: its newest earlier attempt, what
// people decided, for whom this may be the run to try it, and its other attempts.
func (r *restore) listDueDeltas(items []Item) []Item {
	var shared, decided, others []Item
	for _, item := range items {
		c := r.self.classify(item)
		if _, covered := r.out.Manifest.Covers[item.Name]; covered || c == refused || !strings.HasPrefix(item.Name, DeltaPrefix) {
			continue
		}
		switch {
		case (c == manualOnly || c == releaseOnly) && !r.self.Info.Trusted():
			decided = append(decided, item)
		case c == trusted || c == manualOnly || c == releaseOnly:
			shared = append(shared, item)
		case r.self.Info.Trusted() || r.self.savedEarlier(item):
			others = append(others, item)
		}
	}
	for _, all := range [][]Item{shared, decided, others} {
		slices.SortStableFunc(all, func(a, b Item) int {
			return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name))
		})
	}
	if !r.self.Info.Trusted() {
		own := others[max(len(others)-maxOwn, 0):]
		newest := max(len(own)-1, 0)
		return slices.Concat(own[newest:], decided, own[:newest], shared)
	}
	return interleave(shared, others)
}

// savedEarlier reports whether an item was saved by an earlier attempt of the run.
func (s Self) savedEarlier(item Item) bool {
	return item.Origin.RunID == s.Info.RunID && s.Info.RunAttempt > 1
}

// share is how many trusted deltas are merged for each other one.
const share = 3

// interleave returns the oldest deltas first, because they expire first:
// mostly trusted ones, so that many pull requests cannot delay those, but some
// others too, so that they do not wait for ever.
func interleave(shared, others []Item) []Item {
	var all []Item
	for len(shared)+len(others) > 0 {
		n, k := min(share, len(shared)), min(1, len(others))
		all = append(append(all, shared[:n]...), others[:k]...)
		shared, others = shared[n:], others[k:]
	}
	return all
}

func (r *restore) mergeDelta(ctx context.Context, item Item) error {
	var d *delta.Delta
	err := r.useItem(ctx, item, func(_ string, files *os.Root) (err error) {
		d, err = readDelta(files)
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.addNotice(item.Name, fmt.Errorf("this delta is set aside: %w", err))
		if transient(err) {
			r.out.Left++
			r.noteUnread([]Item{item})
		} else {
			r.out.Merged = append(r.out.Merged, item.Name)
		}
		return nil
	}
	trust := r.self.trustDelta(item, r.self.classify(item), d)
	done, err := r.db.Import(ctx, d, trust, item.Name)
	if err != nil {
		return err
	}
	// What only its own workflow may take stays to be merged.
	if !trust.Releases || !slices.ContainsFunc(d.Records, func(record delta.Record) bool { return !trust.Takes(record) }) {
		r.out.Merged = append(r.out.Merged, item.Name)
	}
	r.out.Notices = append(r.out.Notices, done.Notices...)
	return nil
}

func readDelta(files *os.Root) (*delta.Delta, error) {
	f, err := files.Open(deltaFile)
	if err != nil {
		return nil, badContent{fmt.Errorf("it has no %s", deltaFile)}
	}
	defer f.Close()
	d, err := delta.Read(f)
	if errors.Is(err, delta.ErrNewer) {
		return nil, err
	}
	if err != nil {
		return nil, badContent{err}
	}
	return d, nil
}

// noteUnread notes of which runs deltas were not merged: those that count for all before
// those that earlier runs noted, and the others last.
func (r *restore) noteUnread(left []Item) {
	var shared, others []int64
	for _, item := range left {
		switch {
		case !item.Origin.Known:
		case r.self.classify(item) == trusted:
			shared = append(shared, item.Origin.RunID)
		default:
			others = append(others, item.Origin.RunID)
		}
	}
	var all []int64
	seen := map[int64]bool{}
	for _, run := range slices.Concat(shared, r.out.unread, others) {
		if !seen[run] {
			seen[run] = true
			all = append(all, run)
		}
	}
	r.out.unread = all[:min(len(all), maxUnread)]
}
