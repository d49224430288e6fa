package values

import (
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// ConstructorsAt returns the constructors that the call at open can be one of, and false
// where it makes no object: new X(…), X(…) in Python, and super(…) of each language.
func ConstructorsAt(s *source.File, t *checkout.Tree, open int) ([]Helper, bool) {
	classes, ok := constructedAt(s, open)
	if !ok {
		return nil, false
	}
	var out []Helper
	for _, class := range classes {
		for _, in := range filesDeclaring(s, t, class) {
			out = append(out, constructorsOf(in, class)...)
		}
	}
	return out, len(out) > 0 || s.Dialect.Scan != scan.Python
}

// constructedAt returns the classes of which the call at open makes an object, or does so
// as a part of one that inherits from them.
func constructedAt(s *source.File, open int) (classes []string, ok bool) {
	c := s.Callee(open)
	name, lang := s.Text(c), s.Dialect.Scan
	switch {
	case c < 0:
		return nil, false
	case s.Text(s.Leftmost(c)-1) == "new":
		return []string{name}, true
	case name == "super" && !s.IsMember(c) && lang != scan.Python, name == "base" && s.Text(c-1) == ":" && lang == scan.CSharp,
		name == "__init__" && s.Text(s.ReceiverEnd(c)) == ")" && s.Text(s.Callee(s.End(s.ReceiverEnd(c)))) == "super":
		return basesOf(s, s.ClassAround(c)), true
	case lang == scan.CSharp && s.Subtype(c) != "": // class X(…) : Base(…)
		return []string{name}, true
	}
	return []string{name}, lang == scan.Python && isClass(name)
}

// isClass reports whether a name of Python begins as those of classes do.
func isClass(name string) bool { return name[0] >= 'A' && name[0] <= 'Z' }

// constructorsOf returns the constructors that a class declares in a file.
func constructorsOf(in *source.File, class string) (out []Helper) {
	for _, i := range in.Idents[class] {
		switch body := in.HeaderEnd(i); {
		case in.Dialect.Scan == scan.Python && in.Text(i-1) == "class":
			for _, j := range in.Idents["__init__"] {
				if f, ok := helperAt(in, j); ok && f.class == class {
					out = append(out, f)
				}
			}
		case body >= 0 && in.Dialect.Scan == scan.CSharp && in.Text(i+1) == "(": // class X(…)
			out = append(out, Helper{in: in, class: class, open: i + 1, code: in.SpanOf(body, in.End(body))})
		case body >= 0:
			out = append(out, constructorsIn(in, class, body)...)
		}
	}
	return out
}

// constructorsIn returns the constructors in the body of a class that opens at body.
func constructorsIn(in *source.File, class string, body int) (out []Helper) {
	name := class
	if in.Dialect.IsScript() {
		name = "constructor"
	}
	for _, j := range in.Idents[name] {
		f := Helper{in: in, class: class, open: j + 1}
		if in.Parent[j] != body || in.Text(f.open) != "(" {
			continue
		}
		if code := f.body(); code >= 0 {
			f.code = in.SpanOf(code, in.End(code))
			out = append(out, f)
		}
	}
	return out
}

// fieldOf returns the field that the parameter at token i is kept in, by an assignment
// that is all that is done with it there.
func (f Helper) fieldOf(i int) (Constant, bool) {
	s, n := f.in, i-2
	if k, ok := goField(s, i); ok {
		return k, true
	}
	if s.Text(i-1) != "=" || s.Kind(n) != scan.Ident || !EndsValue(s, i) || f.class == "" {
		return Constant{}, false
	}
	k := Constant{Name: s.Text(n), at: n, member: true, owner: f.class, scope: s.Whole()}
	switch {
	case s.IsMember(n):
		return k, selfNames[s.Text(n-2)] && !s.IsMember(n-2)
	case s.Dialect.Scan != scan.Java && s.Dialect.Scan != scan.CSharp:
		return k, false
	}
	for _, j := range s.Idents[k.Name] {
		if declaresMember(s, j) && s.TypeName(s.Parent[j]) == f.class {
			k.private = isPrivate(s, j)
			return k, j == n || s.Kind(n-1) != scan.Ident // not one of a local variable's name
		}
	}
	return k, false
}

// goField returns the field that the value at token i is given for: &T{name: value}.
func goField(s *source.File, i int) (Constant, bool) {
	open := s.Parent[i]
	if _, ok := goComposite(s, open); !ok || s.Text(i-1) != ":" || s.Kind(i-2) != scan.Ident || s.Kind(open-1) != scan.Ident || !EndsValue(s, i) {
		return Constant{}, false
	}
	return Constant{Name: s.Text(i - 2), at: i - 2, member: true, owner: s.Text(open - 1), scope: s.Whole()}, true
}
