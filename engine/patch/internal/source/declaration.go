package source

import (
	"iter"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// typeBody is the body of a type: the word that declares it, and its name, "" for
// none.
type typeBody struct{ word, name string }

var (
	scriptTypes = []string{"class", "interface", "enum"}
	typeWords   = map[scan.Language][]string{
		scan.TypeScript: scriptTypes, scan.TSX: scriptTypes,
		scan.Java:   append(scriptTypes, "record"),
		scan.CSharp: append(scriptTypes, "record", "struct"),
	}
)

// indexTypes sets types: the bodies of types by their opening brace.
func (s *File) indexTypes() {
	s.types = map[int]typeBody{}
	for _, word := range typeWords[s.Dialect.Scan] {
		for _, i := range s.Idents[word] {
			if name, ok := s.DeclaredType(i); ok {
				if open := s.typeBrace(i); open > 0 {
					s.types[open] = typeBody{word, name}
				}
			}
		}
	}
}

// DeclaredType returns the name of the type that the word at i declares, "" for a
// type without one, and false when it declares none.
func (s *File) DeclaredType(i int) (string, bool) {
	word, before, next := s.Text(i), s.Text(i-1), s.Text(i+1)
	switch {
	case s.Kind(i) != scan.Ident || !slices.Contains(typeWords[s.Dialect.Scan], word) || s.IsMember(i):
		return "", false
	case word == "class" && s.Dialect.IsScript() && (next == "{" || next == "extends" || next == "implements" || next == "<"):
		return "", true
	case s.Kind(i+1) != scan.Ident || s.Dialect.Scan == scan.CSharp && (before == ":" || before == ","):
		return "", false
	case next == "class" || next == "struct": // record class X
		return s.DeclaredType(i + 1)
	}
	return next, true
}

// typeBrace returns the brace that opens the body of the type whose word is at i, -1
// for none.
func (s *File) typeBrace(i int) int {
	for j, n := i+1, 0; j < len(s.Tokens) && n < maxHeader; j, n = s.End(j)+1, n+1 {
		switch text := s.Text(j); {
		case text == "{":
			return j
		case text == ";" || text == "=" || text == "=>" || s.Kind(j) == scan.Close:
			return -1
		case text == "<":
			j = s.AngleEnd(j)
		}
	}
	return -1
}

// HeaderEnd returns the brace of the body of the type whose name is declared at i, -1 for
// no such type.
func (s *File) HeaderEnd(i int) int {
	if name, ok := s.DeclaredType(i - 1); !ok || name != s.Text(i) {
		return -1
	}
	return s.typeBrace(i - 1)
}

// TypeName returns the name of the type whose body opens at the brace, "" when it
// has none or is not the body of a type.
func (s *File) TypeName(open int) string { return s.types[open].name }

// TypeWord returns the word that declares the type whose body opens at the brace:
// "enum", "" when it is not the body of a type.
func (s *File) TypeWord(open int) string { return s.types[open].word }

// IsTypeBody reports whether the body of a type opens at the brace.
func (s *File) IsTypeBody(open int) bool {
	_, ok := s.types[open]
	return ok
}

// ClassAround returns the name of the innermost class around token n.
func (s *File) ClassAround(n int) string {
	if s.Dialect.Scan == scan.Python {
		for i := range s.OuterBlocks(n) {
			if s.Text(i) == "class" {
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
		case text == ")" && s.Dialect.Scan == scan.CSharp: // class B(…) : A
			k = s.End(k)
		case s.Kind(k) != scan.Ident:
			return ""
		case k < i-1:
			if name, ok := s.DeclaredType(k - 1); ok && name != "" {
				return name
			}
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
		if s.Dialect.Scan == scan.Python && s.Parent[i] < 0 && s.BreaksLine(i) && !s.Tokens[i].Opens {
			return false
		}
		switch s.Text(i) {
		case "import":
			return !s.IsMember(i)
		case "from":
			if s.Dialect.Scan == scan.Python && (i == 0 || s.BreaksLine(i-1)) {
				return true
			}
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

// OuterBlocks returns the headers of the blocks around token n in Python, innermost
// first: the first token of each.
func (s *File) OuterBlocks(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		indent := s.Indent(s.LineOf(n))
		for i := n; i >= 0 && indent > 0; i-- {
			if s.Parent[i] >= 0 || s.Tokens[i].Closes || i > 0 && !s.BreaksLine(i-1) {
				continue
			}
			if outer := s.Indent(s.LineOf(i)); outer < indent || i == n {
				if indent = outer; i != n && !yield(i) {
					return
				}
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
