package store

import (
	"errors"
	"fmt"
)

var (
	// ErrNewerSchema says that a newer Breadcrumb wrote the database. It was
	// not touched.
	ErrNewerSchema = errors.New("the database was written by a newer version of Breadcrumb")
	// ErrUnreadable says that the file is no database, not one of ours, or
	// damaged. It was not touched.
	ErrUnreadable = errors.New("not a readable Breadcrumb database")
	// ErrReadOnly says that the database was opened by OpenReading.
	ErrReadOnly = errors.New("the database was opened to be read")
	// ErrLocked says that another Breadcrumb held the database for too long.
	ErrLocked = errors.New("the database is in use by another Breadcrumb")
	// ErrInUse says that another program, such as a running test, still has
	// the database open, so replacing it would lose what it writes.
	ErrInUse = errors.New("the database is open in another program")
	// ErrChanged says that the file at the path became another one between
	// Open and Save. It was not touched.
	ErrChanged = errors.New("the database was replaced by another program")
	// ErrURL says that a database URL is not one this run can use.
	ErrURL = errors.New("bad database URL")
	// ErrLeftOut says that part of what was given or asked for is no good. The
	// rest is as if that part had not been there.
	ErrLeftOut = errors.New("left out")
)

// Wrap returns err with what failed before it, nil for nil.
func Wrap(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
