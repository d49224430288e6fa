package crumb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// database is the memory in Breadcrumb's database. It is opened for each look
// and each save and closed again, so that no test holds it from another
// process; the store's lock keeps them apart.
type database struct{ path string }

func (d database) load(ctx context.Context, testID string, locators []string) (known []lesson, err error) {
	if _, err := os.Stat(d.path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	db, err := sqlite.Open(ctx, d.path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, locator := range locators {
		f, state, ok, err := db.LoadFingerprint(ctx, testID, locator)
		if ok {
			known = append(known, lesson{f, state})
		}
		if !ok || err != nil {
			return known, err
		}
	}
	return known, nil
}

func (d database) save(ctx context.Context, learned []lesson, heals []engine.HealEvent, now time.Time) error {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o777); err != nil {
		return fmt.Errorf("save to database: %w", err)
	}
	db, err := sqlite.Open(ctx, d.path, sqlite.Options{Now: func() time.Time { return now }})
	if err != nil {
		if errors.Is(err, store.ErrNewerSchema) || errors.Is(err, store.ErrUnreadable) {
			err = fmt.Errorf("%w; %w", err, errHopeless)
		}
		return err
	}
	err = write(ctx, db, learned, heals, now)
	return errors.Join(err, db.Close())
}

// write saves the lessons page by page. What the store leaves out is told and
// not tried again.
func write(ctx context.Context, db *sqlite.DB, learned []lesson, heals []engine.HealEvent, now time.Time) error {
	var left []error
	for _, group := range byPage(learned) {
		fingerprints := make([]engine.Fingerprint, len(group))
		for i, l := range group {
			fingerprints[i] = l.fingerprint
		}
		err := db.SaveFingerprints(ctx, fingerprints, group[0].state, now)
		switch {
		case errors.Is(err, store.ErrLeftOut):
			left = append(left, err)
		case err != nil:
			return err
		}
	}
	err := db.AppendHeals(ctx, heals)
	switch {
	case errors.Is(err, store.ErrLeftOut):
		left = append(left, err)
	case err != nil:
		return err
	}
	if err := db.Save(ctx); err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("%w; %w", errors.Join(left...), errHopeless)
	}
	return nil
}

// byPage groups lessons that were learned on one page, in a stable order.
func byPage(learned []lesson) [][]lesson {
	slices.SortFunc(learned, func(a, b lesson) int {
		return cmp.Or(cmp.Compare(string(a.state), string(b.state)),
			cmp.Compare(a.fingerprint.TestID, b.fingerprint.TestID), cmp.Compare(a.fingerprint.Locator, b.fingerprint.Locator))
	})
	var groups [][]lesson
	for i, l := range learned {
		if i == 0 || string(l.state) != string(learned[i-1].state) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], l)
	}
	return groups
}
