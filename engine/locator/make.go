package locator

import "strconv"

// The constructors below make selectors in the notation that Playwright's
// getBy… calls compile to, so that Print writes those calls.

// ByRole returns the selector of an ARIA role with an accessible name, "" for
// any name.
func ByRole(role, name string, match Match) Selector {
	return Selector{Parts: []Part{rolePart(role, name, name != "", match)}}
}

// ByText returns the selector of one of the kinds that look for a text or an
// attribute's value: KindLabel, KindPlaceholder, KindAlt, KindTitle, KindText,
// KindHasText.
func ByText(kind Kind, value string, match Match) Selector {
	return Selector{Parts: []Part{newPart(kind, value, match)}}
}

// ByTestID returns the selector of a test id in an attribute.
func ByTestID(attribute, value string) Selector {
	return Selector{Parts: []Part{newPart(KindTestID, value, MatchUnset).named(attribute)}}
}

// ByAttribute returns the CSS selector of an attribute's value, #x for plain
// ids.
func ByAttribute(name, value string) Selector { return ByCSS(cssAttr(name, value, '"')) }

// ByCSS returns a CSS selector.
func ByCSS(css string) Selector {
	return Selector{Parts: []Part{{Kind: KindCSS, Value: css, Raw: css}}}
}

// Nth returns the selector of the nth element that s finds, counted from 0.
func (s Selector) Nth(n int) Selector {
	parts := append([]Part(nil), s.Parts...)
	return Selector{Parts: append(parts, nthPart(strconv.Itoa(n)))}
}

// Inside returns the selector that looks for s inside of what outer finds.
func (s Selector) Inside(outer Selector) Selector {
	parts := append([]Part(nil), outer.Parts...)
	return Selector{Parts: append(parts, s.Parts...)}
}

// Quote returns value as a string literal of a language, in its usual quotes.
// No character of it can end the literal, and none that does not show as
// itself stands in it as itself.
func Quote(value string, lang Language) string {
	d := dialects[lang]
	if d == nil {
		d = dialects[TypeScript]
	}
	return d.quote(value)
}

// Writable says why a value must not be written into source code, "" when it
// may: it is not too long and holds nothing that hides or reorders text.
func Writable(value string) string { return writable(value) }

// Frame returns the selector that steps into the frame that s finds.
func (s Selector) Frame() Selector {
	parts := append([]Part(nil), s.Parts...)
	return Selector{Parts: append(parts, Part{Kind: KindFrame, Raw: "internal:control=enter-frame"})}
}
