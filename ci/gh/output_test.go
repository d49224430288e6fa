package gh

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		{"two texts are written one after the other", []string{"# a", "b\n"}, 6, false, false},
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
