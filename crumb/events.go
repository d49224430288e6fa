package crumb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/breadcrumb/action/engine"
)

// report keeps an event: in the file of events at once, in the database with
// the next save, and for Summary.
func (t *test) report(e engine.HealEvent) {
	process.tell(e)
	t.keeper.record(e)
	if t.options.Events == "" {
		return
	}
	if err := appendEvent(t.options.Events, e); err != nil {
		t.trouble(fmt.Errorf("write heal event: %w", err))
	}
}

// appendEvent adds one line to a file that other tests and processes add to as
// well: opened for appending and written at once, so that lines never mix. A
// line that a killed process left unfinished is ended first.
func appendEvent(path string, e engine.HealEvent) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	if unfinished(f) {
		line = append([]byte("\n"), line...)
	}
	_, err = f.Write(append(bytes.TrimRight(line, "\n"), '\n'))
	return errors.Join(err, f.Close())
}

// unfinished reports whether a file does not end with its line.
func unfinished(f *os.File) bool {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, size-1)
	return err == nil && last[0] != '\n'
}
