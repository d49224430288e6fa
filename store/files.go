package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// sidecars are the files SQLite keeps beside a database. The write-ahead log
// and the rollback journal may hold or guard committed rows; the shared memory
// file is an index that SQLite rebuilds.
const (
	walSuffix     = "-wal"
	journalSuffix = "-journal"
	shmSuffix     = "-shm"
)

// dsn returns the driver's name for the database file with parameters.
func dsn(file string, params ...string) string {
	slashed := filepath.ToSlash(file)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/…
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: strings.Join(params, "&")}
	return u.String()
}

// tempPrefix begins the names of all temporary files of the database at path.
func tempPrefix(path string) string { return filepath.Base(path) + ".tmp-" }

// sweep removes the temporary files that a killed run left beside path. The
// lock is held, so no living run owns any of them.
func sweep(path string) error {
	ours := regexp.MustCompile("^" + regexp.QuoteMeta(tempPrefix(path)) + `[0-9]+(-wal|-shm|-journal)?$`)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if ours.MatchString(e.Name()) {
			errs = append(errs, os.RemoveAll(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return errors.Join(errs...)
}

// removeDatabase removes a database file of our own and its sidecars.
func removeDatabase(file string) error {
	var errs []error
	for _, suffix := range []string{"", walSuffix, journalSuffix, shmSuffix} {
		errs = append(errs, removeIfThere(file+suffix))
	}
	return errors.Join(errs...)
}

func removeIfThere(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncFile makes what was written to file survive a power cut.
func syncFile(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		_ = f.Close()
		return fmt.Errorf("sync %s: %w", file, err)
	}
	return f.Close()
}

// regular returns the file's facts, nil when there is none, and an error when
// the name holds something that is no plain file: a link could lead anywhere
// and a pipe never ends.
func regular(file string) (fs.FileInfo, error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a %s, not a plain file", filepath.Base(file), kindOf(info.Mode()))
	}
	return info, nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	default:
		return "special file"
	}
}
