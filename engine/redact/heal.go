package redact

import (
	"slices"

	"github.com/breadcrumb/action/engine"
)

// Heal returns a heal event with masks in the place of the secrets in its page's
// address and in what its elements say. Test and locators stay: by them the event is
// found in the suite's source.
func Heal(e engine.HealEvent) engine.HealEvent {
	e.PageURL = Text(e.PageURL)
	e.Original, e.Healed = Fingerprint(e.Original), Fingerprint(e.Healed)
	e.Changed = mapped(e.Changed, func(c engine.Change) engine.Change {
		c.Was, c.Now = Text(c.Was), Text(c.Now)
		return c
	})
	return e
}

// Fingerprint returns what is known of an element with masks in the place of secrets.
// What stands in a password field is one, whatever it looks like.
func Fingerprint(f engine.Fingerprint) engine.Fingerprint {
	for _, text := range []*string{&f.Text, &f.Name, &f.Label, &f.Href, &f.OwnText, &f.Heading, &f.Around, &f.Page, &f.PageAddress, &f.Headline} {
		*text = Text(*text)
	}
	f.Neighbours = mapped(f.Neighbours, Text)
	kind, _ := f.Attributes.Get("type")
	f.Attributes = mapped(f.Attributes, func(a engine.Attribute) engine.Attribute {
		if a.Value = Text(a.Value); a.Name == "value" && kind == "password" && a.Value != "" {
			a.Value = Mask
		}
		return a
	})
	return f
}

// mapped returns a copy of a list with each item changed, and the list itself where none
// is.
func mapped[S ~[]T, T comparable](list S, change func(T) T) S {
	var out S
	for i, item := range list {
		if got := change(item); got != item {
			if out == nil {
				out = slices.Clone(list)
			}
			out[i] = got
		}
	}
	if out == nil {
		return list
	}
	return out
}
