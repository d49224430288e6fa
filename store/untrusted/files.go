package untrusted

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/breadcrumb/action/store"
)

// sidecars are the files SQLite keeps beside a database. The write-ahead log
// and the rollback journal may hold or guard committed rows; the shared memory
// file is an index that SQLite rebuilds.
const (
	WALSuffix     = "-wal"
	JournalSuffix = "-journal"
	SHMSuffix     = "-shm"
)

// DSN returns the driver's name for the database file with parameters.
func DSN(file string, params ...string) string {
	slashed := filepath.ToSlash(file)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/…
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: strings.Join(params, "&")}
	return u.String()
}

// RemoveDatabase removes a database file of our own and its sidecars.
func RemoveDatabase(file string) error {
	var errs []error
	for _, suffix := range []string{"", WALSuffix, JournalSuffix, SHMSuffix} {
		errs = append(errs, RemoveIfThere(file+suffix))
	}
	return errors.Join(errs...)
}

// RemoveIfThere removes a file; a missing one is no error.
func RemoveIfThere(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Regular describes a plain file, nil when there is none. Other kinds of files
// are an error: a link could lead anywhere and a pipe never ends.
func Regular(file string) (fs.FileInfo, error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a %s, not a plain file", filepath.Base(file), fileKind(info.Mode()))
	}
	return info, nil
}

func fileKind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	default:
		return "special file"
	}
}

// Unreadable wraps ErrUnreadable with the file, the cause and what to do.
func Unreadable(path string, cause error) error {
	return fmt.Errorf("%s: %w: %w; move the file aside to start a new history, or put a good copy in its place",
		path, store.ErrUnreadable, cause)
}
