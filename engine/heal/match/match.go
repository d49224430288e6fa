// Package match tells without a browser what locators find on a page.
package match

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// errUnknown is that only a browser can tell what a selector finds.
var errUnknown = errors.New("what the selector finds cannot be told without a browser")

// Document is a document of a page.
type Document struct {
	Elements []heal.Element
	TestID   string // the attribute that getByTestId reads
	// CSS returns what tells whether a CSS selector finds an element, false where that
	// cannot be told; nil where only attributes are known.
	CSS func(selector string) (matches func(i int) bool, ok bool)
}

// Find returns the indexes of the elements that a selector without frames finds, in
// document order. What is hidden by a style sheet counts as well, so what it finds once, a
// browser finds at most once. The error is that only a browser can tell.
func (p *Document) Find(parts []locator.Part) ([]int, error) {
	var scope []int // of the part before; nil: the document
	for i, part := range parts {
		found, err := p.matchPart(part, scope, i == 0)
		if err != nil {
			return nil, err
		}
		scope = found
	}
	return scope, nil
}

func (p *Document) matchPart(part locator.Part, scope []int, first bool) ([]int, error) {
	part, ok := part.Plain()
	if !ok {
		return nil, errUnknown
	}
	switch part.Kind {
	case locator.KindNth:
		return pickNth(scope, part.Value, first)
	case locator.KindHasText, locator.KindHasNotText:
		if first {
			return nil, errUnknown
		}
		var kept []int
		for _, i := range scope {
			if textMatches(p.Elements[i].Text, part) == (part.Kind == locator.KindHasText) {
				kept = append(kept, i)
			}
		}
		return kept, nil
	}
	matches, err := p.elementTest(part)
	if err != nil {
		return nil, err
	}
	inside := make([]bool, len(p.Elements))
	for _, i := range scope {
		inside[i] = true
	}
	within := make([]bool, len(p.Elements))
	var found []int
	for i := range p.Elements {
		if up := p.Elements[i].Parent; up >= 0 {
			within[i] = within[up] || inside[up]
		}
		if (first || within[i]) && matches(i) {
			found = append(found, i)
		}
	}
	return found, nil
}

func pickNth(scope []int, value string, first bool) ([]int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || first {
		return nil, errUnknown
	}
	if n < 0 {
		n += len(scope)
	}
	if n < 0 || n >= len(scope) {
		return nil, nil
	}
	return scope[n : n+1], nil
}

// elementTest returns the test of an element that a part is.
func (p *Document) elementTest(part locator.Part) (func(i int) bool, error) {
	if len(part.Value) > 2000 {
		return nil, errUnknown
	}
	matchesText := func(text string) bool { return textMatches(text, part) }
	switch part.Kind {
	case locator.KindCSS:
		return p.testCSS(part)
	case locator.KindXPath:
		return p.testPath(part.Value)
	case locator.KindID:
		return p.byAttribute("id", equals(part.Value)), nil
	case locator.KindTestID:
		return p.byAttribute(cmp.Or(part.Attr, p.TestID), equals(part.Value)), nil
	case locator.KindRole:
		return p.testRole(part)
	case locator.KindLabel:
		if p.labelsItself(part) {
			return nil, errUnknown
		}
		return func(i int) bool { return p.labelled(i, part) }, nil
	case locator.KindPlaceholder, locator.KindTitle:
		return p.byAttribute(string(part.Kind), matchesText), nil
	case locator.KindAlt:
		return p.byAttribute("alt", matchesText), nil
	case locator.KindText:
		return p.testText(part), nil
	}
	return nil, errUnknown
}

func (p *Document) testCSS(part locator.Part) (func(i int) bool, error) {
	if p.CSS != nil {
		if matches, ok := p.CSS(part.Value); ok {
			return matches, nil
		}
	} else if name, value, ok := locator.AttributeOf(part); ok {
		return p.byAttribute(name, equals(value)), nil
	}
	return nil, errUnknown
}

func equals(want string) func(string) bool { return func(have string) bool { return have == want } }

func (p *Document) byAttribute(name string, matches func(value string) bool) func(i int) bool {
	return func(i int) bool {
		value, ok := p.Elements[i].Attributes.Get(name)
		return ok && matches(value)
	}
}

// simplePath is an XPath that asks for one attribute.
var simplePath = lazyregexp.New(`^//(\*|[A-Za-z][\w-]*)\[@([\w-]+)=(?:"([^"]*)"|'([^']*)')\]$`)

