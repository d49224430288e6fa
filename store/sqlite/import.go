package sqlite

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/record"
)

// Import merges a delta: afterwards everything in it is there once, in
// whatever order deltas come. File names the delta in notices.
func (db *DB) Import(ctx context.Context, d *delta.Delta, trust store.Trust, file string) (store.Imported, error) {
	return db.importRecords(ctx, d, nil, trust, file)
}

func (db *DB) importRecords(ctx context.Context, d *delta.Delta, o *openedDB, trust store.Trust, file string) (store.Imported, error) {
	if err := db.makeTables(ctx); err != nil {
		return store.Imported{}, err
	}
	m := merger{db: db, trust: trust, withSeed: o != nil && o.withSeed, left: record.LeftOut{What: "record"}, rows: map[string]int64{}}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		m.tx = tx
		return m.importAll(ctx, d, o)
	})
	if err != nil {
		return store.Imported{}, fmt.Errorf("merge %s: %w", file, err)
	}
	if n := m.left.Notice(file); n != nil {
		m.done.Notices = append(m.done.Notices, *n)
	}
	if m.done.Conflicts > 0 {
		m.done.Notices = append(m.done.Notices, engine.Notice{File: file, Severity: engine.SeverityWarning,
			Reason: fmt.Sprintf("%d × run that was recorded before with other results; both are kept", m.done.Conflicts)})
	}
	return m.done, nil
}

// merger merges the records of one delta.
type merger struct {
	db    *DB
	tx    *sql.Tx
	trust store.Trust
	left  record.LeftOut
	done  store.Imported
	w     *writer
	rows  map[string]int64 // row ids of runs by identity

	withSeed bool // runs that importInbox made are taken, too

	renamed bool            // the delta brought a rename that was not known
	log     map[string]bool // lines of quarantine_log, nil until read
}

// errForeign is why records of other runs are left out of an untrusted delta.
var errForeign = errors.New("it speaks for another run than its own")

// importAll merges records and the results of the database that they are of, nil for none.
func (m *merger) importAll(ctx context.Context, d *delta.Delta, o *openedDB) error {
	m.w = newWriter(m.tx)
	records := slices.Clone(d.Records)
	slices.SortStableFunc(records, func(a, b delta.Record) int { return mergeStage(a) - mergeStage(b) })
	for _, r := range records {
		if err := m.importRecord(ctx, r); err != nil {
			return err
		}
	}
	if err := m.w.flushResults(ctx); err != nil {
		return err
	}
	if o != nil {
		if err := m.importPacked(ctx, o); err != nil {
			return err
		}
	}
	m.done.Results = m.w.changed
	if err := m.adoptRunLines(ctx); err != nil {
		return err
	}
	if err := m.dropReleased(ctx); err != nil {
		return err
	}
	more, err := m.db.importRows(ctx, m.w, &m.left)
	if err != nil {
		return err
	}
	if err := dropForgotten(ctx, m.tx); err != nil {
		return err
	}
	if err := renameCorrections(ctx, m.tx); err != nil {
		return err
	}
	touched := slices.AppendSeq(more, maps.Values(m.rows))
	if m.renamed {
		touched = nil // a rename is about every run
	}
	return applyRenames(ctx, m.tx, touched)
}

// mergeStage orders records so that those which others refer to come first.
func mergeStage(r delta.Record) int {
	switch r.(type) {
	case *delta.Run, *delta.Page:
		return 0
	default:
		return 1
	}
}

// importRecord merges one record, or leaves it out if it is bad.
func (m *merger) importRecord(ctx context.Context, r delta.Record) error {
	if !m.trust.Takes(r) {
		return nil // no fault of the delta: it just does not count
	}
	err := m.applyRecord(ctx, r)
	var bad badRecord
	if errors.As(err, &bad) {
		m.left.Add(bad.error)
		return nil
	}
	return err
}

// badRecord is a fault of a record; other errors are faults of the database.
type badRecord struct{ error }

func newBadRecord(text string, args ...any) error { return badRecord{fmt.Errorf(text, args...)} }

