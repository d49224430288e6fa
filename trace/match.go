package trace

import (
	"errors"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// errUnknown is that only a browser can tell what a selector finds.
var errUnknown = errors.New("what the selector finds cannot be told without a browser")

// matchSelector returns the indexes of the elements that a selector without frames
// finds, in document order. What is hidden by a style sheet counts as well, so
// what it finds once, a browser finds at most once. The error is errUnknown.
func (p *page) matchSelector(parts []locator.Part, testID string) ([]int, error) {
	var scope []int // of the part before; nil: the document
	for i, part := range parts {
		found, err := p.matchPart(part, scope, i == 0, testID)
		if err != nil {
			return nil, err
		}
		scope = found
	}
	return scope, nil
}

func (p *page) matchPart(part locator.Part, scope []int, first bool, testID string) ([]int, error) {
	switch part.Kind {
	case locator.KindNth:
		return pickNth(scope, part.Value, first)
	case locator.KindHasText, locator.KindHasNotText:
		if first || part.Regexp {
			return nil, errUnknown
		}
		var kept []int
		for _, i := range scope {
			if textMatches(p.elements[i].Text, part) == (part.Kind == locator.KindHasText) {
				kept = append(kept, i)
			}
		}
		return kept, nil
	}
	matches, err := p.elementTest(part, testID)
	if err != nil {
		return nil, err
	}
	inside := make([]bool, len(p.elements))
	for _, i := range scope {
		inside[i] = true
	}
	within := make([]bool, len(p.elements))
	var found []int
	for i := range p.elements {
		if up := p.elements[i].Parent; up >= 0 {
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
func (p *page) elementTest(part locator.Part, testID string) (func(i int) bool, error) {
	if part.Regexp || len(part.Value) > 2000 {
		return nil, errUnknown
	}
	matchesText := func(text string) bool { return textMatches(text, part) }
	switch part.Kind {
	case locator.KindCSS:
		css, err := cascadia.Parse(part.Value)
		if err != nil || css.PseudoElement() != "" {
			return nil, errUnknown
		}
		return func(i int) bool { return css.Match(p.nodes[i]) }, nil
	case locator.KindXPath:
		return p.testPath(part.Value)
	case locator.KindID:
		return p.byAttribute("id", equals(part.Value)), nil
	case locator.KindTestID:
		if part.Attr != "" {
			testID = part.Attr
		}
		return p.byAttribute(testID, equals(part.Value)), nil
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

func equals(want string) func(string) bool { return func(have string) bool { return have == want } }

func (p *page) byAttribute(name string, matches func(value string) bool) func(i int) bool {
	return func(i int) bool {
		value, ok := p.elements[i].Attributes.Get(name)
		return ok && matches(value)
	}
}

// simplePath is an XPath that asks for one attribute.
var simplePath = lazyregexp.New(`^//(\*|[A-Za-z][\w-]*)\[@([\w-]+)=(?:"([^"]*)"|'([^']*)')\]$`)

func (p *page) testPath(path string) (func(i int) bool, error) {
	m := simplePath.FindStringSubmatch(path)
	if m == nil {
		return nil, errUnknown
	}
	matches := p.byAttribute(m[2], equals(m[3]+m[4]))
	return func(i int) bool { return (m[1] == "*" || strings.EqualFold(p.elements[i].Tag, m[1])) && matches(i) }, nil
}

func (p *page) testRole(part locator.Part) (func(i int) bool, error) {
	if part.Rest != "" || part.Named && p.labelsItself(part) {
		return nil, errUnknown
	}
	return func(i int) bool {
		e := &p.elements[i]
		return ariaRole(e) == part.Role && (!part.Named || textMatches(e.Name, part))
	}, nil
}

// labelsItself reports whether a part asks for the label of a list to choose from that
// stands in its own label, so that browsers take the options for a part of it or not.
func (p *page) labelsItself(part locator.Part) bool {
	for i := range p.elements {
		if e := &p.elements[i]; strings.EqualFold(e.Tag, "select") && e.Label != "" && (textMatches(e.Label, part) || textMatches(e.Name, part)) {
			for up := e.Parent; up >= 0; up = p.elements[up].Parent {
				if strings.EqualFold(p.elements[up].Tag, "label") {
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

func (p *page) labelled(i int, part locator.Part) bool {
	e := &p.elements[i]
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
func (p *page) testText(part locator.Part) func(i int) bool {
	holds, inner := make([]bool, len(p.elements)), make([]bool, len(p.elements))
	for i := range p.elements {
		holds[i] = textMatches(p.elements[i].Text, part)
		if up := p.elements[i].Parent; holds[i] && up >= 0 {
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
