package values

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Helper is a function of the project: the tokens of its parameters and of its code.
type Helper struct {
	in       *source.File
	class    string // that it is a method of, "" for none
	open     int    // the parenthesis of its parameters
	code     source.Span
	receives bool // its first parameter is what it is called on
}

// ArgumentKey reports whether the tokens from first to last are a whole argument of a call,
// behind none that stands for several, and returns the name that it is given by, "" where
// it is given by its place. What a parameter is where no argument is given has its name.
func ArgumentKey(s *source.File, first, last int) (key string, ok bool) {
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

// HelpersOf returns the functions of the checkout that the name at token callee can
// stand for: those of its name in the file and in what it reaches.
func HelpersOf(s *source.File, t *checkout.Tree, callee int) []Helper {
	name := s.Text(callee)
	var out []Helper
	files := filesDeclaring(s, t, name)
	for _, in := range files {
		for _, i := range in.Idents[name] {
			if f, ok := helperAt(in, i); ok {
				out = append(out, f)
			}
		}
		out = append(out, implementersOf(in, t, name, files)...)
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
func helperAt(s *source.File, i int) (Helper, bool) {
	if i < 0 || i >= len(s.Tokens) || s.IsMember(i) {
		return Helper{}, false
	}
	f := Helper{in: s, class: s.ClassAround(i), open: i + 1}
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

// IsFunction reports whether the name at token i is that of a function where it is declared,
// with its code or without, as in an interface.
func IsFunction(s *source.File, i int) bool {
	if _, ok := helperAt(s, i); ok {
		return true
	}
	before := s.Text(i - 1)
	return s.IsTypeBody(s.Parent[i]) && !s.IsMember(i) && before != "=" && before != "=>" && before != "(" && !beforeCall[before]
}

// FunctionTaking returns the name of the function whose parameter the name at token i is, ""
// for none.
func FunctionTaking(s *source.File, i int) string {
	for _, k := range s.Idents[s.Text(i)] {
		open := s.Parent[k]
		for _, name := range []int{open - 1, open - 2, open - 3} { // name(…), name = (…) =>, name = async (…) =>
			if f, ok := helperAt(s, name); ok && f.open == open && f.code.Contains(s.Tokens[i].Start) {
				return s.Text(name)
			}
		}
	}
	return ""
}

// findCode sets the code behind the parameters, and returns false where there is none.
func (f *Helper) findCode() bool {
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
func (f Helper) body() int {
	s := f.in
	for i, n := s.End(f.open)+1, 0; i < len(s.Tokens) && n < 24; i, n = s.Next(i), n+1 {
		switch text := s.Text(i); {
		case text == "{" || text == "=>":
			return i
		case text == "." && s.Dialect.Scan == scan.Go: // what it returns is of another package
		case text == ";" || text == "}" || text == "=" || text == "." || s.Kind(i) == scan.String:
			return -1
		case text == "<":
			i = s.AngleEnd(i)
		}
	}
	return -1
}

// isKey reports whether the name at i is that of an entry: { name: value }.
func isKey(s *source.File, i int) bool {
	before := s.Text(i - 1)
	return s.Text(i+1) == ":" && s.Text(i+2) != "=" && s.Text(s.Parent[i]) == "{" && (before == "{" || before == ",")
}

// As returns the function as the call whose name is token callee hands arguments to it: by
// the name of its class, what it is called on else is the first of them.
func (f Helper) As(s *source.File, callee int) Helper {
	f.receives = f.receives && (!s.IsMember(callee) || s.Text(s.ReceiverEnd(callee)) != f.class)
	return f
}

// Class returns the class whose objects the function is called on, "" for none.
func (f Helper) Class() string {
	if f.in.Dialect.Scan == scan.CSharp && f.in.Text(f.open+1) == "this" {
		return ""
	}
	return f.class
}

// isKeyword reports whether the name at i is that of an argument: name=value, name: value.
func isKeyword(s *source.File, i int) bool {
	before, sign := s.Text(i-1), s.Text(i+1)
	return s.Text(s.Parent[i]) == "(" && (before == "(" || before == ",") &&
		(s.Dialect.Scan == scan.Python && sign == "=" && s.Text(i+2) != "=" || s.Dialect.Scan == scan.CSharp && sign == ":" && s.Text(i+2) != ":")
}

// IsCalledAt reports whether the call whose name is token callee is one of this function
// for certain: it is called by its name alone, on the own object, or on what is named
// like its class or package.
func (f Helper) IsCalledAt(s *source.File, callee int) bool {
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
