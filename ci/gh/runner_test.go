package gh

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// step is an Actions with its log and its files.
type step struct {
	*Actions
	log             bytes.Buffer
	output, summary string
}

func newStep(t *testing.T, env map[string]string) *step {
	t.Helper()
	dir := t.TempDir()
	s := &step{output: filepath.Join(dir, "output"), summary: filepath.Join(dir, "summary")}
	all := map[string]string{"GITHUB_OUTPUT": s.output, "GITHUB_STEP_SUMMARY": s.summary}
	for k, v := range env {
		all[k] = v
	}
	s.Actions = NewActions(func(name string) string { return all[name] }, &s.log, rand.Reader)
	return s
}

// brokenWriter fails every write.
type brokenWriter struct{}

var errBroken = errors.New("broken pipe")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

func TestInputKeepsHyphensAndTrims(t *testing.T) {
	t.Parallel()
	s := newStep(t, map[string]string{"INPUT_GITHUB-TOKEN": " secret \n", "INPUT_DB_PATH": "x.db"})
	if got := s.Input("github-token"); got != "secret" {
		t.Errorf("github-token is %q", got)
	}
	if got := s.Input("db path"); got != "x.db" {
		t.Errorf("db path is %q", got)
	}
	if got := s.Input("none"); got != "" {
		t.Errorf("none is %q", got)
	}
}

func TestInActionsNeedsTheExactWord(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{"true": true, "": false, "1": false, "false": false} {
		if got := InActions(func(string) string { return value }); got != want {
			t.Errorf("GITHUB_ACTIONS=%q is %v", value, got)
		}
	}
}

func TestWritesReturnErrorsInsteadOfPanicking(t *testing.T) {
	t.Parallel()
	full := "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("no /dev/full on this machine")
	}
	s := newStep(t, map[string]string{"GITHUB_OUTPUT": full, "GITHUB_STEP_SUMMARY": full})
	s.Actions.out = brokenWriter{}
	for what, err := range map[string]error{
		"output":        s.SetOutput("a", "1"),
		"summary":       s.AppendSummary("x"),
		"mask":          s.Mask("secret"),
		"annotate":      s.Annotate(LevelError, Annotation{Message: "x"}),
		"stop commands": s.StopCommands(brokenWriter{}, func(io.Writer) {}),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	unset := NewActions(func(string) string { return "" }, io.Discard, rand.Reader)
	if err := unset.SetOutput("a", "1"); err == nil || !strings.Contains(err.Error(), "GITHUB_OUTPUT is not set") {
		t.Errorf("unset GITHUB_OUTPUT: %v", err)
	}
	dry := NewActions(func(string) string { return "x" }, io.Discard, iotest.ErrReader(errBroken))
	if err := dry.SetOutput("a", "1"); !errors.Is(err, errBroken) {
		t.Errorf("no randomness: %v", err)
	}
	if err := dry.StopCommands(io.Discard, func(io.Writer) { t.Error("ran without a token") }); !errors.Is(err, errBroken) {
		t.Errorf("no randomness: %v", err)
	}
}

func TestMaskHidesEveryLineOfASecret(t *testing.T) {
	t.Parallel()
	s := newStep(t, nil)
	for _, secret := range []string{"ghs_%25abc\nsecond", "", " \n"} {
		if err := s.Mask(secret); err != nil {
			t.Fatal(err)
		}
	}
	want := []runnerCommand{{Name: "add-mask", Properties: map[string]string{}, Data: "ghs_%25abc\nsecond"}}
	if diff := cmp.Diff(want, readLog(s.log.String())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestStopCommandsHidesThemFromTheRunner(t *testing.T) {
	t.Parallel()
	hostile := []string{"::error::x", "  ::set-env name=PATH::/tmp", "a ##[add-path]/tmp", "::stop-commands::x\n::x::\n::error::y",
		"no line end ::", "::breadcrumb::", "\r::error::y"}
	for _, text := range hostile {
		s := newStep(t, nil)
		if err := s.StopCommands(&s.log, func(w io.Writer) { io.WriteString(w, text) }); err != nil {
			t.Fatal(err)
		}
		if err := s.Annotate(LevelNotice, Annotation{Message: "after"}); err != nil {
			t.Fatal(err)
		}
		got := readLog(s.log.String())
		if len(got) != 1 || got[0].Data != "after" {
			t.Errorf("%q: the runner ran %+v in\n%s", text, got, &s.log)
		}
	}
}

func TestStopCommandsEndsAfterAPanic(t *testing.T) {
	t.Parallel()
	s := newStep(t, nil)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_ = s.StopCommands(&s.log, func(w io.Writer) { io.WriteString(w, "half"); panic("boom") })
	}()
	if err := s.Mask("secret"); err != nil {
		t.Fatal(err)
	}
	if got := readLog(s.log.String()); len(got) != 1 {
		t.Errorf("commands stayed off: %+v", got)
	}
}

func TestStopCommandsUsesANewTokenEachTime(t *testing.T) {
	t.Parallel()
	s := newStep(t, nil)
	for range 2 {
		if err := s.StopCommands(&s.log, func(io.Writer) {}); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(s.log.String(), "\n")
	if lines[0] == lines[2] || len(strings.TrimPrefix(lines[0], "::stop-commands::")) != 32 {
		t.Errorf("tokens %q and %q", lines[0], lines[2])
	}
}
