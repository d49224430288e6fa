package generate

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/generate/markup"
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

// read makes the model of an open page, and returns its links.
func (c *crawl) read(ctx context.Context, view View, where *url.URL) (Page, []*url.URL, error) {
	doc, err := markup.Parse(view.Source())
	if err != nil {
		return Page{}, nil, err
	}
	page := Page{URL: where.String(), Path: pathOf(where), Title: doc.Title}
	if locator.Writable(page.Title) != "" {
		page.Title = ""
		page.Notes = append(page.Notes, "the title is not compared: it is too long or holds invisible characters")
	}
	r, t := c.reading(doc, view, where, map[*html.Node]int{}), &tally{passed: map[string]int{}}
	links, err := c.elements(ctx, r, &page, t)
	if err != nil {
		return Page{}, nil, err
	}
	if err := c.readFrames(ctx, r, &page, t); err != nil {
		return Page{}, nil, err
	}
	page.Notes = append(page.Notes, r.try(page.Elements)...)
	if c.o.Browser == nil && slices.ContainsFunc(doc.Elements, loads) {
		c.unseen++
	}
	page.Notes = append(page.Notes, c.leftOut(doc, len(page.Elements), t)...)
	return page, links, nil
}

// reading begins the work on a document.
func (c *crawl) reading(doc *markup.Document, view View, where *url.URL, forms map[*html.Node]int) *reading {
	r := &reading{doc: doc, view: view, testID: c.o.TestIDAttribute, base: where, forms: forms}
	if b := firstBase(doc); b != "" {
		if u, err := where.Parse(b); err == nil {
			r.base = u
		}
	}
	return r
}

// elements adds the elements of a document to its page, and returns its links.
func (c *crawl) elements(ctx context.Context, r *reading, page *Page, t *tally) ([]*url.URL, error) {
	t.shut(r.view.Closed())
	t.shut(r.doc.Closed)
	var links []*url.URL
	for _, n := range r.doc.Elements {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if to := r.link(n); to != nil {
			links = append(links, to)
		}
		class, ok := r.classify(n)
		switch {
		case !ok:
			continue
		case c.o.Browser == nil && veiled(n):
			t.unseen++
			continue
		case len(page.Elements) == maxElements:
			t.more++
			continue
		}
		if e, ok := r.element(n, class); ok {
			page.Elements = append(page.Elements, e)
		} else {
			t.unproven++
		}
	}
	return links, nil
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
	if inside := t.enclosed(); inside != "" {
		notes = append(notes, "not looked into: "+inside)
	}
	if scripted := slices.ContainsFunc(doc.Elements, func(n *html.Node) bool { return n.DataAtom == atom.Script }); scripted && written == 0 && c.o.Browser == nil {
		notes = append(notes, "there is nothing to test in it as it is sent; its scripts may make it: --browser sees what they make")
	}
	return notes
}

