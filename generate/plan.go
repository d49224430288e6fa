package generate

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
)

// pagePlan is a page ready to be written in any language.
type pagePlan struct {
	Page
	Name   ident
	Fields []field

	Fills   []field // that are typed into
	Chooses []field // whose value is set: checkboxes, radio buttons, dropdowns
	Leads   []field // links that lead to a page of the crawl
	Hrefs   []field // other links
	SignIn  *signIn
	Search  *search
}

// field is an element with its name in code.
type field struct {
	Element
	Name ident
}

// signIn is a form with a user's name and a password.
type signIn struct{ Login, Password, Submit field }

// search is a form with one search field.
type search struct{ Input, Submit field }

// planSite names the pages of a site and their elements.
func planSite(site Site) []pagePlan {
	names := uniqueNames{}
	plans := make([]pagePlan, 0, len(site.Pages))
	for _, p := range site.Pages {
		plans = append(plans, planPage(p, names.claimName(pageName(p), pageKeys)))
	}
	return plans
}

func planPage(p Page, name ident) pagePlan {
	plan := pagePlan{Page: p, Name: name}
	names := uniqueNames{}
	for _, e := range p.Elements {
		f := field{e, names.claimName(fieldName(e), fieldKeys)}
		plan.Fields = append(plan.Fields, f)
		switch {
		case e.Fill != "":
			plan.Fills = append(plan.Fills, f)
		case e.Choose != "" || e.Check != "":
			plan.Chooses = append(plan.Chooses, f)
		case e.Leads != "":
			plan.Leads = append(plan.Leads, f)
		case e.Href != "":
			plan.Hrefs = append(plan.Hrefs, f)
		}
	}
	plan.SignIn, plan.Search = plan.signIn(), plan.search()
	return plan
}

// signIn returns the form to sign in, nil for none: one password and one name
// in the same form, and one button that submits it.
func (p pagePlan) signIn() *signIn {
	password, ok := p.onlyField(ClassPassword, -1)
	if !ok {
		return nil
	}
	login, ok := p.onlyField(ClassLogin, password.form)
	if !ok {
		if login, ok = p.onlyField(ClassEmail, password.form); !ok {
			return nil
		}
	}
	submit, ok := p.onlyField(ClassSubmit, password.form)
	if !ok || password.form == 0 {
		return nil
	}
	return &signIn{login, password, submit}
}

// search returns the form to search, nil for none.
func (p pagePlan) search() *search {
	input, ok := p.onlyField(ClassSearch, -1)
	if !ok || input.form == 0 {
		return nil
	}
	submit, ok := p.onlyField(ClassSubmit, input.form)
	if !ok {
		return nil
	}
	return &search{input, submit}
}

// onlyField returns the one element of a class, in a form or, with -1, on the page.
func (p pagePlan) onlyField(class Class, form int) (field, bool) {
	var found []field
	for _, f := range p.Fields {
		if f.Class == class && (form < 0 || f.form == form) {
			found = append(found, f)
		}
	}
	if len(found) != 1 || found[0].Disabled {
		return field{}, false
	}
	return found[0], true
}

// Sized reports whether the element takes room on the page for sure.
func (f field) Sized() bool { return !f.unsized }

// Pressed reports whether a test says that the element can be clicked.
func (f field) Pressed() bool { return f.Class == ClassSubmit || f.Class == ClassButton }

// Selects reports whether a test selects an option.
func (p pagePlan) Selects() bool {
	return slices.ContainsFunc(p.Chooses, func(f field) bool { return f.Choose != "" })
}

// suffixes say what an element is at the end of its name.
var suffixes = map[Class]string{
	ClassLogin: "input", ClassPassword: "input", ClassEmail: "input", ClassSearch: "input", ClassText: "input", ClassNumber: "input",
	ClassDate: "input", ClassColor: "input", ClassFile: "input", ClassCheckbox: "checkbox", ClassRadio: "radio",
	ClassDropdown: "select", ClassSubmit: "button", ClassButton: "button", ClassNavigation: "link", ClassLink: "link", ClassHeading: "heading",
}

// fieldName returns what an element is called in code.
func fieldName(e Element) ident {
	name := identOf(e.Name)
	if len(name) > 0 {
		if where := surroundingName(e.Locator); len(where) > 0 && !slices.Contains(name, where[0]) {
			name = append(where, name...)
		}
	} else {
		name = identOf(e.hint)
	}
	if len(name) == 0 && suffixes[e.Class] != string(e.Class) {
		name = ident{string(e.Class)}
	}
	if frame := identOf(e.frame); len(frame) > 0 && !slices.Contains(name, frame[0]) {
		name = append(frame[:min(len(frame), 2)], name...)
	}
	suffix := suffixes[e.Class]
	if len(name) == 0 || name[len(name)-1] != suffix {
		name = append(slices.Clone(name), suffix)
	}
	return startWithLetter(name, string(e.Class))
}

// parts are the parts of a page by the role that stands for them.
var parts = map[string]string{
	"banner": "header", "contentinfo": "footer", "navigation": "nav", "complementary": "aside", "dialog": "dialog", "alertdialog": "dialog",
	"main": "main", "search": "search", "form": "form",
}

// surroundingName returns what tells an element apart from others of its name: the row,
// the item or the part of the page that its locator looks in.
func surroundingName(s locator.Selector) ident {
	var words ident
	for _, p := range s.Parts[:max(len(s.Parts)-1, 0)] {
		switch {
		case p.Kind == locator.KindHasText || p.Kind == locator.KindRole && p.Named:
			words = identOf(p.Value)
		case parts[p.Role] != "":
			words = ident{parts[p.Role]}
		}
	}
	return words[:min(len(words), 3)]
}

// reserved are names that a file cannot have on Windows.
var reserved = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}

// pageName returns what a page is called in code and as a file: its path
// without the ending. Nothing but plain letters and digits is in it.
func pageName(p Page) ident {
	path := p.Path
	if u, err := url.Parse(p.URL); err == nil {
		path = u.Path
		for _, ending := range []string{".html", ".htm", ".php", ".aspx", ".jsp"} {
			path = strings.TrimSuffix(path, ending)
		}
		path = strings.TrimSuffix(path, "/index") + " " + u.RawQuery
	}
	name := identOf(path)
	if len(name) == 0 {
		name = ident{"home"}
	}
	if len(name) == 1 && (reserved[name[0]] || len(name[0]) == 4 && (name[0][:3] == "com" || name[0][:3] == "lpt")) {
		name = ident{"the", name[0]}
	}
	return startWithLetter(name, "page")
}

// pageKeys are what a page's name needs to have for itself: its file and type,
// and in Go the function that makes it.
func pageKeys(name ident) []string { return []string{name.pascal(), "New" + name.pascal()} }

// fieldKeys are what an element's name needs to have for itself on its page.
func fieldKeys(name ident) []string { return []string{name.pascal(), name.snake()} }

// uniqueNames makes names unique, in the order they are asked for.
type uniqueNames map[string]bool

// claimName returns name, with a number behind it when it is taken. keys returns
// what must be free for a name.
func (u uniqueNames) claimName(name ident, keys func(ident) []string) ident {
	for n := 1; ; n++ {
		tried := slices.Clone(name)
		if n > 1 {
			tried[len(tried)-1] += strconv.Itoa(n)
		}
		if !slices.ContainsFunc(keys(tried), func(k string) bool { return u[k] }) {
			for _, k := range keys(tried) {
				u[k] = true
			}
			return tried
		}
	}
}
