package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

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
