package crumb_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/browsertest"
)

// item is a page of an application with one item.
func item(id, title string) string {
	return fmt.Sprintf(`<!doctype html><body><header><a href="/help">Help</a></header><main><h1>Your lists</h1><p>All of them.</p>
<button class="open" id=%q>Open %s</button> <button>New list</button></main></body>`, id, title)
}

// A test that passes on another element than it learned is warned about, every time,
// and what it learned stays. A text that was another one in every run is no drift.
func TestDriftIsToldAndNotLearned(t *testing.T) {
	t.Parallel()
	browsertest.Browser(t)
	rows := `<!doctype html><body><h1>Orders</h1><table><tr><td>1001</td><td>Anna</td><td><button>Remove</button></td></tr><tr><td>1002</td><td>Berta</td><td><button>Remove</button></td></tr></table></body>`
	for _, c := range []struct {
		name, locator string
		pages         []string // of one run after the other
		drifts        int
		learned       string // what is known of the element in the end, or of what is before it
		varies        []string
	}{
		{"nothing changed", "#discard", []string{shop, shop}, 0, "discard", nil},
		{"ids swapped", "#add-mug", []string{shop, swapped(shop, "add-mug", "add-towel"), swapped(shop, "add-mug", "add-towel")}, 2, "add mug to cart", nil},
		{"rows in another order", "tr:first-child button", []string{rows, swapped(rows, "<td>1001</td><td>Anna</td>", "<td>1002</td><td>Berta</td>")}, 1, "anna", nil},
		{"something new beside it", "#discard", []string{shop, strings.Replace(shop, "<h2>Orders", "<p>New here</p><h2>Orders", 1)}, 0, "discard", nil},
		{"a text that is no control's", "#status", []string{shop, strings.Replace(shop, "3 orders are on their way", "All orders have come", 1)}, 0, "all orders have come", nil},
		{"it says something else", ".open", []string{item("a", "staging"), item("b", "production"), item("c", "production")}, 2, "open staging", nil},
		{"it says something else every time", ".open", []string{item("a", "Blue chair"), item("b", "Red table"), item("c", "Old lamp"), item("d", "New rug")}, 1, "open new rug", []string{"new", "rug"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{})
			folder := t.TempDir()
			options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
			for _, page := range c.pages {
				s.set("/", page)
				p := wrapped(t, options, s.URL)
				must(t, p.Locator(c.locator).Click())
				must(t, p.Close())
			}
			got := events(t, options.Events)
			for _, e := range got {
				if e.Reason != engine.ReasonDrifted || e.Outcome != engine.OutcomeRefused || len(e.Changed) == 0 {
					t.Errorf("no drift: %+v", e)
				}
			}
			f, _, _ := stored(t, options.DB, t.Name(), c.locator)
			if len(got) != c.drifts || f.Text != c.learned && !slices.Contains(f.Neighbours, c.learned) || !slices.Equal(f.Varies, c.varies) {
				t.Errorf("%d drifts, want %d; learned %q between %q, varies %q, differed %q\n%s", len(got), c.drifts, f.Text, f.Neighbours, f.Varies, f.Differed, formatEvents(got))
			}
		})
	}
}

func swapped(page, a, b string) string {
	return strings.NewReplacer(a, b, b, a).Replace(page)
}

// What varies is no other meaning when the element is lost.
func TestWhatVariesIsHealed(t *testing.T) {
	t.Parallel()
	patiently(t, func(patient patience) string {
		s := newSite(t, map[string]string{})
		options := crumb.Options{TestID: t.Name(), DB: filepath.Join(t.TempDir(), "crumbs.db"), Timeout: learningTime}
		for _, title := range []string{"Blue chair", "Red table", "Old lamp"} {
			s.set("/", item("it", title))
			p := wrapped(t, options, s.URL)
			must(t, p.Locator(".open").Click())
			must(t, p.Close())
		}
		s.set("/", strings.Replace(item("it", "New rug"), `class="open"`, `onclick="document.title = 'clicked'"`, 1))
		options.Timeout = patient.timeout()
		p := wrapped(t, options, s.URL)
		if err := p.Locator(".open").Click(); err != nil {
			return err.Error()
		}
		if title, err := p.Title(); err != nil || title != "clicked" {
			t.Errorf("title %q, %v", title, err)
		}
		return ""
	})
}

// A page is told from others by the parameters that say which page it is, by ids that
// were the same in every run, and by its title, unless that is another one in every run.
func TestPagesAreToldApartByWhatWasLearned(t *testing.T) {
	t.Parallel()
	browsertest.Browser(t)
	page := func(title, button string) string {
		return fmt.Sprintf(`<!doctype html><title>%s</title><body><h1>Shop</h1><p>All of it.</p><button %s onclick="window.hit = true">Archive</button> <button>New</button></body>`, title, button)
	}
	const old, renamed = `id="archive"`, `id="store"`
	for _, c := range []struct {
		name    string
		learned []string // addresses, with the title after a space
		lost    string
		want    engine.HealOutcome
	}{
		{"another page by a parameter", []string{"/?page=users Shop"}, "/?page=orders Shop", engine.OutcomeRefused},
		{"the same page", []string{"/?page=users Shop"}, "/?page=users&utm_source=mail&session=17 Shop", engine.OutcomeHealed},
		{"an id that was never the same", []string{"/?id=7 Shop", "/?id=8 Shop"}, "/?id=9 Shop", engine.OutcomeHealed},
		{"an id that was always the same", []string{"/?id=7 Shop", "/?id=7 Shop"}, "/?id=9 Shop", engine.OutcomeRefused},
		{"a slug that was never the same", []string{"/p/fox Shop", "/p/owl Shop"}, "/p/dog Shop", engine.OutcomeHealed},
		{"a title that was never the same", []string{"/ Quux", "/ Corge"}, "/ Waldo", engine.OutcomeHealed},
		{"another title", []string{"/ Quux", "/ Quux"}, "/ Waldo", engine.OutcomeSuggested},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			patiently(t, func(patient patience) string {
				folder := t.TempDir()
				options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
				visit := func(at, button string) error {
					address, title, _ := strings.Cut(at, " ")
					path, _, _ := strings.Cut(address, "?")
					s := newSite(t, map[string]string{path: page(title, button)})
					p := wrapped(t, options, s.URL+address)
					return errors.Join(p.Locator("#archive").Click(), p.Close())
				}
				for _, at := range c.learned {
					must(t, visit(at, old))
				}
				options.Timeout = patient.timeout()
				err := visit(c.lost, renamed)
				got := events(t, options.Events)
				if len(got) != 1 || got[0].Outcome != c.want || (err == nil) != (c.want == engine.OutcomeHealed) {
					return fmt.Sprintf("want %s: %v\n%s", c.want, err, formatEvents(got))
				}
				return ""
			})
		})
	}
}
