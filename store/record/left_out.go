package record

import (
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
)

// LeftOut counts what could not be used and remembers the first reason.
type LeftOut struct {
	What  string
	count int
	first error
}

// Add counts one row that was left out and keeps the first reason.
func (l *LeftOut) Add(err error) {
	if l.count++; l.first == nil {
		l.first = err
	}
}

// Join counts what another count has after this one.
func (l *LeftOut) Join(other LeftOut) {
	if l.count += other.count; l.first == nil {
		l.first = other.first
	}
}

// Err returns nil when nothing was left out.
func (l *LeftOut) Err() error {
	if l.count == 0 {
		return nil
	}
	return fmt.Errorf("%d × %s %w; the first: %w", l.count, l.What, store.ErrLeftOut, l.first)
}

// Notice returns nil when nothing was left out.
func (l *LeftOut) Notice(file string) *engine.Notice {
	if l.count == 0 {
		return nil
	}
	return &engine.Notice{File: file, Severity: engine.SeverityWarning,
		Reason: fmt.Sprintf("%d × %s left out; the first: %v", l.count, l.What, l.first)}
}
