package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/sqlstore"
)

// RenameTests is DB.RenameTests.
func (db *DB) RenameTests(ctx context.Context, all []flaky.Rename, now time.Time) ([]flaky.Rename, error) {
	return store.RenameTests(ctx, all, now, db.renameAtOnce)
}

// renameAtOnce makes renames of which none is about a test of another. However many they
// are, the server is asked as often.
func (db *DB) renameAtOnce(ctx context.Context, all []flaky.Rename, now time.Time) (renamed []flaky.Rename, err error) {
	err = db.inSavepoint(ctx, func(tx pgx.Tx) error {
		b := renameBatch{db: db, tx: tx, now: now}
		if err := b.findTests(ctx, all); err != nil {
			return err
		}
		if renamed = b.possible(all); len(renamed) == 0 {
			return nil
		}
		for _, move := range []func(context.Context, []flaky.Rename) error{b.nameTests, b.moveResults, b.moveFingerprints, b.copyVetoes, b.copyAccepted, b.moveEntries} {
			if err := move(ctx, renamed); err != nil {
				return err
			}
		}
		return nil
	})
	return renamed, err
}

// renameBatch makes renames in one transaction.
type renameBatch struct {
	db    *DB
	tx    pgx.Tx
	now   time.Time
	ids   map[engine.TestID]int64
	taken map[int64]bool // those that have results that everybody may trust
}

// findTests finds the tests of the renames that are there.
func (b *renameBatch) findTests(ctx context.Context, all []flaky.Rename) error {
	var digests [][]byte
	for _, r := range all {
		digests = append(digests, record.NameDigest(r.Old), record.NameDigest(r.New))
	}
	b.ids = map[engine.TestID]int64{}
	var name engine.TestID
	var id int64
	rows := queryRows(ctx, b.tx, `SELECT name, id FROM breadcrumb_tests WHERE repository_id = $1 AND name_digest = ANY($2)`, b.db.repository, digests)
	if _, err := pgx.ForEachRow(rows, []any{&name, &id}, func() error {
		b.ids[name] = id
		return nil
	}); err != nil {
		return err
	}
	var again []int64
	for _, r := range all {
		if id, known := b.ids[r.New]; known {
			again = append(again, id)
		}
	}
	b.taken = map[int64]bool{}
	if len(again) == 0 {
		return nil
	}
	rows = queryRows(ctx, b.tx, `SELECT DISTINCT r.test FROM breadcrumb_results r JOIN breadcrumb_runs u
		ON u.repository_id = r.repository_id AND u.id = r.run
		WHERE r.repository_id = $1 AND r.test = ANY($2) AND u.origin IN `+store.TrustedOrigins, b.db.repository, again)
	_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
		b.taken[id] = true
		return nil
	})
	return err
}

// possible returns the renames whose old test is known and whose new one has no history of
// its own.
func (b *renameBatch) possible(all []flaky.Rename) (renames []flaky.Rename) {
	for _, r := range all {
		_, known := b.ids[r.Old]
		again, there := b.ids[r.New]
		if known && (!there || !b.taken[again]) {
			renames = append(renames, r)
		}
	}
	return renames
}

