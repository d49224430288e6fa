package gh

import (
	"crypto/rand"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestAnnotateIsReadBackAsItWas(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   Annotation
		want runnerCommand
	}{
		{"plain", Annotation{File: "tests/login.spec.ts", Line: 12, Title: "signs in", Message: "expected 1\ngot 2"},
			runnerCommand{"error", map[string]string{"file": "tests/login.spec.ts", "line": "12", "title": "signs in"}, "expected 1\ngot 2"}},
		{"without a place", Annotation{Message: "no report"}, runnerCommand{"error", map[string]string{}, "no report"}},
		{"a line without a file is none", Annotation{Line: 3, Message: "x"}, runnerCommand{"error", map[string]string{}, "x"}},
		{"a message is always there", Annotation{Title: "t", Message: " \n"}, runnerCommand{"error", map[string]string{"title": "t"}, "(no message)"}},
		{"title that adds a property", Annotation{Title: "x,file=/etc/passwd,line=1", Message: "m"},
			runnerCommand{"error", map[string]string{"title": "x,file=/etc/passwd,line=1"}, "m"}},
		{"title that ends the command", Annotation{Title: "x::m\n::set-env name=PATH::/tmp", Message: "m"},
			runnerCommand{"error", map[string]string{"title": "x::m ::set-env name=PATH::/tmp"}, "m"}},
		{"message that starts a command", Annotation{Message: "a\n::add-mask::x\r\n::set-output name=verdict::pass"},
			runnerCommand{"error", map[string]string{}, "a\n::add-mask::x\n::set-output name=verdict::pass"}},
		{"the older form of a command", Annotation{Title: "##[add-path]/tmp", Message: "##[set-output name=verdict;]pass"},
			runnerCommand{"error", map[string]string{"title": "##[add-path]/tmp"}, "##[set-output name=verdict;]pass"}},
		{"escapes of the runner stay text", Annotation{Title: "100%0A%2C", Message: "%0A%25"},
			runnerCommand{"error", map[string]string{"title": "100%0A%2C"}, "%0A%25"}},
		{"terminal escapes and hidden direction", Annotation{File: "a\x1b[2Jb\x00", Title: "\u202etxt", Message: "\x1b]0;x\x07y\u2066z"},
			runnerCommand{"error", map[string]string{"file": "ab␀", "title": "⟨U+202E⟩txt"}, "y⟨U+2066⟩z"}},
		{"broken UTF-8", Annotation{Message: "a\xffb"}, runnerCommand{"error", map[string]string{}, "a\ufffdb"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStep(t, nil)
			if err := s.Annotate(LevelError, tt.in); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]runnerCommand{tt.want}, readLog(s.log.String())); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestAnnotateBoundsItsTexts(t *testing.T) {
	t.Parallel()
	s := newStep(t, nil)
	long := strings.Repeat("é", 100_000)
	if err := s.Annotate(LevelWarning, Annotation{File: long, Title: long, Message: long}); err != nil {
		t.Fatal(err)
	}
	got := readLog(s.log.String())[0]
	for what, text := range map[string]string{"file": got.Properties["file"], "title": got.Properties["title"], "message": got.Data} {
		if n := utf8.RuneCountInString(text); n > 4096 || !strings.HasSuffix(text, "…") {
			t.Errorf("%s has %d characters and ends in %q", what, n, text[len(text)-4:])
		}
	}
}

func TestAnnotateShowsTenOfALevel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		given int
		shown int
		last  string
	}{
		{0, 0, ""}, {1, 1, "m1"}, {9, 9, "m9"}, {10, 10, "m10"},
		{11, 10, "2 more annotations of this kind are not shown here; the job summary has them all."},
		{200, 10, "191 more annotations of this kind are not shown here; the job summary has them all."},
	} {
		t.Run(itoa(tt.given), func(t *testing.T) {
			s := newStep(t, nil)
			for i := range tt.given {
				if err := s.Annotate(LevelError, Annotation{Message: fmt.Sprintf("m%d", i+1)}); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // flushing twice tells nothing twice
				if err := s.FlushAnnotations(); err != nil {
					t.Fatal(err)
				}
			}
			got := readLog(s.log.String())
			if len(got) != tt.shown {
				t.Fatalf("%d shown", len(got))
			}
			if tt.shown > 0 && got[tt.shown-1].Data != tt.last {
				t.Errorf("last is %q", got[tt.shown-1].Data)
			}
		})
	}
}

func TestAnnotateCountsLevelsApart(t *testing.T) {
	t.Parallel()
	s := newStep(t, nil)
	for range 8 {
		for _, level := range []Level{LevelError, LevelWarning, LevelNotice} {
			if err := s.Annotate(level, Annotation{Message: "x"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := len(readLog(s.log.String())); got != 24 {
		t.Errorf("%d of 24 shown", got)
	}
	if err := s.Annotate("set-env", Annotation{Message: "x"}); err == nil {
		t.Error("a level of another name was taken")
	}
}

// FuzzAnnotate checks that whatever the texts are, the runner reads exactly
// one annotation with no property but ours.
func FuzzAnnotate(f *testing.F) {
	f.Add("a.ts", "title", "message")
	f.Add("a,line=9", "::", "\n::error::x")
	f.Add("%2C", "##[add-path]x", "\r\n##[error]x")
	f.Add("\x85", "\u2028", "\x0b::error::x")
	f.Fuzz(func(t *testing.T, file, title, message string) {
		var log strings.Builder
		a := NewActions(func(string) string { return "" }, &log, rand.Reader)
		if err := a.Annotate(LevelError, Annotation{File: file, Line: 7, Title: title, Message: message}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "\n"); n != 1 || strings.Contains(log.String(), "\r") {
			t.Fatalf("%d lines: %q", n, log.String())
		}
		got := readLog(log.String())
		if len(got) != 1 || got[0].Name != "error" || got[0].Data == "" {
			t.Fatalf("read as %+v: %q", got, log.String())
		}
		for key := range got[0].Properties {
			if key != "file" && key != "line" && key != "title" {
				t.Errorf("property %q: %q", key, log.String())
			}
		}
		if line := got[0].Properties["line"]; line != "" && line != "7" {
			t.Errorf("line is %q", line)
		}
	})
}

// FuzzStopCommands checks that no output between stopped commands is taken for one.
func FuzzStopCommands(f *testing.F) {
	f.Add("::error::x")
	f.Add("a ##[add-path]x")
	f.Fuzz(func(t *testing.T, text string) {
		var log strings.Builder
		a := NewActions(func(string) string { return "" }, &log, rand.Reader)
		if err := a.StopCommands(&log, func(w io.Writer) { io.WriteString(w, text) }); err != nil {
			t.Fatal(err)
		}
		if err := a.Mask("after"); err != nil {
			t.Fatal(err)
		}
		if got := readLog(log.String()); len(got) != 1 || got[0].Data != "after" {
			t.Errorf("%q gave %+v", text, got)
		}
	})
}
