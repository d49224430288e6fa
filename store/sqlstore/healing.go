package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// LoadFingerprint returns the fingerprint of a test's locator and, if known,
// the state of the page on which it was taken, for heal.ReadState; ok is false
// when there is no fingerprint. An error together with ok wraps ErrLeftOut:
// the fingerprint is good, its page is not.
func (s *Store) LoadFingerprint(ctx context.Context, testID engine.TestID, locator string) (f engine.Fingerprint, state []byte, ok bool, err error) {
	locator = store.CleanID(locator)
	var text string
	found, err := scanRow(ctx, s.conn, s.sql.LoadFingerprint, Args{"test": testID, "locator": locator,
		"digest": record.KeyDigest(testID, locator)}, &text, &state)
	if err != nil {
		return engine.Fingerprint{}, nil, false, fmt.Errorf("load fingerprint: %w", err)
	}
	if !found {
		return engine.Fingerprint{}, nil, false, nil
	}
	return s.States.DecodeLoaded(s.name, testID, locator, text, state)
}

// Recall returns what is known of the element that a test's locator stands for: what
// LoadFingerprint returns or, where no passing test has learned it yet, the element
// that a person accepted for the locator, whose page is not known.
func (s *Store) Recall(ctx context.Context, testID engine.TestID, locator string) (f engine.Fingerprint, state []byte, ok bool, err error) {
	if f, state, ok, err = s.LoadFingerprint(ctx, testID, locator); ok || err != nil {
		return f, state, ok, err
	}
	locator = store.CleanID(locator)
	var text string
	found, err := scanRow(ctx, s.conn, s.sql.LoadAccepted, Args{"test": testID, "locator": locator, "digest": record.KeyDigest(testID, locator)}, &text)
	if err != nil || !found {
		return engine.Fingerprint{}, nil, false, store.Wrap(err, "load accepted element")
	}
	return s.States.DecodeLoaded(s.name, testID, locator, text, nil)
}

// Fingerprints returns the first fingerprints, at most limit, of one test, or
// of all for "".
func (s *Store) Fingerprints(ctx context.Context, testID engine.TestID, limit int) (store.Fingerprints, error) {
	var f store.Fingerprints
	args := Args{"test": testID, "limit": limit}
	if _, err := scanRow(ctx, s.conn, s.sql.CountFingerprints, args, &f.Total); err != nil {
		return f, fmt.Errorf("count fingerprints: %w", err)
	}
	var test engine.TestID
	var locator, text string
	err := s.conn.Each(ctx, s.sql.Fingerprints, args, []any{&test, &locator, &text}, func() error {
		record.AddFingerprint(&f, s.name, test, locator, text)
		return nil
	})
	return f, store.Wrap(err, "read fingerprints")
}

// maxEnds bounds how many ends of fingerprints are remembered: most of a page have the same.
const maxEnds = 10_000

// PageFingerprints returns what tests learned of the page at an address that
// engine.PageAddress returned. Only what may be of it is decoded, which would take the most
// time of a large suite.
func (s *Store) PageFingerprints(ctx context.Context, address string) ([]engine.Fingerprint, error) {
	var f store.Fingerprints
	var test engine.TestID
	var locator, text string
	ends := map[string]bool{}
	err := s.conn.Each(ctx, s.sql.Fingerprints, Args{"test": "", "limit": math.MaxInt32}, []any{&test, &locator, &text}, func() error {
		at := strings.LastIndex(text, `"page":`) // no part of a text, where quotes are escaped
		if at < 0 {
			return nil
		}
		may, known := ends[text[at:]]
		if !known {
			var end struct {
				Page    string `json:"page"`
				Address string `json:"page_address"`
			}
			err := json.Unmarshal([]byte("{"+text[at:]), &end)
			may = err != nil || engine.Fingerprint{Page: end.Page, PageAddress: end.Address}.OnPage(address)
			if len(ends) < maxEnds {
				ends[strings.Clone(text[at:])] = may
			}
		}
		if may {
			record.AddFingerprint(&f, s.name, test, locator, text)
		}
		return nil
	})
	elsewhere := func(f engine.Fingerprint) bool { return f.Page == "" || !f.OnPage(address) }
	return slices.DeleteFunc(f.List, elsewhere), store.Wrap(err, "read the fingerprints of a page")
}

// LocatorUses returns what was learned of the uses of locators in all tests, at most
// limit of them: under a locator's own name and the numbered ones of
// engine.StoredLocator.
func (s *Store) LocatorUses(ctx context.Context, locators []string, limit int) (store.Fingerprints, error) {
	var f store.Fingerprints
	names := make([]string, len(locators))
	for i, l := range locators {
		names[i] = store.CleanID(l)
	}
	list, err := json.Marshal(names)
	if err != nil {
		return f, fmt.Errorf("read the uses of locators: %w", err)
	}
	var test engine.TestID
	var name, text string
	err = s.conn.Each(ctx, s.sql.LocatorUses, Args{"locators": string(list), "limit": limit}, []any{&test, &name, &text}, func() error {
		f.Total++
		record.AddFingerprint(&f, s.name, test, name, text)
		return nil
	})
	return f, store.Wrap(err, "read the uses of locators")
}

// Stale returns how many fingerprints were not seen since then.
func (s *Store) Stale(ctx context.Context, since time.Time) (n int, err error) {
	_, err = scanRow(ctx, s.conn, s.sql.Stale, Args{"since": store.Unix(since)}, &n)
	return n, store.Wrap(err, "count stale fingerprints")
}

// Heals returns heal events, oldest first, with the database as their Source.
// A row that holds no usable event is left out with a notice.
func (s *Store) Heals(ctx context.Context, q store.HealQuery) ([]engine.HealEvent, []engine.Notice, error) {
	statement := s.sql.Heals
	if q.Refused {
		statement = s.sql.Refusals
	}
	var events []engine.HealEvent
	var notices []engine.Notice
	var id int64
	var r record.HealRow
	columns := []any{&id, &r.TestID, &r.Locator, &r.Confidence, &r.OriginalJSON, &r.HealedJSON, &r.Timestamp, &r.Event}
	err := s.conn.Each(ctx, statement, healArgs(q), columns, func() error {
		e, err := r.HealEvent(s.name)
		if err != nil {
			notices = append(notices, record.BadHeal(s.name, id, err))
			return nil
		}
		events = append(events, e)
		return nil
	})
	return events, notices, store.Wrap(err, "read heal events")
}

// CountHeals returns how many heal events a query selects, whatever its Newest,
// those that Heals leaves out included.
func (s *Store) CountHeals(ctx context.Context, q store.HealQuery) (n int, err error) {
	statement := s.sql.CountHeals
	if q.Refused {
		statement = s.sql.CountRefusals
	}
	_, err = scanRow(ctx, s.conn, statement, healArgs(q), &n)
	return n, store.Wrap(err, "count heal events")
}

func healArgs(q store.HealQuery) Args {
	return Args{"run": q.Run, "unclaimed": q.Unclaimed, "test": q.Test, "since": q.SinceUnix(), "suggested": q.Suggested, "newest": q.Newest}
}
