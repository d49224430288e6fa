package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// MaxBytes is the most that a backend hands out of one item, all files
// together: 64 MiB. Nothing that we save is larger.
const MaxBytes = 64 << 20

// Errors of a Backend to branch on.
var (
	// ErrExists says that an item of this name is kept already.
	ErrExists = errors.New("exists already")
	// ErrOvertaken says that another run saved a snapshot meanwhile.
	ErrOvertaken = errors.New("another run saved a snapshot meanwhile")
	// ErrGone says that a listed item no longer exists.
	ErrGone = errors.New("is gone")
	// ErrUnread says that there may be history which was not found: it would take
	// more requests than a run may make.
	ErrUnread = errors.New("it was not read on, and nothing is saved over it")
	// ErrReadOnly says that this run may not write to the backend.
	ErrReadOnly = errors.New("may not be written by this run")
	// ErrTooLarge says that an item holds more than MaxBytes.
	ErrTooLarge = errors.New("is larger than 64 MiB")
	// ErrHostile says that an item holds a name twice, a folder, a link or a
	// name that leads out of the directory.
	ErrHostile = errors.New("holds files that nothing of ours wrote")
)

// Item is a saved delta or snapshot. Nobody rewrites it.
type Item struct {
	ID      string    // the backend's own name for it (artifact id, cache key, path, tree SHA)
	Name    string    // [a-z0-9-]+, beginning with DeltaPrefix or SnapshotPrefix
	Size    int64     // bytes as stored; 0 where unknown
	Digest  string    // "sha256:<hex>" of the stored bytes where the backend reports one
	Created time.Time // by the backend's clock
	Expires time.Time // zero: never
	Origin  Origin    // what the backend itself knows, never read from the content
}

// Origin is what the backend knows about who saved an item.
type Origin struct {
	Known                          bool // false: the backend does not know
	RepositoryID, HeadRepositoryID int64
	Branch, Event                  string // "main", "push"
	Workflow                       string // path of the workflow file
	HeadSHA                        string
	RunID                          int64
	RunAttempt                     int
	// Shared says that the history is that of all the repository's workflows. What a person
	// decided in the run of another one, or of this one under a former name of its
	// file, could be forged there, but a release is safe to believe.
	Shared bool
}

// Backend keeps the items of one repository. Its methods may be called
// concurrently, and by many runs at once.
type Backend interface {
	// List returns the items whose names begin with prefix, newest first. It
	// may take a while until a new item is listed.
	List(ctx context.Context, prefix string) ([]Item, error)
	// Get writes the item's files into the directory, at its top level. Errors
	// to branch on: ErrGone, ErrTooLarge, ErrHostile. After an error the
	// directory may hold some of the files.
	Get(ctx context.Context, item Item, into *os.Root) error
	// Put saves the top-level files of files under a name. The item appears
	// completely or not at all. The error is ErrExists when the name is taken.
	Put(ctx context.Context, name string, files fs.FS) error
}

// Mortal is a Backend that can keep an item for less time than the others.
type Mortal interface {
	Backend
	// Kept returns how long an item is kept unless PutFor says less, 0 where that is
	// not known.
	Kept() time.Duration
	// PutFor saves as Put does, for a time from now on; 0 is as long as anything is kept.
	// The error is ErrExists, too, where a snapshot for longer than a day would not be
	// found beside others: then one for a day may be saved.
	PutFor(ctx context.Context, name string, files fs.FS, life time.Duration) error
}

// Replacer is a Backend that can remove what a new snapshot supersedes.
type Replacer interface {
	Backend
	// Replace saves a snapshot as Put does and removes the items of gone, in
	// one step. listed are the items that the run began with. If there is a
	// snapshot that is not among them, nothing is changed and the error is
	// ErrOvertaken: that snapshot may cover deltas which are gone and which
	// the new one does not hold. Items of gone that do not exist are no error.
	Replace(ctx context.Context, name string, files fs.FS, listed, gone []Item) error
}

// Renamer is a Backend that finds a history which was saved before a rename.
type Renamer interface {
	Backend
	// Former returns what List found out about names of before.
	Former() Former
}

// Follower is a Renamer that lists what was saved under former names again.
type Follower interface {
	Renamer
	// Follow returns all items with those that were saved under names which an earlier
	// run found out about, none where nothing shows any longer that they are the same.
	Follow(ctx context.Context, former Former) ([]Item, error)
}

// Finder is a Backend whose listing ends somewhere before everything it keeps.
type Finder interface {
	Backend
	// Missed returns the runs that may have saved more than the last listing has: of
	// unread, and then others.
	Missed(unread []int64) []int64
	// FindOf returns all items with those of some runs.
	FindOf(ctx context.Context, runs []int64) ([]Item, error)
}

// Former are the names under which a history was saved that goes on. Items that were
// saved under them are listed under the present ones.
type Former struct {
	Branch   string    `json:"branch,omitempty"`   // of the default branch; "" where it is the same
	Branches []string  `json:"branches,omitempty"` // other names that it had, under which deltas may have been saved
	Workflow string    `json:"workflow,omitempty"` // file of the workflow; "" where it is the same
	Found    time.Time `json:"found"`              // when a run first found it out

	Left []string `json:"-"` // others that have a history, which is not taken over: it is not clear that they are the same
	// Stray is the commit of a run that bears the default branch's name though its
	// commit is not on it or never was its tip; "" for none. What such runs saved is not trusted.
	Stray string `json:"-"`
}

// BranchNames returns all names that the default branch had.
func (f Former) BranchNames() []string {
	if f.Branch == "" {
		return f.Branches
	}
	return append([]string{f.Branch}, f.Branches...)
}

// Limited is a Backend from which a run may read only so many items.
type Limited interface {
	Backend
	// Room returns how many more items the run may read; 0 or less means none.
	Room() int
}

// Unlimited is the Room of a Backend without a limit.
const Unlimited = 1 << 30
