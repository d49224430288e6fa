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
	if !trusted(cfg.Info) {
		return nil, nil
	}
	before, err := db.KnownOrder(ctx, cfg.Info, reportDigest(got.files))
	if err != nil {
		return nil, fmt.Errorf("read the last run: %w", err)
	}
	here := make([]string, 0, len(got.results))
	for _, r := range got.results {
		here = append(here, store.CleanID(r.ID))
	}
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

// without returns the items of list that are not in other.
func without(list, other []string) []string {
	in := make(map[string]bool, len(other))
	for _, s := range other {
		in[s] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return in[s] })
}
