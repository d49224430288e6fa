// Package locator reads, derives and prints Playwright locators.
//
// Start with Of, which reads the locator a heal event was raised for, and
// Replacement, which says what to write in its place. Every value comes from
// a page or a test run and is hostile: it is quoted for the selector engine
// here and for the programming language in Print.
package locator

import (
	"slices"
	"strings"
)

// Kind is the way one part of a selector finds its element.
type Kind string

// The kinds that can be told apart; everything else is KindOther and is never
// edited.
const (
	KindCSS         Kind = "css"
	KindXPath       Kind = "xpath"
	KindID          Kind = "id" // the legacy engine id=x
	KindTestID      Kind = "test id"
	KindRole        Kind = "role"
	KindLabel       Kind = "label"
	KindPlaceholder Kind = "placeholder"
	KindAlt         Kind = "alt text"
	KindTitle       Kind = "title"
	KindText        Kind = "text"
	KindHasText     Kind = "has-text"
	KindHasNotText  Kind = "has-not-text"
	KindNth         Kind = "nth"
	KindFrame       Kind = "frame" // steps into the frame found so far
	KindHas         Kind = "has"   // these four: Value is a selector of its own
	KindHasNot      Kind = "has-not"
	KindAnd         Kind = "and"
	KindOr          Kind = "or"
	KindVisible     Kind = "visible" // Value is true or false
	KindOther       Kind = "other"
)

// Match is how strictly a text, name or label is compared.
type Match int

// A loose match ignores case and looks for a substring; an exact one wants the
// whole string; MatchWhole wants the whole string and ignores case, as only
// role=button[name="x"i] does. MatchUnset is a notation that does not say.
const (
	MatchUnset Match = iota
	MatchLoose
	MatchExact
	MatchWhole
)

// Part is one step of a selector.
type Part struct {
	Kind   Kind
	Raw    string // engine text of the part, e.g. `internal:testid=[data-testid="x"s]`
	Value  string // decoded: CSS or XPath body, test id, text, name (roles), index (nth); /x/i with Regexp
	Role   string // KindRole: the ARIA role
	Named  bool   // KindRole: a name is asked for
	Attr   string // KindTestID: the attribute, "" when the notation does not say
	Match  Match
	Regexp bool   // Value is a regular expression
	Rest   string // KindRole: the other conditions, as written
}

// notation is how a selector was written, so that its replacement can be written in
// the same way.
type notation int

const (
	notationEngine   notation = iota // css >> internal:role=button
	notationCall                     // getByRole('button', { name: 'Save' })
	notationArgument                 // only the argument of a call
)

// Selector is a chain of parts, outermost first. The zero value selects nothing.
type Selector struct {
	Parts []Part

	notation notation
	lang     Language // of notationCall
	root     string   // of notationCall, e.g. "page."
}

// IsZero reports whether s has no part.
func (s Selector) IsZero() bool { return len(s.Parts) == 0 }

// isUnread reports whether s is a call whose arguments could not be read.
func (s Selector) isUnread() bool {
	return s.notation == notationCall && len(s.Parts) == 1 && s.Parts[0].Kind == KindOther
}

// Last returns the innermost part, the zero Part when there is none.
func (s Selector) Last() Part {
	if s.IsZero() {
		return Part{}
	}
	return s.Parts[len(s.Parts)-1]
}

// String returns the selector in the notation it was read from.
func (s Selector) String() string {
	switch {
	case s.IsZero():
		return ""
	case s.notation == notationArgument && len(s.Parts) == 1:
		return s.Parts[0].Value
	case s.isUnread():
		return s.Parts[0].Raw
	case s.notation == notationCall:
		return s.root + strings.TrimPrefix(Print(s, s.lang), "page.")
	}
	return s.engineText()
}

// engineText returns the selector as Playwright's engines read it.
func (s Selector) engineText() string {
	raw := make([]string, len(s.Parts))
	for i, p := range s.Parts {
		raw[i] = p.Raw
	}
	return strings.Join(raw, " >> ")
}

// WithMatch returns s with part i compared as strictly as given, if that part
// compares a text; MatchUnset leaves it.
func (s Selector) WithMatch(i int, m Match) Selector {
	if p := s.Parts[i]; m != MatchUnset && p.Kind != KindTestID && !p.Regexp && (p.Kind != KindRole || p.Named) {
		p.Match = m
		return s.WithPart(i, p)
	}
	return s
}

// WithPart returns s with part i replaced.
func (s Selector) WithPart(i int, p Part) Selector {
	s.Parts = slices.Clone(s.Parts)
	s.Parts[i] = p
	return s
}

// WithName returns s with another name in part i: its test id, id or CSS. It is false where
// the part cannot be written with that.
func (s Selector) WithName(i int, value string) (Selector, bool) {
	p, ok := s.Parts[i].withValue(value)
	return s.WithPart(i, p), ok
}

// matches reports whether two parts are the same. What only one of their notations
// says is not compared.
func (p Part) matches(o Part) bool {
	return p.Kind == o.Kind && p.Value == o.Value && p.Regexp == o.Regexp &&
		p.Role == o.Role && p.Named == o.Named && p.Rest == o.Rest &&
		(p.Match == o.Match || p.Match == MatchUnset || o.Match == MatchUnset) &&
		(p.Attr == o.Attr || p.Attr == "" || o.Attr == "") &&
		(p.Kind != KindOther || p.Raw == o.Raw) && p.asksTextNode() == o.asksTextNode()
}

// SaysHowStrict reports whether p is the part of a getBy… call as a binding sends it,
// with how strictly it compares. Other tools write role=button[name="x"] for any such
// call.
func (p Part) SaysHowStrict() bool { return strings.HasPrefix(p.Raw, "internal:") }

// asksTextNode reports whether p looks for a text node with a text: text="x" does so,
// where an exact getByText looks for an element with that text.
func (p Part) asksTextNode() bool { return p.isLiteralText() && p.Match == MatchExact }

// Differing returns the index of the only part in which a and b differ, or -1 and
// the reason when there is no such part.
func Differing(a, b Selector) (int, string) {
	if len(a.Parts) != len(b.Parts) {
		return -1, "the healed locator has another chain of parts than the written one"
	}
	at := -1
	for i := range a.Parts {
		if a.Parts[i].matches(b.Parts[i]) {
			continue
		}
		if at >= 0 {
			return -1, "more than one part of the locator changed"
		}
		at = i
	}
	if at < 0 {
		return -1, "the new locator equals the old one"
	}
	return at, ""
}

// Frames returns the parts of a selector up to the last that steps into a frame.
func (s Selector) Frames() []Part {
	for i, p := range slices.Backward(s.Parts) {
		if p.Kind == KindFrame {
			return s.Parts[:i+1]
		}
	}
	return nil
}

// Within returns s with the last part of another selector.
func (s Selector) Within(other Selector) Selector {
	if s.IsZero() || other.IsZero() {
		return other
	}
	out := s.WithPart(len(s.Parts)-1, other.Last())
	out.notation = notationEngine
	return out
}

// ariaRoles are the roles of WAI-ARIA 1.2 that Playwright knows
// (https://www.w3.org/TR/wai-aria-1.2/#role_definitions).
var ariaRoles = strings.Fields(`alert alertdialog application article banner blockquote button caption cell
	checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory
	document emphasis feed figure form generic grid gridcell group heading img insertion link list listbox
	listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation
	none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader
	scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab
	table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem`)

func isRole(name string) bool { return slices.Contains(ariaRoles, name) }