// nameTests gives tests names that no test has.
func (b *renameBatch) nameTests(ctx context.Context, all []flaky.Rename) error {
	var ids []int64
	var names []string
	var digests [][]byte
	for _, r := range all {
		if _, there := b.ids[r.New]; !there {
			ids, names, digests = append(ids, b.ids[r.Old]), append(names, string(r.New)), append(digests, record.NameDigest(r.New))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := b.tx.Exec(ctx, `UPDATE breadcrumb_tests AS t SET name = n.name, name_digest = n.digest
		FROM unnest($2::bigint[], $3::text[], $4::bytea[]) AS n (id, name, digest) WHERE t.repository_id = $1 AND t.id = n.id`, b.db.repository, ids, names, digests)
	return err
}

// movesName is the name under which moveResults saves what it did last.
const movesName = "moves"

// moveResults gives the results of tests to those that pull requests know already under
// their new names. In a run that has both, they stay.
func (b *renameBatch) moveResults(ctx context.Context, all []flaky.Rename) error {
	var from, to []int64
	for _, r := range all {
		if again, there := b.ids[r.New]; there {
			from, to = append(from, b.ids[r.Old]), append(to, again)
		}
	}
	if len(from) == 0 {
		return nil
	}
	if _, err := b.tx.Exec(ctx, `UPDATE breadcrumb_results AS a SET test = n.now FROM unnest($2::bigint[], $3::bigint[]) AS n (was, now)
		WHERE a.repository_id = $1 AND a.test = n.was AND NOT EXISTS
		(SELECT 1 FROM breadcrumb_results b WHERE b.repository_id = $1 AND b.test = n.now AND b.run = a.run)`, b.db.repository, from, to); err != nil {
		return err
	}
	if _, err := b.tx.Exec(ctx, `DELETE FROM breadcrumb_tests AS t WHERE t.repository_id = $1 AND t.id = ANY($2) AND NOT EXISTS
		(SELECT 1 FROM breadcrumb_results r WHERE r.repository_id = $1 AND r.test = t.id)`, b.db.repository, from); err != nil {
		return err
	}
	return b.db.KeepDerived(ctx, b.conn(), movesName, record.KeyDigest(fmt.Sprint(from, to, b.now.UnixNano())))
}

// moveFingerprints gives the fingerprints of tests to their new names, except those that
// these have themselves.
func (b *renameBatch) moveFingerprints(ctx context.Context, all []flaky.Rename) error {
	type key struct {
		Test    engine.TestID
		Locator string
	}
	keys, err := ofRenamed[key](ctx, b, all, `SELECT test_id, locator FROM breadcrumb_fingerprints WHERE repository_id = $1 AND test_id = ANY($2)`)
	if err != nil || len(keys) == 0 {
		return err
	}
	to := newNames(all)
	var was, now [][]byte
	var names []string
	for _, k := range keys {
		was, now = append(was, record.KeyDigest(k.Test, k.Locator)), append(now, record.KeyDigest(to[k.Test], k.Locator))
		names = append(names, string(to[k.Test]))
	}
	_, err = b.tx.Exec(ctx, `UPDATE breadcrumb_fingerprints AS f SET test_id = n.test, key_digest = n.now
		FROM unnest($2::bytea[], $3::bytea[], $4::text[]) AS n (was, now, test)
		WHERE f.repository_id = $1 AND f.key_digest = n.was AND NOT EXISTS
		(SELECT 1 FROM breadcrumb_fingerprints g WHERE g.repository_id = $1 AND g.key_digest = n.now)`, b.db.repository, was, now, names)
	return err
}

// copyVetoes gives the vetoes of tests to their new names, too.
func (b *renameBatch) copyVetoes(ctx context.Context, all []flaky.Rename) error {
	type said struct {
		Test                    engine.TestID
		Locator, Signature, Who string
		At                      float64
	}
	vetoes, err := ofRenamed[said](ctx, b, all, `SELECT test_id, locator, signature, who, at FROM breadcrumb_vetoes WHERE repository_id = $1 AND test_id = ANY($2)`)
	if err != nil {
		return err
	}
	to := newNames(all)
	for _, v := range vetoes {
		if _, err := b.conn().Exec(ctx, statements.AddVeto, sqlstore.Args{"test": to[v.Test], "locator": v.Locator, "signature": v.Signature,
			"who": v.Who, "at": v.At, "digest": record.KeyDigest(to[v.Test], v.Locator, v.Signature)}); err != nil {
			return err
		}
	}
	return nil
}

// copyAccepted gives the elements accepted for locators of tests to their new names, too.
func (b *renameBatch) copyAccepted(ctx context.Context, all []flaky.Rename) error {
	type element struct {
		Test                      engine.TestID
		Locator, Fingerprint, Who string
		At                        float64
	}
	accepted, err := ofRenamed[element](ctx, b, all, `SELECT test_id, locator, fingerprint_json, who, at FROM breadcrumb_accepted WHERE repository_id = $1 AND test_id = ANY($2)`)
	if err != nil {
		return err
	}
	to := newNames(all)
	for _, a := range accepted {
		if _, err := b.conn().Exec(ctx, statements.AddAccepted, sqlstore.Args{"test": to[a.Test], "locator": a.Locator, "fingerprint": a.Fingerprint,
			"who": a.Who, "at": a.At, "digest": record.KeyDigest(to[a.Test], a.Locator)}); err != nil {
			return err
		}
	}
	return nil
}

// moveEntries gives the places in quarantine of tests to their new names.
func (b *renameBatch) moveEntries(ctx context.Context, all []flaky.Rename) error {
	held, err := ofRenamed[struct{ Test engine.TestID }](ctx, b, all, `SELECT DISTINCT test_id FROM breadcrumb_quarantine WHERE repository_id = $1 AND test_id = ANY($2)`)
	if err != nil {
		return err
	}
	in := map[engine.TestID]bool{}
	for _, h := range held {
		in[h.Test] = true
	}
	for _, r := range all {
		if in[r.Old] {
			if err := b.db.MoveEntry(ctx, b.conn(), r, b.now); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *renameBatch) conn() conn { return conn{b.db, b.tx} }

// ofRenamed returns the rows of a table that are about the old names of renames: $1 is the
// repository, $2 the names.
func ofRenamed[T any](ctx context.Context, b *renameBatch, all []flaky.Rename, query string) ([]T, error) {
	var olds []string
	for _, r := range all {
		olds = append(olds, string(r.Old))
	}
	return pgx.CollectRows(queryRows(ctx, b.tx, query, b.db.repository, olds), pgx.RowToStructByPos[T])
}

// newNames returns the new names of renamed tests by their old ones.
func newNames(all []flaky.Rename) map[engine.TestID]engine.TestID {
	to := map[engine.TestID]engine.TestID{}
	for _, r := range all {
		to[r.Old] = r.New
	}
	return to
}
