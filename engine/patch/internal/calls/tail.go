package calls

import (
	"slices"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Tail is what is called on a locator: the locator calls behind it, and whether the
// locator is used there, so that no more can follow.
type Tail struct {
	links []link
	whole bool
}

// TailOf returns what is called on the locator that an argument of a locator call makes:
// the call's own options that Playwright applies later, then the calls behind it.
func TailOf(s *source.File, a Argument) Tail {
	t := Tail{}
	c := s.Callee(a.Call)
	name := locator.Fold(s.Text(c))
	order := orderOf(a.Kind)
	switch kind := locator.CallKind(name); {
	case kind == locator.KindFrame:
		t.links = append(t.links, link{kind: locator.KindFrame, known: true})
	case kind == locator.KindCSS || name == "filter":
		t.links = optionLinks(s, a.Call, func(n int) bool { return n > order })
	case kind == "" && name != "and" && name != "or": // page.click("x")
		t.whole = true
		return t
	}
	t.follow(s, s.End(a.Call))
	return t
}

// ReceiverOf returns the locator that an argument of a locator call continues: what the
// call is made on and, for an option, the call's own selector and the options that
// Playwright applies before it.
func ReceiverOf(s *source.File, a Argument) Chain {
	c, order := s.Callee(a.Call), orderOf(a.Kind)
	before := Receiver(s, c, 0)
	if order < 0 {
		return before
	}
	if value, ok := s.Literal(a.Call + 1); locator.CallKind(s.Text(c)) == locator.KindCSS {
		before.Links = append(before.Links, SelectorLinks(value, ok)...)
	}
	before.Links = append(before.Links, optionLinks(s, a.Call, func(n int) bool { return n < order })...)
	return before
}

// orderOf returns the place in filterOptions of what an option looks for, -1 for none.
func orderOf(kind locator.Kind) int {
	return slices.IndexFunc(filterOptions[:], func(o filterOption) bool { return o.kind == kind })
}

// follow reads the calls behind token end.
func (t *Tail) follow(s *source.File, end int) {
	for hops := 0; hops < maxHops; hops++ {
		c := end + 2
		if s.Text(end+1) == "!" {
			c++
		}
		if !s.IsMember(c) || s.Kind(c) != scan.Ident {
			t.whole = isExpected(s, end)
			return
		}
		name, open := locator.Fold(s.Text(c)), c+1
		if s.Text(open) != "(" {
			if name != "first" && name != "last" && name != "contentframe" { // properties in Python and C#
				return
			}
			open = -1
		}
		links, ok := linksOfCall(s, name, open)
		if !ok {
			t.whole = PageMethods[name] || ValueMethods[name] || name == "waitfor" || name == "count"
			return
		}
		t.links = append(t.links, links...)
		if end = c; open > 0 {
			end = s.End(open)
		}
	}
}

var expectCall = lazyregexp.New(`^(?:expect|assertthat|soft)$`)

// isExpected reports whether the expression that ends at a token is all that an
// assertion is made of: expect(x).
func isExpected(s *source.File, end int) bool {
	open := s.Parent[end]
	if s.Tokens[end].Closes {
		open = s.Parent[s.End(end)]
	}
	c := s.Callee(open)
	if c < 0 || s.Text(end+1) != ")" && s.Text(end+1) != "," || s.ArgumentIndex(open, end) > 0 {
		return false
	}
	if expectCall.MatchString(locator.Fold(s.Text(c))) {
		return true
	}
	return s.IsMember(c) && expectCall.MatchString(locator.Fold(s.Text(c-2))) && locator.CallKind(s.Text(c)) == locator.KindCSS // Go's expect.Locator(x)
}

// Allows returns whether the locator can be continued by the parts of a selector: the
// calls behind it are their first ones, and all of them where it is used. It is Unsure
// where the selector ends and only a position or conditions follow, which not every tool
// tells.
func (t Tail) Allows(parts []locator.Part) Certainty {
	narrows := func(l link) bool { return l.kind == locator.KindNth || orderOf(l.kind) >= 0 }
	if len(parts) == 0 && len(t.links) > 0 && !slices.ContainsFunc(t.links, func(l link) bool { return !narrows(l) }) {
		return Unsure
	}
	for i, l := range t.links {
		switch {
		case i == len(parts):
			return No
		case l.kind == locator.KindCSS && !l.known: // may be several parts
			return Yes
		case !l.matches(parts[i]):
			return No
		}
	}
	if t.whole && len(t.links) < len(parts) {
		return No
	}
	return Yes
}
