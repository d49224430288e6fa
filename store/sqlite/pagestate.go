package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

// maxStatesBytes bounds the page states of one database. Beyond it the oldest
// go, and their fingerprints stay without them.
const maxStatesBytes = 64 << 20

// insertPage writes the page of a link, or notes that it was seen again.
func insertPage(ctx context.Context, tx *sql.Tx, l record.PageLink, at float64) error {
	if l.State == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO page_states (digest, state, updated_at) VALUES (?, ?, ?)
		ON CONFLICT (digest) DO UPDATE SET updated_at = excluded.updated_at WHERE `+notOfToday, l.Digest[:], l.State, at)
	return err
}

func pageStatesTable() table {
	return table{name: "page_states", since: pagesVersion, must: true, clash: ignore, refuse: seeState, columns: []untrusted.Column{
		untrusted.Required("digest", untrusted.Digest), untrusted.Required("state", untrusted.State), untrusted.Required("updated_at", untrusted.Real)}}
}

// seeState takes the states that are what their digest says, else one page
// could pass for another. Whether a state can be read is seen when it is.
func seeState(v []any, seen *seenIDs) error {
	sum, state := record.DigestOf(v[0]), v[1].([]byte)
	if sum != sha256.Sum256(state) {
		return errors.New("its digest is another's")
	}
	if seen.stateBytes+len(state) > maxStatesBytes {
		return fmt.Errorf("page states are more than %d bytes", maxStatesBytes)
	}
	seen.stateBytes += len(state)
	seen.states[sum] = true
	return nil
}

// foldPageStates removes the page states that no fingerprint has, and the
// oldest of too many.
func (db *DB) foldPageStates(ctx context.Context) error {
	return inTx(ctx, db.sql, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM page_states WHERE digest NOT IN
			(SELECT page_state FROM fingerprints WHERE page_state IS NOT NULL)`); err != nil {
			return err
		}
		evicted, err := affected(tx.ExecContext(ctx, `DELETE FROM page_states WHERE digest IN (SELECT digest FROM
			(SELECT digest, sum(length(state)) OVER (ORDER BY updated_at DESC, digest) AS total FROM page_states) WHERE total > ?)`, maxStatesBytes))
		if err != nil || evicted == 0 {
			return err
		}
		db.notices = append(db.notices, engine.Notice{File: db.path, Severity: engine.SeverityWarning,
			Reason: fmt.Sprintf("%d × page state left out, the oldest: all are more than %d bytes", evicted, maxStatesBytes)})
		_, err = tx.ExecContext(ctx, `UPDATE fingerprints SET page_state = NULL, page_state_of = NULL
			WHERE page_state NOT IN (SELECT digest FROM page_states)`)
		return err
	})
}
