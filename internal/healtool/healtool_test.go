package healtool_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/golden"
	"github.com/breadcrumb/action/internal/healtool"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRunPrintsTheDecision(t *testing.T) {
	for _, c := range []struct {
		golden, locator, preset string
		explain                 bool
	}{
		{"renamed-link.txt", "#login", "", true},
		{"renamed-field.txt", "input[name=q]", "default", false},
		{"one-of-several.txt", "#del-1002", "default", false},
		{"removed-button.txt", "#export", "default", false},
		{"removed-button-py.txt", "#export", "breadcrumb-py", true},
		{"renamed-link-selfmend.txt", "#login", "selfmend", true},
	} {
		t.Run(c.golden, func(t *testing.T) {
			var out bytes.Buffer
			if err := healtool.Run(&out, read(t, "old.html"), read(t, "new.html"), c.locator, c.preset, c.explain, false); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", c.golden), out.String())
		})
	}
}

func TestRunNamesWhatIsWrongWithTheInput(t *testing.T) {
	page := read(t, "old.html")
	for _, c := range []struct{ name, locator, preset, want string }{
		{"no selector", "a[", "", `locator "a[" is no CSS selector`},
		{"nothing selected", "#nope", "", `locator "#nope" selects 0 elements of the old page, want exactly 1`},
		{"several selected", ".del", "", `locator ".del" selects 2 elements of the old page, want exactly 1`},
		{"outside the page", "style", "", `selects <style>, which is no visible part of a page`},
		{"unknown preset", "#go", "best", `unknown preset "best"`},
	} {
		err := healtool.Run(&bytes.Buffer{}, page, page, c.locator, c.preset, false, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
