package source

import "github.com/breadcrumb/action/engine/patch/internal/scan"

// Joined is a value that is written as several literals: "#form " + ".save", and in Python
// without a sign between them.
type Joined struct {
	First, Last int // its tokens, with a parenthesis of its own
	Literals    []int
	Text        string
}

// JoinedAt returns the value of two literals or more of which that at token i is the first, and
// false where anything else is joined to them.
func JoinedAt(s *File, i int) (Joined, bool) {
	j := Joined{First: i, Last: i}
	if before := s.Text(i - 1); before == "+" || s.Kind(i-1) == scan.String && goesOn(s, i-1, i) {
		return j, false
	}
	for next := i; ; {
		text, known := s.Literal(next)
		if !known || s.Kind(next) != scan.String {
			return j, false
		}
		j.Literals, j.Last, j.Text = append(j.Literals, next), next, j.Text+text
		if next++; s.Text(next) == "+" {
			next++
		} else if s.Kind(next) != scan.String || !goesOn(s, j.Last, next) {
			break
		}
	}
	for s.Text(j.First-1) == "(" && s.Callee(j.First-1) < 0 && s.End(j.First-1) == j.Last+1 {
		j.First, j.Last = j.First-1, j.Last+1
	}
	return j, len(j.Literals) > 1 && endsJoined(s, j.Last+1)
}

// goesOn reports whether Python joins two literals that stand one after the other: on a line, or
// in a bracket.
func goesOn(s *File, i, next int) bool {
	return s.Dialect.Scan == scan.Python && (s.Parent[next] >= 0 && s.Parent[i] == s.Parent[next] || s.LineOf(i) == s.LineOf(next))
}

// endsJoined reports whether a value ends before token i.
func endsJoined(s *File, i int) bool {
	switch s.Text(i) {
	case "", ";", ",", ")", "]", "}":
		return true
	case ".", "?.", "+", "%", "?", "[", "(", "*", "==":
		return false
	}
	return s.LineOf(i) > s.Line(s.Tokens[i-1].End-1) && !deciding[s.Text(i)]
}
