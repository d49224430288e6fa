package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
)

// Of a test there may be an entry by hand and an automatic one. The one by hand
// counts, however much older it is; the other lies aside until the first is
// released. Of two entries of a kind the youngest stays. So the same entries and
// releases come to the same in whatever order they are merged.
const (
	entryColumns = `(test_id, reason, quarantined_at, environment, owner, commits`
	// In both a bare name is the old value.
	replaceEntry = ` ON CONFLICT (test_id) DO UPDATE SET reason = excluded.reason, quarantined_at = excluded.quarantined_at,
		environment = excluded.environment, owner = excluded.owner, commits = excluded.commits`
	whenYounger = `(excluded.quarantined_at, excluded.reason, coalesce(excluded.environment, ''), coalesce(excluded.owner, ''), coalesce(excluded.commits, ''))
		> (quarantined_at, reason, coalesce(environment, ''), coalesce(owner, ''), coalesce(commits, ''))`
	putAside = `INSERT INTO quarantine_aside ` + entryColumns + `) `
	putEntry = `INSERT INTO quarantine ` + entryColumns + `, auto_unquarantine) `
)

// importEntry merges an entry of the quarantine. dropReleased removes it if the
// test was released since.
func (m *merger) importEntry(ctx context.Context, q *delta.Quarantine) error {
	if err := errors.Join(checkIDs(q.Test, q.Environment), checkText(q.Reason, store.MaxText), checkText(q.Owner, 256), checkText(q.Commits, store.MaxText)); err != nil {
		return badRecord{err}
	}
	const entry = `VALUES (?1, ?2, ?3, nullif(?4, ''), nullif(?5, ''), nullif(?6, '')`
	args := []any{q.Test, q.Reason, q.Since, q.Environment, q.Owner, q.Commits}
	if !q.Auto {
		if err := m.execChecked(ctx, nil, putAside+`SELECT test_id, reason, quarantined_at, environment, owner, commits FROM quarantine
			WHERE test_id = ? AND auto_unquarantine <> 0`+replaceEntry+` WHERE `+whenYounger, q.Test); err != nil {
			return err
		}
		return m.execChecked(ctx, nil, putEntry+entry+`, 0)`+replaceEntry+`, auto_unquarantine = 0 WHERE auto_unquarantine <> 0 OR `+whenYounger, args...)
	}
	var byHand bool
	if err := m.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM quarantine WHERE test_id = ? AND auto_unquarantine = 0)`, q.Test).Scan(&byHand); err != nil {
		return err
	}
	if byHand {
		return m.execChecked(ctx, nil, putAside+entry+`)`+replaceEntry+` WHERE `+whenYounger, args...)
	}
	return m.execChecked(ctx, nil, putEntry+entry+`, 1)`+replaceEntry+` WHERE `+whenYounger, args...)
}

// importChange adds a line to the log unless it is there.
func (m *merger) importChange(ctx context.Context, c *delta.Change) error {
	if err := errors.Join(checkIDs(c.Test), checkText(c.Reason, store.MaxText), checkText(c.Who, 256), checkText(c.Tier, 256)); err != nil {
		return badRecord{err}
	}
	if c.Action != "add" && c.Action != store.ReleaseAction && c.Action != store.SettingAction {
		return newBadRecord("%.20q is no change of the quarantine", c.Action)
	}
	if m.log == nil {
		if err := m.readLog(ctx); err != nil {
			return err
		}
	}
	line := changeLine(c)
	if m.log[line] {
		return nil
	}
	m.log[line] = true
	return m.execChecked(ctx, nil, `INSERT INTO quarantine_log (at, test_id, action, who, reason, tier, flip_rate) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		c.At, c.Test, c.Action, c.Who, c.Reason, c.Tier, c.FlipRate)
}

func changeLine(c *delta.Change) string {
	return fmt.Sprintf("%q", []any{c.At, c.Test, c.Action, c.Who, c.Reason, c.Tier, c.FlipRate})
}

func (m *merger) readLog(ctx context.Context) error {
	m.log = map[string]bool{}
	var c delta.Change
	return forEachRow(ctx, m.tx, scanTargets(&c, nil), func() error {
		m.log[changeLine(&c)] = true
		return nil
	}, `SELECT at, test_id, action, who, reason, tier, flip_rate FROM quarantine_log`)
}

// dropReleased removes the entries that are not younger than the last release of
// their test. One by hand ends by a person's release alone, or with the name of
// its test.
func (m *merger) dropReleased(ctx context.Context) error {
	const lastRelease = `(SELECT max(at) FROM quarantine_log l WHERE l.test_id = %[1]s.test_id AND action = 'release'`
	for _, statement := range []string{
		`DELETE FROM quarantine_aside WHERE quarantined_at <= ` + fmt.Sprintf(lastRelease, "quarantine_aside") + `)`,
		`DELETE FROM quarantine WHERE quarantined_at <= ` + fmt.Sprintf(lastRelease, "quarantine") + `
			AND (quarantine.auto_unquarantine <> 0 OR who <> '` + store.Automatic + `' OR reason LIKE '` + store.MovedTo + `%'))`,
		putEntry + `SELECT test_id, reason, quarantined_at, environment, owner, commits, 1 FROM quarantine_aside WHERE true ON CONFLICT DO NOTHING`,
		`DELETE FROM quarantine_aside WHERE test_id NOT IN (SELECT test_id FROM quarantine WHERE auto_unquarantine = 0)`,
	} {
		if _, err := m.tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
