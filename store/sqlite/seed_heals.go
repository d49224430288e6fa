package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

// Bounds of ReadSeedHeals: the newest events are kept, and the first notices.
const (
	maxSeedHeals   = 100_000
	maxHealNotices = 50
)

// ReadSeedHeals returns the heal events of the database at path, ours or the
// seed's, in the order in which they were written. The file is untrusted and
// read from a private copy in the system's temporary directory. Every event is
// a heal with path as its Source; a row that is none is left out with a
// notice.
func ReadSeedHeals(ctx context.Context, path string) (events []engine.HealEvent, notices []engine.Notice, err error) {
	s, err := untrusted.Copier{Path: path, Pattern: "breadcrumb-heals-*", Limit: defaultMaxBytes, Step: func(string) {}}.Copy(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !s.Exists() {
		return nil, nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	defer func() { err = errors.Join(err, s.Discard()) }()
	h := healReader{file: path}
	db := &DB{path: path, source: s}
	err = db.readSource(ctx, func(ctx context.Context, r *untrusted.Reader) error {
		if err := h.readEvents(ctx, r); err != nil {
			return untrusted.Unreadable(path, err)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return h.events, h.finishNotices(), nil
}

// healReader collects the events of a file.
type healReader struct {
	file    string
	events  []engine.HealEvent
	notices []engine.Notice
	bad     int // rows left out
	old     int // rows before the newest maxSeedHeals
}

func (h *healReader) readEvents(ctx context.Context, r *untrusted.Reader) error {
	columns := untrusted.Columns(healColumns, r.Version)
	if _, err := r.Check(ctx, "healing_events", columns); err != nil {
		return err
	}
	total, err := r.Count(ctx, "healing_events")
	if err != nil {
		return err
	}
	skip := max(0, total-maxSeedHeals)
	return r.Rows(ctx, "healing_events", columns, func(values []any) error {
		if h.old < skip {
			h.old++
			return nil
		}
		h.addRow(columns, values)
		return nil
	})
}

func (h *healReader) addRow(columns []untrusted.Column, values []any) {
	id := values[0]
	if err := untrusted.ReadRow(columns, values); err != nil {
		h.leaveOut(id, err)
		return
	}
	e, err := healRowOf(values).HealEvent(h.file)
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
	h.notices = append(h.notices, record.BadHeal(h.file, id, err))
}

func (h *healReader) finishNotices() []engine.Notice {
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