func (m *merger) applyRecord(ctx context.Context, r delta.Record) error {
	switch r := r.(type) {
	case *delta.Run:
		return m.importRun(ctx, r)
	case *delta.Result:
		return m.importResult(ctx, r)
	case *delta.SeedResult:
		return m.importSeedResult(ctx, r)
	case *delta.Heal:
		return m.importHeal(ctx, r)
	case *delta.Fingerprint:
		return m.importFingerprint(ctx, r)
	case *delta.Page:
		return m.importPage(ctx, r)
	case *delta.Quarantine:
		return m.importEntry(ctx, r)
	case *delta.Change:
		return m.importChange(ctx, r)
	case *delta.Rename:
		return m.importRename(ctx, r)
	case *delta.Veto:
		return m.importVeto(ctx, r)
	case *delta.Lesson:
		return m.importLesson(ctx, r)
	case *delta.Accepted:
		return m.importAccepted(ctx, r)
	case *delta.Forgotten:
		return m.execChecked(ctx, checkIDs(r.Test, r.Locator), `INSERT INTO forgotten (test_id, locator, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, r.Test, r.Locator, r.At)
	case *delta.Retention:
		return m.execChecked(ctx, nil, `INSERT INTO retention (id, before) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET before = max(before, excluded.before)`, r.Before)
	case *delta.Unknown:
		return m.execChecked(ctx, checkText(r.Line, store.MaxJSON), `INSERT INTO unknown_lines (line) VALUES (?) ON CONFLICT DO NOTHING`, r.Line)
	}
	return newBadRecord("it is of no kind")
}

func (m *merger) importRename(ctx context.Context, r *delta.Rename) error {
	if err := checkIDs(r.Old, r.New); err != nil {
		return err
	}
	added, err := affectedRows(m.tx.ExecContext(ctx, `INSERT INTO renames (old, new, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, r.Old, r.New, r.At))
	m.renamed = m.renamed || added > 0
	return err
}

func (m *merger) execChecked(ctx context.Context, err error, query string, args ...any) error {
	if err != nil {
		return err
	}
	_, err = m.tx.ExecContext(ctx, query, args...)
	return err
}

// checkIDs returns an error for ids that CleanID would change.
func checkIDs(ids ...string) error {
	for _, id := range ids {
		if store.CleanID(id) != id {
			return newBadRecord("%.60q is no id", id)
		}
	}
	return nil
}

func checkText(text string, max int) error {
	if store.CleanText(text, max) != text {
		return newBadRecord("%.60q is no text of a bearable size", text)
	}
	return nil
}

// importHeal merges a heal event or refusal. If two runs recorded one event, it goes
// to one of them, the same in whatever order they come.
func (m *merger) importHeal(ctx context.Context, h *delta.Heal) error {
	if err := m.checkHeal(h); err != nil {
		return badRecord{err}
	}
	var run any
	if id, ok := m.rows[h.Run]; ok {
		run = id
	} else if h.Run != "" || m.trust.Only != nil && !m.trust.Learned {
		return newBadRecord("a heal event is of no run of the delta")
	}
	if h.Kind == delta.KindRefusal && run == nil {
		run = noRun
	}
	sqls, old := mergeHeals[h.Kind], &delta.Heal{}
	var had sql.NullInt64
	err := m.tx.QueryRowContext(ctx, sqls.find, h.Digest).Scan(&had, &old.Original, &old.Healed, &old.Reason, &old.Event)
	if errors.Is(err, sql.ErrNoRows) {
		return m.execChecked(ctx, nil, sqls.insert, h.Test, h.Locator, h.Confidence, h.Original, h.Healed, h.Timestamp, run, h.Reason, h.Event, h.Digest)
	}
	if err != nil {
		return err
	}
	if old.Run, err = m.runIdentity(ctx, had); err != nil || compareHeals(h, old) >= 0 {
		return err
	}
	return m.execChecked(ctx, nil, sqls.update, run, h.Original, h.Healed, h.Reason, h.Event, h.Digest)
}

// mergeHeals says how an event of each kind is looked for, added and replaced.
var mergeHeals = map[string]struct{ find, insert, update string }{
	delta.KindHeal: {
		find: `SELECT run, original_json, healed_json, coalesce(reason, ''), coalesce(event_json, '') FROM healing_events
			WHERE event_digest = ?`,
		insert: `INSERT INTO healing_events (test_id, locator, confidence, original_json, healed_json, timestamp, run, outcome, reason,
			event_json, event_digest) VALUES (?, ?, ?, ?, ?, ?, ?, CASE WHEN ?7 IS NULL THEN NULL ELSE 'healed' END,
			nullif(?8, ''), nullif(?9, ''), ?10)`,
		update: `UPDATE healing_events SET run = ?1, outcome = CASE WHEN ?1 IS NULL THEN outcome ELSE 'healed' END, original_json = ?2,
			healed_json = ?3, reason = nullif(?4, ''), event_json = nullif(?5, '') WHERE event_digest = ?6`,
	},
	delta.KindRefusal: {
		find: `SELECT run, '', '', reason, event_json FROM heal_refusals WHERE event_digest = ?`,
		insert: `INSERT INTO heal_refusals (test_id, locator, confidence, timestamp, run, reason, event_json, event_digest)
			VALUES (?1, ?2, ?3, ?6, ?7, ?8, ?9, ?10)`,
		update: `UPDATE heal_refusals SET run = ?1, reason = ?4, event_json = ?5 WHERE event_digest = ?6`,
	},
}

// compareHeals orders two records of one event: the one of a run comes first.
func compareHeals(a, b *delta.Heal) int {
	if (a.Run == "") != (b.Run == "") {
		return cmp.Compare(b.Run, a.Run)
	}
	return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(b.Event, a.Event), cmp.Compare(a.Original, b.Original),
		cmp.Compare(a.Healed, b.Healed), cmp.Compare(a.Reason, b.Reason))
}

