package ci

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// follow lets tests that were moved or renamed keep their history. Only a
// trusted run does: a pull request's names are not yet everybody's.
func follow(ctx context.Context, cfg Config, db Database, got collected, now time.Time) ([]engine.Notice, error) {
	if !cfg.Info.Trusted() {
		return nil, nil
	}
	before, err := db.KnownOrder(ctx, cfg.Info, reportDigest(got.files))
	if err != nil {
		return nil, fmt.Errorf("read the last run: %w", err)
	}
	here := got.order()
	gone, appeared := without(before, here), without(here, before)
	if len(gone) == 0 || len(appeared) == 0 {
		return nil, nil
	}
	var notices []engine.Notice
	for _, r := range flaky.Renames(gone, appeared, before, here) {
		renamed, err := db.RenameTest(ctx, r, now)
		if err != nil {
			return nil, err
		}
		if renamed {
			notices = append(notices, warning(fmt.Sprintf("%q goes on as %q: its history stays", r.Old, r.New)))
		}
	}
	return notices, nil
}

// order returns the ids of the results in the order of the reports, which is that
// of the sources.
func (c collected) order() []string {
	left := make(map[string]bool, len(c.results))
	for _, r := range c.results {
		left[store.CleanID(r.ID)] = true
	}
	order := make([]string, 0, len(left))
	take := func(id string) {
		if left[id] {
			delete(left, id)
			order = append(order, id)
		}
	}
	for _, f := range c.files {
		for i := range f.Len() {
			take(store.CleanID(f.ID(i)))
		}
	}
	for _, r := range c.results { // that merging named otherwise
		take(store.CleanID(r.ID))
	}
	return order
}

// without returns the items of list that are not in other.
func without(list, other []string) []string {
	in := make(map[string]bool, len(other))
	for _, s := range other {
		in[s] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return in[s] })
}
