package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// maxHanded bounds how many functions hand a text on to each other.
const maxHanded = 3

// helper is a function of the project: the tokens of its parameters and of its code.
type helper struct {
	in       *source.File
	class    string // that it is a method of, "" for none
	open     int    // the parenthesis of its parameters
	code     source.Span
	receives bool // its first parameter is what it is called on
}

// parameter is one parameter of a function.
type parameter struct {
	name string
	kind string // its type in lower case, "" where it says none
	odd  bool   // it takes several arguments, or a part of one
}

// handedHits returns the hits of a text that is handed to a function of the project,
// tokens first to last of s: one for each locator call that the function makes of it. It
// returns none when the function may do anything else with it, when it is not certain
// which function that is, or when one call looks for another thing than the old value.
func handedHits(s *source.File, t *checkout.Tree, first, last int, text string, c change, depth int) []hit {
	open := s.Parent[first]
	callee := s.Callee(open)
	if t == nil || depth == maxHanded || callee < 0 || s.Text(callee-1) == "new" || !isArgument(s, first, last) {
		return nil
	}
	var out []hit
	for _, f := range helpersOf(s, t, callee) {
		n := s.ArgumentIndex(open, first)
		if f.receives {
			n++
		}
		parameters := f.parameters()
		if n >= len(parameters) {
			continue // another function of the same name
		}
		if p := parameters[n]; p.odd || p.kind != "" && !stringTypes[p.kind] {
			if !p.odd && strings.HasSuffix(p.kind, "locator") {
				continue
			}
			return nil
		}
		found := f.hitsOf(parameters[n].name, t, text, c, depth)
		if len(found) == 0 || !f.isCalledAt(s, callee) {
			return nil
		}
		out = append(out, found...)
	}
	return out
}

// isArgument reports whether the tokens from first to last are a whole argument of a
// call that is given by its place, behind none that stands for several.
func isArgument(s *source.File, first, last int) bool {
	before, after := s.Text(first-1), s.Text(last+1)
	if before != "(" && before != "," || after != ")" && after != "," {
		return false
	}
	for i := s.Parent[first] + 1; i < first; i = s.Next(i) {
		if text := s.Text(i); text == "*" || text == "..." || text == "=" || text == ":" {
			return false
		}
	}
	return true
}

// stringTypes are the types of a parameter that can take a text and nothing else.
var stringTypes = scan.WordSet("string str")

