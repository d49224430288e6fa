package values

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Parameter is one parameter of a function.
type Parameter struct {
	name  string
	first int    // its first token
	at    int    // token of the name
	kind  string // its type in lower case, "" where it says none
	odd   bool   // it takes several arguments, or a part of one
	rest  bool   // it takes all arguments from its place on
	list  bool   // its type has types of its own, or is that of a list
	field bool   // it is a field, too, as a constructor of TypeScript declares one
	// optional says that it has a value where none is given.
	optional bool
}

// ParameterOf returns the parameter that takes the n-th argument of a call, or the one of a
// name where key is one, and false for none.
func (f Helper) ParameterOf(n int, key string) (Parameter, bool) {
	parameters := f.parameters()
	if key != "" {
		n = slices.IndexFunc(parameters, func(p Parameter) bool { return p.name == key })
	} else if f.receives {
		n++
	}
	if last := len(parameters) - 1; last >= 0 && n > last && parameters[last].rest {
		n = last
	}
	if n < 0 || n >= len(parameters) {
		return Parameter{}, false
	}
	return parameters[n], true
}

// Takes reports whether a call with n arguments may be one of this function. Overloads are
// told by it in Java and C#, where a parameter has to be given unless it says its value.
func (f Helper) Takes(n int) bool {
	if lang := f.in.Dialect.Scan; lang != scan.Java && lang != scan.CSharp {
		return true
	}
	parameters := f.parameters()
	if f.receives {
		parameters = parameters[1:]
	}
	least, most := 0, len(parameters)
	for _, p := range parameters {
		switch {
		case p.odd:
			return true
		case !p.optional:
			least++
		}
	}
	return least <= n && n <= most
}

// Given returns what read makes of the arguments of the call at open of s, by the names of
// the parameters that take them: those that the function does not set itself. Arguments of
// which read makes nothing, or that are given by name, are left out.
func (f Helper) Given(s *source.File, open int, read func(first, last int) string) map[string]string {
	given := map[string]string{}
	for first := open + 1; first < s.End(open); {
		last := first
		for s.Next(last) < s.End(open) && s.Text(s.Next(last)) != "," {
			last = s.Next(last)
		}
		end := s.Next(last)
		if p, ok := f.ParameterOf(s.ArgumentIndex(open, first), ""); ok && !p.odd && !f.sets(p) {
			if text := read(first, end-1); text != "" {
				given[p.name] = text
			}
		}
		first = end + 1
	}
	return given
}

// sets reports whether the function gives one of its parameters another value.
func (f Helper) sets(p Parameter) bool {
	return slices.ContainsFunc(f.in.Idents[p.name], func(i int) bool {
		next := f.in.Text(i + 1)
		return i != p.at && f.code.Contains(f.in.Tokens[i].Start) && !f.in.IsMember(i) && (next == "=" || next == ":=" || next == "??=")
	})
}

// parameters returns the parameters of a function, the receiver too.
func (f Helper) parameters() []Parameter {
	s := f.in
	var out []Parameter
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
				out[i].kind, out[i].list = out[i+1].kind, out[i+1].list
			}
		}
	}
	return out
}

// readParameter reads the tokens from first to last as one parameter.
func readParameter(s *source.File, first, last int) Parameter {
	lang := s.Dialect.Scan
	p := Parameter{first: first}
	for i := first; i <= last; i++ {
		if s.Text(i) == "=" { // the value that it has else
			last, p.optional = i-1, true
		}
	}
	for i := first; i <= last; i = s.Next(i) {
		switch text := s.Text(i); {
		case text == "{" && p.name != "":
			p.kind = "object" // name: { … }
		case (s.IsSpread(i) || text == "*" && lang == scan.Python && s.Text(i+1) != "*" && s.Text(i-1) != "*" || text == "params") && i != last:
			p.odd, p.rest = true, true
		case s.IsSpread(i) || text == "*" && lang == scan.Python || text == "{" || text == "[" && s.Dialect.IsScript() && i == first || text == "@" || text == "params" || text == "|":
			p.odd = true
		case s.Kind(i) != scan.Ident || modifiers[text]:
			p.field = p.field || s.Dialect.IsScript() && modifiers[text] && p.name == ""
			p.list = p.list || i > first && (text == "<" || text == "[")
		case lang == scan.Java || lang == scan.CSharp:
			p.kind, p.name, p.at = strings.ToLower(p.name), text, i
		case p.name == "":
			p.name, p.at = text, i
		default:
			p.kind = strings.ToLower(text)
		}
	}
	p.odd = p.odd || p.name == ""
	return p
}

// modifiers are the words before a parameter that say neither its type nor its name.
var modifiers = scan.WordSet("public private protected readonly final this in")

// IsLocator reports whether the parameter takes a locator, and no text.
func (p Parameter) IsLocator() bool { return !p.odd && strings.HasSuffix(p.kind, "locator") }

// TakesText reports whether the parameter may take a text.
func (p Parameter) TakesText() bool {
	return !p.odd && !p.list && (p.kind == "" || stringTypes[p.kind])
}

// Name returns the parameter's name.
func (p Parameter) Name() string { return p.name }

// IsTyped reports whether the parameter says its type.
func (p Parameter) IsTyped() bool { return p.kind != "" }

// TakesList reports whether the parameter may take a list of texts.
func (p Parameter) TakesList() bool { return !p.odd && (p.list || !stringTypes[p.kind]) }

// TakesRest reports whether the parameter takes all arguments from its place on.
func (p Parameter) TakesRest() bool { return p.rest }
