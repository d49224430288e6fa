package patch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGitAppliesTheUnifiedDiff(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	long := strings.Repeat("x\n", 20)
	for _, tt := range []struct{ name, file, before, after string }{
		{"one line", "a.ts", "a\nb\nc\n", "a\nB\nc\n"},
		{"first and last", "a.ts", "a\nb\nc\nd\ne\nf\ng\nh\ni\n", "A\nb\nc\nd\ne\nf\ng\nh\nI\n"},
		{"two hunks", "dir/a.ts", "a\n" + long + "z\n", "A\n" + long + "Z\n"},
		{"hunks that touch", "a.ts", "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n"},
		{"hunks that just do not", "a.ts", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n"},
		{"windows line endings", "a.cs", "a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"},
		{"mixed line endings", "a.cs", "a\nb\r\nc\n", "A\nB\r\nc\n"},
		{"no line ending at the end", "a.py", "a\nb", "a\nB"},
		{"no line ending behind the change", "a.py", "a\nb\nc", "A\nb\nc"},
		{"no line ending, windows", "a.py", "a\r\nb", "A\r\nB"},
		{"neighbours", "a.py", "a\nb\nc\n", "A\nB\nc\n"},
		{"an unusual path", "dir ü/a \"b\".ts", "a\n", "b\n"},
		{"one line alone", "a.ts", "a", "b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			diff, err := Unified(tt.file, []byte(tt.before), []byte(tt.after))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			name := filepath.Join(dir, filepath.FromSlash(tt.file))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(tt.before), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "git", "apply", "--whitespace=nowarn", "-")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git apply: %v\n%s\n%s", err, out, diff)
			}
			got, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.after, string(got)); d != "" {
				t.Errorf("after git apply (-want +got):\n%s", d)
			}
		})
	}
}

func TestUnifiedOfNothingIsNothing(t *testing.T) {
	if diff, err := Unified("a.ts", []byte("a\n"), []byte("a\n")); diff != "" || err != nil {
		t.Errorf("%q, %v", diff, err)
	}
	if _, err := Unified("a.ts", []byte("a\n"), []byte("a\nb\n")); err == nil {
		t.Error("a new line is no error")
	}
}

const provable = "test('a', async ({ page }) => {\n  await page.locator('#old').click();\n  log('#old');\n});\n"

func TestVerifyEdit(t *testing.T) {
	at := strings.Index(provable, "'#old'")
	e, err := VerifyEdit("tests/a.spec.ts", []byte(provable), at, "'#old'", "'#new'")
	if err != nil {
		t.Fatal(err)
	}
	want := Edit{
		File: "tests/a.spec.ts", Line: 2, Start: at, End: at + 6, Old: "'#old'", New: "'#new'",
		Before: "  await page.locator('#old').click();", After: "  await page.locator('#new').click();",
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
}

func TestVerifyEditRefuses(t *testing.T) {
	at := strings.Index(provable, "'#old'")
	for _, tt := range []struct {
		name, file string
		start      int
		old, with  string
	}{
		{"another place", "a.spec.ts", at + 1, "'#old'", "'#new'"},
		{"before the file", "a.spec.ts", -1, "'#old'", "'#new'"},
		{"behind the file", "a.spec.ts", 1 << 40, "'#old'", "'#new'"},
		{"another text", "a.spec.ts", at, "'#other'", "'#new'"},
		{"outside a locator, no CSS", "a.spec.ts", strings.LastIndex(provable, "'#old'"), "'#old'", "'Save it'"},
		{"outside a locator, an address", "a.spec.ts", strings.LastIndex(provable, "'#old'"), "'#old'", "'https://evil.test/#new'"},
		{"code", "a.spec.ts", at, "'#old'", "'#new').click(); evil('x'"},
		{"no literal", "a.spec.ts", at, "'#old'", "process.env.X"},
		{"two literals", "a.spec.ts", at, "'#old'", "'a' + 'b'"},
		{"a line more", "a.spec.ts", at, "'#old'", "'a'\n"},
		{"interpolation", "a.spec.ts", at, "'#old'", "`${x}`"},
		{"empty", "a.spec.ts", at, "'#old'", ""},
		{"a token that is no string", "a.spec.ts", 0, "test", "tset"},
		{"a workflow", ".github/workflows/a.ts", at, "'#old'", "'#new'"},
		{"git's own", "x/.GIT/a.ts", at, "'#old'", "'#new'"},
		{"outside", "../a.ts", at, "'#old'", "'#new'"},
		{"absolute", "/a.ts", at, "'#old'", "'#new'"},
		{"another language", "a.sh", at, "'#old'", "'#new'"},
		{"text that reads backwards", "a.spec.ts", at, "'#old'", "'#\u202enew'"},
		{"text that reads backwards, as an escape", "a.spec.ts", at, "'#old'", `'#\u202enew'`},
		{"a line separator", "a.spec.ts", at, "'#old'", "'#\u2028new'"},
		{"an unassigned character", "a.spec.ts", at, "'#old'", "'#\U0007700anew'"},
		{"a NUL", "a.spec.ts", at, "'#old'", "'#\x00new'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if e, err := VerifyEdit(tt.file, []byte(provable), tt.start, tt.old, tt.with); err == nil {
				t.Errorf("%+v is no error", e)
			}
		})
	}
}

