package locator

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// SaidForms returns the selector of h.Locator with what the healed element says now in the
// place of what it said, where its last part asks for that in CSS or XPath:
// button:has-text("Save"), //button[text()='Save'], a[title='Save']. None was tried.
func SaidForms(h engine.HealEvent) []Selector {
	old, err := Of(h)
	if err != nil || old.Last().Kind != KindCSS && old.Last().Kind != KindXPath {
		return nil
	}
	written := old.Last()
	runs := quotedRun.FindAllStringIndex(written.Value, -1)
	var out []Selector
	for _, at := range runs {
		for _, now := range saidNow(h, written.Value[at[0]+1:at[1]-1]) {
			value := written.Value[:at[0]+1] + now + written.Value[at[1]-1:]
			p, ok := written.withValue(value)
			if ok && historyOf(h.Original).unstableReason(p, written) == "" {
				out = append(out, old.WithPart(len(old.Parts)-1, p))
			}
		}
	}
	return out
}

// maxSaid bounds a text by which an element is looked for, in bytes.
const maxSaid = 200

// saidNow returns what the healed element says where the lost one said a text: as its own
// text, its whole one, its name, or one of the attributes that people read.
func saidNow(h engine.HealEvent, text string) []string {
	var out []string
	add := func(was, is string) {
		is = strings.Join(strings.Fields(is), " ")
		if strings.Join(strings.Fields(was), " ") == text && is != text && is != "" && len(is) <= maxSaid && !strings.ContainsAny(is, `"'\`) && !slices.Contains(out, is) {
			out = append(out, is)
		}
	}
	add(h.Original.OwnText, h.Healed.OwnText)
	add(h.Original.Text, h.Healed.Text)
	add(h.Original.Name, h.Healed.Name)
	for _, name := range []string{"title", "aria-label", "alt", "placeholder"} {
		was, _ := h.Original.Attributes.Get(name)
		is, _ := h.Healed.Attributes.Get(name)
		add(was, is)
	}
	return out
}
