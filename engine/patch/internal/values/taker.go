package values

import (
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// taker is code that takes the rows of a table one after the other: the body of a loop, a
// function that is called with each, or a test with parameters.
type taker struct {
	in     *source.File
	row    int            // token of the variable that a row is, -1 for none
	parts  map[column]int // tokens of the variables that a row is taken apart into
	scope  source.Span    // where they are visible
	values bool           // a row is the value of an entry, without its key
	open   int            // of a test with parameters: the parenthesis of what says so
}

// takerAt returns what takes the rows of the table that is the tokens from first to last.
func takerAt(s *source.File, c Cell, first, last int) (*taker, bool) {
	k := &taker{in: s, row: -1}
	ok := false
	if c.entries {
		if first, last, ok = iterated(s, first, last); !ok {
			return k, false
		}
		k.values = givesValues(s, first, last)
	}
	for s.Dialect.IsScript() && s.IsMember(last+2) && keepsRows[s.Text(last+2)] && s.Text(last+3) == "(" {
		last = s.End(last + 3)
	}
	switch lang := s.Dialect.Scan; {
	case s.Dialect.IsScript():
		ok = k.bindScript(c, first, last)
	case lang == scan.Python && s.Text(first-1) == "in":
		head := s.FirstToken(s.LineOf(first))
		k.scope = s.Block(s.LineOf(first))
		ok = s.Text(head) == "for" && s.Text(last+1) == ":" && k.bind(head+1, first-2)
	case lang == scan.Python:
		ok = k.bindParameters(first, last)
	case lang == scan.Go:
		ok = k.bindRange(c, first, last)
	default:
		if sign := first - 1; (s.Text(sign) == ":" || s.Text(sign) == "in") && s.Text(last+1) == ")" {
			k.row, k.scope, ok = loopVariable(s, sign)
		}
	}
	return k, ok
}

// keepsRows are the methods of a script's list that give some of its rows as they are.
var keepsRows = scan.WordSet("filter slice")

// bindScript reads for (const row of …), ….forEach((row) => …) and test.each(…)('…', (row) => …).
func (k *taker) bindScript(c Cell, first, last int) bool {
	s := k.in
	if s.Text(first-1) == "of" {
		at, scope, ok := loopVariable(s, first-1)
		if k.scope = scope; !ok || s.Text(last+1) != ")" {
			return false
		}
		begin := s.Parent[at] + 1
		if word := s.Text(begin); word == "const" || word == "let" || word == "var" {
			begin++
		}
		return k.bind(begin, at)
	}
	if s.IsMember(last + 2) {
		if !callsWithEach[s.Text(last+2)] {
			return false
		}
		parameters, ok := k.function(s.Next(last + 2))
		return ok && k.bind(parameters[0].first, parameters[0].last)
	}
	call := last + 2
	if s.Text(first-1) != "(" || s.Text(s.Callee(first-1)) != "each" || s.End(first-1) != last+1 || s.Text(call) != "(" {
		return false
	}
	arguments := itemsOf(s, call)
	if len(arguments) < 2 {
		return false
	}
	k.open = call
	parameters, ok := k.function(arguments[1].first)
	if !ok {
		return false
	}
	if c.row == c.token || s.Text(c.row) != "[" {
		return k.bind(parameters[0].first, parameters[0].last)
	}
	k.parts = map[column]int{}
	for _, p := range parameters {
		if s.Kind(p.first) != scan.Ident {
			return false
		}
		k.parts[placed(p.place)] = p.first
	}
	return true
}

// loopVariable returns the variable of the loop whose "of", "in" or colon is token sign,
// and where it is visible: in the braces behind, or the one statement.
func loopVariable(s *source.File, sign int) (at int, scope source.Span, ok bool) {
	head := s.Parent[sign]
	if s.Text(head) != "(" || s.Text(head-1) != "for" && s.Text(head-1) != "foreach" {
		return 0, scope, false
	}
	body := s.End(head) + 1
	if s.Text(body) == "{" {
		return sign - 1, s.SpanOf(body, s.End(body)), true
	}
	for last, n := body, 0; last < len(s.Tokens) && n < maxStatement; last, n = s.Next(last), n+1 {
		if s.Text(last) == ";" {
			return sign - 1, s.SpanOf(body, last), s.Text(last+1) != "else"
		}
	}
	return 0, scope, false
}

// maxStatement bounds the tokens of the one statement of a loop.
const maxStatement = 60

// function sets the scope to the function of a script that begins at a token, and returns
// its parameters.
func (k *taker) function(at int) ([]item, bool) {
	s := k.in
	if s.Text(at) == "(" && s.Callee(at) >= 0 {
		at++
	}
	first := at
	for s.Text(at) == "async" || s.Text(at) == "function" {
		at++
	}
	if around := s.Parent[min(at, len(s.Tokens)-1)]; around >= 0 {
		k.scope = s.SpanOf(first, s.End(around))
	}
	if s.Kind(at) == scan.Ident && s.Text(at+1) == "=>" {
		return []item{{at, at, 0}}, true
	}
	parameters := itemsOf(s, at)
	next := s.Text(s.End(at) + 1)
	return parameters, s.Text(at) == "(" && len(parameters) > 0 && (next == "=>" || next == "{" || next == ":")
}

// bindRange reads for _, row := range … { of Go.
func (k *taker) bindRange(c Cell, first, last int) bool {
	s, body := k.in, last+1
	if s.Text(first-1) != "range" || s.Text(first-2) != "=" || s.Text(first-3) != ":" || s.Text(body) != "{" || s.Text(first-5) != "," || s.Text(first-7) != "for" {
		return false
	}
	k.row, k.scope = first-4, s.SpanOf(body, s.End(body))
	if s.Text(c.first) == "map" {
		k.parts = map[column]int{keyColumn: first - 6}
	}
	return s.Kind(k.row) == scan.Ident
}

// bindParameters reads @pytest.mark.parametrize("name, selector", […]).
func (k *taker) bindParameters(first, last int) bool {
	s, call := k.in, k.in.Parent[first]
	if s.Text(s.Callee(call)) != "parametrize" || s.Text(s.Leftmost(s.Callee(call))-1) != "@" {
		return false
	}
	arguments := itemsOf(s, call)
	if len(arguments) < 2 || arguments[1].first != first && arguments[1].first != first-2 || arguments[1].last != last {
		return false
	}
	for _, a := range arguments[2:] {
		if s.Text(a.first) != "ids" {
			return false
		}
	}
	names, tuple := parameterNames(s, arguments[0])
	f, ok := pythonFunctionBehind(s, s.End(call))
	if !ok || len(names) == 0 {
		return false
	}
	k.open, k.scope, k.parts = call, f.code, map[column]int{}
	for n, name := range names {
		p, ok := f.ParameterOf(0, name)
		if !ok || p.odd {
			return false
		}
		if k.parts[placed(n)] = p.at; !tuple {
			k.row, k.parts = p.at, nil
		}
	}
	return true
}

// parameterNames returns the names of the parameters that a test of pytest gets, and whether
// each row is taken apart into them.
func parameterNames(s *source.File, e item) (names []string, tuple bool) {
	if text, ok := s.Literal(e.first); ok && e.first == e.last {
		for _, name := range strings.Split(text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
		return names, strings.Contains(text, ",")
	}
	if s.End(e.first) != e.last {
		return nil, false
	}
	for _, name := range itemsOf(s, e.first) {
		text, ok := s.Literal(name.first)
		if !ok || name.first != name.last {
			return nil, false
		}
		names = append(names, text)
	}
	return names, true
}

// pythonFunctionBehind returns the function whose decorator ends at a token.
func pythonFunctionBehind(s *source.File, end int) (Helper, bool) {
	for i, n := s.Next(end), 0; i < len(s.Tokens) && n < 200; i, n = s.Next(i), n+1 {
		switch s.Text(i) {
		case "def":
			return helperAt(s, i+1)
		case "class":
			return Helper{}, false
		}
	}
	return Helper{}, false
}

// bind reads the tokens from first to last as the variables that a row is, or is taken
// apart into. It returns false where a row may get there in another way.
func (k *taker) bind(first, last int) bool {
	s := k.in
	if s.Kind(first) == scan.Ident && s.Text(first+1) != "," {
		k.row = first
		return first == last || s.Text(first+1) == ":"
	}
	k.parts = map[column]int{}
	parts := []item{}
	switch open := s.Text(first); {
	case open == "{" && s.Dialect.IsScript(), open == "[", open == "(":
		parts = itemsOf(s, first)
		if s.End(first) != last && s.Text(s.End(first)+1) != ":" {
			return false
		}
	case s.Dialect.Scan == scan.Python:
		for i := first; i <= last; i += 2 {
			parts = append(parts, item{i, i, len(parts)})
		}
	}
	for _, e := range parts {
		at, name := e.first, placed(e.place)
		if s.Text(first) == "{" {
			if name = column(s.Text(at)); s.Text(at+1) == ":" {
				at += 2
			}
		}
		if s.Kind(at) != scan.Ident || at != e.last && s.Text(at+1) != "=" {
			return false
		}
		k.parts[name] = at
	}
	return len(parts) > 0
}
