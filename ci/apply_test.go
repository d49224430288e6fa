package ci

import (
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/internal/promise"
)

const victim = "await page.locator('#old').click();\n"

// trap is a folder with a checkout in it and files around that an edit of the
// checkout must never reach.
func trap(t *testing.T) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{
		"outside.ts", "checkout/tests/a.spec.ts", "checkout/.github/workflows/a.ts", "checkout/.git/hooks/a.ts", "checkout/.gitlab/a.ts",
		"checkout/.GIT/a.ts", "elsewhere/b.ts",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(victim), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"link.ts": "../outside.ts", "inner.ts": "tests/a.spec.ts", "folder": "../elsewhere", "loop": "loop", "abs.ts": filepath.Join(dir, "outside.ts"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, "checkout", link)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(filepath.Join(dir, "checkout"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, root
}

func edits() []patch.Edit {
	at := strings.Index(victim, "'#old'")
	return []patch.Edit{{Line: 1, Start: at, End: at + 6, Old: "'#old'", New: "'#new'"}}
}

// changed lists the files below dir that are not as trap left them.
func changed(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		if rel, relErr := filepath.Rel(dir, name); string(text) != victim && relErr == nil {
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestFiveThousandHostilePathsWriteNothing(t *testing.T) {
	dir, root := trap(t)
	parts := []string{
		"..", ".", "", "/", "tests", "a.spec.ts", ".git", ".github", "workflows", "a.ts", "folder", "b.ts", "link.ts", "inner.ts", "abs.ts", "loop",
		`..\..`, `C:\`, "outside.ts", "elsewhere", "~", "\x00", "\n", "a.spec.ts\x00", "%2e%2e", "．．", ".GIT", ".gitlab", "hooks", dir, "checkout", "con", "tests/", "//", strings.Repeat("x", 300),
	}
	random := rand.New(rand.NewSource(1))
	tried := 0
	for tried < promise.Count("paths") {
		var picked []string
		for range 1 + random.Intn(5) {
			picked = append(picked, parts[random.Intn(len(parts))])
		}
		name := strings.Join(picked, "/")
		if name == "tests/a.spec.ts" {
			continue
		}
		tried++
		if err := editFile(root, fileEdits{name: name, path: name, edits: edits()}); err == nil {
			t.Errorf("%q was edited", name)
		}
	}
	if got := changed(t, dir); got != nil {
		t.Errorf("changed: %q", got)
	}
}

func TestAnEditReplacesTheFileAndKeepsItsMode(t *testing.T) {
	dir, root := trap(t)
	if err := editFile(root, fileEdits{name: "tests/a.spec.ts", edits: edits()}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"checkout/tests/a.spec.ts"}, changed(t, dir)); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(filepath.Join(dir, "checkout/tests/a.spec.ts"))
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := editFile(root, fileEdits{name: "tests/a.spec.ts", edits: edits()}); err == nil {
		t.Error("the old text is gone and that is no error")
	}
}

func TestWhichFilesMayBeEdited(t *testing.T) {
	for _, tt := range []struct {
		path  string
		globs []string
		want  bool
	}{
		{"tests/a.spec.ts", nil, true},
		{"tests/a.spec.ts", []string{"e2e/**", "tests/**/*.ts"}, true},
		{"src/a.ts", []string{"e2e/**", "tests/**"}, false},
		{".github/a.ts", []string{"**"}, false},
		{"a/.gitmodules/x.ts", []string{"**"}, false},
		{"tests/../a.ts", []string{"**"}, false},
		{"tests/a.sh", []string{"**"}, false},
		{"tests/a.ts", []string{"[", "x"}, false},
	} {
		if got := Editable(tt.path, tt.globs); got != tt.want {
			t.Errorf("%s in %q: %t", tt.path, tt.globs, got)
		}
	}
}
