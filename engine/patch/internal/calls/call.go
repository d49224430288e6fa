// Package calls reads Playwright's locator calls in source code: what a literal
// in such a call is looked for as, and which locator the call is made on.
package calls

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// PageMethods take a selector as their first argument.
var PageMethods = scan.WordSet(`click dblclick tap hover focus check uncheck innertext innerhtml textcontent
	inputvalue ischecked isdisabled iseditable isenabled ishidden isvisible waitforselector
	$ $$ $eval $$eval evalonselector evalonselectorall draganddrop`)

// ValueMethods take a selector first when called on a page, and a value first when
// called on a locator.
var ValueMethods = scan.WordSet("fill type press selectoption setinputfiles dispatchevent getattribute setchecked")

// queryMethods belong to Playwright in every language but JavaScript, where the DOM
// has them.
var queryMethods = scan.WordSet("queryselector queryselectorall")

// ArgumentKind returns how Playwright uses argument n of the call at open: KindCSS
// for a selector, the kind of a getBy… call, or "" for anything else.
func ArgumentKind(s *source.File, open, n int) locator.Kind {
	c := s.Callee(open)
	if c < 0 {
		return ""
	}
	name := locator.Fold(s.Text(c))
	switch kind := locator.CallKind(name); {
	case kind == locator.KindFrame && n == 0:
		return locator.KindCSS
	case kind == locator.KindRole, kind != "" && n != 0:
		return ""
	case kind != "":
		return kind
	case s.IsMember(c) && (name == "draganddrop" && n <= 1 || n == 0 && (PageMethods[name] ||
		queryMethods[name] && !s.Dialect.IsScript() || ValueMethods[name] && isOnPage(s, c))):
		return locator.KindCSS
	}
	return ""
}

// isOnPage reports whether the method at c is called on a page or frame.
func isOnPage(s *source.File, c int) bool {
	r := s.ReceiverEnd(c)
	if s.Text(r) == ")" {
		r = s.Callee(s.End(r))
	}
	name := locator.Fold(s.Text(r))
	return strings.HasSuffix(name, "page") || strings.HasSuffix(name, "frame")
}

// RoleName returns the name that the getByRole call at open is given as its role, "" for
// anything else.
func RoleName(s *source.File, open int) string {
	if i := open + 1; s.Kind(i) == scan.Ident && (s.Text(i+1) == "," || s.Text(i+1) == ")") {
		return s.Text(i)
	}
	return ""
}

// roleArgument returns the ARIA role of the getByRole call at open in lower case,
// "" when it is not known.
func roleArgument(s *source.File, open int) string {
	i := open + 1
	if s.Text(i) == "*" {
		i++
	}
	end := i
	for end < s.End(open) && s.Text(end) != "," {
		end = s.Next(end)
	}
	return RoleOf(s, i, end-1)
}

// RoleOf returns the ARIA role that the tokens from i to last name in lower case, "" when it
// is not known.
func RoleOf(s *source.File, i, last int) string {
	role := ""
	switch name, isName := strings.CutPrefix(s.Text(last), "AriaRole"); {
	case last == i && s.Kind(i) == scan.String:
		role, _ = s.Literal(i)
	case s.Text(last) == ")" && s.End(last) == last-2 && s.Text(last-3) == "AriaRole": // playwright.AriaRole("button")
		role, _ = s.Literal(last - 1)
	case s.Text(last-1) == "." && (isName || s.Text(last-2) == "AriaRole"):
		role = name
	}
	return strings.ToLower(role)
}