// runIdentity returns the identity of the run with a row id, "" for none.
func (m *merger) runIdentity(ctx context.Context, id sql.NullInt64) (string, error) {
	if !id.Valid {
		return "", nil
	}
	r, err := m.readRun(ctx, id.Int64)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return r.Key.ID(r.Payload), err
}

func (m *merger) checkHeal(h *delta.Heal) error {
	err := errors.Join(checkIDs(h.Test, h.Locator), checkText(h.Original, store.MaxJSON), checkText(h.Healed, store.MaxJSON),
		checkText(h.Event, store.MaxJSON), checkText(h.Reason, store.MaxText))
	if len(h.Digest) != sha256.Size {
		err = errors.Join(err, newBadRecord("the digest of a heal event has %d bytes", len(h.Digest)))
	}
	return err
}

// importFingerprint keeps the newest fingerprint of each locator.
func (m *merger) importFingerprint(ctx context.Context, f *delta.Fingerprint) error {
	if err := errors.Join(checkIDs(f.Test, f.Locator), checkText(f.JSON, store.MaxJSON)); err != nil {
		return badRecord{err}
	}
	if f.Test == "" || f.Locator == "" || !json.Valid([]byte(f.JSON)) {
		return newBadRecord("fingerprint of %.60q is none", f.Test)
	}
	var page, of any
	if len(f.Page) == sha256.Size {
		sum := sha256.Sum256([]byte(f.JSON))
		page, of = f.Page, sum[:]
	}
	return m.execChecked(ctx, nil, `INSERT INTO fingerprints (test_id, locator, fingerprint_json, updated_at, page_state, page_state_of) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (test_id, locator) DO UPDATE SET fingerprint_json = excluded.fingerprint_json, updated_at = excluded.updated_at,
			page_state = excluded.page_state, page_state_of = excluded.page_state_of
		WHERE (excluded.updated_at, excluded.fingerprint_json, coalesce(excluded.page_state, x'')) > (updated_at, fingerprint_json, coalesce(page_state, x''))`,
		f.Test, f.Locator, f.JSON, f.UpdatedAt, page, of)
}

func (m *merger) importPage(ctx context.Context, p *delta.Page) error {
	if len(p.State) > heal.MaxStateBytes {
		return newBadRecord("a page state has %d bytes", len(p.State))
	}
	sum := sha256.Sum256(p.State)
	return m.execChecked(ctx, nil, `INSERT INTO page_states (digest, state, updated_at) VALUES (?, ?, ?)
		ON CONFLICT (digest) DO UPDATE SET updated_at = max(updated_at, excluded.updated_at)`, sum[:], p.State, p.UpdatedAt)
}
