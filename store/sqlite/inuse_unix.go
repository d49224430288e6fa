//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/untrusted"
)

// dmsByte is the byte of a shared memory file on which every connection to a
// database in WAL mode holds a shared lock for as long as it lives
// (https://www.sqlite.org/walformat.html#wal_locks: the "deadman switch").
const dmsByte = 128

// inUse reports whether another process has the database open in WAL mode, as
// the seed does.
func inUse(path string) (bool, error) {
	info, err := untrusted.Regular(path + untrusted.SHMSuffix)
	if err != nil || info == nil {
		return false, err
	}
	f, err := os.Open(path + untrusted.SHMSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: dmsByte, Len: 1}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock)
	return lock.Type != syscall.F_UNLCK, store.Wrap(err, "ask for locks")
}
