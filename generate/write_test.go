package generate

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteKeepsWhatSomebodyChanged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "e2e")
	files := []File{{"a.ts", "a"}, {"pages/b.ts", "b"}}
	written, err := Write(dir, files, false)
	must(t, err)
	if diff := cmp.Diff([]string{"a.ts", "pages/b.ts"}, written); diff != "" {
		t.Error(diff)
	}
	must(t, os.WriteFile(filepath.Join(dir, "pages", "b.ts"), []byte("mine"), 0o600))
	files = append([]File{{"c.ts", "c"}}, files...)
	written, err = Write(dir, files, false)
	var changed ChangedError
	if !errors.As(err, &changed) || !cmp.Equal(changed.Paths, []string{"pages/b.ts"}) || len(written) > 0 {
		t.Errorf("wrote %q, %v", written, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "c.ts")); err == nil {
		t.Error("c.ts is written although b.ts differs")
	}
	written, err = Write(dir, files, true)
	if diff := cmp.Diff([]string{"c.ts", "pages/b.ts"}, written); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestWriteStaysInItsFolder(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	must(t, os.Symlink(outside, filepath.Join(dir, "pages")))
	must(t, os.Symlink(filepath.Join(outside, "x"), filepath.Join(dir, "link.ts")))
	for _, path := range []string{"../x", "pages/x", "link.ts", "/x", "a/../../x", ".."} {
		for _, force := range []bool{false, true} {
			if _, err := Write(dir, []File{{path, "x"}}, force); err == nil {
				t.Errorf("%s is written", path)
			}
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("%v is outside (%v)", left, err)
	}
}
