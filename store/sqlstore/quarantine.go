package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Quarantine returns the quarantined tests sorted by id.
func (s *Store) Quarantine(ctx context.Context) ([]flaky.Entry, error) {
	var entries []flaky.Entry
	var e flaky.Entry
	var since float64
	var commits string
	columns := []any{&e.TestID, &e.Reason, &since, &e.AutoUnquarantine, &e.Environment, &e.Owner, &commits}
	err := s.conn.Each(ctx, s.sql.Quarantine, nil, columns, func() error {
		e.Since, e.Commits = store.FromUnix(since), nil
		if commits != "" {
			e.Commits = strings.Fields(commits)
		}
		entries = append(entries, e)
		return nil
	})
	return entries, store.Wrap(err, "read quarantine")
}

// QuarantineAdd puts a test into quarantine, or changes its entry, and logs who
// did. Like the seed's table, the quarantine holds one entry a test.
func (s *Store) QuarantineAdd(ctx context.Context, e flaky.Entry, who string) error {
	err := s.conn.InTx(ctx, func(tx Conn) error {
		at, err := s.timeOfChange(ctx, tx, e.TestID, e.Since)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, s.sql.PutEntry, entryArgs(e, at)); err != nil {
			return err
		}
		return s.logChange(ctx, tx, flaky.Change{TestID: e.TestID, Reason: e.Reason}, who, at)
	})
	return store.Wrap(err, "quarantine test")
}

// QuarantineRelease takes a test out of quarantine and logs who did. It reports
// whether the test was there.
func (s *Store) QuarantineRelease(ctx context.Context, testID engine.TestID, who, reason string, now time.Time) (released bool, err error) {
	err = s.conn.InTx(ctx, func(tx Conn) error {
		at, err := s.timeOfChange(ctx, tx, testID, now)
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, s.sql.Release, testArgs(testID))
		if released = n > 0; err != nil || !released {
			return err
		}
		if s.sql.ReleaseAside != "" {
			if _, err := tx.Exec(ctx, s.sql.ReleaseAside, testArgs(testID)); err != nil {
				return err
			}
		}
		return s.logChange(ctx, tx, flaky.Change{TestID: testID, Released: true, Reason: reason}, who, at)
	})
	return released, store.Wrap(err, "release test")
}

// ApplyChanges applies and logs the changes that follow from histories. Pending
// ones are passed over. A test that is there already keeps its entry, and one
// that only a person releases stays.
func (s *Store) ApplyChanges(ctx context.Context, changes []flaky.Change, now time.Time) error {
	err := s.conn.InTx(ctx, func(tx Conn) error {
		for _, c := range changes {
			if c.Pending {
				continue
			}
			at, err := s.timeOfChange(ctx, tx, c.TestID, now)
			if err != nil {
				return err
			}
			statement, args := s.sql.ReleaseAuto, testArgs(c.TestID)
			if !c.Released {
				statement, args = s.sql.AddEntry, entryArgs(flaky.Entry{TestID: c.TestID, Reason: c.Reason,
					AutoUnquarantine: true, Owner: c.Owner, Commits: c.Commits}, at)
			}
			n, err := tx.Exec(ctx, statement, args)
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			if err := s.logChange(ctx, tx, c, cmp.Or(c.Who, store.Automatic), at); err != nil {
				return err
			}
		}
		return nil
	})
	return store.Wrap(err, "apply quarantine changes")
}

// testArgs are the arguments of a statement about one test.
func testArgs(id engine.TestID) Args {
	return Args{"test": id, "digest": record.KeyDigest(id)}
}

// entryArgs are the arguments of a statement that puts an entry in at a time.
func entryArgs(e flaky.Entry, at float64) Args {
	args := testArgs(e.TestID)
	args["reason"], args["owner"] = store.CleanText(e.Reason, store.MaxText), store.CleanText(e.Owner, 256)
	args["since"], args["automatic"] = at, e.AutoUnquarantine
	args["environment"] = store.CleanID(e.Environment)
	args["commits"] = store.CleanText(strings.Join(e.Commits, " "), store.MaxText)
	return args
}

// timeOfChange returns when a change of a test's place in the quarantine, or of a
// setting, is made: at, or where another one is known that is as late, just after
// it. Clocks differ, and a change that has seen another must be the later one
// wherever the two are put together.
func (s *Store) timeOfChange(ctx context.Context, tx Conn, id engine.TestID, at time.Time) (float64, error) {
	when, last := store.Unix(at), math.Inf(-1)
	if err := tx.Each(ctx, s.sql.ChangeTimes, testArgs(id), []any{&last}, func() error {
		when = max(when, last+1e-6, math.Nextafter(last, math.Inf(1)))
		return nil
	}); err != nil {
		return 0, fmt.Errorf("read last change: %w", err)
	}
	return when, nil
}

// logChange logs a change of the quarantine.
func (s *Store) logChange(ctx context.Context, tx Conn, c flaky.Change, who string, at float64) error {
	action := "add"
	if c.Released {
		action = store.ReleaseAction
	}
	return s.logAction(ctx, tx, c, action, who, at)
}

func (s *Store) logAction(ctx context.Context, conn Conn, c flaky.Change, action, who string, at float64) error {
	_, err := conn.Exec(ctx, s.sql.LogChange, Args{"at": at, "test": c.TestID, "action": action,
		"who": store.CleanText(who, 256), "reason": store.CleanText(c.Reason, store.MaxText), "tier": string(c.Tier), "flip_rate": c.FlipRate})
	return err
}

// LogSetting notes who gave a setting its value.
func (s *Store) LogSetting(ctx context.Context, name, value, who string, now time.Time) error {
	setting := flaky.Change{TestID: engine.NewTestID(name), Reason: value}
	err := s.conn.InTx(ctx, func(tx Conn) error {
		at, err := s.timeOfChange(ctx, tx, setting.TestID, now)
		if err != nil {
			return err
		}
		return s.logAction(ctx, tx, setting, store.SettingAction, who, at)
	})
	return store.Wrap(err, "log setting")
}

// Settings returns the last value that was logged of each setting.
func (s *Store) Settings(ctx context.Context) (map[string]string, error) {
	settings := map[string]string{}
	var name, value string
	err := s.conn.Each(ctx, s.sql.Settings, Args{"setting": store.SettingAction}, []any{&name, &value}, func() error {
		settings[name] = value
		return nil
	})
	return settings, store.Wrap(err, "read settings")
}

// QuarantineLog returns every change of the quarantine and of the settings that
// decide over it, oldest first.
func (s *Store) QuarantineLog(ctx context.Context) ([]store.LogEntry, error) {
	var log []store.LogEntry
	var e store.LogEntry
	var at float64
	columns := []any{&at, &e.Who, &e.Change.TestID, &e.Change.Released, &e.Setting, &e.Change.Reason, &e.Change.Tier, &e.Change.FlipRate}
	err := s.conn.Each(ctx, s.sql.QuarantineLog, Args{"setting": store.SettingAction}, columns, func() error {
		e.At = store.FromUnix(at)
		log = append(log, e)
		return nil
	})
	return log, store.Wrap(err, "read quarantine log")
}
