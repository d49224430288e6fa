package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine"
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
	link, linkErr := db.states.link(state)
	left := leftOut{what: "fingerprint"}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		at := unix(bounded(now))
		if err := link.insert(ctx, tx, at); err != nil {
			return err
		}
		return insertFingerprints(ctx, tx, fps, link, at, &left)
	})
	if err != nil {
		return fmt.Errorf("save fingerprints: %w", err)
	}
	if err := errors.Join(linkErr, left.err()); err != nil {
		return fmt.Errorf("save fingerprints: %w", err)
	}
	return nil
}

// LoadFingerprint returns the fingerprint of a test's locator and, when it is
// known, the state of the page that it was taken on, which heal.ReadState
// takes; ok is false when there is no fingerprint. With ok an error that wraps
// ErrLeftOut says that the fingerprint is good and its page is not.
func (db *DB) LoadFingerprint(ctx context.Context, testID, locator string) (f engine.Fingerprint, state []byte, ok bool, err error) {
	testID, locator = CleanID(testID), CleanID(locator)
	var text string
	err = db.sql.QueryRowContext(ctx, `SELECT fingerprint_json, state FROM fingerprints LEFT JOIN page_states ON digest = page_state
		WHERE test_id = ? AND locator = ?`, testID, locator).Scan(&text, &state)
	if errors.Is(err, sql.ErrNoRows) {
		return engine.Fingerprint{}, nil, false, nil
	}
	if err != nil {
		return engine.Fingerprint{}, nil, false, fmt.Errorf("load fingerprint: %w", err)
	}
	return db.states.loaded(db.path, testID, locator, text, state)
}

// loaded checks what LoadFingerprint found in a database.
func (c *checkedStates) loaded(database, testID, locator, text string, state []byte) (f engine.Fingerprint, page []byte, ok bool, err error) {
	if f, err = readFingerprint(text); err != nil {
		return engine.Fingerprint{}, nil, false, fmt.Errorf("%s: fingerprint of %.80q in %.80q: %w; run the test again to replace it",
			database, locator, testID, err)
	}
	f.TestID, f.Locator = testID, locator
	if err := c.check(state); err != nil {
		return f, nil, true, fmt.Errorf("%s: page of %.80q in %.80q %w: %w", database, locator, testID, ErrLeftOut, err)
	}
	return f, state, true, nil
}

// insertFingerprints writes those that can be stored.
func insertFingerprints(ctx context.Context, tx *sql.Tx, fps []engine.Fingerprint, link pageLink, at float64, left *leftOut) error {
	insert, err := newBatch(ctx, tx, `INSERT INTO fingerprints (test_id, locator, fingerprint_json, updated_at, page_state, page_state_of)
		VALUES `, 6, replaceFingerprint+unlessTheSame)
	if err != nil {
		return err
	}
	defer insert.close()
	for _, f := range fps {
		f.TestID, f.Locator = CleanID(f.TestID), CleanID(f.Locator)
		text, err := fingerprintJSON(f)
		if err != nil {
			left.add(fmt.Errorf("%.80q in %.80q: %w", f.Locator, f.TestID, err))
			continue
		}
		page, of := link.columns(text)
		if err := insert.add(ctx, []any{f.TestID, f.Locator, text, at, page, of}); err != nil {
			return err
		}
	}
	return insert.flush(ctx)
}

// fingerprintJSON returns the stored form of f, which is the seed's with our
// own fields after it.
func fingerprintJSON(f engine.Fingerprint) (string, error) {
	if f.TestID == "" {
		return "", errors.New("it has no test id")
	}
	if f.Locator == "" {
		return "", errors.New("it has no locator")
	}
	text, err := f.SeedJSON()
	if err != nil {
		return "", err
	}
	if len(text) > maxJSON {
		return "", fmt.Errorf("it is larger than %d bytes", maxJSON)
	}
	return string(text), nil
}

// readFingerprint reads fingerprint_json, of which the seed demands a tag.
func readFingerprint(text string) (f engine.Fingerprint, err error) {
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return engine.Fingerprint{}, fmt.Errorf("fingerprint_json is no fingerprint: %w", err)
	}
	if f.Tag == "" {
		return engine.Fingerprint{}, errors.New("fingerprint_json has no tag")
	}
	return f, nil
}

// withLists returns f with the seed's lists, which are never null.
func withLists(f engine.Fingerprint) engine.Fingerprint {
	if f.Attributes == nil {
		f.Attributes = engine.Attributes{}
	}
	if f.DOMPath == nil {
		f.DOMPath = []string{}
	}
	if f.Siblings == nil {
		f.Siblings = []string{}
	}
	return f
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

var fingerprintColumns = []column{{"test_id", kindID, false}, {"locator", kindID, false},
	{"fingerprint_json", kindJSON, false}, {"updated_at", kindReal, false}}

// fingerprintsTable is the seed's, later with the page of each.
func fingerprintsTable(version int) table {
	t := table{name: "fingerprints", since: 1, must: true, clash: clashFingerprint + whenNewer, columns: fingerprintColumns}
	if version >= pagesVersion {
		t.clash = replaceFingerprint + whenNewer
		t.columns = append(fingerprintColumns[:len(fingerprintColumns):len(fingerprintColumns)],
			column{"page_state", kindDigest, true}, column{"page_state_of", kindDigest, true})
		t.refuse = dropStalePage
	}
	return t
}

// grownFingerprintsTable is what a seed tool can have written since the file
// was taken over.
func grownFingerprintsTable() table {
	return table{name: "fingerprints", must: true, clash: replaceFingerprint + whenNewer, columns: fingerprintColumns}
}

// dropStalePage takes the page from a fingerprint that was rewritten since, or
// whose page did not come along.
func dropStalePage(v []any, seen *seenIDs) error {
	page, of := digestOf(v[4]), digestOf(v[5])
	if v[4] == nil || v[5] == nil || !seen.states[page] || of != sha256.Sum256([]byte(v[2].(string))) {
		v[4], v[5] = nil, nil
	}
	return nil
}
