package generate

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/generate/markup"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// reading is the work on one page.
type reading struct {
	doc    *markup.Document
	view   View
	testID string
	base   *url.URL // that links are relative to
	forms  map[*html.Node]int
	frame  locator.Selector // steps into the frame that is read, nothing for the page
	depth  int              // of that frame
	// frameName is what it is called, "" for the page.
	frameName string
}

// pathOf returns what a test opens below the origin. A path that begins like
// the name of another host is written with its origin.
func pathOf(u *url.URL) string {
	if path := u.RequestURI(); !strings.HasPrefix(path, "//") {
		return path
	}
	return u.String()
}

// readPage makes the model of an open page, and returns its links.
func (c *crawl) readPage(ctx context.Context, view View, where *url.URL) (Page, []*url.URL, error) {
	doc, err := markup.Parse(view.Source())
	if err != nil {
		return Page{}, nil, err
	}
	page := Page{URL: where.String(), Path: pathOf(where), Title: doc.Title}
	if locator.Writable(page.Title) != "" {
		page.Title = ""
		page.Notes = append(page.Notes, "the title is not compared: it is too long or holds invisible characters")
	}
	r, t := c.newReading(doc, view, where, map[*html.Node]int{}), &tally{passed: map[string]int{}}
	links, err := c.elements(ctx, r, &page, t)
	if err != nil {
		return Page{}, nil, err
	}
	if err := c.readFrames(ctx, r, &page, t); err != nil {
		return Page{}, nil, err
	}
	page.Notes = append(page.Notes, r.dropUnkept(page.Elements)...)
	if c.o.Browser == nil && slices.ContainsFunc(doc.Elements, loadsScriptOrStyle) {
		c.unseen++
	}
	page.Notes = append(page.Notes, c.leftOut(doc, len(page.Elements), t)...)
	return page, links, nil
}

// leftOut says which elements of a page are not written.
func (c *crawl) leftOut(doc *markup.Document, written int, t *tally) (notes []string) {
	if t.unseen > 0 {
		notes = append(notes, text.Count(t.unseen, "element is left out: its class says that it is not shown at first", "elements are left out: their classes say that they are not shown at first")+"; --browser knows")
	}
	if t.more > 0 {
		notes = append(notes, fmt.Sprintf("only the first %d elements are written, %d more are left out", maxElements, t.more))
	}
	if t.unproven > 0 {
		notes = append(notes, text.Count(t.unproven, "element is left out: no locator was proven to find it alone", "elements are left out: no locator was proven to find them alone"))
	}
	if inside := t.skipped(); inside != "" {
		notes = append(notes, "not looked into: "+inside)
	}
	if scripted := slices.ContainsFunc(doc.Elements, func(n *html.Node) bool { return n.DataAtom == atom.Script }); scripted && written == 0 && c.o.Browser == nil {
		notes = append(notes, "there is nothing to test in it as it is sent; its scripts may make it: --browser sees what they make")
	}
	return notes
}

// newReading begins the work on a document.
func (c *crawl) newReading(doc *markup.Document, view View, where *url.URL, forms map[*html.Node]int) *reading {
	r := &reading{doc: doc, view: view, testID: c.o.TestIDAttribute, base: where, forms: forms}
	if b := firstBase(doc); b != "" {
		if u, err := where.Parse(b); err == nil {
			r.base = u
		}
	}
	return r
}

// dropUnkept leaves out what a test could type or choose but the page does not keep.
func (r *reading) dropUnkept(elements []Element) []string {
	lost := 0
	for i := range elements {
		if e := &elements[i]; !r.view.Keeps(*e) {
			e.Fill, e.Choose, e.Check = "", "", ""
			lost++
		}
	}
	if lost == 0 {
		return nil
	}
	return []string{text.Count(lost, "element is only looked at: it does not keep what is typed or chosen", "elements are only looked at: they do not keep what is typed or chosen")}
}

// loadsScriptOrStyle reports whether an element loads a script or a style sheet.
func loadsScriptOrStyle(n *html.Node) bool {
	return n.DataAtom == atom.Script && markup.Has(n, "src") || n.DataAtom == atom.Link && strings.EqualFold(markup.Attr(n, "rel"), "stylesheet")
}

func firstBase(doc *markup.Document) string {
	for _, n := range doc.Elements {
		if n.DataAtom == atom.Base && markup.Has(n, "href") && markup.Scope(n) == nil {
			return markup.Attr(n, "href")
		}
	}
	return ""
}

// linkTarget returns where a link leads, nil for what is no link to a page.
func (r *reading) linkTarget(n *html.Node) *url.URL {
	if n.DataAtom != atom.A || !markup.Has(n, "href") || markup.Has(n, "download") {
		return nil
	}
	href := strings.TrimSpace(markup.Attr(n, "href"))
	u, err := r.base.Parse(href)
	if href == "" || err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil
	}
	return canonical(u)
}

// destructiveWords are words of addresses that a crawl does not follow and a test
// does not click.
var destructiveWords = lazyregexp.New(`(?i)(log|sign)[-_]?(out|off)|delete|remove|destroy|unsubscribe|cancel|deactivate|purge|reset|abmelden|logout|revoke`)

// isDestructive reports whether opening an address may change something.
func isDestructive(u *url.URL) bool {
	return destructiveWords.MatchString(u.Path) || destructiveWords.MatchString(u.RawQuery)
}
