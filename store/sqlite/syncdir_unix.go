//go:build unix

package sqlite

import (
	"errors"
	"os"
)

// syncDir makes renames in dir survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
