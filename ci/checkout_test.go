package ci

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestRootOfTheCheckoutFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, folder := range []string{"e2e/tests", ".git", "apps/shop/.git", "apps/shop/web/tests"} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for repo, want := range map[string]string{
		".":                               "",
		"./":                              "",
		"e2e":                             "e2e",
		"./e2e/":                          "e2e",
		"e2e/tests":                       "e2e/tests",
		"e2e/../e2e":                      "e2e",
		filepath.Join(dir, "e2e"):         "e2e",
		dir:                               "",
		"apps/shop":                       "", // a repository of its own
		"apps/shop/web":                   "web",
		"apps/shop/web/tests":             "web/tests",
		"..":                              "",
		"../elsewhere":                    "",
		filepath.Join(dir, "..", "other"): "",
		"/":                               "",
	} {
		if got := rootOf(repo); got != want {
			t.Errorf("root of %q is %q, want %q", repo, got, want)
		}
	}
}

func TestFilesNamedFromTheTopAreNamedFromTheCheckoutFolder(t *testing.T) {
	source := fstest.MapFS{"tests/a.ts": {}, "e2e/b.ts": {}, "b.ts": {}}
	var results []engine.TestResult
	for _, file := range []string{"e2e/tests/a.ts", "tests/a.ts", "e2e/b.ts", "e2e/gone.ts", "e2e/../../x", ""} {
		results = append(results, engine.TestResult{File: file})
	}
	got := collected{results: results, heals: []engine.HealEvent{{Site: &engine.Site{File: "e2e/tests/a.ts"}}, {}}}
	rebase(got, "e2e", source)
	var files []string
	for _, r := range got.results {
		files = append(files, r.File)
	}
	// e2e/b.ts is a file of the folder itself and stays.
	want := []string{"tests/a.ts", "tests/a.ts", "e2e/b.ts", "e2e/gone.ts", "e2e/../../x", ""}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if site := got.heals[0].Site.File; site != "tests/a.ts" {
		t.Errorf("the site is %q", site)
	}
}
