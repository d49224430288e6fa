package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// actionValues says how many values the methods take that a page has with a selector as
// their first argument and a locator has without it, all else the same. Options follow the
// values. The names are folded.
var actionValues = map[string]int{
	"click": 0, "dblclick": 0, "tap": 0, "hover": 0, "focus": 0, "check": 0, "uncheck": 0,
	"innertext": 0, "innerhtml": 0, "textcontent": 0, "inputvalue": 0,
	"ischecked": 0, "isdisabled": 0, "iseditable": 0, "isenabled": 0, "ishidden": 0, "isvisible": 0,
	"fill": 1, "type": 1, "press": 1, "selectoption": 1, "setinputfiles": 1, "getattribute": 1, "setchecked": 1,
	"dispatchevent": 2,
}

// action is a call of a page or frame that takes a selector: page.fill('#x', 'a').
type action struct {
	name     string       // of the method, as it is written
	literal  int          // token of the selector
	looksFor locator.Part // what the selector is read as
	head     source.Span  // from the name up to the first value: fill('#x',
}

// actionAt returns the action whose name is token c, where a locator has the same method
// with the same arguments behind the selector, and its head stands on one line.
func actionAt(s *source.File, c int) (action, bool) {
	open, literal := c+1, c+2
	values, known := actionValues[locator.Fold(s.Text(c))]
	value, isText := s.Literal(literal)
	if c < 0 || !known || !isText || s.Text(c-1) != "." || s.Text(open) != "(" || source.AnyContains(s.Conditional, s.Tokens[c].Start) ||
		!isOnPage(s, c) || !movesOver(s, open, values) {
		return action{}, false
	}
	next := literal + 1 // the first value, or what closes the call
	if s.Text(next) == "," {
		next++
	}
	a := action{name: s.Text(c), literal: literal, head: s.SpanOf(c, next-1)}
	if s.Text(next) == ")" || s.LineOf(next) == s.LineOf(next-1) {
		a.head.End = s.Tokens[next].Start
	}
	selector, err := locator.Parse(strings.TrimSpace(value))
	head := string(s.Bytes[a.head.Start:a.head.End])
	if err != nil || len(selector.Parts) != 1 || strings.ContainsAny(head, "\r\n") || !headOnly.MatchString(strings.Replace(head, s.Text(literal), "", 1)) {
		return action{}, false
	}
	a.looksFor = selector.Parts[0]
	return a, true
}

// headOnly matches the head of an action without its selector: no comment is lost with it.
var headOnly = lazyregexp.New(`^\w+\([ \t]*(?:,[ \t]*)?$`)

// movesOver reports whether the arguments behind the selector of the call at open are the
// same for a locator: so many values, then options that both have. The option strict is
// the page's alone, and Java, Go and C#'s older code name the class of the options.
func movesOver(s *source.File, open, values int) bool {
	end := s.End(open)
	n, start := 0, open+1
	for i := start; i <= end; i = max(s.End(i), i) + 1 {
		if i < end && s.Text(i) != "," {
			continue
		}
		if n > 0 && start < i && !argumentMoves(s, start, i, n <= values) {
			return false
		}
		n, start = n+1, i+1
	}
	return true
}

// argumentMoves reports whether the argument of the tokens from start up to end can be a
// locator's; isValue says that it stands where a value does.
func argumentMoves(s *source.File, start, end int, isValue bool) bool {
	text := string(s.Bytes[s.Tokens[start].Start:s.Tokens[end].Start])
	if strings.HasPrefix(text, "*") || strings.HasPrefix(text, "...") || strings.HasSuffix(strings.TrimSpace(text), "...") {
		return false // what it spreads is not known
	}
	name := ""
	if sign := s.Text(start + 1); s.Dialect.Scan == scan.Python && sign == "=" || s.Dialect.Scan == scan.CSharp && sign == ":" {
		name, start = locator.Fold(s.Text(start)), start+2
	}
	switch s.Dialect.Scan {
	case scan.Python:
		return name != "strict" && name != "selector" && (isValue || name != "")
	case scan.Java, scan.Go:
		return isValue && !pageOptions.MatchString(text)
	case scan.CSharp:
		isOptions := s.Text(start) == "new" && s.Text(start+1) == "(" && s.Text(start+2) == ")" && s.Text(start+3) == "{" && s.End(start+3) == end-1
		return !pageOptions.MatchString(text) && name != "selector" && (isValue && name != "options" || isOptions && !strictOption.MatchString(text))
	}
	return isValue || s.Text(start) == "{" && s.End(start) == end-1 && !strictOption.MatchString(text)
}

var (
	strictOption = lazyregexp.New(`(?i)\bstrict\b|\.\.\.`)
	pageOptions  = lazyregexp.New(`\b(?:Page|Frame)\.?[A-Z]\w*Options\b`)
)

// replaceAction returns the edit that writes the call of a part, and the action on it, in
// the place of the action whose name is token c. It is verified.
func replaceAction(s *source.File, c int, part locator.Part) (Edit, error) {
	text, ok := locator.WriteCall(part, styleAt(s, c))
	if !ok {
		return Edit{}, errNoCall
	}
	return verifiedAction(s, c, text+"."+s.Text(c)+"(")
}

