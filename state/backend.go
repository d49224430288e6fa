package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// MaxBytes is the most a backend hands out of one item, its files together: 64
// MiB. What is larger is not state of ours.
const MaxBytes = 64 << 20

// Errors of a Backend to branch on.
var (
	// ErrExists says that an item of this name is kept already.
	ErrExists = errors.New("exists already")
	// ErrOvertaken says that another run saved a snapshot meanwhile.
	ErrOvertaken = errors.New("another run saved a snapshot meanwhile")
	// ErrGone says that an item that was listed is there no more.
	ErrGone = errors.New("is gone")
	// ErrReadOnly says that this run may read here and not save.
	ErrReadOnly = errors.New("may not be written by this run")
	// ErrTooLarge says that an item holds more than MaxBytes.
	ErrTooLarge = errors.New("is larger than 64 MiB")
	// ErrHostile says that an item holds a name twice, a folder, a link or a
	// name that leaves the directory it is written into.
	ErrHostile = errors.New("holds files that nothing of ours wrote")
)

// Item is one saved thing, a delta or a snapshot; nobody rewrites it.
type Item struct {
	ID      string    // the backend's own name for it (artifact id, cache key, path, tree SHA)
	Name    string    // [a-z0-9-]+, beginning with DeltaPrefix or SnapshotPrefix
	Size    int64     // bytes as stored; 0 where unknown
	Digest  string    // "sha256:<hex>" of the stored bytes where the backend reports one
	Created time.Time // by the backend's clock
	Expires time.Time // zero: never
	Origin  Origin    // what the backend itself vouches for, never read from the content
}

// Origin says who saved an item, in the words of the backend.
type Origin struct {
	Known                          bool // false: the backend cannot say
	RepositoryID, HeadRepositoryID int64
	Branch, Event                  string // "main", "push"
	Workflow                       string // path of the workflow file
	HeadSHA                        string
	RunID                          int64
	RunAttempt                     int
}

// Backend keeps the items of one repository. Its methods may be called
// concurrently, and by many runs at once.
type Backend interface {
	// List returns the items whose names begin with prefix, newest first. An
	// item may be listed some time after it was put.
	List(ctx context.Context, prefix string) ([]Item, error)
	// Get writes the item's files into the directory, at its top level. Errors
	// to branch on: ErrGone, ErrTooLarge, ErrHostile. After an error the
	// directory may hold some of the files.
	Get(ctx context.Context, item Item, into *os.Root) error
	// Put saves the top-level files of files under a name. The item appears
	// whole or not at all. The error is ErrExists when the name is taken.
	Put(ctx context.Context, name string, files fs.FS) error
}

// Replacer is a Backend that can let go what a new snapshot makes needless.
type Replacer interface {
	Backend
	// Replace saves a snapshot as Put does and removes the items of gone, in
	// one step. listed are the items that the run began with. Where there is a
	// snapshot that is none of them, nothing is changed and the error is
	// ErrOvertaken: that one may cover deltas which are gone and which this one
	// does not hold. Items of gone that are not there are no error.
	Replace(ctx context.Context, name string, files fs.FS, listed, gone []Item) error
}

// Limited is a Backend from which a run may not read as much as it likes.
type Limited interface {
	Backend
	// Room returns how many more items the run may read; not above 0 is none.
	Room() int
}

// Unlimited is the Room of a Backend from which everything may be read.
const Unlimited = 1 << 30
