package record

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
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// database is Breadcrumb's database. It is opened for each load and each save and
// closed again, so that no test keeps another process from it; the store's lock
// keeps them apart.
type database struct{ path string }

func (d database) load(ctx context.Context, testID engine.TestID, locators []string) (known []heal.Learned, err error) {
	if _, err := os.Stat(d.path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	db, err := sqlite.Open(ctx, d.path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, locator := range locators {
		f, state, ok, err := db.Recall(ctx, testID, locator)
		if ok {
			known = append(known, heal.Learned{Fingerprint: f, State: state})
		}
		if err != nil {
			return known, err
		}
		if !ok {
			break
		}
	}
	return known, correctAll(ctx, db, known, testID)
}

func (d database) onPage(ctx context.Context, address string, choose func([]engine.Fingerprint) []engine.Fingerprint) (known []heal.Learned, err error) {
	db, err := sqlite.OpenReading(ctx, d.path, sqlite.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	there, err := db.PageFingerprints(ctx, address)
	if err != nil {
		return nil, err
	}
	for _, f := range choose(there) {
		_, state, ok, err := db.Recall(ctx, f.TestID, f.Locator)
		if err != nil && !ok {
			return known, err
		}
		one := []heal.Learned{{Fingerprint: f, State: state}}
		if err := correctAll(ctx, db, one, f.TestID); err != nil {
			return known, err
		}
		known = append(known, one...)
	}
	return known, nil
}

// correctAll adds what people said to what is known of a test's elements.
func correctAll(ctx context.Context, db *sqlite.DB, known []heal.Learned, testID engine.TestID) error {
	if len(known) == 0 {
		return nil
	}
	vetoes, err := db.Vetoes(ctx, testID)
	if err != nil {
		return err
	}
	lessons, err := db.Lessons(ctx)
	if err != nil {
		return err
	}
	synonyms, err := store.Synonyms(ctx, db, lessons)
	for i := range known {
		one := &known[i]
		said := &one.Corrections
		said.Synonyms = synonyms
		for _, v := range vetoes {
			if v.Locator == one.Fingerprint.Locator {
				said.Vetoed = append(said.Vetoed, v.Signature)
			}
		}
		for _, l := range lessons {
			if lesson, ok := heal.ReadLesson(l.Was, l.Now); ok {
				said.Lessons = append(said.Lessons, lesson)
			}
		}
	}
	return err
}

func (d database) save(ctx context.Context, learned []heal.Learned, heals []engine.HealEvent, now time.Time) (drifts []engine.HealEvent, err error) {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o777); err != nil {
		return nil, fmt.Errorf("save to database: %w", err)
	}
	db, err := sqlite.Open(ctx, d.path, sqlite.Options{Now: func() time.Time { return now }})
	if err != nil {
		if errors.Is(err, store.ErrNewerSchema) || errors.Is(err, store.ErrUnreadable) {
			err = fmt.Errorf("%w; %w", err, errHopeless)
		}
		return nil, err
	}
	learned, drifts, err = reviseAll(ctx, db, learned, now)
	if err == nil {
		err = saveAll(ctx, db, learned, append(heals, drifts...), now)
	}
	return drifts, errors.Join(err, db.Close())
}

func (d database) forget(ctx context.Context, what Meant, now time.Time) (n int, err error) {
	if _, err := os.Stat(d.path); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	db, err := sqlite.Open(ctx, d.path, sqlite.Options{Now: func() time.Time { return now }})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	names := []string{""}
	if what.Locator != "" {
		names = what.names()
		known, err := db.Fingerprints(ctx, what.TestID, maxPending)
		if err != nil {
			return 0, err
		}
		for _, f := range known.List {
			if !slices.Contains(names, f.Locator) && what.Holds(f.Locator) {
				names = append(names, f.Locator)
			}
		}
	}
	for _, name := range names {
		forgotten, err := db.Forget(ctx, store.Learned{TestID: what.TestID, Locator: name}, now)
		if err != nil {
			return 0, err
		}
		n += len(forgotten)
	}
	if n == 0 {
		return 0, nil
	}
	return n, db.Save(ctx)
}

// reviseAll compares what was learned with what the database knows, and returns what to
// keep and what drifted.
func reviseAll(ctx context.Context, db *sqlite.DB, learned []heal.Learned, now time.Time) (kept []heal.Learned, drifts []engine.HealEvent, err error) {
	r := reviser{map[[2]string]*heal.Comparison{}}
	for _, l := range learned {
		f, state, ok, err := db.LoadFingerprint(ctx, l.Fingerprint.TestID, l.Fingerprint.Locator)
		if err != nil && !errors.Is(err, store.ErrLeftOut) {
			return nil, nil, err
		}
		if ok {
			var drift *engine.HealEvent
			if l, drift = r.revise(heal.Learned{Fingerprint: f, State: state}, l); drift != nil {
				drift.Timestamp = float64(now.UnixMicro()) / 1e6
				drifts = append(drifts, *drift)
			}
		}
		kept = append(kept, l)
	}
	return kept, drifts, nil
}

// saveAll saves what was learned page by page. What the store leaves out is reported
// and not tried again.
func saveAll(ctx context.Context, db *sqlite.DB, learned []heal.Learned, heals []engine.HealEvent, now time.Time) error {
	var left []error
	unlessLeftOut := func(err error) error {
		if errors.Is(err, store.ErrLeftOut) {
			left, err = append(left, err), nil
		}
		return err
	}
	for _, group := range groupByPage(learned) {
		fingerprints := make([]engine.Fingerprint, len(group))
		for i, l := range group {
			fingerprints[i] = l.Fingerprint
		}
		if err := unlessLeftOut(db.SaveFingerprints(ctx, fingerprints, group[0].State, now)); err != nil {
			return err
		}
	}
	if err := unlessLeftOut(db.AppendHeals(ctx, heals)); err != nil {
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

// groupByPage groups what was learned on one page, in a stable order.
func groupByPage(learned []heal.Learned) [][]heal.Learned {
	slices.SortFunc(learned, func(a, b heal.Learned) int {
		return cmp.Or(cmp.Compare(string(a.State), string(b.State)),
			cmp.Compare(a.Fingerprint.TestID, b.Fingerprint.TestID), cmp.Compare(a.Fingerprint.Locator, b.Fingerprint.Locator))
	})
	var groups [][]heal.Learned
	for i, l := range learned {
		if i == 0 || string(l.State) != string(learned[i-1].State) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], l)
	}
	return groups
}