func TestVerifyEditRefusesAnEscapeThatJavaReadsAsSyntax(t *testing.T) {
	text := "class A { @Test void a() { page.locator(\"#old\").click(); } }\n"
	at := strings.Index(text, `"#old"`)
	for _, with := range []string{
		`"\u0022+Runtime.getRuntime()+\u0022"`, `"\uuu0022+x+\uu0022"`, `"a\u005c"`, `"\u000a"`, `"\\\u0022"`, `"\u0061"`,
	} {
		if e, err := VerifyEdit("src/A.java", []byte(text), at, `"#old"`, with); err == nil {
			t.Errorf("%+v is no error", e)
		}
	}
	for _, with := range []string{`"\u00e9"`, `"\\u0022"`, `"#new"`} {
		if _, err := VerifyEdit("src/A.java", []byte(text), at, `"#old"`, with); err != nil {
			t.Error(with, err)
		}
	}
}

func TestVerifyEditOfAConstant(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		ok   bool
	}{
		"used in locators":    {"const B = '#old';\nawait page.locator(B).click();\nawait page.locator(B).fill('x');\n", true},
		"used elsewhere too":  {"const B = '#old';\nawait page.locator(B).click();\nlog(B);\n", true},
		"used in other files": {"export const B = '#old';\n", true},
		"handed to a helper":  {"await tapOn(page, '#old');\n", true},
		"joined":              {"await tapOn(page, x + '#old');\n", false},
		"of a condition":      {"await page.click(x ? '#old' : '#y');\n", false},
	} {
		if _, err := VerifyEdit("a.spec.ts", []byte(tt.text), strings.Index(tt.text, "'#old'"), "'#old'", "'#new'"); (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What stands outside of a locator call can be made by its id only where it is CSS and
// becomes CSS: one file does not show who gets it.
func TestWhatIsHandedOnIsCSSOnly(t *testing.T) {
	for text, want := range map[string]bool{
		"#save": true, ".btn.primary": true, "form #save": true, "ul > li.done": true, `[data-testid="save"]`: true, "button[type=submit]": true, "#a .b > i": true,
		"[name='user name']": true, "div.card .add": true, "#a [data-x]": true,
		"": false, "save": false, "Save it": false, "index.html": false, "button.primary": false, "./x": false, "/etc/passwd": false, "https://a.test/#b": false, "rm -rf .": false, "a.b()": false,
		"#a; x": false, "$(#a)": false, "${x}#a": false, "#a\n#b": false, "#1": false, "..": false, "*": false, "text=Save": false, "li a": false, "#a:has-text(\"x\")": false,
		"[onclick=\"f()\"]": false, "#" + strings.Repeat("a", 300): false,
	} {
		if got := isCSSOnly(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func FuzzVerifyEdit(f *testing.F) {
	f.Add("a.spec.ts", provable, strings.Index(provable, "'#old'"), "'#old'", "'#new'")
	f.Add("a.ts", "page.locator(`#row-${id}`)", 13, "`#row-${id}`", "`#line-${id}`")
	f.Add("a.ts", "page.locator(`#row-${id}`)", 5, "locator(`#row-${id}`)", "getByTestId(`line-${id}`)")
	f.Fuzz(func(t *testing.T, file, text string, start int, old, with string) {
		e, err := VerifyEdit(file, []byte(text), start, old, with)
		if err != nil {
			return
		}
		if text[:e.Start]+e.New+text[e.End:] == "" || text[e.Start:e.End] != old || e.New != with || !Editable(file) {
			t.Errorf("edit %+v of %q", e, text)
		}
		patched, err := Apply([]byte(text), []Edit{e})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Unified(file, []byte(text), patched); err != nil {
			t.Error(err)
		}
	})
}
