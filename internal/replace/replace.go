// Package replace puts a file in the place of another, also on a system where a
// program that has the other open, such as a virus scanner or a second run that
// reads it, forbids that for a moment. Call Write with the content, or File for a
// file that is written already.
package replace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// patience is how long a rename waits for others to close the file. On Windows a
// scanner holds a fresh file for some hundred milliseconds.
const patience = 3 * time.Second

// Write makes content the content of the file name, completely or not at all. Until
// then it is in a temporary file of the same folder, named by the pattern as for
// [os.CreateTemp].
func Write(name, pattern string, content func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), pattern)
	if err != nil {
		return err
	}
	if err = content(f); err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = File(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// File renames the file from to the name to, in the place of what is there. Where
// the system says that another program has one of them open, it tries again for
// three seconds.
func File(from, to string) error {
	pause := 5 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		err := os.Rename(from, to)
		if err == nil || !busy(err) || waited >= patience {
			return err
		}
		time.Sleep(pause)
		pause = min(2*pause, 200*time.Millisecond)
	}
}
