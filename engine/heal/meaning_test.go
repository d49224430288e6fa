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

func TestALikelyElementThatMeansSomethingElseIsRefused(t *testing.T) {
	invite := []Element{heading("Team"), {Tag: "form"}, field(2, "E-mail", "invite-email", "email"), button(2, "Invite", "invite")}
	login := []Element{heading("Sign in"), {Tag: "form"}, field(2, "E-mail", "login-email", "email"), field(2, "Password", "pw", "password"), button(2, "Sign in", "in")}
	cases := map[string]struct {
		old, now []Element
		lost     string // id
		want     string // reason, or the healed element's id
	}{
		"the opposite by a word":      {[]Element{heading("Alarm"), button(0, "Turn on", "on")}, []Element{heading("Alarm"), button(0, "Turn off", "off")}, "on", engine.ReasonOtherMeaning},
		"the opposite by a beginning": {[]Element{heading("Ann"), button(0, "Follow", "follow")}, []Element{heading("Ann"), button(0, "Unfollow", "unfollow")}, "follow", engine.ReasonOtherMeaning},
		"another name for the same":   {[]Element{heading("People"), button(0, "New person", "new")}, []Element{heading("People"), button(0, "Add person", "add")}, "new", "add"},
		"another thing of its kind":   {[]Element{heading("Report"), button(0, "Download CSV", "csv")}, []Element{heading("Report"), button(0, "Download PDF", "pdf")}, "csv", engine.ReasonOtherMeaning},
		"another row's":               {rows("e-", "Ann", "Bob"), rows("e-", "Ann", "Zed"), "e-bob", engine.ReasonOtherMeaning},
		"the same row's, moved":       {rows("e-", "Ann", "Bob", "Cid"), rows("edit-", "Cid", "Ann", "Bob"), "e-bob", "edit-bob"},
		"the login's":                 {invite, login, "invite-email", engine.ReasonOtherMeaning},
		"a login's own":               {login, []Element{heading("Sign in"), {Tag: "form"}, field(2, "E-mail", "user", "email"), field(2, "Password", "pw", "password"), button(2, "Sign in", "in")}, "login-email", "user"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			old, now := shell(c.old...), shell(c.now...)
			d := Compare(old, now).Heal(byID(t, old, c.lost), Options{})
			got := d.Reason
			if d.Outcome == engine.OutcomeHealed {
				got, _ = now.Element(d.Best.Index).Attributes.Get("id")
			}
			if got != c.want {
				t.Errorf("%q (%.3f), want %q", got, d.Best.Confidence, c.want)
			}
		})
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

func TestOppositesAreKnown(t *testing.T) {
	for _, pair := range [][2]string{{"Sign in", "Sign out"}, {"Show details", "Hide details"}, {"Lock", "Unlock account"}, {"Connect", "Disconnect"}, {"Add to cart", "Remove from cart"},
		{"Download CSV", "Download PDF"}, {"Add to basket", "Add to wishlist"}, {"Sign in with Google", "Sign in with GitHub"}, {"Deutsch", "English"}} {
		if !opposite(pair[0], pair[1]) || !opposite(pair[1], pair[0]) {
			t.Errorf("%q is the opposite of %q", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"Sign in", "Log in"}, {"Save", "Save changes"}, {"Do", "Undo"}, {"Open and close", "Close and open"}, {"", "Off"}, {"Next page", "Next"},
		{"Add to basket", "Add to cart"}, {"Excel export", "Export .xlsx"}, {"PDF", "PDF and CSV"}, {"Download CSV", "Download"}} {
		if opposite(pair[0], pair[1]) {
			t.Errorf("%q is no opposite of %q", pair[0], pair[1])
		}
	}
}
