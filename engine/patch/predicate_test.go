package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// Each function asks something of the selector #save that may become #store.
func TestAFunctionThatOnlyAsksStopsNoEditWhereItsAnswerIsTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang, function, ask string
		edits               bool
	}{
		{"java", `boolean isRoot(String s) { return s != null && s.startsWith("#app"); }`, `if (isRoot(selector)) scroll();`, true},
		{"java", `private boolean isRoot(String s) { if (s == null) return false; String low = s.trim().toLowerCase(); return low.equals("#app") || low.contains("#root"); }`, `if (isRoot(selector)) scroll();`, true},
		{"java", `boolean isRoot(String s) { return s.toUpperCase().startsWith("#SA"); }`, `if (isRoot(selector)) scroll();`, false},
		{"java", `boolean isRoot(String s) { String low = s.trim(); return roots.contains(low); }`, `if (isRoot(selector)) scroll();`, false},
		{"java", `boolean isRoot(String s) { return isXPath(s); } boolean isXPath(String s) { return s.startsWith("//"); }`, `if (isRoot(selector)) scroll();`, true},
		{"java", `boolean isRoot(String s) { return isRoot(s); }`, `if (isRoot(selector)) scroll();`, false},
		{"java", `boolean isRoot(String s) { last = s; return s.isEmpty(); }`, `if (isRoot(selector)) scroll();`, false},
		{"java", `String rootOf(String s) { if (s.startsWith("#app")) return "#app"; return s; }`, `scroll(rootOf(selector));`, false},
		{"java", `boolean isRoot(String... s) { return s[0].startsWith("#app"); }`, `if (isRoot(selector)) scroll();`, false},
		{"java", ``, `String low = selector.toLowerCase(); if (low.startsWith("//")) scroll();`, true},
		{"java", ``, `String low = selector.toLowerCase(); if (low.startsWith("//")) scroll(low);`, false},
		{"cs", `bool IsXPath(string s) => s.Trim().StartsWith("//");`, `if (IsXPath(selector)) await Scroll();`, true},
		{"cs", `bool IsXPath(string s) => s.Trim().EndsWith("ave");`, `if (IsXPath(selector)) await Scroll();`, false},
		{"ts", `const isXPath = (s: string) => s.trim().startsWith('//');`, `if (isXPath(selector)) await scroll();`, true},
		{"ts", `const isXPath = (s: string) => pattern.test(s);`, `if (isXPath(selector)) await scroll();`, false},
		{"py", "def is_xpath(s):\n    low = s.strip().lower()\n    return low.startswith(\"//\")\n\n", `if is_xpath(selector): scroll()`, true},
		{"py", "def is_xpath(s):\n    return s in known\n\n", `if is_xpath(selector): scroll()`, false},
		{"go", `func isXPath(s string) bool { return strings.HasPrefix(s, "//") }`, `if isXPath(selector) { scroll() }`, true},
		{"go", `func isXPath(s string) bool { return known[s] }`, `if isXPath(selector) { scroll() }`, false},
	} {
		in := askers[c.lang]
		text := strings.Replace(in.text, "ASK", c.ask, 1)
		switch at := strings.Index(text, "{\n") + 2; c.lang {
		case "java", "cs":
			text = text[:at] + "  " + c.function + "\n" + text[at:]
		case "go":
			text = strings.Replace(text, "package shop\n", "package shop\n\n"+c.function+"\n", 1)
		default:
			text = c.function + "\n" + text
		}
		result := engine.TestResult{ID: engine.TestID(in.file + " › " + in.test), File: in.file, Name: in.test}
		got := New(fstest.MapFS{in.file: {Data: []byte(text)}}).Propose(engine.HealEvent{TestID: result.ID, Outcome: engine.OutcomeHealed, Confidence: 0.95,
			Locator: "#save", HealedLocator: "#store", Matches: []engine.Match{{Locator: "#store", Count: 1}}}, &result)
		if edits := got.Edit != nil; edits != c.edits {
			t.Errorf("%s: %s %s: %v, %s", c.lang, c.function, c.ask, got.Edit, got.Reason)
		}
	}
}
