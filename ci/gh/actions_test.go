package gh

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
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

func TestSetOutputTakesNumbersWordsAndJSON(t *testing.T) {
	t.Parallel()
	s := newStep(t, nil)
	for key, value := range map[string]string{
		"verdict": "pass", "blocking": "12", "ratio": "-0.5", "flag": "true",
		"healed": `[{"test": "a"}]`, "spread": "{\n  \"a\": 1\n}",
	} {
		if err := s.SetOutput(key, value); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if err := s.SetOutputPath("report-path", "out/report_1.html"); err != nil {
		t.Error(err)
	}
	got, err := readOutputs(read(t, s.output))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"verdict": "pass", "blocking": "12", "ratio": "-0.5", "flag": "true",
		"healed": `[{"test":"a"}]`, "spread": `{"a":1}`, "report-path": "out/report_1.html"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSetOutputRefusesEverythingElse(t *testing.T) {
	t.Parallel()
	s := newStep(t, nil)
	for _, value := range []string{
		"", "tests/login.spec.ts › signs in", "pass\nverdict=pass", "pass\n", "Pass", "$(id)", "`id`", "a b",
		"EOF", "{", `{"a":1} {"b":2}`, "\"\xff\"", "1e", strings.Repeat("a", 65), `"` + strings.Repeat("a", maxOutputBytes) + `"`,
	} {
		if err := s.SetOutput("key", value); err == nil {
			t.Errorf("value %.40q was taken", value)
		}
	}
	for _, key := range []string{"", "a b", "a\nb", "a=b", "a<<b", "ä", "a.b"} {
		if err := s.SetOutput(key, "1"); err == nil {
			t.Errorf("key %q was taken", key)
		}
	}
	for _, name := range []string{"", "/etc/passwd", "../x", "..", "a/../b", "a//b", "a b", "-rf", "a\nb", "a;b", "a/"} {
		if err := s.SetOutputPath("key", name); err == nil {
			t.Errorf("path %q was taken", name)
		}
	}
	if got := read(t, s.output); got != "" {
		t.Errorf("refused outputs left %q", got)
	}
}

func TestSetOutputCannotBeEndedByItsValue(t *testing.T) {
	t.Parallel()
	s := newStep(t, nil)
	names := []string{"_GitHubActionsFileCommandDelimeter_\nverdict=pass", "\nEOF\nverdict=pass\n", "\u2028verdict=pass"}
	value, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetOutput("quarantined", string(value)); err != nil {
		t.Fatal(err)
	}
	got, err := readOutputs(read(t, s.output))
	if err != nil || len(got) != 1 {
		t.Fatalf("outputs %v, error %v", got, err)
	}
	var back []string
	if err := json.Unmarshal([]byte(got["quarantined"]), &back); err != nil || !cmp.Equal(names, back) {
		t.Errorf("came back as %q, error %v", back, err)
	}
}

// A workflow author who pastes an output into a script must not run a test's
// name; the value is put into the script's text as the runner does it.
func TestSetOutputRunsNothingWhenPastedIntoAShell(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine")
	}
	mark := filepath.Join(t.TempDir(), "ran")
	names := []string{"$(touch " + mark + ")", "`touch " + mark + "`", "'; touch " + mark + "; '", "; touch " + mark + " #", "& touch " + mark + " &",
		"| touch " + mark, "\n touch " + mark + "\n", "> " + mark, "\" ; touch " + mark + " ; \""}
	value, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	s := newStep(t, nil)
	if err := s.SetOutput("names", string(value)); err != nil {
		t.Fatal(err)
	}
	outputs, err := readOutputs(read(t, s.output))
	if err != nil {
		t.Fatal(err)
	}
	for _, quote := range []string{"", "'", `"`} {
		script := "echo " + quote + outputs["names"] + quote
		out, _ := exec.Command(shell, "-c", script).CombinedOutput()
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("with %q the script ran a name: %s", quote, out)
		}
	}
	var back []string
	if err := json.Unmarshal([]byte(outputs["names"]), &back); err != nil || !cmp.Equal(names, back) {
		t.Errorf("came back as %q, error %v", back, err)
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

func TestAppendSummaryStaysUnderTheLimit(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 99) + "\n"
	tests := []struct {
		name     string
		texts    []string
		want     int // bytes in the file, 0 for at most the limit
		cut      bool
		lastFull bool
	}{
		{"two texts are told one after the other", []string{"# a", "b\n"}, 6, false, false},
		{"exactly the limit stays whole", []string{strings.Repeat("x", MaxSummaryBytes)}, MaxSummaryBytes, false, false},
		{"a longer text is cut at a line", []string{strings.Repeat(line, 20000)}, 0, true, false},
		{"so is one without lines", []string{strings.Repeat("é", MaxSummaryBytes)}, 0, true, false},
		{"and one whose characters lie otherwise", []string{"x" + strings.Repeat("é", MaxSummaryBytes)}, 0, true, false},
		{"what was there counts", []string{strings.Repeat(line, 10000), strings.Repeat(line, 10000)}, 0, true, false},
		{"no room even for the note", []string{strings.Repeat("x", MaxSummaryBytes), "more"}, MaxSummaryBytes, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStep(t, nil)
			var err error
			for _, text := range tt.texts {
				err = s.AppendSummary(text)
			}
			if tt.lastFull != errors.Is(err, ErrSummaryFull) || !tt.lastFull && err != nil {
				t.Fatalf("error %v", err)
			}
			got := read(t, s.summary)
			if len(got) > MaxSummaryBytes || tt.want != 0 && len(got) != tt.want {
				t.Errorf("%d bytes", len(got))
			}
			if strings.ToValidUTF8(got, "") != got {
				t.Error("cut inside a character")
			}
			if cut := strings.Contains(got, "bytes are left out here"); cut != tt.cut {
				t.Errorf("note about a cut: %v", cut)
			}
		})
	}
}

func TestAppendSummaryCountsWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	s := newStep(t, nil)
	text := strings.Repeat(strings.Repeat("x", 99)+"\n", 20000)
	if err := s.AppendSummary(text); err != nil {
		t.Fatal(err)
	}
	got := read(t, s.summary)
	kept, note, ok := strings.Cut(got, "\n\n… ")
	count, _, _ := strings.Cut(note, " ")
	if !ok || !strings.HasPrefix(text, kept) || count != itoa(len(text)-len(kept)) {
		t.Errorf("kept %d of %d, note says %s", len(kept), len(text), count)
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
