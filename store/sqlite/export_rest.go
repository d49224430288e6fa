package sqlite

import (
	"context"
	"database/sql"

	"github.com/breadcrumb/action/store/delta"
)

// heals exports the events that are new, or that a new run claimed.
func (e *exporter) heals(ctx context.Context) error {
	return e.each(ctx, func(rows *sql.Rows) error {
		h := &delta.Heal{Kind: delta.KindHeal}
		var run sql.NullInt64
		if err := rows.Scan(&h.Test, &h.Locator, &h.Confidence, &h.Original, &h.Healed, &h.Timestamp, &run, &h.Reason, &h.Event, &h.Digest); err != nil {
			return err
		}
		h.Run = e.ids[run.Int64]
		e.add(h)
		return nil
	}, `SELECT test_id, locator, confidence, original_json, healed_json, timestamp, run, coalesce(reason, ''), coalesce(event_json, ''),
		event_digest FROM healing_events WHERE event_digest IS NOT NULL AND (id > ? OR run > ?)`, e.since.heal, e.since.run)
}

func (e *exporter) refusals(ctx context.Context) error {
	return e.each(ctx, func(rows *sql.Rows) error {
		h := &delta.Heal{Kind: delta.KindRefusal}
		var run int64
		if err := rows.Scan(&h.Test, &h.Locator, &h.Confidence, &h.Timestamp, &run, &h.Reason, &h.Event, &h.Digest); err != nil {
			return err
		}
		h.Run = e.ids[run]
		e.add(h)
		return nil
	}, `SELECT test_id, locator, confidence, timestamp, run, reason, event_json, event_digest FROM heal_refusals WHERE id > ?`, e.since.refusal)
}

// changed is the condition on fingerprints that are not as they were marked.
func (e *exporter) changed() string {
	if e.all {
		return ""
	}
	return ` WHERE NOT EXISTS (SELECT 1 FROM marked_fingerprints m WHERE m.test_id = f.test_id AND m.locator = f.locator AND m.updated_at = f.updated_at)`
}

func (e *exporter) fingerprints(ctx context.Context) error {
	return e.each(ctx, func(rows *sql.Rows) error {
		f := &delta.Fingerprint{}
		if err := rows.Scan(&f.Test, &f.Locator, &f.JSON, &f.UpdatedAt, &f.Page); err != nil {
			return err
		}
		e.add(f)
		return nil
	}, `SELECT test_id, locator, fingerprint_json, updated_at, page_state FROM fingerprints f`+e.changed())
}

// pages exports the pages of those fingerprints. A page is as old as the
// youngest of them, whatever its row says.
func (e *exporter) pages(ctx context.Context) error {
	return e.each(ctx, func(rows *sql.Rows) error {
		p := &delta.Page{}
		if err := rows.Scan(&p.State, &p.UpdatedAt); err != nil {
			return err
		}
		e.add(p)
		return nil
	}, `SELECT state, young FROM page_states JOIN (SELECT page_state, max(updated_at) AS young FROM fingerprints f`+e.changed()+`
		GROUP BY page_state) ON page_state = digest`)
}

// quarantine exports the entries that are new or were changed.
func (e *exporter) quarantine(ctx context.Context) error {
	where := ""
	args := []any{}
	if !e.all {
		where = ` WHERE NOT EXISTS (SELECT 1 FROM marked_quarantine m WHERE m.test_id = q.test_id AND m.quarantined_at = q.quarantined_at)
			OR EXISTS (SELECT 1 FROM quarantine_log l WHERE l.test_id = q.test_id AND l.id > ?)`
		args = append(args, e.since.change)
	}
	return e.each(ctx, func(rows *sql.Rows) error {
		q := &delta.Quarantine{}
		if err := rows.Scan(&q.Test, &q.Reason, &q.Since, &q.Auto, &q.Environment, &q.Owner, &q.Commits); err != nil {
			return err
		}
		e.add(q)
		return nil
	}, `SELECT test_id, reason, quarantined_at, auto_unquarantine <> 0, coalesce(environment, ''), coalesce(owner, ''), coalesce(commits, '')
		FROM quarantine q`+where, args...)
}

func (e *exporter) changes(ctx context.Context) error {
	return e.each(ctx, func(rows *sql.Rows) error {
		c := &delta.Change{}
		if err := rows.Scan(&c.At, &c.Test, &c.Action, &c.Who, &c.Reason, &c.Tier, &c.FlipRate); err != nil {
			return err
		}
		e.add(c)
		return nil
	}, `SELECT at, test_id, action, who, reason, tier, flip_rate FROM quarantine_log WHERE id > ?`, e.since.change)
}

func (e *exporter) renames(ctx context.Context) error {
	return e.each(ctx, func(rows *sql.Rows) error {
		r := &delta.Rename{}
		if err := rows.Scan(&r.Old, &r.New, &r.At); err != nil {
			return err
		}
		e.add(r)
		return nil
	}, `SELECT old, new, at FROM renames WHERE id > ?`, e.since.rename)
}

func (e *exporter) unknown(ctx context.Context) error {
	return e.each(ctx, func(rows *sql.Rows) error {
		u := &delta.Unknown{}
		if err := rows.Scan(&u.Line); err != nil {
			return err
		}
		e.add(u)
		return nil
	}, `SELECT line FROM unknown_lines WHERE id > ?`, e.since.unknown)
}

func (e *exporter) retention(ctx context.Context) error {
	return e.each(ctx, func(rows *sql.Rows) error {
		r := &delta.Retention{}
		if err := rows.Scan(&r.Before); err != nil {
			return err
		}
		e.add(r)
		return nil
	}, `SELECT before FROM retention`)
}
