package heal

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// shell puts a page's own elements between those of its site.
func shell(own ...Element) *Page {
	all := []Element{{Parent: -1, Tag: "body"}, {Parent: 0, Tag: "nav"}, {Parent: 1, Tag: "a", Text: "Home", Role: "link", Name: "Home"},
		{Parent: 1, Tag: "a", Text: "Team", Role: "link", Name: "Team"}, {Parent: 0, Tag: "main"}}
	for _, e := range own {
		e.Parent += 4
		all = append(all, e)
	}
	for i := len(all) - 1; i >= 0; i-- {
		all[i].Visible = true
		all[i].OwnText = all[i].Text
		for up := all[i].Parent; up >= 0 && all[i].Text != ""; up = all[up].Parent {
			all[up].Text = strings.TrimSpace(all[i].OwnText + " " + all[up].Text)
		}
	}
	return NewPage(all)
}

func button(parent int, text, id string) Element {
	return Element{Parent: parent, Tag: "button", Text: text, Role: "button", Name: text, Attributes: engine.Attributes{{Name: "class", Value: "act"}, {Name: "id", Value: id}}}
}

func heading(text string) Element {
	return Element{Tag: "h1", Text: text, Role: "heading", Name: text}
}

// rows is a table of people, each with a button to edit.
func rows(prefix string, people ...string) []Element {
	list := []Element{heading("People"), {Tag: "table"}}
	for _, name := range people {
		row := len(list) + 1
		list = append(list, Element{Parent: 2, Tag: "tr"}, Element{Parent: row, Tag: "td", Text: name}, Element{Parent: row, Tag: "td"},
			button(row+2, "Edit", prefix+strings.ToLower(name)))
	}
	return list
}

func field(parent int, label, id, typ string) Element {
	return Element{Parent: parent, Tag: "input", Role: "textbox", Name: label, Label: label, Attributes: engine.Attributes{{Name: "id", Value: id}, {Name: "type", Value: typ}}}
}

func TestWhatMeansSomethingElseIsSuggestedAtMost(t *testing.T) {
	invite := []Element{heading("Team"), {Tag: "form"}, field(2, "E-mail", "invite-email", "email"), button(2, "Invite", "invite")}
	login := []Element{heading("Sign in"), {Tag: "form"}, field(2, "E-mail", "login-email", "email"), field(2, "Password", "pw", "password"), button(2, "Sign in", "in")}
	one := func(title, text, id string) []Element { return []Element{heading(title), button(0, text, id)} }
	proven := func(text, id string) []Element {
		e := button(0, text, id)
		e.Attributes = append(e.Attributes, engine.Attribute{Name: "data-testid", Value: "act"})
		return []Element{heading("Alarm"), e}
	}
	cases := map[string]struct {
		old, now []Element
		lost     string // id
		want     string // outcome, and the reason or the element's id
	}{
		"the opposite by a word":              {one("Alarm", "Turn on", "on"), one("Alarm", "Turn off", "off"), "on", "suggested other-meaning"},
		"the opposite by a beginning":         {one("Ann", "Follow", "follow"), one("Ann", "Unfollow", "unfollow"), "follow", "suggested other-meaning"},
		"the opposite in German":              {one("Alarm", "Alarm einschalten", "on"), one("Alarm", "Alarm ausschalten", "off"), "on", "suggested other-meaning"},
		"the opposite in Japanese":            {one("Alarm", "通知を有効にする", "on"), one("Alarm", "通知を無効にする", "off"), "on", "suggested other-meaning"},
		"another number":                      {one("Gift", "Donate $10", "a"), one("Gift", "Donate $50", "b"), "a", "suggested other-meaning"},
		"another object":                      {one("App", "Deploy to staging", "a"), one("App", "Deploy to production", "b"), "a", "suggested other-meaning"},
		"a word more":                         {one("Keys", "Revoke key", "a"), one("Keys", "Revoke all keys", "b"), "a", "suggested other-meaning"},
		"the other way round":                 {one("Money", "Change EUR to USD", "a"), one("Money", "Change USD to EUR", "b"), "a", "suggested other-meaning"},
		"the same in other letters and forms": {one("Order", "confirm orders", "a"), one("Order", "Confirm Order!", "b"), "a", "healed b"},
		"other words, the same test id":       {proven("Turn on", "a"), proven("Enable", "b"), "a", "healed b"},
		"another row's":                       {rows("e-", "Ann", "Bob"), rows("e-", "Ann", "Zed"), "e-bob", "suggested other-meaning"},
		"the same row's, moved":               {rows("e-", "Ann", "Bob", "Cid"), rows("edit-", "Cid", "Ann", "Bob"), "e-bob", "healed edit-bob"},
		"the login's":                         {invite, login, "invite-email", "refused other-page"},
		"a login's own": {login, []Element{heading("Sign in"), {Tag: "form"}, field(2, "E-mail", "user", "email"), field(2, "Password", "pw", "password"), button(2, "Sign in", "in")},
			"login-email", "healed user"},
		"the same button on an error page": {one("Orders", "Reload", "a"), one("Something went wrong", "Reload", "b"), "a", "suggested other-page"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			old, now := shell(c.old...), shell(c.now...)
			d := Compare(old, now).Heal(byID(t, old, c.lost), Options{})
			got := string(d.Outcome) + " " + d.Reason
			if d.Outcome == engine.OutcomeHealed {
				id, _ := now.Element(d.Best.Index).Attributes.Get("id")
				got = "healed " + id
			}
			if got != c.want {
				t.Errorf("%s (%.3f, %s, %v), want %s", got, d.Best.Confidence, d.Evidence, d.Changed, c.want)
			}
			if (d.Outcome == engine.OutcomeSuggested) && len(d.Changed) == 0 {
				t.Error("a suggestion that does not say what changed")
			}
		})
	}
}