// verifiedAction returns the edit that writes the text with in the place of the head of the
// action whose name is token c, and an error where this package would not: the new text is
// a call just as this package writes it, with the same method on it, and the edited
// file has the same code all around.
func verifiedAction(s *source.File, c int, with string) (Edit, error) {
	a, isAction := actionAt(s, c)
	call, onLocator := strings.CutSuffix(with, "."+a.name+"(")
	part, reads := locator.ReadCall(call, s.Dialect.Print)
	if !isAction || !onLocator || !reads || part.Kind == locator.KindCSS {
		return Edit{}, errUnverified
	}
	if text, writes := locator.WriteCall(part, styleAt(s, c)); !writes || text != call {
		return Edit{}, errUnverified
	}
	e, err := lineEdit(s, a.head.Start, a.head.End, with)
	if err != nil {
		return Edit{}, err
	}
	patched, err := Apply(s.Bytes, []Edit{e})
	if err != nil {
		return Edit{}, err
	}
	after, err := source.New(s.Path, s.Dialect, patched)
	rest := s.TokenFrom(a.head.End) // the first value, or what closes the call
	shift := len(e.New) - len(e.Old)
	if err != nil || len(after.Lines) != len(s.Lines) {
		return e, errUnverified
	}
	now := after.TokenFrom(a.head.End + shift)
	if now-c < 4 || len(after.Tokens)-now != len(s.Tokens)-rest || after.End(now-1)-now != s.End(c+1)-rest ||
		after.Text(now-1) != "(" || after.Text(now-2) != a.name || after.Text(now-3) != "." || after.End(c+1) != now-4 {
		return e, errUnverified
	}
	for i := range s.Tokens {
		j := i
		if i >= rest {
			j = now + i - rest
		}
		if (i < c || i >= rest) && (s.Tokens[i].Kind != after.Tokens[j].Kind || s.Text(i) != after.Text(j)) {
			return e, errUnverified
		}
	}
	return e, nil
}

// isOnPage reports whether the method at c is called on a page or frame of Playwright's,
// not on an object of the project that has such a method, too: by its declarations in the
// file, or by the name page or frame where they tell nothing else.
func isOnPage(s *source.File, c int) bool {
	r := s.ReceiverEnd(c)
	name := locator.Fold(s.Text(r))
	if s.Kind(r) != scan.Ident || s.Text(r+1) != "." || s.IsMember(r) && !isOwn(s, r-2) {
		return false
	}
	known := name == "page" || name == "frame"
	for _, i := range s.Idents[s.Text(r)] {
		switch isPage, told := declaresPage(s, i); {
		case told && !isPage:
			return false
		case told:
			known = true
		}
	}
	for _, value := range s.AssignedValues(s.Text(r)) {
		end := s.ExpressionEnd(value)
		if s.Text(end) == ")" {
			end = s.Callee(s.End(end))
		}
		last := locator.Fold(s.Text(end))
		if s.Text(value) == "new" || last != name && !givesPage[last] {
			return false
		}
		known = known || last != name
	}
	return known
}

// givesPage are the folded names of what gives a page or a frame.
var givesPage = scan.WordSet("page frame newpage mainframe waitforpopup runandwaitforpopup waitforpage runandwaitforpage")

// isOwn reports whether token i is the object that the code belongs to.
func isOwn(s *source.File, i int) bool {
	word := s.Text(i)
	return !s.IsMember(i) && (word == "this" || word == "self" || s.Dialect.Scan == scan.Go && s.Kind(i) == scan.Ident)
}

// declaresPage returns whether the name at token i is declared there with Playwright's
// Page or Frame, and whether its type is told there at all.
func declaresPage(s *source.File, i int) (isPage, told bool) {
	if s.InImport(i) {
		return false, true
	}
	before, after := s.Text(i-1), s.Text(i+1)
	switch s.Dialect.Scan {
	case scan.Java, scan.CSharp:
		if s.Kind(i-1) != scan.Ident && before != ">" && before != "]" && before != "?" || !isNamed[after] || notTypes[before] {
			return false, false
		}
		isPage = before == "IPage" || before == "IFrame" || (before == "Page" || before == "Frame") && s.Dialect.Scan == scan.Java &&
			declares(s, "import", "com.microsoft.playwright."+before, "com.microsoft.playwright.*")
		return isPage || before == "?" && s.Text(i-2) == "IPage", before != "var" && before != "final"
	case scan.Go:
		kind := declaredType(s, i)
		isType := after == "*" || s.Kind(i+1) == scan.Ident && s.LineOf(i+1) == s.LineOf(i) && !s.IsMember(i)
		return kind == "Page" || kind == "Frame", kind == "Page" || kind == "Frame" || kind == "Locator" || isType
	}
	at := i + 1
	if s.Text(at) == "?" || s.Text(at) == "!" {
		at++
	}
	kind := s.Text(at + 1)
	if s.Text(at) != ":" || s.Kind(at+1) != scan.Ident || s.LineOf(at+1) != s.LineOf(i) || kind == "async" || kind == s.Text(i) {
		return false, false
	}
	return (kind == "Page" || kind == "Frame") && !isRedefined(s, kind), true
}

var (
	// isNamed is what follows a name that is declared in Java and C#.
	isNamed = map[string]bool{"=": true, ";": true, ",": true, ")": true, "{": true, "=>": true, ":": true}
	// notTypes are the words of Java and C# before a name that is used.
	notTypes = scan.WordSet("return await new in out ref throw else is as not yield and or case when from select where instanceof")
)

// isRedefined reports whether a type of Playwright's name is the project's own in a file:
// declared there, or imported from elsewhere.
func isRedefined(s *source.File, kind string) bool {
	for _, i := range s.Idents[kind] {
		switch before := s.Text(i - 1); {
		case before == "class" || before == "interface" || before == "type" && s.Text(i+1) == "=":
			return true
		case !s.InImport(i):
			continue
		}
		from := i
		for n := 0; n < 200 && s.Text(from) != "from" && s.Text(from) != ""; n++ {
			if s.Dialect.Scan == scan.Python {
				from--
			} else {
				from++
			}
		}
		if module, _ := s.Literal(from + 1); s.Text(from) != "from" || !strings.Contains(module, "playwright") && s.Text(from+1) != "playwright" {
			return true
		}
	}
	return false
}
