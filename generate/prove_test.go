package generate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/browsertest"
)

// compared is a page that is read as it is sent and shown by Chromium, too:
// what the document proves must be what Chromium finds.
type compared struct {
	sent
	t       *testing.T
	page    playwright.Page
	name    string
	agreed  int
	content string
}

func (c *compared) Open(_ context.Context, address *url.URL) (View, error) {
	c.sent = sent{address, []byte(c.content)}
	return c, c.page.SetContent(c.content)
}

func (c *compared) Finds(s locator.Selector, path []int) bool {
	answer, err := c.page.Locator(s.String()).EvaluateAll(pathScript)
	text, _ := answer.(string)
	var found [][]int
	if err != nil || json.Unmarshal([]byte(text), &found) != nil || len(found) != 1 || !slices.Equal(found[0], path) {
		c.t.Errorf("%s: %s finds %v (%v), want %v", c.name, locator.Print(s, locator.TypeScript), found, err, path)
	}
	c.agreed++
	return true
}

// compareWithChromium returns how many locators were compared, and how many
// elements have none.
func compareWithChromium(t *testing.T, page playwright.Page, name, content string) (agreed int, notes []string) {
	t.Helper()
	c := &compared{t: t, page: page, name: name, content: content}
	site, err := Crawl(t.Context(), "https://shop.example/", Options{Browser: c})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return 0, nil
	}
	return c.agreed, site.Pages[0].Notes
}

// newPage returns a page that loads nothing and runs no script.
func newPage(t *testing.T) playwright.Page {
	t.Helper()
	scope, err := browsertest.Browser(t).NewContext(playwright.BrowserNewContextOptions{JavaScriptEnabled: playwright.Bool(false), Offline: playwright.Bool(true)})
	must(t, err)
	page, err := scope.NewPage()
	must(t, err)
	t.Cleanup(func() { must(t, scope.Close()) })
	return page
}

func TestProvenLocatorsFindTheirElement(t *testing.T) {
	page := newPage(t)
	names, err := filepath.Glob(filepath.Join(shop, "*", "*.html"))
	must(t, err)
	for _, name := range append(names, filepath.Join("testdata", "kitchen.html")) {
		text, err := os.ReadFile(name)
		must(t, err)
		if n, _ := compareWithChromium(t, page, name, string(text)); n < 5 {
			t.Errorf("%s: %d locators", name, n)
		}
	}
}

// TestProvenLocatorsOfRealPages does the same with pages of open-source
// projects, put together again from the records of the healing corpus: with one
// in 16, and with BREADCRUMB_LONG=1 with all.
func TestProvenLocatorsOfRealPages(t *testing.T) {
	if testing.Short() {
		t.Skip("short tests show no page")
	}
	names, err := filepath.Glob(filepath.Join("..", "..", "shared", "corpus", "healing", "dev", "*.jsonl.gz"))
	must(t, err)
	if len(names) == 0 {
		t.Skip("../shared/corpus/healing is not here")
	}
	page := newPage(t)
	every := 16
	if os.Getenv("BREADCRUMB_LONG") != "" {
		every = 1
	}
	agreed := 0
	for i, name := range names {
		if i%every != 0 {
			continue
		}
		n, notes := compareWithChromium(t, page, filepath.Base(name), realPage(t, name))
		agreed += n
		for _, note := range notes {
			t.Logf("%s: %d, %s", filepath.Base(name), n, note)
		}
	}
	if agreed < 500 {
		t.Errorf("%d locators", agreed)
	}
	t.Logf("%d locators", agreed)
}

// realPage returns the newer page of a pair as HTML. Where among the elements
// in it an element's own text stands is not recorded: it is put first.
func realPage(t *testing.T, name string) string {
	t.Helper()
	file, err := os.Open(name)
	must(t, err)
	defer file.Close()
	packed, err := gzip.NewReader(file)
	must(t, err)
	var elements []heal.Element
	lines := bufio.NewScanner(packed)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if line := lines.Bytes(); bytes.Contains(line, []byte(`"k":"n"`)) || bytes.Contains(line, []byte(`"k": "n"`)) {
			var e heal.Element
			must(t, json.Unmarshal(line, &e))
			elements = append(elements, e)
		}
	}
	must(t, lines.Err())
	children := map[int][]int{}
	for i, e := range elements {
		children[e.Parent] = append(children[e.Parent], i)
	}
	var b strings.Builder
	b.WriteString("<!doctype html><title>Real</title>")
	for _, root := range children[-1] {
		write(&b, elements, children, root)
	}
	return b.String()
}

func write(b *strings.Builder, elements []heal.Element, children map[int][]int, at int) {
	e := elements[at]
	if slices.Contains([]string{"script", "style", "link", "iframe", "noscript", "object", "embed"}, e.Tag) {
		return
	}
	fmt.Fprintf(b, "<%s", e.Tag)
	for _, a := range e.Attributes {
		if a.Name != "style" && !strings.ContainsAny(a.Name, "<>\"'/= ") {
			fmt.Fprintf(b, ` %s="%s"`, a.Name, html.EscapeString(a.Value))
		}
	}
	if !e.Visible {
		b.WriteString(` style="display: none"`)
	}
	b.WriteString(">" + html.EscapeString(e.OwnText))
	if slices.Contains([]string{"input", "img", "br", "hr", "source", "area", "col", "meta", "wbr", "embed"}, e.Tag) {
		return
	}
	for _, c := range children[at] {
		write(b, elements, children, c)
	}
	fmt.Fprintf(b, "</%s>", e.Tag)
}
