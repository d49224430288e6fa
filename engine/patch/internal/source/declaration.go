package source

import (
	"iter"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

var typeWords = scan.WordSet("class enum interface record struct object trait")

// TypeName returns the name of the type whose body opens at the brace, "" when it
// is not the body of a type.
func (s *File) TypeName(open int) string {
	for i := open - 1; i >= 0 && open-i < 60; i-- {
		if s.Tokens[i].Closes {
			if s.Text(i) != "]" && s.Text(i) != ")" {
				return ""
			}
			i = s.End(i)
			continue
		}
		switch text := s.Text(i); {
		case typeWords[text] && !s.IsMember(i) && s.Kind(i+1) == scan.Ident:
			return s.Text(i + 1)
		case text == ";" || text == "{" || text == "=" || text == "=>":
			return ""
		}
	}
	return ""
}

// ClassAround returns the name of the innermost class around token n.
func (s *File) ClassAround(n int) string {
	if s.Dialect.Scan == scan.Python {
		for _, i := range slices.Backward(s.Idents["class"]) {
			if i < n && s.Indent(s.LineOf(i)) < s.Indent(s.LineOf(n)) {
				return s.Text(i + 1)
			}
		}
		return ""
	}
	for open := s.Parent[n]; open >= 0; open = s.Parent[open] {
		if name := s.TypeName(open); name != "" {
			return name
		}
	}
	return ""
}

// Subtype returns the type that inherits from the one named at i: class B extends
// A, class B : A. It is "" when i does not name a base type.
func (s *File) Subtype(i int) string {
	for k := i - 1; k > 0 && i-k < 24; k-- {
		switch text := s.Text(k); {
		case slices.Contains([]string{"extends", "implements", ",", ":", "<", ">", "."}, text):
		case s.Kind(k) != scan.Ident:
			return ""
		case typeWords[s.Text(k-1)] && !s.IsMember(k-1) && k < i-1:
			return text
		}
	}
	return ""
}

// Assignee returns the name left of the equals sign at i, "" for none, and
// whether it is a field.
func (s *File) Assignee(i int) (name string, isField bool) {
	n := i - 1
	if s.Text(n) == ":" {
		n-- // Go's :=
	} else if s.Kind(n) == scan.Ident && s.Text(n-1) == ":" && s.LineOf(n-1) == s.LineOf(n) {
		n -= 2 // name: type =
	}
	if s.Kind(n) != scan.Ident {
		return "", false
	}
	open := s.Parent[n]
	return s.Text(n), s.IsMember(n) || s.Text(open) == "{" && s.TypeName(open) != ""
}

// IsDestructured reports whether the bare name at j is taken out of an object:
// const { name } = x.
func (s *File) IsDestructured(j int) bool {
	open := s.Parent[j]
	return s.Text(open) == "{" && s.Text(s.End(open)+1) == "="
}

// InImport reports whether token j is in an import or export statement.
func (s *File) InImport(j int) bool {
	for i := j - 1; i >= 0 && j-i < 200; i-- {
		switch s.Text(i) {
		case "import":
			return !s.IsMember(i)
		case "export":
			return s.Text(i+1) == "{"
		case ";", "(", ")", "=", "=>", ":":
			if s.Dialect.Scan != scan.Python || s.Text(i) != "(" {
				return false
			}
		}
		if s.Kind(i) == scan.String {
			return false
		}
	}
	return false
}

// OuterLines returns a line and then, upwards, each line that is less indented
// than the one before: in Python the headers of the blocks around it. The texts
// are without white space around them.
func (s *File) OuterLines(line int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		indent := s.Indent(line)
		for l := line; l > 0; l-- {
			text := strings.TrimSpace(s.codeLine(l))
			if text == "" || l != line && s.Indent(l) >= indent {
				continue
			}
			indent = s.Indent(l)
			if !yield(l, text) {
				return
			}
		}
	}
}

// Block returns the bytes of the indented block that starts with a line.
func (s *File) Block(line int) Span {
	indent, last := s.Indent(line), line
	for l := line + 1; l <= len(s.Lines); l++ {
		text := strings.TrimSpace(s.LineText(l))
		if text == "" || text[0] == ')' || text[0] == '#' {
			continue
		}
		if s.Indent(l) <= indent {
			break
		}
		last = l
	}
	end := len(s.Bytes)
	if last < len(s.Lines) {
		end = s.Lines[last]
	}
	return Span{s.Lines[line-1], end}
}

// codeLine returns a line without its ending and without a byte order mark.
func (s *File) codeLine(line int) string { return strings.TrimPrefix(s.LineText(line), "\ufeff") }

// Indent counts the white space at the start of a line.
func (s *File) Indent(line int) int {
	text := s.codeLine(line)
	return len(text) - len(strings.TrimLeft(text, " \t"))
}

// FirstToken returns the first token that starts on a line or below it.
func (s *File) FirstToken(line int) int { return s.TokenFrom(s.Lines[line-1]) }
