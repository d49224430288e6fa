package patch

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
)

// TestAByteThatSourceMustNotHoldRefusesTheEdit tries each control character, the marks
// that reorder or hide text, and bytes that are no UTF-8, as a healer's new locator and in
// the file itself, in each language.
func TestAByteThatSourceMustNotHoldRefusesTheEdit(t *testing.T) {
	var bad []string
	for r := range rune(0xa0) {
		if r < 0x20 || r >= 0x7f {
			bad = append(bad, string(r))
		}
	}
	for _, r := range "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\ufffe\uffff" {
		bad = append(bad, string(r))
	}
	bad = append(bad, "\xff", "\xc0\x80", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80", string(utf8.RuneError)) // with both halves of a surrogate pair
	for file, line := range map[string]string{
		"a.spec.ts":     "test('a', async ({ page }) => { await page.locator('#old').click(); });\n",
		"test_a.py":     "def test_a(page):\n    page.locator('#old').click()\n",
		"ATest.java":    "class ATest {\n  @Test void a() { page.locator(\"#old\").click(); }\n}\n",
		"ATests.cs":     "class ATests {\n  [Test] public async Task A() { await Page.Locator(\"#old\").ClickAsync(); }\n}\n",
		"a_test.go":     "package a\n\nfunc TestA(t *testing.T) { page.Locator(\"#old\").Click() }\n",
		"component.tsx": "test('a', async ({ page }) => { await page.locator(`#old`).click(); });\n",
	} {
		test := engine.TestResult{File: file, Name: map[bool]string{true: "TestA", false: "a"}[file == "a_test.go"]}
		propose := func(text, healed string) Proposal {
			site := engine.Site{File: file, Line: 1}
			for _, c := range text[:len(text)/2] {
				if c == '\n' {
					site.Line++
				}
			}
			return New(fstest.MapFS{file: {Data: []byte(text)}}).Propose(engine.HealEvent{Locator: "#old", HealedLocator: healed, Confidence: 1,
				Outcome: engine.OutcomeHealed, Site: &site, Matches: []engine.Match{{Locator: healed, Count: 1}}}, &test)
		}
		if p := propose(line, "#new"); p.Edit == nil {
			t.Fatalf("%s: %s", file, p.Reason)
		}
		for _, c := range bad {
			if c >= "\t" && c <= "\r" || c >= "\u0080" && utf8.ValidString(c) && !strings.Contains(reordering, c) {
				continue // white space, and what stands in texts of some languages
			}
			if p := propose(strings.Replace(line, "#old", "#old"+c, 1)+"#old"+c, "#new"); p.Edit != nil {
				t.Errorf("%s with %q is edited: %q", file, c, p.Edit.After)
			}
			if p := propose(strings.TrimSuffix(line, "\n")+comment(file)+c, "#new"); p.Edit != nil && strings.Contains(p.Edit.Before, c) {
				t.Errorf("%s with %q in a comment is edited", file, c)
			}
		}
		for _, c := range bad {
			for _, healed := range []string{"#new" + c, "#n" + c + "ew", "text=" + c + "New", fmt.Sprintf("[title=%q]", "a"+c+"b")} {
				if p := propose(line, healed); p.Edit != nil && containsBad(p.Edit.New, bad) {
					t.Errorf("%s: %q writes %q", file, healed, p.Edit.New)
				}
			}
		}
	}
}

// comment returns what starts a comment.
func comment(file string) string {
	if strings.HasSuffix(file, ".py") {
		return " # "
	}
	return " // "
}

func containsBad(text string, bad []string) bool {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		for _, c := range bad {
			if text[i:i+n] == c || r == utf8.RuneError {
				return true
			}
		}
		i += n
	}
	return false
}
