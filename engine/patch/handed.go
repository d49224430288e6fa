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

// handing is a text that is handed to a function: as an argument, or as an entry of one.
type handing struct {
	first  int    // the first token of the argument
	open   int    // the parenthesis of the call
	key    string // the name that the argument is given by, "" for its place
	option string // the name of the entry of an object, "" for the argument itself
}

// handingAt returns how the tokens from first to last are handed to a function.
func handingAt(s *source.File, first, last int) (handing, bool) {
	open := s.Parent[first]
	if name, ok := optionOf(s, first, last); ok {
		return handing{first: open, open: s.Parent[open], option: name}, true
	}
	if s.Callee(open) < 0 {
		return handing{}, false
	}
	key, ok := argumentKey(s, first, last)
	return handing{first: first, open: open, key: key}, ok
}

// handedHits returns the hits of a text that is handed to a function of the project, or to
// a constructor, tokens first to last of s: one for each locator call that is made of it.
// It returns none when anything else may be done with it, when it is not certain which
// function that is, or when one call looks for another thing than the old value.
func handedHits(s *source.File, t *checkout.Tree, first, last int, text string, c change, depth int) []hit {
	h, ok := handingAt(s, first, last)
	if !ok || t == nil || depth == maxHanded || s.Callee(h.open) < 0 {
		return nil
	}
	callee := s.Callee(h.open)
	functions, constructs := constructorsAt(s, t, h.open)
	if !constructs {
		functions = helpersOf(s, t, callee)
	}
	var out []hit
	for _, f := range functions {
		p, ok := f.parameterOf(s.ArgumentIndex(h.open, h.first), h.key)
		if !ok || h.option == "" && !p.odd && strings.HasSuffix(p.kind, "locator") {
			continue // another function of the same name
		}
		found := f.hitsOfHanded(h, p, t, text, c, depth)
		if len(found) == 0 || !constructs && !f.isCalledAt(s, callee) {
			return nil
		}
		out = append(out, found...)
	}
	return out
}

// hitsOfHanded returns the hits for the locator calls that the function makes of what a
// parameter gets, none when it may do anything else with it.
func (f helper) hitsOfHanded(h handing, p parameter, t *checkout.Tree, text string, c change, depth int) []hit {
	switch {
	case h.option != "":
		return f.hitsOfOption(p, h.option, t, text, c, depth)
	case p.odd || p.kind != "" && !stringTypes[p.kind]:
		return nil
	}
	return f.hitsOf(p, t, text, c, depth)
}

// argumentKey reports whether the tokens from first to last are a whole argument of a call,
// behind none that stands for several, and returns the name that it is given by, "" where
// it is given by its place. What a parameter is where no argument is given has its name.
func argumentKey(s *source.File, first, last int) (key string, ok bool) {
	before, after := s.Text(first-1), s.Text(last+1)
	named := s.Kind(first-2) == scan.Ident && (s.Text(first-3) == "(" || s.Text(first-3) == ",")
	switch {
	case before == "=" && s.Dialect.Scan == scan.Python && named, before == ":" && s.Dialect.Scan == scan.CSharp && named:
		key = s.Text(first - 2)
	case before == "=":
		_, declared := helperAt(s, s.Callee(s.Parent[first]))
		if key, _ = s.Assignee(first - 1); !declared || key == "" {
			return "", false
		}
	case before != "(" && before != ",":
		return "", false
	}
	if after != ")" && after != "," {
		return "", false
	}
	for i := s.Parent[first] + 1; i < first-2; i = s.Next(i) {
		if text := s.Text(i); text == "*" || s.IsSpread(i) || key == "" && (text == "=" || text == ":") {
			return "", false
		}
	}
	return key, true
}

// stringTypes are the types of a parameter that can take a text and nothing else.
var stringTypes = scan.WordSet("string str")

