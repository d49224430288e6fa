package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is linked today may be linked, and all of it is named.
func TestWhatIsLinkedIsLicensed(t *testing.T) {
	t.Chdir("../..")
	modules, err := gather(systems)
	if err != nil {
		t.Fatal(err)
	}
	if err := check(modules); err != nil {
		t.Error(err)
	}
	text := formatTexts(modules)
	for _, name := range []string{"\n  Go 1.", "\n  modernc.org/sqlite v", "\n  github.com/inconshreveable/mousetrap v", "zstd/internal/xxhash/LICENSE.txt\n", "go.yaml.in/yaml/v3 v3.0.4: NOTICE\n"} {
		if !strings.Contains(text, name) {
			t.Errorf("LICENSES lacks %q", name)
		}
	}
	for _, m := range modules {
		for _, f := range m.files {
			if body := strings.TrimSpace(strings.ReplaceAll(f.text, "\r\n", "\n")); !strings.Contains(text, m.name()+": "+f.name+"\n") || !strings.Contains(text, "\n\n"+body+"\n") {
				t.Errorf("LICENSES lacks %s of %s", f.name, m.path)
			}
		}
	}
}

// licensed returns a module with the project's own licence and one more file.
func licensed(t *testing.T, name, text string) module {
	t.Helper()
	apache, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	return module{path: "example.com/part", version: "v1.0.0", files: []licenceFile{{"LICENSE", string(apache)}, {name, text}}}
}

// Debian has the texts of the licences that it meets most.
func TestCopyleftIsRefused(t *testing.T) {
	for _, name := range []string{"GPL-2", "GPL-3", "LGPL-2.1", "LGPL-3", "MPL-1.1", "MPL-2.0", "GFDL-1.3", "Artistic"} {
		text, err := os.ReadFile(filepath.Join("/usr/share/common-licenses", name))
		if err != nil {
			t.Logf("%s is not tried: %v", name, err)
			continue
		}
		for where, m := range map[string]module{
			"alone":            {path: "example.com/part", version: "v1.0.0", files: []licenceFile{{"COPYING", string(text)}}},
			"beside another":   licensed(t, "LICENSE.old", string(text)),
			"in a folder":      licensed(t, "internal/lib/LICENSE", string(text)),
			"among notices":    licensed(t, "NOTICE", "This has parts of others.\n\n"+string(text)),
			"in the exception": {path: "modernc.org/memory", version: "v1.0.0", files: []licenceFile{licensed(t, "", "").files[0], {"LICENSE-LOGO", string(text)}}},
		} {
			if err := check([]module{m}); err == nil || !strings.Contains(err.Error(), "which is not allowed") {
				t.Errorf("%s %s: %v", name, where, err)
			}
		}
	}
}

func TestALicenceIsKnownOrRead(t *testing.T) {
	own := strings.Repeat("You may use this when the moon is full, and not otherwise. ", 20)
	for want, m := range map[string]module{
		"example.com/part v1.0.0: no licence":                        {path: "example.com/part", version: "v1.0.0", files: []licenceFile{{"NOTICE", "a notice"}, {"PATENTS", "none"}}},
		"example.com/bare v1.0.0: no licence":                        {path: "example.com/bare", version: "v1.0.0"},
		"LICENSE.moon is known by 0 % only: read it":                 licensed(t, "LICENSE.moon", own),
		"internal/lib/COPYING is known by 0 % only: read it":         licensed(t, "internal/lib/COPYING", own),
		"example.com/part v1.0.0: LICENSE-SQLITE is known by 0 % on": licensed(t, "LICENSE-SQLITE", own),
	} {
		if err := check([]module{m}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := check([]module{licensed(t, "NOTICE", own)}); err != nil {
		t.Errorf("a notice: %v", err)
	}
}

// An exception says what is not linked; it ends when that is.
func TestAnExceptionHoldsWhileItsReasonDoes(t *testing.T) {
	mpl, err := os.ReadFile("/usr/share/common-licenses/MPL-2.0")
	if err != nil {
		t.Skip("no text of MPL-2.0 here:", err)
	}
	sqlite := licensed(t, "LICENSE-3RD-PARTY.md", string(mpl))
	sqlite.path = "modernc.org/sqlite"
	if err := check([]module{sqlite}); err != nil {
		t.Error(err)
	}
	lru := licensed(t, "NOTICE", "none")
	lru.path = "github.com/hashicorp/golang-lru/v2"
	if err := check([]module{sqlite, lru}); err == nil || !strings.Contains(err.Error(), "MPL-2.0") {
		t.Errorf("with what it is of: %v", err)
	}
}

func TestEachTextIsPrintedOnce(t *testing.T) {
	got := formatTexts([]module{
		{path: std, version: "go1.2.3", licences: []string{"MIT"}, files: []licenceFile{{"LICENSE", "one\r\n"}}},
		{path: "a.example/b", version: "v1.0.0", licences: []string{"ISC", "MIT"}, files: []licenceFile{{"LICENSE", "\none\n\n"}, {"c/COPYING", "two"}}},
	})
	const line = "================================================================================\n"
	want := "  Go 1.2.3  MIT\n  a.example/b v1.0.0  ISC, MIT\n\n" +
		line + "Go 1.2.3: LICENSE\na.example/b v1.0.0: LICENSE\n" + line + "\none\n\n" + line + "a.example/b v1.0.0: c/COPYING\n" + line + "\ntwo\n"
	if _, got, _ = strings.Cut(got, "follow.\n\n"); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestAListOfPartsHasLicences(t *testing.T) {
	modules := []module{{path: std, version: "go1.2.3", licences: []string{"BSD-3-Clause", patents}}, {path: "a.example/b", version: "v1.0.0", licences: []string{"MIT"}}}
	file := filepath.Join(t.TempDir(), "a.json")
	const document = `{"serialNumber": "urn:uuid:1", "metadata": {"timestamp": "2026-11-26T03:49:19Z", "tools": [{"name": "a", "hashes": []}], "component": {"name": "it"}}, "components": [{"name": "std", "version": "go1.2.3"}, {"name": "a.example/b", "version": "v1.0.0"}]}`
	for _, c := range []struct{ text, err string }{
		{document, ""}, {`{"components": []}`, "has no components"}, {`{`, "unexpected end"}, {strings.Replace(document, "v1.0.0", "v1.0.1", 1), "a.json has a.example/b@v1.0.1, of which no licence was gathered"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := describe([]string{file}, modules); err != nil && c.err == "" || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", c.text, err, c.err)
		}
		if c.err != "" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		var want any
		_ = json.Unmarshal([]byte(`{"metadata": {"tools": [{"name": "a"}], "component": {"name": "it", "licenses": [{"license": {"id": "Apache-2.0"}}]}}, "components": [
			{"name": "std", "version": "go1.2.3", "licenses": [{"license": {"id": "BSD-3-Clause"}}, {"license": {"name": "GooglePatentsFile"}}]},
			{"name": "a.example/b", "version": "v1.0.0", "licenses": [{"license": {"id": "MIT"}}]}]}`), &want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
