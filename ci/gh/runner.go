package gh

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sethvargo/go-githubactions"
)

// Actions speaks to the runner on behalf of one step: inputs come from the
// environment, outputs and the job summary go to the runner's files, and
// annotations and masks are workflow commands on standard output.
//
// It is not safe for concurrent use, because commands are lines of one stream.
type Actions struct {
	action    *githubactions.Action
	getenv    func(string) string
	out       io.Writer
	random    io.Reader
	annotated map[Level]tally
}

// InActions reports whether the process runs as a GitHub Actions step. Outside
// of one, Actions has no one to speak to.
func InActions(getenv func(string) string) bool { return getenv("GITHUB_ACTIONS") == "true" }

// NewActions returns the step's Actions. Commands are written to out, the
// process's standard output; random is a cryptographic source, from which
// delimiters and tokens are drawn that a test run cannot guess.
func NewActions(getenv func(string) string, out io.Writer, random io.Reader) *Actions {
	return &Actions{
		action:    githubactions.New(githubactions.WithGetenv(getenv), githubactions.WithWriter(out)),
		getenv:    getenv,
		out:       out,
		random:    random,
		annotated: map[Level]tally{},
	}
}

// Input returns the named input without surrounding white space, "" when it is
// not set. The runner passes "junit-files" as INPUT_JUNIT-FILES: upper case,
// spaces to underscores, hyphens kept.
func (a *Actions) Input(name string) string { return a.action.GetInput(name) }

// Mask hides secret in everything the runner logs from now on. An empty secret
// is not masked: the runner would refuse it.
func (a *Actions) Mask(secret string) error {
	if strings.TrimSpace(secret) == "" {
		return nil
	}
	return a.issueCommand(githubactions.Command{Name: "add-mask", Message: secret})
}

// issueCommand writes one workflow command as a line of its own. go-githubactions
// escapes it; its own verb for writing panics when the stream is closed.
func (a *Actions) issueCommand(c githubactions.Command) error {
	if _, err := io.WriteString(a.out, c.String()+"\n"); err != nil {
		return fmt.Errorf("write workflow command %s: %w", c.Name, err)
	}
	return nil
}

// drawToken returns 128 random bits in hexadecimal.
func (a *Actions) drawToken() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(a.random, b[:]); err != nil {
		return "", fmt.Errorf("draw random token: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// appendTo appends text to the runner's file named by variable in one write.
func (a *Actions) appendTo(variable, text string) (err error) {
	path := a.getenv(variable)
	if path == "" {
		return fmt.Errorf("%s is not set: the runner names a file there for every step", variable)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open %s: %w", variable, err)
	}
	defer func() {
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("close %s: %w", variable, closeErr)
		}
	}()
	if _, err := f.WriteString(text); err != nil {
		return fmt.Errorf("write %s: %w", variable, err)
	}
	return nil
}

// StopCommands runs fn with a writer to w between a ::stop-commands:: line and its
// end, so that the runner takes nothing that fn writes for a command. The
// commands come back even when fn panics. Use it around every bulk output that
// may hold text of a test run; annotations inside it have no effect.
func (a *Actions) StopCommands(w io.Writer, fn func(io.Writer)) (err error) {
	token, err := a.drawToken()
	if err != nil {
		return fmt.Errorf("stop workflow commands: %w", err)
	}
	if _, err := io.WriteString(w, "::stop-commands::"+token+"\n"); err != nil {
		return fmt.Errorf("stop workflow commands: %w", err)
	}
	lines := &lineWriter{w: w, ended: true}
	defer func() {
		end := "::" + token + "::\n"
		if !lines.ended {
			end = "\n" + end
		}
		_, writeErr := io.WriteString(w, end)
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
	l.err = cmp.Or(l.err, err)
	return n, err
}
