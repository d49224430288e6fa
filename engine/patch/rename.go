package patch

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// renamed returns the other name that the name at i gets there: by an import
// or export (a as b), or by taking it out of an object ({ a: b } = x). It
// returns "" where it gets none.
func (s *source) renamed(i int) string {
	if s.kind(i+2) != scan.Ident {
		return ""
	}
	switch s.at(i + 1) {
	case "as":
		if s.inImport(i) {
			return s.at(i + 2)
		}
	case ":":
		if s.unpacked(i) {
			return s.at(i + 2)
		}
	}
	return ""
}

// isDefault reports whether the name at i is what the file exports without a
// name: export default x, module.exports = x.
func (s *source) isDefault(i int) bool {
	if s.at(i-1) == "=" && s.at(i-2) == "exports" {
		return true
	}
	for i--; i >= 0; i-- {
		switch s.at(i) {
		case "async", "function", "class", "abstract", "*", "new":
		case "default":
			return s.at(i-1) == "export"
		default:
			return false
		}
	}
	return false
}

// defaultNames returns the names under which a script takes what file exports
// without a name: import x from, import { default as x }, x = require().
func (t *tree) defaultNames(s *source, file string) []string {
	var out []string
	for i, tok := range s.tokens {
		if tok.Kind != scan.String || !slices.Contains(t.module(s.path, tok.Lit.Value), file) {
			continue
		}
		switch {
		case s.at(i-1) == "from":
			out = append(out, s.imported(i-2)...)
		case s.at(i-1) == "(" && s.at(i-2) == "require" && s.at(i-3) == "=":
			out = append(out, s.at(i-4))
		}
	}
	return out
}

// imported returns the default names of an import clause that ends in token i.
func (s *source) imported(i int) []string {
	var out []string
	for ; i >= 0 && s.at(i) != "import" && s.at(i) != ";"; i-- {
		switch before := s.at(i - 1); {
		case s.kind(i) != scan.Ident:
		case before == "import" || before == "type" && s.at(i-2) == "import":
			out = append(out, s.at(i))
		case before == "as" && s.at(i-2) == "default":
			out = append(out, s.at(i))
		}
	}
	return out
}

// heir returns the type whose head names the one at i as its base: class B
// extends A, class B : A. It returns "" where i stands in no such head.
func (s *source) heir(i int) string {
	for k := i - 1; k > 0 && i-k < 24; k-- {
		switch text := s.at(k); text {
		case "extends", "implements", ",", ":", "<", ">", ".":
		default:
			if s.kind(k) != scan.Ident {
				return ""
			}
			if typeWords[s.at(k-1)] && !s.member(k-1) && k < i-1 {
				return text
			}
		}
	}
	return ""
}
