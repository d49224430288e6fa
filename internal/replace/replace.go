// Package replace puts a file in the place of another, also on a system where a
// program that has the other open, such as a virus scanner or a second run that
// reads it, forbids that for a moment. Call File.
package replace

import (
	"os"
	"time"
)

// patience is how long a rename waits for others to close the file. On Windows a
// scanner holds a fresh file for some hundred milliseconds.
const patience = 3 * time.Second

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
