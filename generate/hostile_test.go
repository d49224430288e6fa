package generate

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/browsertest"
)

// hostileTexts are what a page says to become code, a path or something that
// no compiler takes. pwn is defined nowhere: where it is code, Go and
// TypeScript do not compile.
func hostileTexts() []string {
	seeds := []string{
		`'); pwn(); ('`, `"); pwn(); ("`, "`); pwn(); (`", `' + pwn() + '`, `" + pwn() + "`, "` + pwn() + `", `${pwn()}`, "`${pwn()}`", `$(pwn)`, `#{pwn}`,
		`{pwn()}`, `{{pwn}}`, `{{.pwn}}`, `<%= pwn() %>`, `%(pwn)s`, `f"{pwn()}"`, `"""` + "\npwn()\n" + `"""`, `'''` + "\npwn()\n" + `'''`, `"""`, `'''`,
		"*/ pwn(); /*", "*/pwn()//", "/*", "*/", "//", "#", "--", "\npwn()\n", "\r\npwn()", "\rpwn()", "\u2028pwn()", "\u2029pwn()", "\u0085pwn()", "\vpwn()", "\fpwn()",
		`\`, `\\`, `\'`, `\"`, "\\`", `\\'); pwn(); ('`, `\\"); pwn(); ("`, `\u0027+pwn()+\u0027`, `\x27+pwn()+\x27`, `\N{APOSTROPHE}+pwn()`, `\u{27}`, `\u`, `\x`, `\U0010ffff`, `\0`, `\777`,
		"# -*- coding: utf-7 -*-", "# coding: rot13", "+ACcAKQ- pwn()", "//go:build ignore", "//go:embed /etc/passwd", "//go:generate pwn", "//line x.go:1", `import "C"`, "package pwn",
		"// @ts-ignore", "@ts-nocheck", "@ts-expect-error", `/// <reference path="pwn.ts"/>`, "//# sourceMappingURL=pwn", "# type: ignore", "@fixme", "@slow test",
		"<script>pwn()</script>", `"><img src=x onerror=pwn()>`, "javascript:pwn()", "data:text/html,<script>pwn()</script>", "vbscript:pwn", "</textarea><script>pwn()</script>", "<!--", "-->", "]]>",
		"../../../../etc/passwd", `..\..\..\windows`, "/etc/cron.d/pwn", "%2e%2e%2f%2e%2e%2f", "....//....//", "~root/.ssh", "file:///etc/passwd", "C:\\pwn", "\\\\host\\share", "//host/pwn", "/\\host/pwn", "a/../../b",
		"con", "NUL", "aux.html", "com1", "lpt1.php", ".", "..", "...", "-rf", "--help", "a b", ".git", ".bashrc", "node_modules", "main", "main_test", "init", "x_test", "x_windows_test", "x_linux", "conftest", "__init__", "fixtures",
		"class", "func", "def", "import", "return", "await", "constructor", "__proto__", "prototype", "toString", "hasOwnProperty", "None", "True", "nil", "undefined", "self", "this", "page", "goto", "lambda", "type", "interface", "new login",
		"internal:role=button", "css=body", "xpath=//*", "text=x >> nth=0", "a >> b", `[name="x"]`, `"]`, `" i]`, `/pwn/i`, `:has-text("x")`, "#id > .class", "*", `\31 23`, "s]", "i",
		"", " ", "\t", "\u00a0", "\u200b", "\u200d\u200c", "\ufeff", "\u202egnp.exe", "\u2066isolate\u2069", "\u00ad", "\x00", "\x01\x02", "\x1b[31m", "\x7f", "\xff\xfe", "\xed\xa0\x80", "\xc3", "\U000e0041", "\ufffd", "\ue000", "é", "e\u0301", "ß", "ſ", "K", "İ", "ı",
		"日本語", "Привет", "مرحبا", "👩‍👩‍👧‍👦", "𝓹𝔀𝓷", "ａｂｃ", "1", "123abc", "0x1F", "_", "__", "$", "$$pwn", "-", strings.Repeat("a", 5000), strings.Repeat("'", 300), strings.Repeat("\\", 301), strings.Repeat("x ", 200), strings.Repeat("é", 81),
		"::set-output name=x::pwn", "::error::pwn", "=cmd|'/c calc'!A1", "%s%n%x", "1e309", "-0", "NaN", "OR 1=1 --", "sign in", "Sign In", "SIGN  IN",
	}
	texts := slices.Clone(seeds)
	for _, s := range seeds[:40] {
		texts = append(texts, "x"+s, s+`\`, `\`+s)
	}
	return texts
}

// hostileSite serves pages that say hostile texts wherever a page can say
// anything, at hostile addresses.
type hostileSite []string

// perPage is how many texts a page has.
const perPage = 6

func (s hostileSite) Open(_ context.Context, address *url.URL) (View, error) {
	at, _ := strconv.Atoi(address.Query().Get("n"))
	end := min((at+1)*perPage, len(s))
	var b strings.Builder
	b.WriteString("<!doctype html><title>" + html.EscapeString(s[min(at*perPage, len(s)-1)]) + "</title><nav>")
	for i := range len(s)/perPage + 1 {
		fmt.Fprintf(&b, `<a href="/%s?n=%d&amp;q=%s">%d</a> `, html.EscapeString(url.PathEscape(s[i%len(s)])), i, html.EscapeString(url.QueryEscape(s[i%len(s)])), i)
	}
	b.WriteString("</nav>")
	for _, text := range s[at*perPage : max(end, at*perPage)] {
		b.WriteString(strings.ReplaceAll(everywhere, "HOSTILE", html.EscapeString(text)))
	}
	return sent{address, []byte(b.String())}, nil
}

// everywhere are elements with one text in every place.
const everywhere = `<form id="HOSTILE" name="HOSTILE" action="HOSTILE" class="HOSTILE">
<input id="HOSTILE" name="HOSTILE" value="HOSTILE" placeholder="HOSTILE" title="HOSTILE" aria-label="HOSTILE" data-testid="HOSTILE" maxlength="HOSTILE" pattern="HOSTILE" autocomplete="HOSTILE" style="HOSTILE" role="HOSTILE">
<input type="HOSTILE" min="HOSTILE" max="HOSTILE" step="HOSTILE" value="HOSTILE" list="HOSTILE"><input type="number" min="HOSTILE" value="HOSTILE"><input type="range" min="HOSTILE"><input name="HOSTILE" type="search">
<label>HOSTILE <textarea name="HOSTILE">HOSTILE</textarea></label><label for="HOSTILE">HOSTILE</label><input type="password" placeholder="HOSTILE"><input type="checkbox" value="HOSTILE" aria-label="HOSTILE">
<select name="HOSTILE" title="HOSTILE"><option value="x">x</option><option value="HOSTILE" label="HOSTILE">HOSTILE</option></select>
<button value="HOSTILE">HOSTILE</button><input type="submit" value="HOSTILE"><input type="image" alt="HOSTILE" src="HOSTILE"></form>
<a href="HOSTILE" title="HOSTILE" target="">HOSTILE</a><a href="/HOSTILE">go HOSTILE</a><a href="?HOSTILE"><img alt="HOSTILE"></a><div role="button" aria-labelledby="HOSTILE" data-testid="HOSTILE">HOSTILE</div><h1 id="HOSTILE">HOSTILE</h1>
<ul aria-label="HOSTILE"><li>HOSTILE <button>HOSTILE</button></li></ul>`

// inFrames are a frame and a shadow root with one text in every place.
const inFrames = `<iframe id="HOSTILE" name="HOSTILE" title="HOSTILE" data-testid="HOSTILE" src="HOSTILE" srcdoc="&lt;h1>HOSTILE&lt;/h1>&lt;input title='HOSTILE'>"></iframe>
<p><x-HOSTILE id="HOSTILE"><template shadowrootmode="open"><button title="HOSTILE">HOSTILE <slot name="HOSTILE"></slot></button></template><b slot="HOSTILE">HOSTILE</b></x-HOSTILE></p>`

// hostileFrames is a page that says hostile texts of frames and shadow roots.
type hostileFrames []string

func (s hostileFrames) Open(_ context.Context, address *url.URL) (View, error) {
	var b strings.Builder
	for _, text := range s {
		b.WriteString(strings.ReplaceAll(inFrames, "HOSTILE", html.EscapeString(text)))
	}
	return framedFolder("").view(address, []byte(b.String()))
}

func crawlHostile(t *testing.T) Site {
	t.Helper()
	texts := hostileTexts()
	if len(texts) < 200 {
		t.Fatalf("%d texts", len(texts))
	}
	site, err := Crawl(t.Context(), "https://evil.example/?n=0", Options{Depth: 1, MaxPages: 200, Browser: hostileSite(texts)})
	must(t, err)
	if len(site.Pages) < len(texts)/perPage {
		t.Fatalf("%d pages, %q", len(site.Pages), site.Notes)
	}
	for some := range slices.Chunk(texts, perPage) {
		frames, err := Crawl(t.Context(), "https://evil.example/frames", Options{Browser: hostileFrames(some)})
		must(t, err)
		site.Pages = append(site.Pages, frames.Pages...)
	}
	elements, framed := 0, 0
	for _, p := range site.Pages {
		elements += len(p.Elements)
		for _, e := range p.Elements {
			if strings.HasPrefix(e.Found, "page.frameLocator(") {
				framed++
			}
		}
	}
	if framed < 300 {
		t.Errorf("%d elements in frames", framed)
	}
	t.Logf("%d texts, %d pages, %d elements, %d in frames", len(texts), len(site.Pages), elements, framed)
	return site
}

// TestHostilePagesBecomeNoCode looks for pwn as code in what is written in Go,
// and compiles the rest.
func TestHostilePagesBecomeNoCode(t *testing.T) {
	site := crawlHostile(t)
	for _, lang := range Langs() {
		files, err := Files(site, lang)
		must(t, err)
		for _, f := range files {
			checkFile(t, lang, f)
		}
	}
	t.Run("go", func(t *testing.T) {
		if testing.Short() {
			t.Skip("short tests compile nothing")
		}
		dir := writtenSite(t, site, Go)
		goModule(t, dir)
		run(t, dir, nil, "go", "vet", "-mod=mod", "-trimpath", "./...")
	})
	t.Run("python", func(t *testing.T) {
		dir := writtenSite(t, site, Python)
		compilePython(t, dir)
		if program, err := exec.LookPath("python3"); err == nil {
			must(t, os.WriteFile(filepath.Join(dir, "names.py"), []byte(pythonNames), 0o600))
			if out := run(t, dir, nil, program, "names.py"); regexp.MustCompile(`(?m)^pwn$`).MatchString(out) {
				t.Error(out)
			}
		}
	})
	t.Run("ts", func(t *testing.T) { typeCheck(t, browsertest.NodeModules(t), writtenSite(t, site, TypeScript)) })
}

// pythonNames prints every name and module that Python code mentions.
const pythonNames = `import ast, pathlib
for f in pathlib.Path(".").rglob("*.py"):
    if f.name != "names.py":
        for n in ast.walk(ast.parse(f.read_bytes())):
            if isinstance(n, ast.Name): print(n.id)
            if isinstance(n, ast.Import): print([a.name for a in n.names])
`

var (
	pwned     = regexp.MustCompile(`\bpwn\b`)
	plainPath = regexp.MustCompile(`^([a-z0-9][a-z0-9_-]*/)?[a-z0-9_][a-z0-9_.-]*$`)
	literals  = map[Lang]*regexp.Regexp{
		Go:         regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|//[^\n]*`),
		TypeScript: regexp.MustCompile(`'(?:[^'\\\n]|\\.)*'|/\*\*[^\n]*?\*/`),
		Python:     regexp.MustCompile(`"""[^"\n\\]*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*`),
	}
)

