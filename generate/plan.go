package generate

import "slices"

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

// plan names the pages of a site and their elements.
func plan(site Site) []pagePlan {
	names := uniqueNames{}
	plans := make([]pagePlan, 0, len(site.Pages))
	for _, p := range site.Pages {
		plans = append(plans, planPage(p, names.take(pageName(p), pageKeys)))
	}
	return plans
}

func planPage(p Page, name ident) pagePlan {
	plan := pagePlan{Page: p, Name: name}
	names := uniqueNames{}
	for _, e := range p.Elements {
		f := field{e, names.take(fieldName(e), fieldKeys)}
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
	password, ok := p.only(ClassPassword, -1)
	if !ok {
		return nil
	}
	login, ok := p.only(ClassLogin, password.form)
	if !ok {
		if login, ok = p.only(ClassEmail, password.form); !ok {
			return nil
		}
	}
	submit, ok := p.only(ClassSubmit, password.form)
	if !ok || password.form == 0 {
		return nil
	}
	return &signIn{login, password, submit}
}

// search returns the form to search, nil for none.
func (p pagePlan) search() *search {
	input, ok := p.only(ClassSearch, -1)
	if !ok || input.form == 0 {
		return nil
	}
	submit, ok := p.only(ClassSubmit, input.form)
	if !ok {
		return nil
	}
	return &search{input, submit}
}

// only returns the one element of a class, in a form or, with -1, on the page.
func (p pagePlan) only(class Class, form int) (field, bool) {
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