func TestWordsThatVaryMeanNothing(t *testing.T) {
	page := func(text, id string) *Page { return shell(heading("Posts"), button(0, text, id)) }
	varies := VaryingWords("Open Quux 4711", "Open Corge 4712")
	for name, c := range map[string]struct {
		was, is string
		want    engine.HealOutcome
	}{
		"this run's title":         {"Open Quux 4711", "Open Garply 4713", engine.OutcomeHealed},
		"a title and another verb": {"Open Quux 4711", "Close Garply 4713", engine.OutcomeSuggested},
	} {
		old := page(c.was, "a")
		if got := Compare(old, page(c.is, "b")).Heal(byID(t, old, "a"), Options{Varies: varies}).Outcome; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestATitleOfWordsThatVaryTellsNoPage(t *testing.T) {
	page := func(title, head, id string) *Page {
		return NewPage(append(shell(heading(head), button(0, "Publish", id)).elements, Element{Parent: -1, Tag: TitleTag, Text: title}))
	}
	for name, c := range map[string]struct {
		varies []string
		want   engine.HealOutcome
	}{
		"known to vary": {[]string{"quux", "waldo"}, engine.OutcomeHealed},
		"one of them":   {[]string{"quux"}, engine.OutcomeSuggested},
		"not known":     {nil, engine.OutcomeSuggested},
	} {
		old := page("Quux waldo", "Quux waldo", "a")
		d := Compare(old, page("Fred plugh", "Fred plugh", "b")).Heal(byID(t, old, "a"), Options{Varies: c.varies})
		if d.Outcome != c.want {
			t.Errorf("%s: %s %s, want %s", name, d.Outcome, d.Reason, c.want)
		}
	}
}

func TestAnIconIsAMeaning(t *testing.T) {
	page := func(icon, id string) *Page {
		return shell(heading("File"), button(0, "", id), Element{Parent: 2, Tag: "i", Attributes: engine.Attributes{{Name: "class", Value: "fa " + icon}}})
	}
	for _, c := range []struct {
		was, is string
		want    engine.HealOutcome
	}{{"fa-trash", "fa-trash", engine.OutcomeHealed}, {"fa-trash", "fa-share", engine.OutcomeSuggested}} {
		old := page(c.was, "a")
		d := Compare(old, page(c.is, "b")).Heal(byID(t, old, "a"), Options{})
		if d.Outcome == engine.OutcomeHealed != (c.want == engine.OutcomeHealed) {
			t.Errorf("%s, now %s: %s %s (%.3f, %s)", c.was, c.is, d.Outcome, d.Reason, d.Best.Confidence, d.Evidence)
		}
	}
}

func byID(t *testing.T, p *Page, id string) int {
	t.Helper()
	for i := range p.Len() {
		if have, _ := p.Element(i).Attributes.Get("id"); have == id {
			return i
		}
	}
	t.Fatalf("no element %s", id)
	return -1
}

// Only the header and the footer of the site are what all its pages share.
func TestTheFooterOfADialogIsTheDialogs(t *testing.T) {
	dialog := func(around string, id string) *Page {
		return shell(heading("Tickets"), Element{Tag: "p", Text: "Nothing is open."}, Element{Tag: "dialog", Name: "New ticket"},
			Element{Parent: 3, Tag: "h2", Text: "New ticket"}, Element{Parent: 3, Tag: around}, button(5, "Create", id), button(5, "Cancel", id+"-not"))
	}
	old := dialog("div", "a")
	for around, want := range map[string]engine.HealOutcome{"footer": engine.OutcomeHealed, "header": engine.OutcomeHealed, "nav": engine.OutcomeSuggested} {
		d := Compare(old, dialog(around, "b")).Heal(byID(t, old, "a"), Options{})
		if d.Outcome != want {
			t.Errorf("in a %s of the dialog: %s %s (%.3f, %+v)", around, d.Outcome, d.Reason, d.Best.Confidence, d.Evidence)
		}
	}
}

// A form's buttons that got a footer around them are where they were, as long as it is not
// the footer of the site.
func TestTheFooterOfTheMainPartIsItsOwn(t *testing.T) {
	form := func(main, around Element, id string) *Page {
		around.Parent, main.Parent = 3, -4 // in the body
		return shell(heading("Tickets"), main, Element{Parent: 2, Tag: "form"}, Element{Parent: 3, Tag: "h2", Text: "Notifications"}, around, button(5, "Save", id), button(5, "Cancel", id+"-not"))
	}
	main, div := Element{Tag: "main"}, Element{Tag: "div"}
	for name, tt := range map[string]struct {
		main, around Element
		want         engine.HealOutcome
	}{
		"the main part's footer":            {main, Element{Tag: "footer", Role: "contentinfo"}, engine.OutcomeHealed},
		"its header":                        {main, Element{Tag: "header", Role: "banner"}, engine.OutcomeHealed},
		"an article's footer":               {Element{Tag: "article"}, Element{Tag: "footer", Role: "contentinfo"}, engine.OutcomeHealed},
		"the site's footer":                 {div, Element{Tag: "footer", Role: "contentinfo"}, engine.OutcomeSuggested},
		"what says that it is the site's":   {main, Element{Tag: "div", Role: "contentinfo"}, engine.OutcomeSuggested},
		"a navigation within the main part": {main, Element{Tag: "nav", Role: "navigation"}, engine.OutcomeSuggested},
	} {
		old := form(tt.main, div, "a")
		d := Compare(old, form(tt.main, tt.around, "b")).Heal(byID(t, old, "a"), Options{})
		if d.Outcome != tt.want {
			t.Errorf("%s: %s %s (%.3f, %+v)", name, d.Outcome, d.Reason, d.Best.Confidence, d.Evidence)
		}
	}
}

func TestAVetoedElementIsRefusedWhereverItStands(t *testing.T) {
	page := func(list ...Element) *Page { return shell(list...) }
	old := page(heading("App"), button(0, "Deploy", "a"))
	first := page(heading("App"), button(0, "Deploy", "b"))
	moved := page(heading("App"), Element{Tag: "section"}, button(2, "deploy", "c"))
	lost := byID(t, old, "a")
	d := Compare(old, first).Heal(lost, Options{})
	if d.Outcome != engine.OutcomeHealed {
		t.Fatalf("%s %s", d.Outcome, d.Reason)
	}
	no := Options{Corrections: Corrections{Vetoed: []string{SignatureOf(first.Written(d.Best.Index))}}}
	for name, now := range map[string]*Page{"the same page": first, "moved": moved} {
		if d := Compare(old, now).Heal(lost, no); d.Outcome != engine.OutcomeRefused || d.Reason != engine.ReasonVetoed {
			t.Errorf("%s: %s %s", name, d.Outcome, d.Reason)
		}
	}
	if a, b := SignatureOf(first.Written(lost)), SignatureOf(page(heading("App"), button(0, "Destroy", "b")).Written(lost)); a == b {
		t.Error("two elements have one signature")
	}
}
