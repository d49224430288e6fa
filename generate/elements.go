package generate

import (
	"context"
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

// inputClasses are the classes of <input> by type; "" is no element of a test.
var inputClasses = map[string]Class{
	"password": ClassPassword, "email": ClassEmail, "search": ClassSearch, "number": ClassNumber, "range": ClassNumber,
	"date": ClassDate, "datetime-local": ClassDate, "month": ClassDate, "time": ClassDate, "week": ClassDate,
	"color": ClassColor, "file": ClassFile, "checkbox": ClassCheckbox, "radio": ClassRadio, "submit": ClassSubmit,
	"image": ClassSubmit, "button": ClassButton, "reset": ClassButton, "hidden": "",
}

// roleClasses are the classes of elements that are made a control by a role.
var roleClasses = map[string]Class{
	"button": ClassButton, "link": ClassLink, "checkbox": ClassCheckbox, "switch": ClassCheckbox, "radio": ClassRadio,
	"combobox": ClassDropdown, "listbox": ClassDropdown, "textbox": ClassText, "searchbox": ClassSearch, "spinbutton": ClassNumber,
	"slider": ClassNumber, "tab": ClassButton, "menuitem": ClassButton,
}

// Words around a field by which its purpose is known.
var (
	loginWords  = lazyregexp.New(`(?i)\b(user[-_ ]?name|user[-_ ]?id|log[-_ ]?in|sign[-_ ]?in|account|benutzername|utilisateur|usuario)\b|^user$`)
	emailWords  = lazyregexp.New(`(?i)\be-?mail\b|correo`)
	searchWords = lazyregexp.New(`(?i)\b(search|find|suche|recherche|buscar|query)\b|^q$`)
)

// classify returns what an element is for, and whether a test wants it: what
// a person sees and uses, and the headings that say where one is.
func (r *reading) classify(n *html.Node) (Class, bool) {
	if r.doc.Hidden(n) || markup.Unsized(n) || markup.Closest(n, atom.Template) != nil {
		return "", false
	}
	class := Class("")
	switch n.DataAtom {
	case atom.Input:
		t, known := markup.InputType(n), false
		if class, known = inputClasses[t]; !known {
			class = r.fieldPurpose(n, t)
		}
	case atom.Textarea:
		class = ClassText
	case atom.Select:
		class = ClassDropdown
	case atom.Button:
		class = r.buttonClass(n)
	case atom.A:
		class = r.anchorClass(n)
	case atom.Summary:
		class = ClassButton
	case atom.H1, atom.H2:
		if r.doc.Role(n) == "heading" && (r.doc.Text(n).Value != "" || r.doc.Name(n).Value != "") {
			class = ClassHeading
		}
	default:
		class = roleClasses[r.doc.Role(n)]
	}
	return class, class != ""
}

// hidingClasses are the classes by which the common style sheets hide something.
var hidingClasses = []string{"hidden", "d-none", "is-hidden", "hide", "invisible", "dropdown-menu", "modal"}

// hiddenByClass reports whether a class of an element or of one around it says that
// it is not shown. A style sheet may know better, so it is no proof.
func hiddenByClass(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if slices.ContainsFunc(strings.Fields(markup.Attr(n, "class")), func(class string) bool { return slices.Contains(hidingClasses, class) }) {
			return true
		}
	}
	return false
}

// fieldPurpose tells apart the fields that are typed into, by autocomplete
// (https://html.spec.whatwg.org/#autofill) and then by their words.
func (r *reading) fieldPurpose(n *html.Node, t string) Class {
	hints := strings.Fields(strings.ToLower(markup.Attr(n, "autocomplete")))
	words := strings.Join([]string{r.doc.Label(n).Value, markup.Attr(n, "placeholder"), asWords(markup.Attr(n, "name")), asWords(markup.Attr(n, "id"))}, " ")
	switch {
	case slices.Contains(hints, "username"):
		return ClassLogin
	case slices.Contains(hints, "email") || emailWords.MatchString(words):
		return ClassEmail
	case t == "tel" || t == "url":
		return ClassText
	case loginWords.MatchString(words) || r.besidePassword(n):
		return ClassLogin
	case searchWords.MatchString(words) || searchWords.MatchString(markup.Attr(n, "name")) || r.insideRole(n, "search"):
		return ClassSearch
	}
	return ClassText
}

