package text_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine/text"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain text", "plain ä日本🙂 [31] b[x] [m [", "plain ä日本🙂 [31] b[x] [m ["},
		{"lines and tabs", "a\tb\nc", "a\tb\nc"},
		{"line ends", "a\r\nb\rc\vd\fe\u0085f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh"},
		{"invalid UTF-8", "a\xffb\xc3", "a\uFFFDb\uFFFD"},

		{"colours", "\x1b[31mred\x1b[0m \x1b[38;5;208;1mbold\x1b[m \x1b[38:2::1:2:3mx", "red bold x"},
		{"colours of pytest", "E  #x1B[2m  - waiting#x1B[22m #x1B[0;31mred", "E    - waiting red"},
		{"charset", "expected\x1b(B\x1b[m 1 \x1b[>4;2mgot 2\x1b)0", "expected 1 got 2"},
		{"cursor and screen", "\x1b[2J\x1b[1;1H\x1b[?25lx\x1b[0 q\x1b[!p", "x"},
		{"short escapes", "\x1bc\x1b7\x1b=\x1b#8\x1bMx\x1b", "x"},
		{"single shifts", "\x1bOA\x1bNBx\x1bO", "x"},
		{"a title", "\x1b]0;t\atext \x1b]0;t\x1b\\more", "text more"},
		{"a link", "\x1b]8;;https://evil\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"device control and others", "\x1bPq#0\x1b\\a\x1bXs\x1b\\b\x1b^p\x1b\\c\x1b_x\x1b\\d", "abcd"},
		{"a string without an end hides nothing", "an open \x1b]0;title\nstays", "an open 0;title\nstays"},
		{"a string stops at the next sequence", "\x1b]0;a\x1b[31mb\a", "0;ab␇"},
		{"a sequence without an end", "a\x1b[31", "a31"},
		{"a sequence in a sequence", "\x1b[3\x1b[0m1mx", "31mx"},
		{"8-bit controls", "\u009b31mred\u009b0m \u009d0;t\u009ct \u0090q\u009cu \u009b>4;2mv", "red t u v"},
		{"8-bit bytes", "\x9b31mred\x9b0m", "red"},
		{"other 8-bit controls", "a\u0084b\u009c", "a⟨U+0084⟩b"},

		{"colours whose escape was dropped", "[2mexpect([22m[31mreceived[39m[>4;2m[2m)[22m", "expect(received)"},
		{"what is no colour", "rate(x[5m]) and [12m] a[5000m [m [;m", "rate(x[5m]) and [12m] a[5000m [m [;m"},
		{"a reset whose escape was dropped", "red(B[m done", "red done"},
		{"sequences whose escape was replaced", "\uFFFD[31mred\uFFFD[0m\uFFFD[K \uFFFD[?25lx\uFFFD(B y", "red x y"},
		{"a replaced escape before a bracket", "caf\uFFFD(Bar) \uFFFD[Ab]", "caf\uFFFD(Bar) \uFFFD[Ab]"},
		{"colours that source code spells out", `"\x1b[31m" '\033[0m' "\u001b[1m" \e[2m`, `"\x1b[31m" '\033[0m' "\u001b[1m" \e[2m`},
		{"a colour made by removing another", "[3[31m1mx [3\u200d1my", "x y"},

		{"overstruck bold and underlined", "N\bNA\bA_\bM\b_E", "NAME"},
		{"underlined from behind", "a\b_b", "ab"},
		{"other backspaces", "\bpays\b\bx", "␈pays␈␈x"},
		{"control characters", "a\x00b\x07\x7f", "a␀b␇␡"},
		{"unassigned characters", "a\U0007700ab\uffffc", "a⟨U+7700A⟩b⟨U+FFFF⟩c"},
		{"bidirectional controls", "\u202egnp.exe \u2066x\u2069 \u200fy", "⟨U+202E⟩gnp.exe ⟨U+2066⟩x⟨U+2069⟩ ⟨U+200F⟩y"},
		{"zero width", "a\u200bb\u2060", "a⟨U+200B⟩b⟨U+2060⟩"},
		{"tags, fillers, private use", "\U000e0041\u3164\u115f\ue000", "⟨U+E0041⟩⟨U+3164⟩⟨U+115F⟩⟨U+E000⟩"},
		{"joiners go", "👩\u200d🚀 so\u00adft \ufeffbom", "👩🚀 soft bom"},
		{"piled-up marks", "e" + strings.Repeat("\u0301", 9) + "x\u0301", "e\u0301\u0301\u0301\u0301x\u0301"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) is\n%q, want\n%q", tt.in, got, tt.want)
			}
			checkClean(t, tt.in)
		})
	}
}

