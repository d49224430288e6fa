package cli

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// tally counts how much of some files was read.
type tally struct {
	read  atomic.Int64
	total int64 // bytes, 0 where a file does not say its size
}

func newTally(names []string) *tally {
	t := &tally{}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return &tally{}
		}
		t.total += info.Size()
	}
	return t
}

// said is how far the reading is, in words.
func (t *tally) said() string {
	const mega = 1e6
	read := float64(t.read.Load()) / mega
	if t.total == 0 || read*mega > float64(t.total) { // what is packed has more
		return fmt.Sprintf("reading, %.0f MB so far", read)
	}
	return fmt.Sprintf("reading, %.0f of %.0f MB", read, float64(t.total)/mega)
}

// counted returns open with what is read counted.
func (t *tally) counted(open func(string) (io.ReadCloser, error)) func(string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		return countedReader{f, t}, nil
	}
}

// countedReader adds what is read to a tally.
type countedReader struct {
	io.ReadCloser
	t *tally
}

func (r countedReader) Read(into []byte) (int, error) {
	n, err := r.ReadCloser.Read(into)
	r.t.read.Add(int64(n))
	return n, err
}
