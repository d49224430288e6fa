package gh

import (
	"errors"
	"fmt"
	"io"
)

// Quiet runs fn with a writer to w between a ::stop-commands:: line and its
// end, so that the runner takes nothing that fn writes for a command. The
// commands come back even when fn panics. Use it around every bulk output that
// may hold text of a test run; annotations inside it would not be heard.
func (a *Actions) Quiet(w io.Writer, fn func(io.Writer)) (err error) {
	token, err := a.token()
	if err != nil {
		return fmt.Errorf("stop workflow commands: %w", err)
	}
	if _, err := io.WriteString(w, "::stop-commands::"+token+"\n"); err != nil {
		return fmt.Errorf("stop workflow commands: %w", err)
	}
	lines := &lineWriter{w: w, ended: true}
	defer func() {
		_, writeErr := io.WriteString(w, lines.lineEnd()+"::"+token+"::\n")
		if failure := errors.Join(lines.err, writeErr); failure != nil {
			err = fmt.Errorf("write between stopped workflow commands: %w", failure)
		}
	}()
	fn(lines)
	return nil
}

// lineWriter passes writes on and knows whether the last line is ended: the
// runner reads a command only at the start of one.
type lineWriter struct {
	w     io.Writer
	ended bool
	err   error // first failed write
}

// Write implements [io.Writer].
func (l *lineWriter) Write(p []byte) (int, error) {
	n, err := l.w.Write(p)
	if n > 0 {
		l.ended = p[n-1] == '\n'
	}
	if err != nil && l.err == nil {
		l.err = err
	}
	return n, err
}

// lineEnd returns what ends the last line.
func (l *lineWriter) lineEnd() string {
	if l.ended {
		return ""
	}
	return "\n"
}
