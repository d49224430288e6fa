package generate

import (
	"context"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/internal/golden"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Run(m)) }

// shop is the example's app.
var shop = filepath.Join("..", "examples", "shop", "app")

// folder opens the pages of a folder, whatever their origin.
type folder string

func (f folder) Open(_ context.Context, address *url.URL) (View, error) {
	text, err := os.ReadFile(filepath.Join(string(f), path.Clean(address.Path)))
	return sent{address, text}, err
}

// TestShop compares the code for the example's pages with testdata/shop, which
// was read line by line.
func TestShop(t *testing.T) {
	site, err := Crawl(t.Context(), "https://shop.example/login.html", Options{Depth: 2, Browser: folder(filepath.Join(shop, "before"))})
	if err != nil {
		t.Fatal(err)
	}
	if len(site.Pages) != 5 || len(site.Notes) > 0 {
		t.Fatalf("%d pages, notes %q", len(site.Pages), site.Notes)
	}
	for _, lang := range Langs() {
		compareGolden(t, site, lang, filepath.Join("testdata", "shop", string(lang)))
	}
}

// TestKitchen compares the code for a page with all kinds of controls with
// testdata/kitchen.
func TestKitchen(t *testing.T) {
	site, err := Crawl(t.Context(), "https://shop.example/kitchen.html", Options{Browser: folder("testdata")})
	must(t, err)
	compareGolden(t, site, TypeScript, filepath.Join("testdata", "kitchen"))
}

func compareGolden(t *testing.T, site Site, lang Lang, dir string) {
	t.Helper()
	files, err := Files(site, lang)
	must(t, err)
	files = hidden(files)
	if golden.Update() {
		_, err := Write(dir, files, true)
		must(t, err)
	}
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join(dir, f.Path))
		must(t, err)
		if diff := cmp.Diff(string(want), f.Text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Path, diff)
		}
	}
}

func TestTheSamePageGivesTheSameBytes(t *testing.T) {
	var all [2][]File
	for i := range all {
		site, err := Crawl(t.Context(), "https://shop.example/kitchen.html", Options{Browser: folder("testdata")})
		must(t, err)
		for _, lang := range Langs() {
			files, err := Files(site, lang)
			must(t, err)
			all[i] = append(all[i], files...)
		}
	}
	if diff := cmp.Diff(all[0], all[1]); diff != "" {
		t.Error(diff)
	}
}

// hidden gives files a name that no tool takes for code of this project.
func hidden(files []File) []File {
	for i := range files {
		files[i].Path += ".golden"
	}
	return files
}
