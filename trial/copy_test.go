package trial

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write makes files and, for a text that begins with "->", symbolic links.
func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(folder, name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		if len(text) > 2 && text[:2] == "->" {
			must(t, os.Symlink(text[2:], name))
			continue
		}
		must(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

func TestACopyHoldsTheCheckoutAndLinksWhatIsInstalled(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	write(t, root, map[string]string{
		".git/HEAD": "ref", "tests/a.spec.ts": "changed and not committed", ".env": "IGNORED=1",
		".breadcrumb.db": "db", "heals/run.ndjson": "{}", "tests/heals/a.ts": "a game's", "test-results/x/trace.zip": "zip",
		"node_modules/lib/index.js": "lib", "node_modules/@scope/part/index.js": "part", "node_modules/.bin/tool": "tool", "node_modules/.cache/x": "cache",
		"packages/pages/login.ts": "page", "node_modules/@scope/pages": "->../../packages/pages",
		".venv/pyvenv.cfg": "home", ".venv/bin/python": "py",
		"data": "->" + outside, "inside": "->tests", "whole": "->" + filepath.Join(root, "tests"),
	})
	c, err := copyCheckout(t.Context(), root)
	must(t, err)
	for name, want := range map[string]string{
		"tests/a.spec.ts": "changed and not committed", ".env": "IGNORED=1", "node_modules/lib/index.js": "lib", "tests/heals/a.ts": "a game's",
		"node_modules/@scope/part/index.js": "part", "node_modules/@scope/pages/login.ts": "page", "node_modules/.bin/tool": "tool",
		".venv/bin/python": "py", "inside/a.spec.ts": "changed and not committed",
	} {
		if got, err := os.ReadFile(filepath.Join(c.root, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{".git/HEAD", ".breadcrumb.db", "heals", "test-results", "node_modules/.cache"} {
		if _, err := os.Lstat(filepath.Join(c.root, name)); err == nil {
			t.Errorf("%s is in the copy", name)
		}
	}
	for name, want := range map[string]string{"data": outside, "whole": filepath.Join(c.root, "tests"), "node_modules/lib": filepath.Join(root, "node_modules/lib"), ".venv": filepath.Join(root, ".venv")} {
		if got, err := os.Readlink(filepath.Join(c.root, name)); err != nil || got != want {
			t.Errorf("%s leads to %s, %v; want %s", name, got, err, want)
		}
	}
	must(t, os.WriteFile(filepath.Join(c.root, "node_modules/@scope/pages/login.ts"), []byte("edited"), 0o600))
	if text, _ := os.ReadFile(filepath.Join(root, "packages/pages/login.ts")); string(text) != "page" {
		t.Error("a package of the checkout is edited through its link")
	}
	must(t, c.remove())
	if _, err := os.Stat(c.top); err == nil {
		t.Error("the copy is still there")
	}
	for _, name := range []string{"node_modules/lib/index.js", ".venv/bin/python"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestNamesOfTheCheckoutBecomeThoseOfTheCopy(t *testing.T) {
	t.Parallel()
	c := &checkout{from: "/home/me/shop", root: "/tmp/t/shop"}
	for text, want := range map[string]string{
		"--config=/home/me/shop/e2e.ts":                 "--config=/tmp/t/shop/e2e.ts",
		"PATH=/home/me/shop/node_modules/.bin:/usr/bin": "PATH=/tmp/t/shop/node_modules/.bin:/usr/bin",
		"/home/me/shop":                                   "/tmp/t/shop",
		"/home/me/shop-api/x /home/me/shopping":           "/home/me/shop-api/x /home/me/shopping",
		"A=/home/me/shop;/home/me/shop/b,/home/me/shop-2": "A=/tmp/t/shop;/tmp/t/shop/b,/home/me/shop-2",
	} {
		if diff := cmp.Diff(want, c.moved(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
