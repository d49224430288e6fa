package crumb_test

import (
	"path/filepath"
	"testing"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb"
)

// What changes by the click that is learned from is learned as it was before.
func TestAFirstClickIsLearnedAsThePageWasBefore(t *testing.T) {
	t.Parallel()
	const frozen = `<script>requestAnimationFrame = () => 0</script>`
	force := playwright.LocatorClickOptions{Force: playwright.Bool(true)}
	for name, c := range map[string]struct {
		page string
		do   func(*crumb.Page) error
		want string
	}{
		"its click": {`<button id="a" onclick="this.textContent = 'Saved'; this.title = 'now'">Save</button>`, click("#a"), "save"},
		"its click at once": {`<button id="a" onclick="this.textContent = 'Saved'">Save</button>`,
			func(p *crumb.Page) error { return p.Locator("#a").Click(force) }, "save"},
		"the mouse over it": {`<button id="a" onpointerover="this.textContent = 'Hovered'">Save</button>`,
			func(p *crumb.Page) error { return p.Locator("#a").Hover() }, "save"},
		"the page that it leaves":          {`<a id="a" href="/next">Next page</a>`, click("#a"), "next page"},
		"the page that it leaves by force": {`<a id="a" href="/next">Next page</a>`, func(p *crumb.Page) error { return p.Locator("#a").Click(force) }, "next page"},
		"an element that its handler replaces": {`<div><button id="a" onmousedown="this.parentNode.innerHTML = '<button id=a>Other</button>'">Save</button></div>`,
			func(p *crumb.Page) error { return p.Locator("#a").Click(force) }, "save"},
		"its click where no frame comes": {frozen + `<button id="a" onclick="this.textContent = 'Saved'">Save</button>`, click("#a"), "save"},
		"a box that is checked already, where no frame comes": {frozen + `<label>News <input type="checkbox" id="a" checked></label>`,
			func(p *crumb.Page) error { return p.Locator("#a").Check() }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{"/": "<!doctype html><body><h1>Form</h1>" + c.page, "/next": `<!doctype html><body><h1>Other</h1><button id="a">Wrong</button>`})
			options := crumb.Options{TestID: t.Name(), DB: filepath.Join(t.TempDir(), "crumbs.db"), Timeout: learningTime}
			p := wrapped(t, options, s.URL)
			must(t, c.do(p))
			must(t, p.Close())
			f, _, ok := stored(t, options.DB, t.Name(), "#a")
			if !ok || f.Text != c.want || f.Page != "/" {
				t.Errorf("learned %v: %q on %q, want %q", ok, f.Text, f.Page, c.want)
			}
		})
	}
}