// checkFile checks what must hold for every file: a path that stays in the
// folder, and code that is plain but for literals and comments.
func checkFile(t *testing.T, lang Lang, f File) {
	t.Helper()
	if !plainPath.MatchString(f.Path) || !filepath.IsLocal(f.Path) || len(f.Path) > 200 {
		t.Errorf("path %q", f.Path)
	}
	code := literals[lang].ReplaceAllString(f.Text, "")
	if i := strings.IndexFunc(code, func(r rune) bool { return (r < ' ' || r > '~') && r != '\n' && r != '\t' }); i >= 0 {
		t.Errorf("%s has %q as code", f.Path, code[max(0, i-40):min(len(code), i+40)])
	}
	if strings.ContainsAny(code, "\"'`\\") || pwned.MatchString(code) {
		t.Errorf("%s: a literal does not end:\n%s", f.Path, code)
	}
	for line := range strings.Lines(f.Text) {
		if strings.HasPrefix(line, "//go:") || strings.HasPrefix(line, "//line") || strings.HasPrefix(line, "// +build") {
			t.Errorf("%s has the directive %q", f.Path, line)
		}
	}
	if lang == Go {
		if _, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Text, parser.AllErrors); err != nil {
			t.Error(err)
		}
	}
}

// TestQuotedTextsAreTheSameText reads literals back as their language does.
func TestQuotedTextsAreTheSameText(t *testing.T) {
	var python, script strings.Builder
	python.WriteString("all = [\n")
	script.WriteString("const all = [\n")
	var want []string
	for _, s := range hostileTexts() {
		s = strings.ToValidUTF8(s, "\ufffd")
		want = append(want, s)
		if got, err := strconv.Unquote(locator.Quote(s, locator.Go)); err != nil || got != s {
			t.Errorf("%q is %q in Go (%v)", s, got, err)
		}
		python.WriteString(locator.Quote(s, locator.Python) + ",\n")
		script.WriteString(locator.Quote(s, locator.TypeScript) + ",\n")
	}
	dir := t.TempDir()
	python.WriteString("]\nprint(''.join('%r\\n' % [ord(c) for c in s] for s in all))\n")
	script.WriteString("];\nfor (const s of all) console.log('[' + Array.from(s, (c) => c.codePointAt(0)).join(', ') + ']');\n")
	expected := ""
	for _, s := range want {
		expected += strings.ReplaceAll(fmt.Sprint([]rune(s)), " ", ", ") + "\n"
	}
	for name, text := range map[string]string{"python3 x.py": python.String(), "node x.mjs": script.String()} {
		program, file, _ := strings.Cut(name, " ")
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("there is no %s", program)
			continue
		}
		must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
		if got := run(t, dir, nil, program, file); strings.TrimSpace(got) != strings.TrimSpace(expected) {
			t.Errorf("%s reads other texts", program)
		}
	}
}

// FuzzPage writes code for any page at any path.
func FuzzPage(f *testing.F) {
	text, err := os.ReadFile(filepath.Join("testdata", "kitchen.html"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("/kitchen", text)
	for i, s := range hostileTexts() {
		if i%8 == 0 {
			f.Add("/"+s, []byte("<title>"+s+"</title>"+strings.ReplaceAll(everywhere, "HOSTILE", s)))
		}
	}
	f.Fuzz(func(t *testing.T, path string, text []byte) {
		where := &url.URL{Scheme: "https", Host: "evil.example", Path: "/" + path, RawQuery: path}
		site, err := Crawl(t.Context(), where.String(), Options{Browser: page(text)})
		if err != nil {
			return
		}
		for _, lang := range Langs() {
			files, err := Files(site, lang)
			must(t, err)
			for _, f := range files {
				checkFile(t, lang, f)
			}
		}
	})
}

// page is the same page at any address.
type page []byte

func (p page) Open(_ context.Context, address *url.URL) (View, error) { return sent{address, p}, nil }