// helpersOf returns the functions of the checkout that the name at token callee can
// stand for: those of its name in the file and in what it reaches.
func helpersOf(s *source.File, t *checkout.Tree, callee int) []helper {
	name := s.Text(callee)
	files := []*source.File{s}
	for _, file := range t.FilesWith(t.ReachableFrom(s.Path), name) {
		if in, err := t.Load(file); err == nil && file != s.Path {
			files = append(files, in)
		}
	}
	var out []helper
	for _, in := range files {
		for _, i := range in.Idents[name] {
			if f, ok := helperAt(in, i); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// helperAt returns the function whose name is declared at token i, with its code.
func helperAt(s *source.File, i int) (helper, bool) {
	f := helper{in: s, class: s.ClassAround(i), open: i + 1}
	if s.IsMember(i) {
		return f, false
	}
	typed := s.Kind(i-1) == scan.Ident && !beforeCall[s.Text(i-1)] || s.Text(i-1) == ">" || s.Text(i-1) == "]" || s.Text(i-1) == "?"
	switch lang := s.Dialect.Scan; {
	case lang == scan.Python:
		if s.Text(i-1) != "def" || s.Text(f.open) != "(" {
			return f, false
		}
		f.code = source.Span{Start: s.Tokens[s.End(f.open)].End, End: s.Block(s.LineOf(i)).End}
		f.receives = f.class != "" && (s.Text(f.open+1) == "self" || s.Text(f.open+1) == "cls")
		return f, true
	case lang == scan.Go:
		if method := s.Text(i-1) == ")"; method && s.Text(s.End(i-1)-1) == "func" {
			f.class = s.Text(i - 2)
		} else if s.Text(i-1) != "func" {
			return f, false
		}
	case s.Dialect.IsScript():
		f.open = scriptParameters(s, i)
	default:
		if !typed || s.IsTypeBody(s.Parent[i]) != (f.class != "") {
			return f, false
		}
		f.receives = lang == scan.CSharp && s.Text(f.open+1) == "this"
	}
	if s.Text(f.open) != "(" {
		return f, false
	}
	body := f.body()
	if body < 0 {
		return f, false
	}
	last := s.End(body)
	for s.Text(body) == "=>" && s.Text(last) != ";" && last+1 < len(s.Tokens) && !s.Tokens[last+1].Closes {
		last = s.Next(last)
	}
	f.code = s.SpanOf(body, min(last, len(s.Tokens)-1))
	return f, true
}

// beforeCall are the words before a name that is called, not declared.
var beforeCall = scan.WordSet("new return await throw yield else do in case default and or not if while assert")

// scriptParameters returns the parenthesis of the parameters of the function or method
// that is declared at token i of a script, -1 for none.
func scriptParameters(s *source.File, i int) int {
	open := i + 1
	switch inClass := s.IsTypeBody(s.Parent[i]); {
	case s.Text(open) == "=" && (s.Text(i-1) == "const" || inClass): // name = async (…) =>
		if open++; s.Text(open) == "async" {
			open++
		}
		if s.Text(s.End(open)+1) != "=>" && s.Text(s.End(open)+1) != ":" {
			return -1
		}
		return open
	case s.Text(i-1) == "function", inClass && s.Text(open) == "(":
		return open
	}
	return -1
}

// body returns the token that begins the code behind the parameters, a brace or an
// arrow, -1 for none.
func (f helper) body() int {
	s := f.in
	for i, n := s.End(f.open)+1, 0; i < len(s.Tokens) && n < 24; i, n = s.Next(i), n+1 {
		switch text := s.Text(i); {
		case text == "{" || text == "=>":
			return i
		case text == ";" || text == "}" || text == "=" || text == "." || s.Kind(i) == scan.String:
			return -1
		case text == "<":
			i = s.AngleEnd(i)
		}
	}
	return -1
}

// parameters returns the parameters of a function, the receiver too.
func (f helper) parameters() []parameter {
	s := f.in
	var out []parameter
	for i := f.open + 1; i < s.End(f.open); i++ {
		first := i
		for i < s.End(f.open) && s.Text(i) != "," {
			if i = s.Next(i); s.Text(i-1) == "<" {
				i = max(i, s.AngleEnd(i-1)+1)
			}
		}
		out = append(out, readParameter(s, first, i-1))
	}
	if s.Dialect.Scan == scan.Go { // a, b string
		for i := len(out) - 2; i >= 0; i-- {
			if out[i].kind == "" {
				out[i].kind = out[i+1].kind
			}
		}
	}
	return out
}

// readParameter reads the tokens from first to last as one parameter.
func readParameter(s *source.File, first, last int) parameter {
	for i := first; i <= last; i++ {
		if s.Text(i) == "=" { // the value that it has else
			last = i - 1
		}
	}
	lang := s.Dialect.Scan
	var p parameter
	for i := first; i <= last; i = s.Next(i) {
		switch text := s.Text(i); {
		case text == "..." || text == "*" && lang == scan.Python || text == "{" || text == "[" && s.Dialect.IsScript() && i == first || text == "@" || text == "params" || text == "|":
			p.odd = true
		case s.Kind(i) != scan.Ident || modifiers[text]:
		case lang == scan.Java || lang == scan.CSharp:
			p.kind, p.name = strings.ToLower(p.name), text
		case p.name == "":
			p.name = text
		default:
			p.kind = strings.ToLower(text)
		}
	}
	p.odd = p.odd || p.name == ""
	return p
}

// modifiers are the words before a parameter that say neither its type nor its name.
var modifiers = scan.WordSet("public private protected readonly final this in")

// hitsOf returns the hits for the locator calls that the function makes of the parameter
// of a name, none when it may do anything else with it.
func (f helper) hitsOf(name string, t *checkout.Tree, text string, c change, depth int) []hit {
	s := f.in
	var out []hit
	for _, i := range s.Idents[name] {
		if !f.code.Contains(s.Tokens[i].Start) || s.IsMember(i) || isLogged(s, s.Parent[i]) {
			continue
		}
		argument, why := calls.ArgumentAt(s, i, i, text)
		if why == calls.OutsideCall {
			handed := handedHits(s, t, i, i, text, c, depth+1)
			if len(handed) == 0 {
				return nil
			}
			out = append(out, handed...)
			continue
		}
		h, unmatched := matchArgument(s, argument, c)
		if why != calls.NoObstacle || unmatched != calls.NoObstacle {
			return nil
		}
		out = append(out, h)
	}
	return out
}

// isCalledAt reports whether the call whose name is token callee is one of this function
// for certain: it is called by its name alone, on the own object, or on what is named
// like its class or package.
func (f helper) isCalledAt(s *source.File, callee int) bool {
	if !s.IsMember(callee) {
		return true
	}
	receiver := s.Text(s.ReceiverEnd(callee))
	if receiver == ")" { // super().go(…)
		receiver = s.Text(s.Callee(s.End(s.ReceiverEnd(callee))))
	}
	if selfNames[receiver] {
		return true
	}
	receiver = strings.TrimLeft(locator.Fold(receiver), "#$")
	owner := locator.Fold(f.class)
	if s.Dialect.Scan == scan.Go && receiver == f.in.Text(1) && f.class == "" {
		return true
	}
	return len(receiver) > 3 && owner != "" && (strings.Contains(owner, receiver) || strings.Contains(receiver, owner))
}
