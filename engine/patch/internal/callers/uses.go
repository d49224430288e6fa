package callers

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// onlyDeclares reports whether the name at i, as a word or a text, is given a value or
// a type there, or is the key of an entry.
func onlyDeclares(s *source.File, i int) bool {
	first, last := i, i
	if s.Text(i-1) == "[" && s.Text(i+1) == "]" && s.Kind(i) == scan.String { // ["name"]
		first, last = i-1, i+1
	}
	if key, _ := s.MapKey(last + 2); key == i {
		return true
	}
	before, next := s.Text(first-1), s.Text(last+1)
	if s.Dialect.Scan == scan.Go && s.Kind(last+1) == scan.Ident && s.Text(last+2) == "=" { // name T =
		return true
	}
	sets := s.Dialect.Scan != scan.Go && s.Dialect.Scan != scan.Java
	isSet := sets && s.IsMember(i) && s.Text(i-2) != "this" && s.Text(i-2) != "self" || isInitialiser(s, s.Parent[first])
	switch next {
	case "=":
		return !isSet // setting a property may do something
	case ":":
		return s.Text(last+2) == "=" || before == "{" || before == "," || before == ";" || s.Dialect.Scan == scan.Python && pythonStatement(s, i) == i
	case ",", "}":
		return (before == "{" || before == ",") && isObject(s, s.Parent[first]) && s.Dialect.IsScript()
	case "(", "<":
		return declaresMethod(s, first, last)
	}
	return false
}

// isInitialiser reports whether the brace at open sets properties of a new object in
// C#: new X { A = 1 }.
func isInitialiser(s *source.File, open int) bool {
	before := s.Text(open - 1)
	return s.Dialect.Scan == scan.CSharp && s.Text(open) == "{" && !s.IsTypeBody(open) &&
		(before == ")" && s.Text(s.Callee(s.End(open-1))-1) == "new" || s.Text(open-2) == "new" || before == ")" && s.Text(s.End(open-1)-1) == "new")
}

// declaresMethod reports whether the name from first to last is that of a method in an
// object or a class of JavaScript.
func declaresMethod(s *source.File, first, last int) bool {
	open := last + 1
	if s.Text(open) == "<" {
		open = s.AngleEnd(open) + 1
	}
	around := s.Parent[first]
	after := s.Text(s.End(open) + 1)
	isEntry := isObject(s, around) && s.Text(first-1) != "." && s.Text(first-1) != ":" && (after == "{" || after == ":")
	return s.Dialect.IsScript() && s.Text(open) == "(" && (isEntry || first < last && s.IsTypeBody(around))
}

// otherName returns the new name that the name at i gets: by an import or export
// (a as b), or by destructuring ({ a: b } = x). It is "" when it gets none.
func otherName(s *source.File, i int) string {
	if s.Kind(i+2) != scan.Ident {
		return ""
	}
	if sign := s.Text(i + 1); sign == "as" && s.InImport(i) || sign == ":" && s.IsDestructured(i) {
		return s.Text(i + 2)
	}
	return ""
}

// isDefaultExport reports whether the name at i is the default export of the file:
// export default x, module.exports = x.
func isDefaultExport(s *source.File, i int) bool {
	if s.Text(i-1) == "=" && s.Text(i-2) == "exports" {
		return true
	}
	for i--; i >= 0; i-- {
		switch s.Text(i) {
		case "async", "function", "class", "abstract", "*", "new":
		case "default":
			return s.Text(i-1) == "export"
		default:
			return false
		}
	}
	return false
}

// DefaultImportNames returns the names that a script gives to the default export of
// file: import x from, import { default as x }, x = require().
func DefaultImportNames(t *checkout.Tree, s *source.File, file string) []string {
	var out []string
	for i, tok := range s.Tokens {
		if tok.Kind != scan.String || !slices.Contains(t.ResolveModule(s.Path, tok.Lit.Value), file) {
			continue
		}
		switch {
		case s.Text(i-1) == "from":
			out = append(out, defaultNamesInClause(s, i-2)...)
		case s.Text(i-1) == "(" && s.Text(i-2) == "require" && s.Text(i-3) == "=":
			out = append(out, s.Text(i-4))
		}
	}
	return out
}

// defaultNamesInClause returns the names of the default export in an import clause
// that ends in token i.
func defaultNamesInClause(s *source.File, i int) []string {
	var out []string
	for ; i >= 0 && s.Text(i) != "import" && s.Text(i) != ";"; i-- {
		switch before := s.Text(i - 1); {
		case s.Kind(i) != scan.Ident:
		case before == "import", before == "type" && s.Text(i-2) == "import", before == "as" && s.Text(i-2) == "default":
			out = append(out, s.Text(i))
		}
	}
	return out
}
