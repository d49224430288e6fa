package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// Quarantine returns the quarantined tests sorted by id.
func (db *DB) Quarantine(ctx context.Context) ([]flaky.Entry, error) {
	var entries []flaky.Entry
	err := forEachRow(ctx, db.sql, func(rows *sql.Rows) error {
		var e flaky.Entry
		var since float64
		var commits string
		if err := rows.Scan(&e.TestID, &e.Reason, &since, &e.AutoUnquarantine, &e.Environment, &e.Owner, &commits); err != nil {
			return err
		}
		e.Since = store.FromUnix(since)
		if commits != "" {
			e.Commits = strings.Fields(commits)
		}
		entries = append(entries, e)
		return nil
	}, `SELECT test_id, reason, quarantined_at, auto_unquarantine <> 0,
		coalesce(environment, ''), coalesce(owner, ''), coalesce(commits, '') FROM quarantine ORDER BY test_id`)
	if err != nil {
		return nil, fmt.Errorf("read quarantine: %w", err)
	}
	return entries, nil
}

// QuarantineAdd puts a test into quarantine, or changes its entry, and logs who
// did. Like the seed's table, the quarantine holds one entry a test.
func (db *DB) QuarantineAdd(ctx context.Context, e flaky.Entry, who string) error {
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		if _, err := putEntry(ctx, tx, e, `DO UPDATE SET reason = excluded.reason, quarantined_at = excluded.quarantined_at,
			auto_unquarantine = excluded.auto_unquarantine, environment = excluded.environment,
			owner = excluded.owner, commits = excluded.commits`); err != nil {
			return err
		}
		return logChange(ctx, tx, flaky.Change{TestID: e.TestID, Reason: e.Reason}, who, e.Since)
	})
	if err != nil {
		return fmt.Errorf("quarantine test: %w", err)
	}
	return nil
}

// QuarantineRelease takes a test out of quarantine and logs who did. It reports
// whether the test was there.
func (db *DB) QuarantineRelease(ctx context.Context, testID, who, reason string, now time.Time) (released bool, err error) {
	err = inTx(ctx, db.sql, func(tx *sql.Tx) error {
		n, err := affected(tx.ExecContext(ctx, `DELETE FROM quarantine WHERE test_id = ?`, store.CleanID(testID)))
		if err != nil || n == 0 {
			return err
		}
		released = true
		return logChange(ctx, tx, flaky.Change{TestID: testID, Released: true, Reason: reason}, who, now)
	})
	if err != nil {
		return false, fmt.Errorf("release test: %w", err)
	}
	return released, nil
}

// ApplyChanges applies and logs the changes that follow from histories. Pending
// ones are passed over. A test that is there already keeps its entry, and one
// that only a person releases stays.
func (db *DB) ApplyChanges(ctx context.Context, changes []flaky.Change, now time.Time) error {
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		for _, c := range changes {
			if c.Pending {
				continue
			}
			n, err := applyChange(ctx, tx, c, now)
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			if err := logChange(ctx, tx, c, cmp.Or(c.Who, store.Automatic), now); err != nil {
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

func applyChange(ctx context.Context, tx *sql.Tx, c flaky.Change, now time.Time) (int, error) {
	if c.Released {
		return affected(tx.ExecContext(ctx, `DELETE FROM quarantine WHERE test_id = ? AND auto_unquarantine <> 0`, store.CleanID(c.TestID)))
	}
	return putEntry(ctx, tx, flaky.Entry{TestID: c.TestID, Reason: c.Reason, Since: now, AutoUnquarantine: true,
		Owner: c.Owner, Commits: c.Commits}, "DO NOTHING")
}

// putEntry inserts an entry; clash says what happens to one that is there.
func putEntry(ctx context.Context, tx *sql.Tx, e flaky.Entry, clash string) (int, error) {
	return affected(tx.ExecContext(ctx, `INSERT INTO quarantine (test_id, reason, quarantined_at, auto_unquarantine, environment, owner, commits)
		VALUES (?, ?, ?, ?, nullif(?, ''), nullif(?, ''), nullif(?, '')) ON CONFLICT (test_id) `+clash,
		store.CleanID(e.TestID), store.CleanText(e.Reason, store.MaxText), store.Unix(e.Since), boolInt(e.AutoUnquarantine), store.CleanID(e.Environment),
		store.CleanText(e.Owner, 256), store.CleanText(strings.Join(e.Commits, " "), store.MaxText)))
}

func logChange(ctx context.Context, tx *sql.Tx, c flaky.Change, who string, at time.Time) error {
	action := "add"
	if c.Released {
		action = "release"
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO quarantine_log (at, test_id, action, who, reason, tier, flip_rate)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, store.Unix(at), store.CleanID(c.TestID), action, store.CleanText(who, 256),
		store.CleanText(c.Reason, store.MaxText), string(c.Tier), c.FlipRate)
	return err
}

// LogSetting notes who gave a setting its value.
func (db *DB) LogSetting(ctx context.Context, name, value, who string, now time.Time) error {
	_, err := db.sql.ExecContext(ctx, `INSERT INTO quarantine_log (at, test_id, action, who, reason, tier, flip_rate)
		VALUES (?, ?, ?, ?, ?, '', 0)`, store.Unix(now), store.CleanID(name), store.SettingAction, store.CleanText(who, 256), store.CleanText(value, store.MaxText))
	if err != nil {
		return fmt.Errorf("log setting: %w", err)
	}
	return nil
}

// Settings returns the last value that was logged of each setting.
func (db *DB) Settings(ctx context.Context) (map[string]string, error) {
	settings := map[string]string{}
	err := forEachRow(ctx, db.sql, func(rows *sql.Rows) error {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		settings[name] = value
		return nil
	}, `SELECT test_id, reason FROM quarantine_log WHERE action = ? ORDER BY at, id`, store.SettingAction)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return settings, nil
}

// QuarantineLog returns every change of the quarantine and of the settings that
// decide over it, oldest first.
func (db *DB) QuarantineLog(ctx context.Context) ([]store.LogEntry, error) {
	var log []store.LogEntry
	err := forEachRow(ctx, db.sql, func(rows *sql.Rows) error {
		var e store.LogEntry
		var at float64
		if err := rows.Scan(&at, &e.Who, &e.Change.TestID, &e.Change.Released, &e.Setting, &e.Change.Reason, &e.Change.Tier, &e.Change.FlipRate); err != nil {
			return err
		}
		e.At = store.FromUnix(at)
		log = append(log, e)
		return nil
	}, `SELECT at, who, test_id, action = 'release', action = ?, reason, tier, flip_rate
		FROM quarantine_log ORDER BY at, id`, store.SettingAction)
	if err != nil {
		return nil, fmt.Errorf("read quarantine log: %w", err)
	}
	return log, nil
}

// rememberQuarantine notes which tests are in quarantine now, for
// loadAppended.
func (db *DB) rememberQuarantine(ctx context.Context) error {
	entries, err := db.Quarantine(ctx)
	for _, e := range entries {
		db.taken[e.TestID] = true
	}
	return err
}
