package calls

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// link is one locator call in a chain.
type link struct {
	kind  locator.Kind
	value string
	known bool // value is a literal
}

// Chain is the chain of locator calls that another call is made on, outermost
// first.
type Chain struct {
	Links  []link
	Rooted bool // the first link is called on a page
}

// maxHops bounds the calls and variables that are followed.
const maxHops = 12

// Receiver returns the chain that the function named at c is called on, after hops
// calls and variables were followed.
func Receiver(s *source.File, c, hops int) Chain {
	switch {
	case hops > maxHops:
		return Chain{}
	case !s.IsMember(c):
		return Chain{Rooted: true}
	}
	return chainOf(s, s.ReceiverEnd(c), hops)
}

// chainOf returns the chain of the expression that ends at token r.
func chainOf(s *source.File, r, hops int) Chain {
	switch {
	case hops > maxHops:
		return Chain{}
	case s.Text(r) == ")" && s.End(r) != r:
		return chainOfCall(s, s.End(r), hops)
	case s.Kind(r) == scan.Ident:
		return chainOfName(s, r, hops)
	}
	return Chain{}
}

// chainOfCall returns the chain that ends with the call at open.
func chainOfCall(s *source.File, open, hops int) Chain {
	c := s.Callee(open)
	if c < 0 {
		if s.Text(open) == "(" && s.Text(open+1) == "await" {
			return chainOf(s, s.End(open)-1, hops+1)
		}
		return Chain{}
	}
	name := locator.Fold(s.Text(c))
	links, ok := linksOfCall(s, name, open)
	if !ok {
		return Chain{Rooted: pageName.MatchString(name)}
	}
	before := Receiver(s, c, hops+1)
	before.Links = append(before.Links, links...)
	return before
}

// linksOfCall returns the links that the call of a folded name adds to a chain, and
// false when it is not a locator call.
func linksOfCall(s *source.File, name string, open int) ([]link, bool) {
	value, known := s.Literal(open + 1)
	known = known && (s.Text(open+2) == ")" || s.Text(open+2) == ",")
	switch name {
	case "locator":
		return append(SelectorLinks(value, known), filterLinks(s, open)...), true
	case "framelocator":
		return append(SelectorLinks(value, known), link{locator.KindFrame, "", true}), true
	case "contentframe":
		return []link{{locator.KindFrame, "", true}}, true
	case "first", "last", "nth":
		return []link{{locator.KindNth, "", false}}, true
	case "filter":
		return filterLinks(s, open), true
	case "getbyrole":
		role := roleArgument(s, open)
		return []link{{locator.KindRole, role, role != ""}}, true
	}
	if kind := locator.CallKind(name); kind != "" {
		return []link{{kind, value, known}}, true
	}
	return nil, false
}

// filterLinks returns a link for each condition in the options of a locator or
// filter call.
func filterLinks(s *source.File, open int) []link {
	var out []link
	for i := open + 1; i < s.End(open); i++ {
		switch option := strings.TrimSuffix(locator.Fold(s.Text(i)), "string"); option {
		case "hastext", "hasnottext", "has", "hasnot", "visible", "sethastext", "sethasnottext", "sethas", "sethasnot", "setvisible":
			if next := s.Text(i + 1); next == ":" || next == "=" || next == "(" && option[:3] == "set" {
				out = append(out, link{locator.KindHasText, "", false})
				i = max(i, s.End(i+1))
			}
		}
	}
	return out
}

// SelectorLinks returns the links of a selector, whose text is known or not.
func SelectorLinks(value string, known bool) []link {
	parsed, err := locator.Parse(value)
	if !known || err != nil {
		return []link{{locator.KindCSS, "", false}}
	}
	var out []link
	for _, p := range parsed.Parts {
		out = append(out, link{p.Kind, p.Value, true})
	}
	return out
}

// pageName matches folded names of pages, and of methods that return one.
var pageName = lazyregexp.New(`page\d*$|^(?:runand)?waitfor(?:popup|page)$|^page[a-z]?$|^(?:p|pg|popup|tab|window|firstwindow|mainwindow|mainframe)\d*$`)

