package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// callee returns the token that names the function called by the parenthesis
// at open, or -1.
func (s *source) callee(open int) int {
	if open < 1 || s.at(open) != "(" {
		return -1
	}
	c := open - 1
	if s.at(c) == "?." || s.at(c) == "!" {
		c--
	}
	if s.at(c) == ">" { // a generic call: locator<T>("x")
		depth := 0
		for ; c > 0 && open-c < 16; c-- {
			if s.at(c) == ">" {
				depth++
			} else if s.at(c) == "<" {
				if depth--; depth == 0 {
					c--
					break
				}
			}
		}
	}
	if s.kind(c) != scan.Ident {
		return -1
	}
	return c
}

// member reports whether the name at c is called on something: x.name
func (s *source) member(c int) bool { return s.at(c-1) == "." || s.at(c-1) == "?." }

// argument returns the position of token i among the arguments of open.
func (s *source) argument(open, i int) int {
	n := 0
	for j := open + 1; j < i; j = s.end(j) + 1 {
		if s.at(j) == "," {
			n++
		}
	}
	return n
}

// arguments returns how many arguments the call at open has.
func (s *source) arguments(open int) int {
	end := s.end(open)
	if end == open+1 {
		return 0
	}
	n := s.argument(open, end) + 1
	if s.at(end-1) == "," {
		n--
	}
	return n
}

// pageMethods take a selector as their first argument when it is a string.
var pageMethods = names(`click dblclick tap hover focus check uncheck innertext innerhtml textcontent
	inputvalue ischecked isdisabled iseditable isenabled ishidden isvisible waitforselector
	$ $$ $eval $$eval evalonselector evalonselectorall draganddrop`)

// valueMethods take a selector first on a page and a value first on a locator.
var valueMethods = names("fill type press selectoption setinputfiles dispatchevent getattribute setchecked")

// queryMethods are Playwright's in every language but JavaScript, where they
// are the DOM's.
var queryMethods = names("queryselector queryselectorall")

func names(list string) map[string]bool {
	set := map[string]bool{}
	for _, n := range strings.Fields(list) {
		set[n] = true
	}
	return set
}

// takes returns what the argument at position n of the call at open is to
// Playwright: KindCSS for a selector, the kind of a getBy… call, or "".
func (s *source) takes(open, n int) locator.Kind {
	c := s.callee(open)
	if c < 0 {
		return ""
	}
	name := s.at(c)
	folded := locator.Fold(name)
	if kind := locator.CallKind(name); kind != "" {
		switch {
		case n != 0 || kind == locator.KindRole:
			return ""
		case kind == locator.KindFrame:
			return locator.KindCSS
		}
		return kind
	}
	switch {
	case !s.member(c):
		return ""
	case folded == "draganddrop" && n <= 1, pageMethods[folded] && n == 0:
		return locator.KindCSS
	case queryMethods[folded] && n == 0 && !s.lang.script():
		return locator.KindCSS
	case valueMethods[folded] && n == 0 && s.onPage(c):
		return locator.KindCSS
	}
	return ""
}

// onPage reports whether the method at c is called on a page or frame.
func (s *source) onPage(c int) bool {
	r := c - 2
	if s.at(r) == "!" {
		r--
	}
	if s.at(r) == ")" {
		r = s.callee(s.end(r))
	}
	name := locator.Fold(s.at(r))
	return strings.HasSuffix(name, "page") || strings.HasSuffix(name, "frame")
}

// roleArgument returns the ARIA role that the getByRole call at open asks for,
// in lower case; "" when it cannot be told.
func (s *source) roleArgument(open int) string {
	i := open + 1
	if s.at(i) == "*" {
		i++
	}
	end := i
	for end < s.end(open) && s.at(end) != "," {
		end = s.end(end) + 1
	}
	if value, ok := s.literal(i); ok && end == i+1 {
		return strings.ToLower(value)
	}
	last := end - 1
	if s.at(last) == ")" { // playwright.AriaRole("button")
		if value, ok := s.literal(last - 1); ok && s.end(last) == last-2 && s.at(last-3) == "AriaRole" {
			return strings.ToLower(value)
		}
		return ""
	}
	if s.at(last-2) == "AriaRole" && s.at(last-1) == "." {
		return strings.ToLower(s.at(last))
	}
	if role, ok := strings.CutPrefix(s.at(last), "AriaRole"); ok && s.at(last-1) == "." {
		return strings.ToLower(role)
	}
	return ""
}