// try leaves out what a test could type or choose but the page does not keep.
func (r *reading) try(elements []Element) []string {
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

// loads reports whether an element loads a script or a style sheet.
func loads(n *html.Node) bool {
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

// link returns where a link leads, nil for what is no link to a page.
func (r *reading) link(n *html.Node) *url.URL {
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

// element makes the model of one element. It reports false when no locator is
// proven to find it alone.
func (r *reading) element(n *html.Node, class Class) (Element, bool) {
	e := Element{Class: class, Role: r.doc.Role(n), Name: r.called(n), Disabled: markup.Disabled(n), hint: r.hint(n), form: r.form(n)}
	var ok bool
	if e.Locator, ok = r.locate(n, class); !ok {
		return e, false
	}
	e.Locator, e.frame = e.Locator.Inside(r.frame), r.frameName
	e.Found = locator.Print(e.Locator, locator.TypeScript)
	r.use(&e, n)
	return e, true
}

// called returns what a person calls an element.
func (r *reading) called(n *html.Node) string {
	names := []string{r.doc.Label(n).Value, r.doc.Name(n).Value, markup.Attr(n, "placeholder")}
	if n.DataAtom != atom.Select {
		names = append(names, r.doc.Text(n).Value)
	}
	for _, name := range names {
		if name != "" {
			return text.First(name, 80)
		}
	}
	return ""
}

// hint returns the first stable name that the page's authors gave an element.
func (r *reading) hint(n *html.Node) string {
	for _, attribute := range []string{r.testID, "name", "id"} {
		if value := markup.Attr(n, attribute); value != "" && !locator.Generated(value) {
			return text.First(value, 80)
		}
	}
	return ""
}

// form numbers the form that an element belongs to.
func (r *reading) form(n *html.Node) int {
	f := markup.Closest(n, atom.Form)
	if id := markup.Attr(n, "form"); id != "" {
		f = r.doc.ByID(n, id)
	}
	if f == nil {
		return 0
	}
	if r.forms[f] == 0 {
		r.forms[f] = len(r.forms) + 1
	}
	return r.forms[f]
}

// use sets what a test does with an element.
func (r *reading) use(e *Element, n *html.Node) {
	if n.DataAtom == atom.A {
		r.useLink(e, n)
		return
	}
	if e.Disabled || markup.Has(n, "readonly") || handled(n) {
		return
	}
	switch e.Class {
	case ClassCheckbox, ClassRadio:
		if n.DataAtom == atom.Input {
			e.Check = Tick
			if markup.Has(n, "checked") {
				e.Check = ""
				if e.Class == ClassCheckbox {
					e.Check = Untick
				}
			}
		}
	case ClassDropdown:
		if n.DataAtom == atom.Select && !markup.Has(n, "multiple") {
			e.Choose = r.option(n)
		}
	default:
		if n.DataAtom == atom.Input || n.DataAtom == atom.Textarea {
			e.Fill = sample(e.Class, n)
		}
	}
}

func (r *reading) useLink(e *Element, n *html.Node) {
	e.unsized = r.doc.Text(n).Value == ""
	to := r.link(n)
	href := markup.Attr(n, "href")
	if locator.Writable(href) != "" || to == nil {
		return
	}
	e.Href = href
	u, err := r.base.Parse(strings.TrimSpace(href))
	plain := err == nil && u.Fragment == "" && !strings.HasSuffix(href, "#")
	if r.depth == 0 && plain && !handled(n) && !e.unsized && markup.Attr(n, "target") == "" && !harmful(to) {
		e.target = to.String()
	}
}

// handled reports whether an element's own markup runs a script when it is
// used, which may submit or leave the page.
func handled(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return strings.HasPrefix(a.Key, "on") })
}

// option returns the value of the first option that can be chosen and is not
// chosen already, "" for none.
func (r *reading) option(n *html.Node) string {
	values := map[string]int{}
	var order []string
	chosen := ""
	for _, o := range r.doc.Elements {
		if o.DataAtom != atom.Option || markup.Closest(o, atom.Select) != n {
			continue
		}
		value := markup.Attr(o, "value")
		if !markup.Has(o, "value") {
			value = r.doc.Text(o).Value
		}
		values[value]++
		if markup.Has(o, "selected") || len(values) == 1 && chosen == "" {
			chosen = value
		}
		if !markup.Disabled(o) && !r.doc.Hidden(o) {
			order = append(order, value)
		}
	}
	for _, value := range order {
		if value != "" && value != chosen && values[value] == 1 && locator.Writable(value) == "" && strings.TrimSpace(value) == value {
			return value
		}
	}
	return ""
}

// destructive are words of addresses that a crawl does not follow and a test
// does not click.
var destructive = regexp.MustCompile(`(?i)(log|sign)[-_]?(out|off)|delete|remove|destroy|unsubscribe|cancel|deactivate|purge|reset|abmelden|logout|revoke`)

// harmful reports whether opening an address may change something.
func harmful(u *url.URL) bool {
	return destructive.MatchString(u.Path) || destructive.MatchString(u.RawQuery)
}
