package patch

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
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
	f.Fuzz(func(t *testing.T, lang uint8, text []byte, old, healed string, line int) {
		name := names[int(lang)%len(names)]
		e := engine.HealEvent{TestID: name, Locator: old, HealedLocator: healed, Confidence: 1}
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
		d, _ := dialectOf(name)
		if _, err := newSource(name, d, patched); err != nil {
			t.Fatal(err)
		}
	})
}
