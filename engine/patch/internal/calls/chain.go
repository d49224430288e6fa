package calls

import (
	"slices"
	"strconv"
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
	name  roleName
}

// roleName is the name that a getByRole call asks for.
type roleName struct {
	text  string // "" for any name
	known bool
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
		if values := returnedValues(s, s.Text(c)); len(values) == 1 && isOwnMember(s, c) {
			return chainOf(s, s.ExpressionEnd(values[0]), hops+1)
		}
		return Chain{Rooted: pageName.MatchString(name)}
	}
	before := Receiver(s, c, hops+1)
	before.Links = append(before.Links, links...)
	return before
}

// isOwnMember reports whether the name at c is used alone or as a member of the object
// that the code belongs to.
func isOwnMember(s *source.File, c int) bool {
	if !s.IsMember(c) {
		return true
	}
	owner := s.Text(c - 2)
	return !s.IsMember(c-2) && (owner == "this" || owner == "self" || s.Dialect.Scan == scan.Go && s.Kind(c-2) == scan.Ident)
}

// linksOfCall returns the links that the call of a folded name adds to a chain, and
// false when it is not a locator call.
func linksOfCall(s *source.File, name string, open int) ([]link, bool) {
	value, known := s.Literal(open + 1)
	known = known && (s.Text(open+2) == ")" || s.Text(open+2) == ",")
	switch name {
	case "locator":
		return append(SelectorLinks(value, known), optionLinks(s, open, func(int) bool { return true })...), true
	case "framelocator":
		return append(SelectorLinks(value, known), link{kind: locator.KindFrame, known: true}), true
	case "contentframe":
		return []link{{kind: locator.KindFrame, known: true}}, true
	case "first", "last", "nth":
		return []link{positionOf(s, name, open)}, true
	case "filter":
		return optionLinks(s, open, func(int) bool { return true }), true
	case "and", "or":
		return []link{{kind: locator.Kind(name)}}, true
	case "getbyrole":
		role := roleArgument(s, open)
		return []link{{locator.KindRole, role, role != "", nameOf(s, open)}}, true
	}
	if kind := locator.CallKind(name); kind != "" {
		return []link{{kind: kind, value: value, known: known}}, true
	}
	return nil, false
}

// positionOf returns the link of a call of first, last or nth, or of such a property. It is
// known where nth is called with a number.
func positionOf(s *source.File, name string, open int) link {
	l := link{kind: locator.KindNth, known: true}
	switch name {
	case "first":
		l.value = "0"
	case "last":
		l.value = "-1"
	default:
		n, err := strconv.Atoi(s.Text(open + 1))
		l.value, l.known = strconv.Itoa(n), err == nil && s.Text(open+2) == ")"
	}
	return l
}

// nameOf returns the name that the getByRole call at open asks for.
func nameOf(s *source.File, open int) roleName {
	for i := open + 1; i < s.End(open); i++ {
		if option := locator.Fold(s.Text(i)); option != "name" && option != "setname" && option != "namestring" {
			continue
		}
		value, known := s.Literal(i + 2)
		after := s.Text(i + 3)
		return roleName{value, known && (after == "," || after == "}" || after == ")")}
	}
	return roleName{"", s.ArgumentCount(open) == 1}
}

// filterOptions are the options of a locator or filter call by their folded names, in
// the order in which Playwright applies them, with what they look for.
var filterOptions = [...]filterOption{{"hastext", locator.KindHasText}, {"hasnottext", locator.KindHasNotText}, {"has", locator.KindHas}, {"hasnot", locator.KindHasNot}, {"visible", locator.KindVisible}}

type filterOption struct {
	name string
	kind locator.Kind
}

// filterOrder returns the place of an option in filterOptions, by its name as it is
// written, -1 for none.
func filterOrder(name string) int {
	name = strings.TrimPrefix(strings.TrimSuffix(locator.Fold(name), "string"), "set")
	for n, o := range filterOptions {
		if o.name == name {
			return n
		}
	}
	return -1
}

// optionLinks returns a link for each condition in the options of the locator or filter
// call at open whose place in Playwright's order a function takes.
func optionLinks(s *source.File, open int, takes func(order int) bool) []link {
	var found [len(filterOptions)]*link
	for i := open + 1; i < s.End(open); i++ {
		n, next := filterOrder(s.Text(i)), s.Text(i+1)
		if n < 0 || next != ":" && next != "=" && (next != "(" || locator.Fold(s.Text(i))[:3] != "set") {
			continue
		}
		value, known := s.Literal(i + 2)
		after := s.Text(i + 3)
		known = known && (after == "," || after == "}" || after == ")")
		if kind := filterOptions[n].kind; kind != locator.KindHasText && kind != locator.KindHasNotText {
			known = false
		}
		found[n] = &link{kind: filterOptions[n].kind, value: value, known: known}
		i = max(i, s.End(i+1))
	}
	var out []link
	for n, l := range found {
		if l != nil && takes(n) {
			out = append(out, *l)
		}
	}
	return out
}

// SelectorLinks returns the links of a selector, whose text is known or not.
func SelectorLinks(value string, known bool) []link {
	parsed, err := locator.Parse(value)
	if !known || err != nil {
		return []link{{kind: locator.KindCSS}}
	}
	var out []link
	for _, p := range parsed.Parts {
		l := link{kind: p.Kind, value: p.Value, known: true}
		if p.Kind == locator.KindRole {
			l.value, l.name = p.Role, roleName{p.Value, !p.Regexp}
		}
		out = append(out, l)
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
		before.Links = append(before.Links, positionOf(s, name, -1))
		return before
	}
	values := append(s.AssignedValues(s.Text(r)), returnedValues(s, s.Text(r))...)
	if pageName.MatchString(name) {
		values = slices.DeleteFunc(values, func(value int) bool { return isOfOther(s, r, value) })
	}
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
		return (!l.known || l.value == p.Role) && (!l.name.known || l.name.text == p.Value && !p.Regexp)
	case l.known:
		return l.kind == p.Kind && l.value == p.Value
	case l.kind == locator.KindCSS:
		return p.Kind != locator.KindNth && p.Kind != locator.KindFrame
	}
	return l.kind == p.Kind || p.Kind == locator.KindOther && filterOrder(strings.ReplaceAll(string(l.kind), "-", "")) >= 0
}
