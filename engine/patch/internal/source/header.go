package source

import (
	"bytes"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// maxHeader bounds the tokens of a header.
const maxHeader = 400

// HeaderStart returns the first token of the declaration, statement, argument or
// entry that token k belongs to, among those with the same bracket around them, and
// false when that is too far away. Where a declaration could begin in two places it
// is the one further to the left.
func (s *File) HeaderStart(k int) (int, bool) {
	start := k
	for range maxHeader {
		j := start - 1
		if j <= s.Parent[k] || s.endsHeader(j, k) {
			return start, true
		}
		switch {
		case s.Tokens[j].Closes:
			j = s.End(j)
		case s.Text(j) == ">":
			j = s.AngleStart(j)
		}
		start = j
	}
	return start, false
}

// endsHeader reports whether token j ends what stands before the header of k.
func (s *File) endsHeader(j, k int) bool {
	switch s.Text(j) {
	case ";":
		return true
	case ",":
		return s.separates(j, s.Parent[k])
	case "}":
		if s.beginsMember(j + 1) {
			return true
		}
	}
	return s.endsLine(j)
}

// separates reports whether the comma at j, in bracket open, stands between two
// entries, arguments, constants or variables, not in a list of types.
func (s *File) separates(j, open int) bool {
	if body, isType := s.types[open]; open >= 0 && (!isType || body.word == "enum" && !s.hasStatement(open, j)) {
		return true
	}
	next := s.Text(j + 2)
	return s.Kind(j+1) == scan.Ident && (next == "=" || next == ":" && s.Dialect.IsScript())
}

// hasStatement reports whether a semicolon stands between a brace and token j: in an
// enum the constants are over there.
func (s *File) hasStatement(open, j int) bool {
	for i := open + 1; i < j; i = s.End(i) + 1 {
		if s.Text(i) == ";" {
			return true
		}
	}
	return false
}

// afterBody are the words behind a brace that go on with what it belongs to.
var afterBody = scan.WordSet("as is satisfies extends implements where in of instanceof from else catch finally while")

// beginsMember reports whether what stands behind a brace, at i, begins something new.
func (s *File) beginsMember(i int) bool {
	switch s.Kind(i) {
	case scan.Ident:
		return !afterBody[s.Text(i)]
	case scan.String, scan.Comment:
		return true
	}
	switch s.Text(i) {
	case "@", "*", "{":
		return s.Text(i) != "{" // a body behind a type
	case "<":
		return s.Dialect.Scan == scan.Java
	case "[":
		return s.BreaksLine(i - 1)
	}
	return false
}

// beforeOperand are the words behind which an expression or a type goes on.
var beforeOperand = scan.WordSet("keyof typeof readonly unique infer asserts is extends implements new in of instanceof as satisfies void delete await yield throw case")

// endsLine reports whether the line break behind token j ends a statement, in a
// language in which it can.
func (s *File) endsLine(j int) bool {
	script := s.Dialect.IsScript()
	if !script && s.Dialect.Scan != scan.Go || !s.BreaksLine(j) || !s.endsOperand(j) {
		return false
	}
	if !script {
		return true
	}
	next := j + 1
	return s.Text(next) == "@" || s.Kind(next) == scan.String || s.Kind(next) == scan.Ident && !afterBody[s.Text(next)]
}

// endsOperand reports whether a value or a type can end with token j.
func (s *File) endsOperand(j int) bool {
	switch s.Kind(j) {
	case scan.Ident:
		return !beforeOperand[s.Text(j)] || s.IsMember(j)
	case scan.Punct:
		switch s.Text(j) {
		case ">":
			return s.AngleStart(j) < j
		case "!", "+", "-":
			return s.Tokens[j-1].End == s.Tokens[j].Start
		}
		return false
	}
	return s.Kind(j) != scan.Open && !s.Tokens[j].Opens
}

// BreaksLine reports whether token j is the last one of its line.
func (s *File) BreaksLine(j int) bool {
	return j+1 < len(s.Tokens) && bytes.IndexByte(s.Bytes[s.Tokens[j].End:s.Tokens[j+1].Start], '\n') >= 0
}

// maxAngle bounds the tokens of a list of type parameters or arguments.
const maxAngle = 120

// AngleStart returns the < that the > at j closes, j itself when it is an operator.
func (s *File) AngleStart(j int) int {
	depth := 0
	if s.Text(j) != ">" || s.Text(j-1) == "-" { // Java's ->
		return j
	}
	for i, n := j, 0; i > s.Parent[j] && n < maxAngle; i, n = i-1, n+1 {
		switch text := s.Text(i); {
		case s.Tokens[i].Closes:
			i = s.End(i)
		case text == ">":
			depth++
		case text == "<":
			if depth--; depth == 0 {
				return i
			}
		case text == ";" || text == "+" || text == "@":
			return j
		}
	}
	return j
}

// AngleEnd returns the > that closes the < at i, i itself when it is an operator.
func (s *File) AngleEnd(i int) int {
	depth := 0
	for j, n := i, 0; j < len(s.Tokens) && n < maxAngle && s.Kind(j) != scan.Close; j, n = s.End(j)+1, n+1 {
		switch s.Text(j) {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return j
			}
		case ";":
			return i
		}
	}
	return i
}