// isDeclaredPage reports whether name is declared with Playwright's page type:
// p: Page, Page p, IPage p, p playwright.Page.
func isDeclaredPage(s *source.File, name string) bool {
	return slices.ContainsFunc(s.Idents[name], func(i int) bool {
		before, after := s.Text(i-1), s.Text(i+1)
		return after == ":" && s.Text(i+2) == "Page" || before == "Page" || before == "IPage" ||
			after == "playwright" && s.Text(i+2) == "." && s.Text(i+3) == "Page"
	})
}

// chainOfName returns the chain of the variable or property at token r: that of the
// only value it gets in this file, else that of a page when its name or type says so.
func chainOfName(s *source.File, r, hops int) Chain {
	name := locator.Fold(s.Text(r))
	if (name == "first" || name == "last") && s.IsMember(r) { // properties in Python and C#
		before := Receiver(s, r, hops+1)
		before.Links = append(before.Links, link{locator.KindNth, "", false})
		return before
	}
	values := s.AssignedValues(s.Text(r))
	if len(values) == 1 {
		if c := chainOf(s, s.ExpressionEnd(values[0]), hops+1); len(c.Links) > 0 || c.Rooted {
			return c
		}
	}
	typed := isDeclaredPage(s, s.Text(r))
	if inferred := s.Dialect.IsScript() || s.Dialect.Scan == scan.Python; typed && !inferred {
		return Chain{Rooted: true}
	}
	isOther := func(value int) bool { return mayNarrow(s, s.Text(r), value) }
	return Chain{Rooted: (pageName.MatchString(name) || typed) && !slices.ContainsFunc(values, isOther)}
}

// narrowing matches folded names of functions that return a frame or an element, not
// a page.
var narrowing = lazyregexp.New(`frame|locator|element|^(?:first|last|nth|filter)$`)

// mayNarrow reports whether the value that starts at a token, and is assigned to
// name, could be a frame or an element.
func mayNarrow(s *source.File, name string, value int) bool {
	if text := s.Text(value); locator.Fold(text) == name || text == "new" || text == "await" {
		return false
	}
	end := s.ExpressionEnd(value)
	call := locator.Fold(s.Text(s.Callee(s.End(end))))
	return !pageName.MatchString(locator.Fold(s.Text(end))) && (call == "" || narrowing.MatchString(call) || locator.CallKind(call) != "")
}

// Matches compares the chain with the parts of a selector: No when they differ for
// certain, Unsure when nothing is known of the chain, Likely when all that is known
// agrees.
func (c Chain) Matches(parts []locator.Part) Certainty {
	i, j := len(c.Links)-1, len(parts)-1
	for ; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if !c.Links[i].matches(parts[j]) {
			return No
		}
	}
	switch {
	case i < 0 && j < 0 && c.Rooted:
		return Yes
	case i >= 0, c.Rooted:
		return No
	case len(c.Links) > 0:
		return Likely
	}
	return Unsure
}

// Certainty is how sure the source text makes something.
type Certainty int

// The certainties, in rising order.
const (
	No Certainty = iota
	Unsure
	Likely
	Yes
)

// matches reports whether a link can be a part of a selector.
func (l link) matches(p locator.Part) bool {
	switch {
	case l.kind == locator.KindRole && p.Kind == l.kind:
		return !l.known || l.value == p.Role
	case l.known:
		return l.kind == p.Kind && l.value == p.Value
	case l.kind == locator.KindHasText:
		return p.Kind == l.kind || filterKinds[p.Kind]
	case l.kind == locator.KindCSS:
		return p.Kind != locator.KindNth && p.Kind != locator.KindFrame
	}
	return l.kind == p.Kind
}

// filterKinds are the kinds of the selector parts that filter calls make.
var filterKinds = map[locator.Kind]bool{
	locator.KindHasNotText: true, locator.KindHas: true, locator.KindHasNot: true, locator.KindVisible: true, locator.KindOther: true,
}
