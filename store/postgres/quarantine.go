package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Quarantine is DB.Quarantine.
func (db *DB) Quarantine(ctx context.Context) ([]flaky.Entry, error) {
	rows := queryRows(ctx, db.tx, `SELECT test_id, reason, quarantined_at, auto_unquarantine, environment, owner, commits
		FROM breadcrumb_quarantine WHERE repository_id = $1 ORDER BY test_id COLLATE "C"`, db.repository)
	entries, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e flaky.Entry, err error) {
		var since float64
		var commits string
		err = row.Scan(&e.TestID, &e.Reason, &since, &e.AutoUnquarantine, &e.Environment, &e.Owner, &commits)
		e.Since = store.FromUnix(since)
		if commits != "" {
			e.Commits = strings.Fields(commits)
		}
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("read quarantine: %w", err)
	}
	if len(entries) == 0 {
		return nil, nil
	}
	return entries, nil
}

// QuarantineAdd is DB.QuarantineAdd.
func (db *DB) QuarantineAdd(ctx context.Context, e flaky.Entry, who string) error {
	err := db.within(ctx, func(tx pgx.Tx) error {
		if _, err := db.putEntry(ctx, tx, e, `DO UPDATE SET reason = excluded.reason, quarantined_at = excluded.quarantined_at,
			auto_unquarantine = excluded.auto_unquarantine, environment = excluded.environment,
			owner = excluded.owner, commits = excluded.commits`); err != nil {
			return err
		}
		return db.logChange(ctx, tx, flaky.Change{TestID: e.TestID, Reason: e.Reason}, who, e.Since)
	})
	if err != nil {
		return fmt.Errorf("quarantine test: %w", err)
	}
	return nil
}

// QuarantineRelease is DB.QuarantineRelease.
func (db *DB) QuarantineRelease(ctx context.Context, testID, who, reason string, now time.Time) (released bool, err error) {
	err = db.within(ctx, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `DELETE FROM breadcrumb_quarantine WHERE repository_id = $1 AND test_digest = $2`,
			db.repository, record.KeyDigest(store.CleanID(testID)))
		if err != nil || done.RowsAffected() == 0 {
			return err
		}
		released = true
		return db.logChange(ctx, tx, flaky.Change{TestID: testID, Released: true, Reason: reason}, who, now)
	})
	if err != nil {
		return false, fmt.Errorf("release test: %w", err)
	}
	return released, nil
}

// ApplyChanges is DB.ApplyChanges. Changes are made in the order of the tests,
// so that runs at the same time wait for each other and never in a circle.
func (db *DB) ApplyChanges(ctx context.Context, changes []flaky.Change, now time.Time) error {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b flaky.Change) int { return cmp.Compare(a.TestID, b.TestID) })
	err := db.within(ctx, func(tx pgx.Tx) error {
		for _, c := range changes {
			if c.Pending {
				continue
			}
			n, err := db.applyChange(ctx, tx, c, now)
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			if err := db.logChange(ctx, tx, c, cmp.Or(c.Who, store.Automatic), now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("apply quarantine changes: %w", err)
	}
	return nil
}

func (db *DB) applyChange(ctx context.Context, tx pgx.Tx, c flaky.Change, now time.Time) (int64, error) {
	if c.Released {
		done, err := tx.Exec(ctx, `DELETE FROM breadcrumb_quarantine
			WHERE repository_id = $1 AND test_digest = $2 AND auto_unquarantine`, db.repository, record.KeyDigest(store.CleanID(c.TestID)))
		return done.RowsAffected(), err
	}
	return db.putEntry(ctx, tx, flaky.Entry{TestID: c.TestID, Reason: c.Reason, Since: now, AutoUnquarantine: true,
		Owner: c.Owner, Commits: c.Commits}, "DO NOTHING")
}

// putEntry inserts an entry; clash says what happens to one that is there.
func (db *DB) putEntry(ctx context.Context, tx pgx.Tx, e flaky.Entry, clash string) (int64, error) {
	id := store.CleanID(e.TestID)
	done, err := tx.Exec(ctx, `INSERT INTO breadcrumb_quarantine (repository_id, test_digest, test_id, reason, quarantined_at,
		auto_unquarantine, environment, owner, commits) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (repository_id, test_digest) `+clash, db.repository, record.KeyDigest(id), id, store.CleanText(e.Reason, store.MaxText),
		store.Unix(e.Since), e.AutoUnquarantine, store.CleanID(e.Environment), store.CleanText(e.Owner, 256),
		store.CleanText(strings.Join(e.Commits, " "), store.MaxText))
	return done.RowsAffected(), err
}

func (db *DB) logChange(ctx context.Context, tx pgx.Tx, c flaky.Change, who string, at time.Time) error {
	action := "add"
	if c.Released {
		action = "release"
	}
	_, err := tx.Exec(ctx, `INSERT INTO breadcrumb_quarantine_log (repository_id, at, test_id, action, who, reason, tier, flip_rate)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, db.repository, store.Unix(at), store.CleanID(c.TestID), action,
		store.CleanText(who, 256), store.CleanText(c.Reason, store.MaxText), string(c.Tier), c.FlipRate)
	return err
}

// QuarantineLog is DB.QuarantineLog.
func (db *DB) QuarantineLog(ctx context.Context) ([]store.LogEntry, error) {
	rows := queryRows(ctx, db.tx, `SELECT at, who, test_id, action = 'release', action = $2, reason, tier, flip_rate
		FROM breadcrumb_quarantine_log WHERE repository_id = $1 ORDER BY at, id`, db.repository, store.SettingAction)
	log, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e store.LogEntry, err error) {
		var at float64
		err = row.Scan(&at, &e.Who, &e.Change.TestID, &e.Change.Released, &e.Setting, &e.Change.Reason, &e.Change.Tier, &e.Change.FlipRate)
		e.At = store.FromUnix(at)
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("read quarantine log: %w", err)
	}
	return log, nil
}

// LogSetting is DB.LogSetting.
func (db *DB) LogSetting(ctx context.Context, name, value, who string, now time.Time) error {
	_, err := db.tx.Exec(ctx, `INSERT INTO breadcrumb_quarantine_log (repository_id, at, test_id, action, who, reason, tier, flip_rate)
		VALUES ($1, $2, $3, $4, $5, $6, '', 0)`, db.repository, store.Unix(now), store.CleanID(name), store.SettingAction,
		store.CleanText(who, 256), store.CleanText(value, store.MaxText))
	if err != nil {
		return fmt.Errorf("log setting: %w", err)
	}
	return nil
}

// Settings is DB.Settings.
func (db *DB) Settings(ctx context.Context) (map[string]string, error) {
	rows := queryRows(ctx, db.tx, `SELECT test_id, reason FROM breadcrumb_quarantine_log
		WHERE repository_id = $1 AND action = $2 ORDER BY at, id`, db.repository, store.SettingAction)
	settings := map[string]string{}
	var name, value string
	if _, err := pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		settings[name] = value
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return settings, nil
}