func (p *Document) testPath(path string) (func(i int) bool, error) {
	m := simplePath.FindStringSubmatch(path)
	if m == nil {
		return nil, errUnknown
	}
	matches := p.byAttribute(m[2], equals(m[3]+m[4]))
	return func(i int) bool { return (m[1] == "*" || strings.EqualFold(p.Elements[i].Tag, m[1])) && matches(i) }, nil
}

func (p *Document) testRole(part locator.Part) (func(i int) bool, error) {
	if part.Rest != "" || part.Named && p.labelsItself(part) {
		return nil, errUnknown
	}
	return func(i int) bool {
		e := &p.Elements[i]
		return ariaRole(e) == part.Role && (!part.Named || textMatches(e.Name, part))
	}, nil
}

// labelsItself reports whether a part asks for the label of a list to choose from that
// stands in its own label, so that browsers take the options for a part of it or not.
func (p *Document) labelsItself(part locator.Part) bool {
	for i := range p.Elements {
		if e := &p.Elements[i]; strings.EqualFold(e.Tag, "select") && e.Label != "" && (textMatches(e.Label, part) || textMatches(e.Name, part)) {
			for up := e.Parent; up >= 0; up = p.Elements[up].Parent {
				if strings.EqualFold(p.Elements[up].Tag, "label") {
					return true
				}
			}
		}
	}
	return false
}

// ariaRole returns the role by ARIA's name, where the engine's is Chromium's.
func ariaRole(e *heal.Element) string {
	switch e.Role {
	case "image":
		return "img"
	case "LabelText":
		return ""
	}
	return e.Role
}

func (p *Document) labelled(i int, part locator.Part) bool {
	e := &p.Elements[i]
	if e.Label != "" && textMatches(e.Label, part) {
		return true
	}
	if label, ok := e.Attributes.Get("aria-label"); ok && textMatches(label, part) {
		return true
	}
	_, by := e.Attributes.Get("aria-labelledby")
	return by && textMatches(e.Name, part)
}

// testText finds the innermost elements with a text.
func (p *Document) testText(part locator.Part) func(i int) bool {
	holds, inner := make([]bool, len(p.Elements)), make([]bool, len(p.Elements))
	for i := range p.Elements {
		holds[i] = textMatches(p.Elements[i].Text, part)
		if up := p.Elements[i].Parent; holds[i] && up >= 0 {
			inner[up] = true
		}
	}
	return func(i int) bool { return holds[i] && !inner[i] }
}

// textMatches reports whether a text is what a part asks for.
func textMatches(text string, part locator.Part) bool {
	text, want := strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(part.Value), " ")
	if part.Match == locator.MatchExact {
		return text == want
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(want))
}

// maxCounted is how many locators of a proposed element are tried.
const maxCounted = 48

// Proposed is the element that an event proposes: its index on the page and the
// fingerprints of its ancestors, as [heal.Page.Above] returns them.
type Proposed struct {
	Index int
	Above []engine.Fingerprint
}

// Count notes in an event how many elements each locator finds that the proposed element
// could have, in the form of the lost one, as the last part of its
// chain and by itself, so that what is proposed or shown is one that finds it alone.
// One that finds another element alone finds none. testID is the attribute that getByTestId
// reads; find returns the indexes of the elements that a selector finds, or an error where it
// cannot tell.
func Count(e *engine.HealEvent, p Proposed, testID string, find func(locator.Selector) ([]int, error)) {
	if e.Outcome == engine.OutcomeRefused {
		return
	}
	old, err := locator.Parse(e.Locator)
	if err != nil {
		return
	}
	document := old.Frames()
	tries := slices.Concat(locator.AuthorForms(*e), locator.ChainForms(*e, p.Above), locator.SaidForms(*e))
	for _, way := range locator.Candidates(*e, testID) {
		tries = append(tries, old.Within(way))
		if len(old.Parts) > len(document)+1 {
			tries = append(tries, locator.Selector{Parts: slices.Concat(document, way.Parts)})
		}
	}
	tried := map[string]bool{}
	for _, s := range tries {
		text := s.String()
		if tried[text] || len(e.Matches) == maxCounted {
			continue
		}
		tried[text] = true
		found, err := find(s)
		if err != nil {
			continue
		}
		n := len(found)
		if n == 1 && found[0] != p.Index {
			n = 0
		}
		e.Matches = append(e.Matches, engine.Match{Locator: text, Count: n})
	}
}
