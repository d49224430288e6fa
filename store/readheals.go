package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/breadcrumb/action/engine"
)

// Bounds of ReadSeedHeals: the newest events are kept, and the first notices.
const (
	maxSeedHeals   = 100_000
	maxHealNotices = 50
)

// ReadSeedHeals returns the heal events of the database at path, of the seed or
// our own, in the order they were written. The file is read as hostile input,
// from a private copy in the system's temporary directory. Every event is a
// heal and carries path as its Source; a row that is none is left out with a
// notice.
func ReadSeedHeals(ctx context.Context, path string) (events []engine.HealEvent, notices []engine.Notice, err error) {
	s, err := copier{path: path, pattern: "breadcrumb-heals-*", limit: defaultMaxBytes, step: func(string) {}}.copy(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !s.exists() {
		return nil, nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	defer func() { err = errors.Join(err, s.discard()) }()
	db := &DB{path: path, source: s}
	r, err := db.openSource(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	h := healReader{file: path}
	if err := h.read(ctx, r); err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, unreadable(path, err)
	}
	return h.events, h.done(), nil
}

// healReader gathers the events of a file.
type healReader struct {
	file    string
	events  []engine.HealEvent
	notices []engine.Notice
	bad     int // rows left out
	old     int // rows before the newest maxSeedHeals
}

func (h *healReader) read(ctx context.Context, r *reader) error {
	columns := healColumnsOf(r.version)
	if _, err := r.check(ctx, "healing_events", columns); err != nil {
		return err
	}
	var total int
	if err := r.conn.QueryRowContext(ctx, `SELECT count(*) FROM healing_events NOT INDEXED`).Scan(&total); err != nil {
		return err
	}
	skip := max(0, total-maxSeedHeals)
	return r.rows(ctx, "healing_events", columns, func(values []any) error {
		if h.old < skip {
			h.old++
			return nil
		}
		h.row(columns, values)
		return nil
	})
}

func (h *healReader) row(columns []column, values []any) {
	id := values[0]
	if err := readRow(columns, values); err != nil {
		h.leaveOut(id, err)
		return
	}
	e, err := healRowOf(values).healEvent(h.file)
	if err != nil {
		h.leaveOut(id, err)
		return
	}
	e.Outcome = engine.OutcomeHealed
	h.events = append(h.events, e)
}

func (h *healReader) leaveOut(id any, err error) {
	if h.bad++; h.bad > maxHealNotices {
		return
	}
	if _, ok := id.(int64); !ok {
		id = int64(0)
	}
	h.notices = append(h.notices, badHeal(h.file, id, err))
}

func (h *healReader) done() []engine.Notice {
	if more := h.bad - maxHealNotices; more > 0 {
		h.notices = append(h.notices, engine.Notice{File: h.file, Severity: engine.SeverityWarning,
			Reason: fmt.Sprintf("%d more rows of healing_events left out", more)})
	}
	if h.old > 0 {
		h.notices = append(h.notices, engine.Notice{File: h.file, Severity: engine.SeverityWarning,
			Reason: fmt.Sprintf("the %d oldest heal events were not read; the newest %d were", h.old, maxSeedHeals)})
	}
	return h.notices
}
