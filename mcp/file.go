package mcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/store/sqlite"
)

// file is an archive in a database file. What it held when it was last used is
// kept as long as the file stays the same; a snapshot that takes its place is
// read anew.
type file struct {
	name string // as the user gave it
	turn chan struct{}
	db   *sqlite.DB // nil: nothing is kept; whoever has the turn may use it
}

func newFile(name string) *file { return &file{name: name, turn: make(chan struct{}, 1)} }

func (f *file) With(ctx context.Context, fn func(context.Context, Reading) error) error {
	if err := f.take(ctx); err != nil {
		return err
	}
	defer func() { <-f.turn }()
	if err := f.refresh(ctx); err != nil {
		return err
	}
	return fn(ctx, Reading{Database: f.db, Size: f.db.Size(), Leftover: health.Leftovers(f.name)})
}

// take waits for the turn: a database is used by one question at a time.
func (f *file) take(ctx context.Context) error {
	select {
	case f.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the database: %w", ctx.Err())
	}
}

// refresh reads the file unless what is kept is what it holds.
func (f *file) refresh(ctx context.Context) error {
	if f.db != nil && f.db.Current() {
		return nil
	}
	if err := f.drop(); err != nil {
		return err
	}
	db, err := sqlite.OpenReading(ctx, f.name, sqlite.Options{})
	if err != nil {
		return told(f.name, err)
	}
	f.db = db
	return nil
}

func (f *file) drop() error {
	if f.db == nil {
		return nil
	}
	err := f.db.Close()
	f.db = nil
	return err
}

// Is compares names first: what a question names is looked up on the disk only
// to follow links.
func (f *file) Is(path string) bool {
	asked, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	own, err := filepath.Abs(f.name)
	if err != nil {
		return false
	}
	if asked == own {
		return true
	}
	realAsked, err1 := filepath.EvalSymlinks(asked)
	realOwn, err2 := filepath.EvalSymlinks(own)
	return errors.Join(err1, err2) == nil && realAsked == realOwn
}

func (f *file) Name() string { return f.name }

// Close waits for the question that is being answered.
func (f *file) Close() error {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	return f.drop()
}
