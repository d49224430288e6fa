package calls

import (
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// returnedValues returns the first tokens of the values that the functions, getters and
// properties of a name give in a file, of those that only return one.
func returnedValues(s *source.File, name string) []int {
	var values []int
	for _, i := range s.Idents[name] {
		if value := returnedValue(s, i); value > 0 {
			values = append(values, value)
		}
	}
	return values
}

// returnedValue returns the first token of the value that the function or property whose
// name is declared at token i returns, 0 for none.
func returnedValue(s *source.File, i int) int {
	end, before := i, s.Text(i-1)
	if s.Text(i+1) == "(" {
		end = s.End(i + 1)
	}
	typed := s.Kind(i-1) == scan.Ident && before != "new" && before != "return" && before != "await" || before == ">" || before == "]" || before == "?"
	switch s.Dialect.Scan {
	case scan.Python:
		if before == "def" && s.Text(end) == ")" {
			return pythonReturned(s, end)
		}
		return 0
	case scan.CSharp:
		if s.Text(end+1) == "=>" && typed {
			return end + 2
		}
	case scan.Java:
	case scan.Go:
		if before != "func" && s.Text(s.End(i-1)-1) != "func" {
			return 0
		}
		typed = true
		for n := 0; n < 8 && s.Text(end+1) != "{" && !s.BreaksLine(end); n++ { // the type
			end++
		}
	default:
		if s.IsMember(i) {
			return 0
		}
		if s.Text(i+1) == "=" && s.Text(i+2) == "(" && s.Text(s.End(i+2)+1) == "=>" {
			return s.End(i+2) + 2
		}
		typed = end > i
		for n := 0; typed && n < 4 && s.Text(end+1) != "{" && (s.Text(end+1) == ":" || n > 0); n++ { // : Type
			end++
		}
	}
	if !typed || s.Text(end+1) != "{" || s.Text(end+2) != "return" {
		return 0
	}
	last := s.ExpressionEnd(end + 3)
	if s.Text(last+1) == ";" {
		last++
	}
	if last+1 != s.End(end+1) {
		return 0
	}
	return end + 3
}

// pythonReturned returns the first token of the value that the function whose parameters
// end at token end returns in its only statement, 0 for none.
func pythonReturned(s *source.File, end int) int {
	for n := 0; n < 12 && s.Text(end+1) != ":"; n++ { // -> Type
		end++
	}
	if s.Text(end+2) != "return" {
		return 0
	}
	return end + 3
}