func TestLine(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""}, {" \n\t ", ""},
		{"  two\t\tspaces\r\nand\u00a0\u3000lines ", "two spaces and lines"},
		{strings.Repeat("x", 20<<10), strings.Repeat("x", 16<<10) + "…"},
	} {
		if got := text.Line(tt.in); got != tt.want {
			t.Errorf("Line(%.80q) is %.80q, want %.80q", tt.in, got, tt.want)
		}
	}
}

// checkClean holds what is promised of every text.
func checkClean(t *testing.T, s string) {
	t.Helper()
	got := text.Clean(s)
	if !utf8.ValidString(got) {
		t.Fatalf("Clean(%q) is invalid UTF-8: %q", s, got)
	}
	for _, r := range got {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) {
			t.Fatalf("Clean(%q) holds %U: %q", s, r, got)
		}
	}
	if again := text.Clean(got); again != got {
		t.Fatalf("Clean(%q) is %q, cleaned again %q", s, got, again)
	}
}

// pieces are what sequences are made of, and what may stand around them.
var pieces = []string{
	"\x1b", "\u009b", "\u009d", "\u0090", "\u009c", "\x9b", "\xc2", "\xff", "\uFFFD", "[", "]", "(", ")", "B", "0", "1", "31", ";", ":", ">", "?", " ", "m", "K", "J", "x", "O",
	"\a", "\\", "\b", "_", "\x00", "\r", "\n", "\t", "\u200d", "\u200b", "\u202e", "\u0301", "\u3164", "é", "日", `\x1b`, `\e`, "[31m", "\x1b[0m", "\x1b]0;", "(B", "[m", "\uFFFD(B",
}

func TestCleanOfRandomSequences(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		checkClean(t, b.String())
	}
}

// Hostile texts are cleaned in a time that grows with their length alone: a
// square of it would take hours here.
func TestCleanOfLongTexts(t *testing.T) {
	for _, piece := range append(pieces, "[3", "1m", "\x1b[", "\x1b]a", "\u009da", "[1;", "\x1bP\t", "a\b") {
		text.Clean(strings.Repeat(piece, 1<<17))
	}
}

func FuzzClean(f *testing.F) {
	for _, piece := range pieces {
		f.Add("a" + piece + "b" + piece)
	}
	f.Fuzz(func(t *testing.T, s string) { checkClean(t, s) })
}

func BenchmarkClean(b *testing.B) {
	for name, s := range map[string]string{
		"message":  strings.Repeat("Error: expect(locator).toHaveText(expected) failed; got \"Basket\", want \"Cart\"\n", 20),
		"trace":    strings.Repeat("    at LoginPage.signIn (tests/login.spec.ts:12:20) › [chromium] array[3] of 10 items\n", 20),
		"coloured": strings.Repeat("\x1b[2mexpect(\x1b[22m\x1b[31mreceived\x1b[39m\x1b[2m).\x1b[22mtoBe\x1b[2m(\x1b[22m\x1b[32mexpected\x1b[39m\x1b[2m)\x1b[22m\n", 20),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				text.Clean(s)
			}
		})
	}
}
