package patch

import (
	"regexp"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// link is one locator call that another one hangs on.
type link struct {
	kind  locator.Kind
	value string
	known bool // value is a literal
}

// chain is what a locator call hangs on, outermost first. It is rooted when
// its first link is called on a page.
type chain struct {
	links  []link
	rooted bool
}

// maxHops bounds how many calls and variables are followed.
const maxHops = 12

// receiver returns what the call of the name at c hangs on.
func (s *source) receiver(c, hops int) chain {
	if hops > maxHops || !s.member(c) {
		return chain{rooted: !s.member(c) && hops <= maxHops}
	}
	r := c - 2
	if s.at(r) == "!" {
		r--
	}
	return s.expression(r, hops)
}

// expression returns the locator calls of the expression that ends at token r.
func (s *source) expression(r, hops int) chain {
	switch {
	case hops > maxHops:
		return chain{}
	case s.at(r) == ")" && s.end(r) != r:
		return s.called(s.end(r), hops)
	case s.kind(r) == scan.Ident:
		return s.named(r, hops)
	}
	return chain{}
}

// called returns the chain that the call at open ends.
func (s *source) called(open, hops int) chain {
	c := s.callee(open)
	if c < 0 {
		if s.at(open) == "(" && s.at(open+1) == "await" {
			return s.expression(s.end(open)-1, hops+1)
		}
		return chain{}
	}
	name := locator.Fold(s.at(c))
	links, ok := s.links(name, open)
	if !ok {
		return chain{rooted: isPage(name)}
	}
	before := s.receiver(c, hops+1)
	before.links = append(before.links, links...)
	return before
}

// links returns what the call of a folded name adds to a chain; false when it
// is not a locator call.
func (s *source) links(name string, open int) ([]link, bool) {
	value, known := s.literal(open + 1)
	known = known && (s.at(open+2) == ")" || s.at(open+2) == ",")
	switch name {
	case "locator":
		return append(selectorLinks(value, known), s.filters(open)...), true
	case "framelocator":
		return append(selectorLinks(value, known), link{locator.KindFrame, "", true}), true
	case "contentframe":
		return []link{{locator.KindFrame, "", true}}, true
	case "first", "last", "nth":
		return []link{{locator.KindNth, "", false}}, true
	case "filter":
		return s.filters(open), true
	case "getbyrole":
		role := s.roleArgument(open)
		return []link{{locator.KindRole, role, role != ""}}, true
	}
	if kind := locator.CallKind(name); kind != "" {
		return []link{{kind, value, known}}, true
	}
	return nil, false
}

// filters returns one link for each condition among the options of a locator
// or filter call.
func (s *source) filters(open int) []link {
	var out []link
	for i := open + 1; i < s.end(open); i++ {
		switch option := locator.Fold(s.at(i)); option {
		case "hastext", "hasnottext", "has", "hasnot", "visible", "sethastext", "sethasnottext", "sethas", "sethasnot", "setvisible":
			if next := s.at(i + 1); next == ":" || next == "=" || next == "(" && option[:3] == "set" {
				out = append(out, link{locator.KindHasText, "", false})
				i = max(i, s.end(i+1))
			}
		}
	}
	return out
}

func selectorLinks(value string, known bool) []link {
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

var pageName = regexp.MustCompile(`page\d*$|^(?:runand)?waitfor(?:popup|page)$|^page[a-z]?$|^(?:p|pg|popup|tab|window|firstwindow|mainwindow|mainframe)\d*$`)

// isPage reports whether a folded name is a page, or a method that returns one.
func isPage(name string) bool { return pageName.MatchString(name) }

// typedAsPage reports whether name is declared with Playwright's page type:
// p: Page, Page p, IPage p, p playwright.Page.
func (s *source) typedAsPage(name string) bool {
	for _, i := range s.idents[name] {
		after, before := s.at(i+1), s.at(i-1)
		switch {
		case after == ":" && s.at(i+2) == "Page", before == "Page" || before == "IPage",
			after == "playwright" && s.at(i+2) == "." && s.at(i+3) == "Page":
			return true
		}
	}
	return false
}

// named returns the chain of the variable or property at token r: what it is
// assigned once in this file, else the page that its name says it is.
func (s *source) named(r, hops int) chain {
	name := locator.Fold(s.at(r))
	if name == "first" || name == "last" { // properties in Python and C#
		if s.member(r) {
			before := s.receiver(r, hops+1)
			before.links = append(before.links, link{locator.KindNth, "", false})
			return before
		}
	}
	if c, ok := s.assigned(s.at(r), hops+1); ok && (len(c.links) > 0 || c.rooted) {
		return c
	}
	typed := s.typedAsPage(s.at(r))
	if inferred := s.lang.script() || s.lang.scan == scan.Python; typed && !inferred {
		return chain{rooted: true}
	}
	return chain{rooted: (isPage(name) || typed) && !s.reassigned(s.at(r))}
}

// assigned returns the chain that the only assignment to name gives it.
func (s *source) assigned(name string, hops int) (chain, bool) {
	value := -1
	for _, i := range s.idents[name] {
		v := s.assignment(i)
		if v < 0 {
			continue
		}
		if value >= 0 {
			return chain{}, false
		}
		value = v
	}
	if value < 0 {
		return chain{}, false
	}
	return s.expression(s.expressionEnd(value), hops), true
}

// reassigned reports whether name is assigned anything in this file that could
// be a frame or a part of the page.
func (s *source) reassigned(name string) bool {
	for _, i := range s.idents[name] {
		if v := s.assignment(i); v >= 0 && locator.Fold(s.at(v)) != name && s.at(v) != "new" && s.at(v) != "await" {
			end := s.expressionEnd(v)
			last := locator.Fold(s.at(s.callee(s.end(end))))
			if !isPage(locator.Fold(s.at(end))) && (last == "" || narrows(last)) {
				return true
			}
		}
	}
	return false
}

// narrows reports whether a call by its folded name gives a frame or an
// element, not a page.
func narrows(call string) bool {
	return strings.Contains(call, "frame") || strings.Contains(call, "locator") || strings.Contains(call, "element") ||
		locator.CallKind(call) != "" || call == "first" || call == "last" || call == "nth" || call == "filter"
}

// assignment returns the first token of the value given to the name at i, or
// -1: name = v, name := v, name: T = v.
func (s *source) assignment(i int) int {
	switch {
	case s.at(i+1) == "=":
		return i + 2
	case s.at(i+1) == ":" && s.at(i+2) == "=":
		return i + 3
	case s.at(i+1) == ":" && s.kind(i+2) == scan.Ident && s.at(i+3) == "=" && s.lineOf(i+2) == s.lineOf(i):
		return i + 4
	}
	return -1
}

// expressionEnd returns the last token of the call chain that starts at i.
func (s *source) expressionEnd(i int) int {
	for s.at(i) == "await" || s.at(i) == "new" || s.at(i) == "*" {
		i++
	}
	if s.tokens[min(i, len(s.tokens)-1)].Opens {
		i = s.end(i)
	}
	for {
		switch next := s.at(i + 1); {
		case next == "(" || next == "[":
			i = s.end(i + 1)
		case (next == "." || next == "?.") && s.kind(i+2) == scan.Ident:
			i += 2
		case next == "!" && (s.at(i+2) == "." || s.at(i+2) == "?."):
			i++
		default:
			return i
		}
		if i+1 >= len(s.tokens) {
			return i
		}
	}
}

// hangsOn compares what a call hangs on with the selector parts before the one
// that changed: no when they differ for sure, unsure when nothing is known,
// likely when all that is known agrees.
func (c chain) hangsOn(parts []locator.Part) answer {
	i, j := len(c.links)-1, len(parts)-1
	for ; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if !c.links[i].matches(parts[j]) {
			return no
		}
	}
	switch {
	case i < 0 && j < 0 && c.rooted:
		return yes
	case i >= 0, c.rooted:
		return no
	case len(c.links) > 0:
		return likely
	}
	return unsure
}

// answer is what can be told from source text, least first.
type answer int

const (
	no answer = iota
	unsure
	likely
	yes
)

func (l link) matches(p locator.Part) bool {
	if l.kind == locator.KindRole && p.Kind == l.kind {
		return !l.known || l.value == p.Role
	}
	textual := (l.kind == locator.KindHasText || l.kind == locator.KindNth) && !l.known
	if textual {
		return p.Kind == l.kind || l.kind == locator.KindHasText && filtering(p.Kind)
	}
	if !l.known && l.kind == locator.KindCSS {
		return p.Kind != locator.KindNth && p.Kind != locator.KindFrame
	}
	return l.kind == p.Kind && (!l.known || l.value == p.Value)
}

// filtering reports whether a filter call makes parts of a kind.
func filtering(kind locator.Kind) bool {
	switch kind {
	case locator.KindHasNotText, locator.KindHas, locator.KindHasNot, locator.KindVisible, locator.KindOther:
		return true
	}
	return false
}

// span is bytes [start,end) of a file.
type span struct{ start, end int }

func (a span) contains(offset int) bool { return offset >= a.start && offset < a.end }

// statement returns the bytes of the whole expression that the call at open is
// a link of: from its root to the last call on it.
func (s *source) statement(open int) span {
	c := max(s.callee(open), 0)
	first := c
	for hops := 0; s.member(first) && hops < 64; hops++ {
		r := first - 2
		if s.at(r) == "!" {
			r--
		}
		if s.at(r) == ")" || s.at(r) == "]" {
			r = s.end(r)
			if c := s.callee(r); c >= 0 {
				r = c
			}
		}
		if r < 0 || r >= first {
			break
		}
		first = r
	}
	last := s.expressionEnd(c)
	return span{s.tokens[first].Start, s.tokens[last].End}
}
