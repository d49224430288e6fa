package values

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// enumConstant reads NAME("x") in an enum of Java whose methods give the value as it is.
func enumConstant(s *source.File, i int) (Constant, bool) {
	n := i - 2
	open := s.Parent[n]
	if s.Kind(n) != scan.Ident || s.Text(i+1) != ")" || s.TypeWord(open) != "enum" || !strings.Contains("{,", s.Text(n-1)) {
		return Constant{}, false
	}
	k := Constant{Name: s.Text(n), at: n, member: true, static: true, owner: s.TypeName(open), scope: s.Whole()}
	k.getters = gettersOf(s, open)
	return k, len(k.getters) > 0
}

// gettersOf returns the only field of the enum whose body opens at open, and the methods
// that give it. It returns none when something else is done with the field.
func gettersOf(s *source.File, open int) []string {
	field := ""
	for i := open; i < s.End(open); i++ {
		if s.Parent[i] != open || s.Text(i) != ";" || s.Text(i-2) != "String" || s.Kind(i-1) != scan.Ident {
			continue
		}
		if field != "" {
			return nil
		}
		field = s.Text(i - 1)
	}
	getters := []string{field}
	for _, j := range s.Idents[field] {
		first := j
		if s.IsMember(j) && s.Text(j-2) == "this" {
			first = j - 2
		}
		body := s.Parent[j]
		switch {
		case j < open || j > s.End(open):
		case s.Text(j-1) == "String", s.Text(j+1) == "=", s.Text(j-1) == "=" && s.Text(j-2) == field:
		case s.Text(first-1) == "return" && s.Text(j+1) == ";" && s.Text(body-1) == ")" && s.Callee(s.End(body-1)) >= 0:
			getters = append(getters, s.Text(s.Callee(s.End(body-1))))
		default:
			return nil
		}
	}
	if field == "" {
		return nil
	}
	return getters
}

// isPythonEnum reports whether a class of the file inherits from an enum.
func isPythonEnum(s *source.File, class string) bool {
	return slices.ContainsFunc(s.Idents[class], func(i int) bool {
		for j := i + 2; s.Text(i-1) == "class" && j < s.End(i+1); j++ {
			if strings.HasSuffix(s.Text(j), "Enum") {
				return true
			}
		}
		return false
	})
}
