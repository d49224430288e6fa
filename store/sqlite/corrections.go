package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/record"
)

// importVeto keeps the first of equal vetoes.
func (m *merger) importVeto(ctx context.Context, v *delta.Veto) error {
	if err := errors.Join(checkIDs(v.Test, v.Locator, v.Signature), checkText(v.Who, store.MaxWho)); err != nil {
		return badRecord{err}
	}
	if v.Locator == "" || v.Signature == "" {
		return newBadRecord("veto of %.60q names no locator or no element", v.Test)
	}
	return m.execChecked(ctx, nil, `INSERT INTO vetoes (test_id, locator, signature, who, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (test_id, locator, signature)`+saidFirst, v.Test, v.Locator, v.Signature, v.Who, v.At)
}

// importLesson keeps the first of equal lessons.
func (m *merger) importLesson(ctx context.Context, l *delta.Lesson) error {
	if err := errors.Join(checkText(l.Was, store.MaxWords), checkText(l.Now, store.MaxWords), checkText(l.Who, store.MaxWho)); err != nil {
		return badRecord{err}
	}
	if l.Was == "" || l.Now == "" {
		return newBadRecord("a lesson has no words")
	}
	return m.execChecked(ctx, nil, `INSERT INTO lessons (was, now, who, at) VALUES (?, ?, ?, ?) ON CONFLICT (was, now)`+saidFirst, l.Was, l.Now, l.Who, l.At)
}

// importAccepted keeps what a person accepted for a locator at a time.
func (m *merger) importAccepted(ctx context.Context, a *delta.Accepted) error {
	if err := errors.Join(checkIDs(a.Test, a.Locator), checkText(a.JSON, store.MaxJSON), checkText(a.Who, store.MaxWho)); err != nil {
		return badRecord{err}
	}
	if a.Test == "" || a.Locator == "" || !json.Valid([]byte(a.JSON)) {
		return newBadRecord("accepted element of %.60q is none", a.Test)
	}
	return m.execChecked(ctx, nil, `INSERT INTO accepted (test_id, locator, fingerprint_json, who, at) VALUES (?, ?, ?, ?, ?)`+largerAccepted,
		a.Test, a.Locator, a.JSON, a.Who, a.At)
}

// renameCorrections gives what was said of the elements of renamed tests to their new
// names, too. The old ones stay, so that it is the same in whatever order corrections
// and renames come.
func renameCorrections(ctx context.Context, tx *sql.Tx) error {
	var renamed bool // seldom, and the statements take longer to parse than a delta to import
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM renames)`).Scan(&renamed); err != nil || !renamed {
		return err
	}
	for _, statement := range []string{
		`WITH RECURSIVE renamed (test_id, locator, signature, who, at) AS (
			SELECT test_id, locator, signature, who, at FROM vetoes WHERE test_id <> ''
			UNION SELECT r.new, v.locator, v.signature, v.who, v.at FROM renamed v JOIN renames r ON r.old = v.test_id)
		INSERT INTO vetoes (test_id, locator, signature, who, at) SELECT test_id, locator, signature, who, at FROM renamed
		WHERE test_id IN (SELECT new FROM renames) AND test_id <> '' ON CONFLICT (test_id, locator, signature)` + saidFirst,
		`WITH RECURSIVE renamed (test_id, locator, fingerprint_json, who, at) AS (
			SELECT test_id, locator, fingerprint_json, who, at FROM accepted
			UNION SELECT r.new, a.locator, a.fingerprint_json, a.who, a.at FROM renamed a JOIN renames r ON r.old = a.test_id)
		INSERT INTO accepted (test_id, locator, fingerprint_json, who, at) SELECT test_id, locator, fingerprint_json, who, at FROM renamed
		WHERE test_id IN (SELECT new FROM renames)` + largerAccepted,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// dropForgotten removes what was learned of elements before they were forgotten.
func dropForgotten(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM fingerprints WHERE EXISTS (SELECT 1 FROM forgotten f
		WHERE f.test_id = fingerprints.test_id AND f.locator = fingerprints.locator AND f.at >= fingerprints.updated_at)`)
	return err
}

// adoptLines makes records of the lines that an older version kept of people's
// vetoes, lessons, accepted and forgotten elements, and of the identity of runs.
func (db *DB) adoptLines(ctx context.Context) error {
	m := merger{db: db, left: record.LeftOut{What: "kept line"}}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		m.tx = tx
		lines, err := readColumn[string](ctx, tx, `SELECT line FROM unknown_lines`)
		if err != nil {
			return err
		}
		for _, line := range lines {
			switch r := (&delta.Unknown{Line: line}).Decode().(type) {
			case *delta.Veto, *delta.Lesson, *delta.Accepted, *delta.Forgotten:
				if err := m.importRecord(ctx, r); err != nil {
					return err
				}
				if _, err := tx.ExecContext(ctx, `DELETE FROM unknown_lines WHERE line = ?`, line); err != nil {
					return err
				}
			}
		}
		return errors.Join(m.adoptRunLines(ctx), dropForgotten(ctx, tx), renameCorrections(ctx, tx))
	})
	if n := m.left.Notice(db.path); n != nil {
		db.notices = append(db.notices, *n)
	}
	return store.Wrap(err, "read kept lines")
}
