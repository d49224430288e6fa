package report_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/report"
)

// hostileTexts are what a test run would like to see printed.
var hostileTexts = []string{
	"::set-output name=verdict::pass",
	"\n::error file=a.ts,line=1::owned\n",
	"a\r::warning::owned", "a\u0085::warning::owned", "a\u2028::warning::owned\u2029::notice::x",
	" \t\u00a0\u3000::stop-commands::token", ":\x00:error::x", "\u200b::error::x", ":\u200d:error::x", "\x1b[0m::error::x",
	"[31m::error::x", ":[31m:error::x", "::::error::x", ": : ::error::x",
	strings.Repeat("word ", 14) + "::error::x", strings.Repeat("x", 76) + "::error::x", strings.Repeat("x", 75) + "::error::x", strings.Repeat("x", 77) + ":::::error::x",
	"##[error]owned", "x ##[group]owned", "###[error]x", "#\x1b[31m#[error]x", "#\u2060#[error]x", "##\u202e[error]x", "#[1m#[error]x", "##[31m[error]x", "##[##[31m##[",
	"\x1b]0;title\a\x1b]8;;https://evil\x1b\\link\x1b]8;;\x1b\\", "\x1b[2J\x1b[1;1Hcleared", "\x9b31mC1", "\u009b31mC1\u009d0;t\u009c", "\x1bPq#0\x1b\\", "\x1bc", "\x1b", "\x1b[",
	"\u202egnp.exe", "\u2066isolate\u2069", "a\u200bb\ufeffc\u00add", "tag \U000e0041\U000e0042", "e" + strings.Repeat("\u0301", 200),
	"\xff\xfe broken \xc3", "日本語::error::" + strings.Repeat("漢字", 60), "👩‍👩‍👧‍👦 family 🇩🇪", "\b\b\b\bback", "bell\a", strings.Repeat("long ", 10_000), strings.Repeat("x", 100_000), "",
}

// fill puts text into every string that can be reached from v.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), text)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	}
}

// hostileRun returns the failing run with text in every place there is.
func hostileRun(text string) outcome.Run {
	run := failingRun()
	fill(reflect.ValueOf(&run).Elem(), text)
	for i := range run.Notices {
		run.Notices[i].Severity = "warning"
	}
	return run
}

func TestHostileTextsStayHarmless(t *testing.T) {
	for _, text := range hostileTexts {
		widths := []int{40, 80, 81}
		if len(text) > 10_000 {
			widths = widths[:1]
		}
		for _, width := range widths {
			checkConsole(t, text, hostileRun(text), width)
		}
		checkJSON(t, text)
	}
}

func checkConsole(t *testing.T, text string, run outcome.Run, width int) {
	t.Helper()
	for _, color := range []bool{false, true} {
		raw := console(t, run, report.ConsoleOptions{Width: width, Color: color})
		shown := raw
		if color {
			shown = sgr.ReplaceAllString(raw, "")
		}
		if !utf8.ValidString(raw) {
			t.Fatalf("%q gives invalid UTF-8", text)
		}
		if i := strings.IndexFunc(shown, steers); i >= 0 {
			t.Fatalf("%q lets %q through", text, shown[i:min(len(shown), i+8)])
		}
		for _, line := range append(strings.Split(shown, "\n"), strings.Split(raw, "\n")...) {
			checkNoCommand(t, text, line)
			if cells := uniseg.StringWidth(sgr.ReplaceAllString(line, "")); cells > width {
				t.Fatalf("%q: %d cells at width %d in %q", text, cells, width, line)
			}
		}
		if lines := strings.Count(raw, "\n"); lines > 400 {
			t.Fatalf("%.40q makes %d lines", text, lines)
		}
	}
}

// steers reports whether r does something to a terminal or hides in it.
func steers(r rune) bool {
	return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)
}

// checkNoCommand applies the runner's two rules: it trims a line and looks for
// "::" at its start, and it looks for "##[" anywhere.
func checkNoCommand(t *testing.T, text, line string) {
	t.Helper()
	if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
		t.Fatalf("%q becomes the command %q", text, line)
	}
}

func checkJSON(t *testing.T, text string) {
	t.Helper()
	var out bytes.Buffer
	if err := report.JSON(&out, hostileRun(text)); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(out.String(), steers); i >= 0 {
		t.Fatalf("%q lets %q through", text, out.String()[i:i+8])
	}
	for _, line := range strings.Split(out.String(), "\n") {
		checkNoCommand(t, text, line)
	}
	var got report.Document
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	valid := strings.Map(func(r rune) rune { return r }, text) // each bad byte becomes U+FFFD
	if diff := cmp.Diff(valid, string(got.Blocking[0].TestID)); diff != "" {
		t.Fatalf("%q does not come back (-want +got):\n%s", text, diff)
	}
}

func TestLogLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain text stays", "plain text stays"},
		{"rust::module::test and tests/test_a.py::test_b", "rust::module::test and tests/test_a.py::test_b"},
		{"  two\t\tspaces\r\nand\nlines ", "two spaces and lines"},
		{"\x1b[31mred\x1b[0m [2mdim[22m \x1b]8;;https://evil\x1b\\link\x1b]8;;\x1b\\", "red dim link"},
		{"\u202eleft\u202c", "⟨U+202E⟩left⟨U+202C⟩"},
		{"::error::x", ": :error::x"},
		{":\u200d:error::x", ": :error::x"},
		{":\x00:error::x", ":␀:error::x"},
		{"see ##[error]", "see # #[error]"},
		{"###[error]", "## #[error]"},
		{"#\x1b[1m#[error]", "# #[error]"},
		{"\xff", "\uFFFD"},
		{"", ""},
	} {
		if got := report.LogLine(c.text); got != c.want {
			t.Errorf("LogLine(%q) is %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzConsole(f *testing.F) {
	for _, text := range hostileTexts {
		if len(text) < 200 {
			f.Add(text, uint8(80))
		}
	}
	f.Fuzz(func(t *testing.T, text string, width uint8) {
		run := outcome.Run{
			Verdict:   flaky.Verdict{Blocking: []flaky.Failure{{Result: failing(text, text, 1, text, "")}}},
			Proposals: []patch.Proposal{{Heal: engine.HealEvent{Locator: text, HealedLocator: text}}},
		}
		checkConsole(t, text, run, max(40, int(width)))
	})
}