// besidePassword reports whether a field is the one before the only password
// of its form, which is how a form to sign in looks.
func (r *reading) besidePassword(n *html.Node) bool {
	form := markup.Closest(n, atom.Form)
	if form == nil {
		return false
	}
	fields, passwords := 0, 0
	var first *html.Node
	for _, m := range r.doc.Elements {
		if m.DataAtom != atom.Input || markup.Closest(m, atom.Form) != form {
			continue
		}
		switch t := markup.InputType(m); {
		case t == "password":
			passwords++
		case inputClasses[t] == "" && t != "hidden":
			fields++
			if first == nil {
				first = m
			}
		}
	}
	return passwords == 1 && fields == 1 && first == n
}

func (r *reading) buttonClass(n *html.Node) Class {
	t := strings.ToLower(markup.Attr(n, "type"))
	if t != "button" && t != "reset" && r.formNumber(n) > 0 {
		return ClassSubmit
	}
	return ClassButton
}

func (r *reading) anchorClass(n *html.Node) Class {
	role := r.doc.Role(n)
	switch {
	case role != "link":
		return roleClasses[role]
	case r.insideRole(n, "navigation") || r.insideRole(n, "banner") || r.insideRole(n, "contentinfo") || r.insideRole(n, "menu"):
		return ClassNavigation
	}
	return ClassLink
}

// insideRole reports whether an element with a role is around n.
func (r *reading) insideRole(n *html.Node, role string) bool {
	for up := n.Parent; up != nil; up = up.Parent {
		if up.Type == html.ElementNode && r.doc.Role(up) == role {
			return true
		}
	}
	return false
}

// asWords returns a name in snake, kebab or camel case as words.
func asWords(name string) string { return strings.Join(splitWords(name), " ") }

// elements adds the elements of a document to its page, and returns its links.
func (c *crawl) elements(ctx context.Context, r *reading, page *Page, t *tally) ([]*url.URL, error) {
	t.addClosed(r.view.Closed())
	t.addClosed(r.doc.Closed)
	var links []*url.URL
	for _, n := range r.doc.Elements {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if to := r.linkTarget(n); to != nil {
			links = append(links, to)
		}
		class, ok := r.classify(n)
		switch {
		case !ok:
			continue
		case c.o.Browser == nil && hiddenByClass(n):
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

// element makes the model of one element. It reports false when no locator is
// proven to find it alone.
func (r *reading) element(n *html.Node, class Class) (Element, bool) {
	e := Element{Class: class, Role: r.doc.Role(n), Name: r.displayName(n), Disabled: markup.Disabled(n), hint: r.authorName(n), form: r.formNumber(n)}
	var ok bool
	if e.Locator, ok = r.locate(n, class); !ok {
		return e, false
	}
	e.Locator, e.frame = e.Locator.Inside(r.frame), r.frameName
	e.Found = locator.Print(e.Locator, locator.TypeScript)
	r.setUse(&e, n)
	return e, true
}

// locate returns the best locator that is proven to find n alone, in the order
// that Playwright recommends (https://playwright.dev/docs/locators): what a
// user sees, then test ids, then the part of the page, then CSS.
func (r *reading) locate(n *html.Node, class Class) (locator.Selector, bool) {
	return r.proveFirst(n, r.candidates(n, class))
}

// displayName returns what a person calls an element.
func (r *reading) displayName(n *html.Node) string {
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

// authorName returns the first stable name that the page's authors gave an element.
func (r *reading) authorName(n *html.Node) string {
	for _, attribute := range []string{r.testID, "name", "id"} {
		if value := markup.Attr(n, attribute); value != "" && !locator.Generated(value) {
			return text.First(value, 80)
		}
	}
	return ""
}

// formNumber numbers the form that an element belongs to.
func (r *reading) formNumber(n *html.Node) int {
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
