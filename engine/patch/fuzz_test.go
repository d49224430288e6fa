package patch

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// FuzzPropose edits arbitrary sources for arbitrary locators: nothing panics,
// nothing outside the literal changes, and the edited file scans.
func FuzzPropose(f *testing.F) {
	names := []string{"a.ts", "a.tsx", "a.py", "a.java", "a.cs", "a.go"}
	files, _ := filepath.Glob("testdata/*/*")
	for _, file := range files {
		if filepath.Ext(file) == "" {
			continue // a folder
		}
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i, name := range names {
			if filepath.Ext(name) == filepath.Ext(file) {
				f.Add(uint8(i), text, "#login-btn", `[data-testid="a'\"b"]`, 20)
				f.Add(uint8(i), text, "test-id=welcome", "test-id=`${x}", 0)
				f.Add(uint8(i), text, `role=button[name="Sign in"]`, `role=button[name="\u0022{0}"]`, 0)
			}
		}
	}
	for i, text := range []string{"page.locator(`#row-${id}`)", "page.locator(`#${a}-row-${b}`)", `page.locator(f"#row-{id}")`, `page.locator("#row-" + id);`, `Page.Locator($"#row-{id}");`, `page.Locator(fmt.Sprintf("#row-%d", id))`} {
		f.Add(uint8(i), []byte(text), "#row-42", "#line-42", 1)
		f.Add(uint8(i), []byte(text), "#row-42", `[data-testid="line-42"]`, 1)
	}
	for i, text := range []string{
		"function at(id: string) { return page.locator(`#btn-${id}`); }\ntest('a', () => at('save').click());",
		"const at = (id: string) => page.locator('#btn-' + id);\ntest('a', () => at('save').click());",
		"def at(id):\n    return page.locator(\"#btn-{}\".format(id))\n\ndef test_a():\n    at(id='save').click()\n",
		"class A { Locator at(String id) { String css = String.format(\"#btn-%s\", id); return page.locator(css); }\n@Test void a() { at(\"save\").click(); } }",
		"class A { ILocator At(string id) => Page.Locator($\"#btn-{id}\");\n[Test] public Task a() => At(\"save\").ClickAsync(); }",
		"package p\nfunc at(id string) playwright.Locator { return page.Locator(\"#btn-\" + id) }\nfunc TestA(t *testing.T) { at(\"save\").Click() }",
	} {
		f.Add(uint8(i), []byte(text), "#btn-save", "#btn-store", 1)
		f.Add(uint8(i), []byte(text), "#btn-save", "#btn-\"\\", 0)
	}
	f.Fuzz(func(t *testing.T, lang uint8, text []byte, old, healed string, line int) {
		name := names[int(lang)%len(names)]
		e := engine.HealEvent{TestID: engine.TestID(name), Locator: old, HealedLocator: healed, Confidence: 1}
		if line > 0 {
			e.Site = &engine.Site{File: name, Line: line, Column: line % 50}
		}
		got := Propose(e, nil, fstest.MapFS{name: {Data: text}})
		if got.Edit == nil {
			if got.Reason == "" {
				t.Fatal("neither an edit nor a reason")
			}
			return
		}
		ed := *got.Edit
		patched, err := Apply(text, []Edit{ed})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(patched[:ed.Start], text[:ed.Start]) || !bytes.Equal(patched[ed.Start+len(ed.New):], text[ed.End:]) {
			t.Fatal("bytes outside the edit changed")
		}
		if bytes.Count(patched, []byte("\n")) != bytes.Count(text, []byte("\n")) {
			t.Fatal("lines changed")
		}
		d, _ := source.DialectOf(name)
		if _, err := source.New(name, d, patched); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzProposeAcross edits a page object that an arbitrary test imports: the
// same holds in whichever file the edit lands.
func FuzzProposeAcross(f *testing.F) {
	f.Add(uint8(0), "#total", []byte("import { P } from './page';\ntest('a', () => {});"), []byte("class P { total = '#total'; go() { this.page.locator(this.total) } }"))
	f.Add(uint8(2), "#total", []byte("from page import P\ndef test_a(): pass"), []byte("T = '#total'\nclass P:\n    def go(self):\n        self.page.locator(T)\n"))
	f.Add(uint8(3), "#total", []byte("class A { @Test void a() { new page(); } }"), []byte("class page { String t = \"#total\"; void go() { page.locator(t); } }"))
	f.Add(uint8(4), "#total", []byte("class A { [Test] public void a() { new page(); } }"), []byte("class page { string T => \"#total\"; void Go() => Page.Locator(T); }"))
	f.Add(uint8(5), "#total", []byte("package p\nfunc TestA(t *testing.T) {}"), []byte("package p\nconst t = `#total`\nfunc go() { page.Locator(t) }"))
	ends := []string{".ts", ".tsx", ".py", ".java", ".cs", ".go"}
	f.Fuzz(func(t *testing.T, lang uint8, old string, test, page []byte) {
		end := ends[int(lang)%len(ends)]
		src := fstest.MapFS{"a_test" + end: {Data: test}, "page" + end: {Data: page}, "tsconfig.json": {Data: page}, "go.mod": {Data: page}}
		result := engine.TestResult{File: "a_test" + end, Name: "a"}
		p := New(src)
		p.SetPassed([]PassedTest{{Test: engine.TestResult{File: "a_test" + end, Name: "b"}}, {Test: engine.TestResult{File: "page" + end, Name: "c"}}})
		got := p.Propose(engine.HealEvent{TestID: "a", Locator: old, HealedLocator: "#next", Confidence: 1}, &result)
		if got.Edit == nil {
			if got.Reason == "" {
				t.Fatal("neither an edit nor a reason")
			}
			return
		}
		text := src[got.Edit.File].Data
		patched, err := Apply(text, []Edit{*got.Edit})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(patched[:got.Edit.Start], text[:got.Edit.Start]) || !bytes.Equal(patched[got.Edit.Start+len(got.Edit.New):], text[got.Edit.End:]) {
			t.Fatal("bytes outside the edit changed")
		}
		d, _ := source.DialectOf(got.Edit.File)
		if _, err := source.New(got.Edit.File, d, patched); err != nil {
			t.Fatal(err)
		}
	})
}
