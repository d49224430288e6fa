package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

// SaveFingerprints keeps fingerprints by their TestID and Locator, both of which
// they must have, in the place of what was there. One that is there already is
// not written again before a day has passed, so a run that learns nothing new
// writes nothing. State is the page they were
// all taken on, as engine's Page.State returns it, or nil: then a page known
// before stays with a fingerprint that is still the same. However many tests
// see the same page, it is kept once. All is written in one transaction.
//
// A fingerprint that cannot be stored, or a state that heal.ReadState does
// not take, is left out; the rest is saved all the same and the error wraps
// ErrLeftOut.
func (db *DB) SaveFingerprints(ctx context.Context, fps []engine.Fingerprint, state []byte, now time.Time) error {
	link, linkErr := db.states.Link(state)
	left := record.LeftOut{What: "fingerprint"}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		at := store.Unix(store.Bounded(now))
		if err := insertPage(ctx, tx, link, at); err != nil {
			return err
		}
		return insertFingerprints(ctx, tx, fps, link, at, &left)
	})
	if err != nil {
		return fmt.Errorf("save fingerprints: %w", err)
	}
	if err := errors.Join(linkErr, left.Err()); err != nil {
		return fmt.Errorf("save fingerprints: %w", err)
	}
	return nil
}

// LoadFingerprint returns the fingerprint of a test's locator and, when it is
// known, the state of the page that it was taken on, which heal.ReadState
// takes; ok is false when there is no fingerprint. With ok an error that wraps
// ErrLeftOut says that the fingerprint is good and its page is not.
func (db *DB) LoadFingerprint(ctx context.Context, testID, locator string) (f engine.Fingerprint, state []byte, ok bool, err error) {
	testID, locator = store.CleanID(testID), store.CleanID(locator)
	var text string
	err = db.sql.QueryRowContext(ctx, `SELECT fingerprint_json, state FROM fingerprints LEFT JOIN page_states ON digest = page_state
		WHERE test_id = ? AND locator = ?`, testID, locator).Scan(&text, &state)
	if errors.Is(err, sql.ErrNoRows) {
		return engine.Fingerprint{}, nil, false, nil
	}
	if err != nil {
		return engine.Fingerprint{}, nil, false, fmt.Errorf("load fingerprint: %w", err)
	}
	return db.states.Loaded(db.path, testID, locator, text, state)
}

// insertFingerprints writes those that can be stored.
func insertFingerprints(ctx context.Context, tx *sql.Tx, fps []engine.Fingerprint, link record.PageLink, at float64, left *record.LeftOut) error {
	insert, err := newBatch(ctx, tx, `INSERT INTO fingerprints (test_id, locator, fingerprint_json, updated_at, page_state, page_state_of)
		VALUES `, 6, replaceFingerprint+unlessTheSame)
	if err != nil {
		return err
	}
	defer insert.close()
	for _, f := range fps {
		f.TestID, f.Locator = store.CleanID(f.TestID), store.CleanID(f.Locator)
		text, err := record.FingerprintJSON(f)
		if err != nil {
			left.Add(fmt.Errorf("%.80q in %.80q: %w", f.Locator, f.TestID, err))
			continue
		}
		page, of := link.Columns(text)
		if err := insert.add(ctx, []any{f.TestID, f.Locator, text, at, page, of}); err != nil {
			return err
		}
	}
	return insert.flush(ctx)
}

// What a fingerprint does that is there already. In the sets, a bare name is
// the row that is there.
const (
	clashFingerprint = ` ON CONFLICT (test_id, locator) DO UPDATE SET fingerprint_json = excluded.fingerprint_json,
		updated_at = excluded.updated_at`
	// A page outlives its fingerprint's being written again, not its changing.
	replaceFingerprint = clashFingerprint + `,
		page_state = CASE WHEN excluded.page_state IS NOT NULL THEN excluded.page_state
			WHEN fingerprint_json = excluded.fingerprint_json THEN page_state END,
		page_state_of = CASE WHEN excluded.page_state IS NOT NULL THEN excluded.page_state_of
			WHEN fingerprint_json = excluded.fingerprint_json THEN page_state_of END`
	whenNewer     = ` WHERE excluded.updated_at > updated_at`
	unlessTheSame = ` WHERE fingerprint_json <> excluded.fingerprint_json
		OR excluded.page_state IS NOT NULL AND page_state IS NOT excluded.page_state OR ` + notOfToday
	// What is written again after a day says that it is still of use.
	notOfToday = `excluded.updated_at NOT BETWEEN updated_at AND updated_at + 86400`
)

var fingerprintColumns = []untrusted.Column{untrusted.Required("test_id", untrusted.ID), untrusted.Required("locator", untrusted.ID),
	untrusted.Required("fingerprint_json", untrusted.JSON), untrusted.Required("updated_at", untrusted.Real)}

// fingerprintsTable is the seed's, later with the page of each.
func fingerprintsTable(version int) table {
	t := table{name: "fingerprints", since: 1, must: true, clash: clashFingerprint + whenNewer, columns: fingerprintColumns}
	if version >= pagesVersion {
		t.clash = replaceFingerprint + whenNewer
		t.columns = append(fingerprintColumns[:len(fingerprintColumns):len(fingerprintColumns)],
			untrusted.Optional("page_state", untrusted.Digest), untrusted.Optional("page_state_of", untrusted.Digest))
		t.refuse = dropStalePage
	}
	return t
}

// appendedFingerprintsTable is what a seed tool can have written since the file
// was taken over.
func appendedFingerprintsTable() table {
	return table{name: "fingerprints", must: true, clash: replaceFingerprint + whenNewer, columns: fingerprintColumns}
}

// dropStalePage takes the page from a fingerprint that was rewritten since, or
// whose page did not come along.
func dropStalePage(v []any, seen *seenIDs) error {
	page, of := record.DigestOf(v[4]), record.DigestOf(v[5])
	if v[4] == nil || v[5] == nil || !seen.states[page] || of != sha256.Sum256([]byte(v[2].(string))) {
		v[4], v[5] = nil, nil
	}
	return nil
}
