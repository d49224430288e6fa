//go:build unix

package trial

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The commands start a process that nothing but a signal ends, and that a keyboard's
// interrupt does not. Its end shows as the end of what is read from the pipe it holds.
func TestNoProcessOutlivesItsCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		interrupted  bool
		want         int
	}{
		{"the command ends by itself", "sleep 100000 >pipe & exit 3", false, 3},
		{"the trial is over", "(echo started; exec sleep 100000) >pipe & wait", true, 130},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			must(t, syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
			pipe, err := os.OpenFile(filepath.Join(folder, "pipe"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
			must(t, err)
			defer pipe.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			type ending struct {
				code int
				err  error
			}
			ended := make(chan ending, 1)
			holder, err := os.OpenFile(filepath.Join(folder, "pipe"), os.O_WRONLY, 0) // or nothing is there to read before the command runs
			must(t, err)
			go func() {
				code, err := runProcess(ctx, []string{"sh", "-c", c.script}, folder, os.Environ())
				_ = holder.Close()
				ended <- ending{code, err}
			}()
			read := bufio.NewReader(pipe)
			if c.interrupted {
				_, err = read.ReadString('\n')
				must(t, err)
				cancel()
			}
			if e := <-ended; e.err != nil || e.code != c.want {
				t.Errorf("it ended with %d, %v; want %d", e.code, e.err, c.want)
			}
			_, err = io.ReadAll(read)
			must(t, err)
		})
	}
}
