package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// maxStatesBytes bounds the page states of one database. Beyond it the oldest
// go, and their fingerprints stay without them.
const maxStatesBytes = 64 << 20

// digest is a SHA-256 sum.
type digest = [sha256.Size]byte

// digestOf returns a column of kindDigest, zero for NULL.
func digestOf(v any) (d digest) {
	b, _ := v.([]byte)
	copy(d[:], b)
	return d
}

// pageLink is the page that fingerprints are saved with. The zero value is no
// page.
type pageLink struct {
	digest digest
	state  []byte
}

// link returns the link to a page state, none when it is no good.
func (c *checkedStates) link(state []byte) (pageLink, error) {
	if len(state) == 0 {
		return pageLink{}, nil
	}
	if err := c.check(state); err != nil {
		return pageLink{}, fmt.Errorf("page %w: %w", ErrLeftOut, err)
	}
	return pageLink{sha256.Sum256(state), state}, nil
}

func (l pageLink) insert(ctx context.Context, tx *sql.Tx, at float64) error {
	if l.state == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO page_states (digest, state, updated_at) VALUES (?, ?, ?)
		ON CONFLICT (digest) DO UPDATE SET updated_at = excluded.updated_at WHERE `+notOfToday, l.digest[:], l.state, at)
	return err
}

// columns returns page_state and page_state_of for a fingerprint.
func (l pageLink) columns(fingerprint string) (page, of any) {
	if l.state == nil {
		return nil, nil
	}
	sum := sha256.Sum256([]byte(fingerprint))
	return l.digest[:], sum[:]
}

// checkedStates remembers which page states heal.ReadState took: reading one
// costs milliseconds, and many tests see the same page.
type checkedStates struct{ verdicts sync.Map } // digest to error, nil when good

// check returns why a state is no good, nil for a good one or none.
func (c *checkedStates) check(state []byte) error {
	if len(state) == 0 {
		return nil
	}
	if len(state) > heal.MaxStateBytes {
		return fmt.Errorf("%d bytes are more than the limit of %d", len(state), heal.MaxStateBytes)
	}
	sum := sha256.Sum256(state)
	if verdict, known := c.verdicts.Load(sum); known {
		err, _ := verdict.(error)
		return err
	}
	_, err := heal.ReadState(state)
	c.verdicts.Store(sum, err)
	return err
}

func pageStatesTable() table {
	return table{name: "page_states", since: pagesVersion, must: true, clash: ignore, refuse: seeState, columns: []column{
		{"digest", kindDigest, false}, {"state", kindState, false}, {"updated_at", kindReal, false}}}
}

// seeState takes the states that are what their digest says, else one page
// could pass for another. Whether a state can be read is seen when it is.
func seeState(v []any, seen *seenIDs) error {
	sum, state := digestOf(v[0]), v[1].([]byte)
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
