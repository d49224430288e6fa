package heal

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestWhatTheLocatorAsksForIsMeant(t *testing.T) {
	titled := func(title, id string) *Page {
		e := button(0, "×", id)
		if title != "" {
			e.Attributes = append(e.Attributes, engine.Attribute{Name: "title", Value: title})
		}
		return shell(heading("Chat"), e)
	}
	card := func(plan, price, id string) *Page {
		return shell(heading("Plans"), Element{Tag: "section"}, Element{Parent: 2, Tag: "span", Text: plan}, Element{Parent: 2, Tag: "p", Text: price}, button(2, "Choose", id))
	}
	own, around := func(s string) []engine.AskedText { return []engine.AskedText{{Text: s}} }, func(s string) []engine.AskedText { return []engine.AskedText{{Text: s, Around: true}} }
	for name, c := range map[string]struct {
		old, now *Page
		asked    []engine.AskedText
		want     string
	}{
		"a title that went":                    {titled("Close", "a"), titled("", "b"), own("Close"), "suggested"},
		"a title that stayed":                  {titled("Close", "a"), titled("Close", "b"), own("close"), "healed"},
		"nothing asked":                        {titled("Close", "a"), titled("", "b"), nil, "healed"},
		"another word than was learned":        {shell(heading("File"), button(0, "Store", "a")), shell(heading("File"), button(0, "Store", "b")), own("Save"), "suggested"},
		"a part of what it says":               {shell(heading("File"), button(0, "Save changes", "a")), shell(heading("File"), button(0, "Save changes", "b")), own("Save"), "healed"},
		"symbols only":                         {shell(heading("File"), button(0, "Save", "a")), shell(heading("File"), button(0, "Save", "b")), own("…"), "healed"},
		"the card it asks for":                 {card("Pro", "for 20 people", "a"), card("Pro", "for 30 people", "b"), around("Pro"), "healed"},
		"the price of another card":            {card("Pro", "for 20 people", "a"), card("Pro", "for 30 people", "b"), around("for 20 people"), "suggested"},
		"the price of another card, not meant": {card("Pro", "for 20 people", "a"), card("Pro", "for 30 people", "b"), nil, "healed"},
	} {
		d := Compare(c.old, c.now).Heal(byID(t, c.old, "a"), Options{Asked: c.asked})
		if !strings.HasPrefix(string(d.Outcome), c.want) || d.Outcome == engine.OutcomeSuggested && len(d.Changed) == 0 {
			t.Errorf("%s: %s %s (%.2f, %v), want %s", name, d.Outcome, d.Reason, d.Best.Confidence, d.Changed, c.want)
		}
	}
}

func TestChangesAreToldAsThePagesWriteThem(t *testing.T) {
	old, now := shell(heading("App"), button(0, "Deploy to Staging", "a")), shell(heading("App"), button(0, "Deploy to Production", "b"))
	known := LearnPage(old).Learn(byID(t, old, "a")).Unpack()
	d := known.Heal(now, Options{})
	if len(d.Changed) != 1 || d.Changed[0] != (engine.Change{What: "name", Was: "Deploy to Staging", Now: "Deploy to Production"}) {
		t.Errorf("changed %v", d.Changed)
	}
	people := func(who, id string) *Page {
		return NewPage([]Element{{Parent: -1, Tag: "ul", Visible: true},
			{Parent: 0, Tag: "li", Visible: true}, {Parent: 1, Tag: "b", Text: "Ann Quux", OwnText: "Ann Quux", Visible: true}, visible(button(1, "Edit", "e-ann")),
			{Parent: 0, Tag: "li", Visible: true}, {Parent: 4, Tag: "b", Text: who, OwnText: who, Visible: true}, visible(button(4, "Edit", id))})
	}
	old, now = people("Bob Waldo", "e-bob"), people("Zed Fred", "e-zed")
	d = LearnPage(old).Learn(byID(t, old, "e-bob")).Unpack().Heal(now, Options{})
	if len(d.Changed) != 1 || d.Changed[0] != (engine.Change{What: ChangedRow, Was: "Bob Waldo", Now: "Zed Fred"}) {
		t.Errorf("changed %v", d.Changed)
	}
}

func visible(e Element) Element {
	e.Visible = true
	return e
}