// helpersOf returns the functions of the checkout that the name at token callee can
// stand for: those of its name in the file and in what it reaches.
func helpersOf(s *source.File, t *checkout.Tree, callee int) []helper {
	name := s.Text(callee)
	var out []helper
	for _, in := range filesDeclaring(s, t, name) {
		for _, i := range in.Idents[name] {
			if f, ok := helperAt(in, i); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// filesDeclaring returns the file and those in its reach that may declare a name.
func filesDeclaring(s *source.File, t *checkout.Tree, name string) []*source.File {
	files := []*source.File{s}
	for _, file := range t.FilesWith(t.ReachableFrom(s.Path), name) {
		if in, err := t.Load(file); err == nil && file != s.Path {
			files = append(files, in)
		}
	}
	return files
}

// helperAt returns the function whose name is declared at token i, with its code.
func helperAt(s *source.File, i int) (helper, bool) {
	if i < 0 || i >= len(s.Tokens) || s.IsMember(i) {
		return helper{}, false
	}
	f := helper{in: s, class: s.ClassAround(i), open: i + 1}
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
	return f, s.Text(f.open) == "(" && f.findCode()
}

// findCode sets the code behind the parameters, and returns false where there is none.
func (f *helper) findCode() bool {
	s, body := f.in, f.body()
	if body < 0 {
		return false
	}
	last := s.End(body)
	for s.Text(body) == "=>" && s.Text(last) != ";" && last+1 < len(s.Tokens) && !s.Tokens[last+1].Closes {
		last = s.Next(last)
	}
	f.code = s.SpanOf(body, min(last, len(s.Tokens)-1))
	return true
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

// hitsOf returns the hits for the locator calls that the function makes of a parameter,
// none when it may do anything else with it.
func (f helper) hitsOf(p parameter, t *checkout.Tree, text string, c change, depth int) []hit {
	s := f.in
	var out []hit
	if p.field {
		field := constant{name: p.name, at: p.at, member: true, owner: f.class, scope: s.Whole()}
		uses, ok := findUses(s, t, field)
		if out = hitsOfUses(uses, t, text, c, depth); !ok || len(out) == 0 {
			return nil
		}
	}
	for _, i := range s.Idents[p.name] {
		if i == p.at || !f.code.Contains(s.Tokens[i].Start) || s.IsMember(i) || isKey(s, i) {
			continue
		}
		uses, ok := []use{{in: s, first: i, last: i}}, true
		if field, kept := f.fieldOf(i); kept {
			uses, ok = findUses(s, t, field)
		} else if isLogged(s, s.Parent[i]) {
			continue
		}
		found := hitsOfUses(uses, t, text, c, depth)
		if !ok || len(found) == 0 {
			return nil
		}
		out = append(out, found...)
	}
	return out
}

// isKey reports whether the name at i is that of an entry: { name: value }.
func isKey(s *source.File, i int) bool {
	before := s.Text(i - 1)
	return s.Text(i+1) == ":" && s.Text(i+2) != "=" && s.Text(s.Parent[i]) == "{" && (before == "{" || before == ",")
}

// hitsOfUses returns the hits for the locator calls that are made of a text where it is
// used, none when one of the uses may be anything else.
func hitsOfUses(uses []use, t *checkout.Tree, text string, c change, depth int) []hit {
	var out []hit
	for _, u := range uses {
		if isLogged(u.in, u.in.Parent[u.first]) {
			continue
		}
		found := hitsOfUse(u, t, text, c, depth+1)
		if len(found) == 0 {
			return nil
		}
		out = append(out, found...)
	}
	return out
}

// hitsOfUse is hitsOfUses for one use: the locator call that it is an argument of, or those of
// the functions that it is handed to.
func hitsOfUse(u use, t *checkout.Tree, text string, c change, depth int) []hit {
	argument, why := calls.ArgumentAt(u.in, u.first, u.last, text)
	if why == calls.OutsideCall {
		return handedHits(u.in, t, u.first, u.last, text, c, depth)
	}
	h, unmatched := matchArgument(u.in, argument, c)
	if why != calls.NoObstacle || unmatched != calls.NoObstacle {
		return nil
	}
	return []hit{h}
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
