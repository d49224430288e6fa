package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Writer writes many rows in a transaction, as each database does fastest.
type Writer interface {
	// InsertRun adds a run without its results. One that is there already is
	// returned as a duplicate.
	InsertRun(ctx context.Context, r record.RunRow) (store.Recorded, error)
	// InsertResults adds the results of a new run.
	InsertResults(ctx context.Context, run int64, rows []record.ResultRow) error
	// InsertHeal adds a heal or refusal that is not there yet, and returns how
	// many rows changed.
	InsertHeal(ctx context.Context, r record.HealRow) (int, error)
	// InsertFingerprints adds fingerprints or replaces those that are there. One
	// that is written again unchanged keeps its page.
	InsertFingerprints(ctx context.Context, rows []record.FingerprintRow, at float64) error
}

// RecordRun writes a run with every attempt and every heal event in one
// transaction. Recording the same run twice changes nothing; with other
// results under the same key both are kept. A heal event is kept once, however
// many files and runs hold it. On a server, a run that another process recorded
// and did not save yet is waited for.
func (s *Store) RecordRun(ctx context.Context, run store.Run) (recorded store.Recorded, err error) {
	err = s.conn.InTx(ctx, func(tx Conn) error {
		w := tx.Writer()
		if recorded, err = recordResults(ctx, w, run); err != nil {
			return store.Wrap(err, "results")
		}
		return store.Wrap(insertHeals(ctx, w, run, &recorded), "heal events")
	})
	return recorded, store.Wrap(err, "record run")
}

// RecordHeals adds heal events that were worked out after the run was recorded. Those that
// are there already are not added again; what cannot be stored is a notice.
func (s *Store) RecordHeals(ctx context.Context, run store.Run, recorded store.Recorded) (notices []engine.Notice, err error) {
	err = s.conn.InTx(ctx, func(tx Conn) error {
		more := store.Recorded{RunID: recorded.RunID}
		err := insertHeals(ctx, tx.Writer(), run, &more)
		notices = more.Notices
		return err
	})
	return notices, store.Wrap(err, "record heal events")
}

func insertHeals(ctx context.Context, w Writer, run store.Run, recorded *store.Recorded) error {
	for _, row := range record.HealRows(run, recorded) {
		added, err := w.InsertHeal(ctx, row)
		if err != nil {
			return err
		}
		recorded.Heals += added
	}
	return nil
}

func recordResults(ctx context.Context, w Writer, run store.Run) (store.Recorded, error) {
	rows := record.ResultRows(run)
	recorded, err := w.InsertRun(ctx, record.RunRowOf(run, rows))
	if err != nil || recorded.Duplicate {
		return recorded, err
	}
	recorded.Results = len(rows)
	return recorded, w.InsertResults(ctx, recorded.RunID, rows)
}

// SaveFingerprints saves fingerprints under their TestID and Locator, which
// both must be set, and replaces what was there. An unchanged fingerprint is
// written again only after a day, so that a run which learns nothing new
// writes nothing. State is the page on which all of them were taken, as
// heal.Page.State returns it, or nil: then an unchanged fingerprint keeps its
// page. A page is stored once, however many tests see it. All is written in
// one transaction.
//
// A fingerprint that cannot be stored, or a state that heal.ReadState refuses,
// is left out; the rest is saved and the error wraps ErrLeftOut.
func (s *Store) SaveFingerprints(ctx context.Context, fps []engine.Fingerprint, state []byte, now time.Time) error {
	link, linkErr := s.States.LinkState(state)
	rows, leftOut := record.FingerprintRows(fps, link)
	err := s.conn.InTx(ctx, func(tx Conn) error {
		at := store.Unix(now)
		if link.State != nil {
			if _, err := tx.Exec(ctx, s.sql.PutPage, Args{"digest": link.Digest[:], "state": link.State, "at": at}); err != nil {
				return err
			}
		}
		return tx.Writer().InsertFingerprints(ctx, rows, at)
	})
	if err == nil {
		err = errors.Join(linkErr, leftOut)
	}
	return store.Wrap(err, "save fingerprints")
}

// MoveEntry gives the quarantine entry of a renamed test, if it has one, to its
// new name, and logs that. Where it is not proven to be the same test only an entry by
// evidence goes along: the errors that were seen still guard that one.
func (s *Store) MoveEntry(ctx context.Context, tx Conn, r flaky.Rename, now time.Time) error {
	n, err := tx.Exec(ctx, s.sql.MoveEntry, Args{"old": r.Old, "new": r.New, "proven": r.Proven,
		"old_digest": record.KeyDigest(r.Old), "new_digest": record.KeyDigest(r.New)})
	if err != nil || n == 0 {
		return err
	}
	left, err := s.timeOfChange(ctx, tx, r.Old, now)
	if err != nil {
		return err
	}
	came, err := s.timeOfChange(ctx, tx, r.New, now)
	if err != nil {
		return err
	}
	old := flaky.Change{TestID: r.Old, Released: true, Reason: store.MovedTo + string(r.New)}
	if err := s.logChange(ctx, tx, old, store.Automatic, left); err != nil {
		return err
	}
	return s.logChange(ctx, tx, flaky.Change{TestID: r.New, Reason: "was " + string(r.Old)}, store.Automatic, came)
}
