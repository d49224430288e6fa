package source

import (
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Field is tokens first to last of what a composition fills in at one place. The zero value is
// that of one which cannot be told.
type Field struct{ First, Last int }

// Around returns the composition that fills in the tokens from first to last at one place or
// more, as they are, and false where there is none.
func Around(s *File, first, last int) (Composition, bool) {
	for at := first; at >= 0; at = s.Parent[at] {
		for begin := at; begin > s.Parent[at]; begin = min(begin, s.End(begin)) - 1 {
			if !beginsValue(s, begin) {
				continue
			}
			c, ok := ReadingOf(s, begin)
			if ok && c.Last >= last && slices.Contains(c.Fields(s), Field{first, last}) {
				return c, true
			}
			break
		}
		if open := s.Parent[at]; s.Kind(open) != scan.Chunk && !isFormatter(s, open) && (s.Text(open) != "(" || !isArguments(s, open)) {
			break
		}
	}
	return Composition{}, false
}

// Formatted returns the tokens of the value that is made of a format, which is the tokens from
// first to last: String.format(ROW, id), ROW.formatted(id), ROW % id. It returns false where
// nothing is.
func Formatted(s *File, first, last int) (begin, end int, ok bool) {
	switch open := s.Parent[first]; {
	case s.IsMember(last+2) && isFormatter(s, last+3):
		return first, s.End(last + 3), true
	case s.Dialect.Scan == scan.Python && s.Text(last+1) == "%":
		return first, s.ExpressionEnd(last + 2), true
	case s.Text(first-1) == "(" && s.Text(last+1) == "," && isFormatter(s, open):
		return s.Leftmost(s.Callee(open)), s.End(open), true
	}
	return 0, 0, false
}

// endsComposition reports whether a value that is assigned ends before token i: by a semicolon
// or, in a language in which it can, with its line.
func endsComposition(s *File, i int) bool {
	if s.Text(i) == ";" {
		return true
	}
	goesOn := func(text string) bool { return text == "+" || text == "%" || text == "." }
	byLine := s.Dialect.IsScript() || s.Dialect.Scan == scan.Go || s.Dialect.Scan == scan.Python
	return byLine && s.Kind(i) != scan.Chunk && s.BreaksLine(i-1) && !goesOn(s.Text(i)) && !goesOn(s.Text(i-1))
}

// beginsValue reports whether a value may begin at token i.
func beginsValue(s *File, i int) bool {
	switch s.Text(i - 1) {
	case "(", ",", ":", "=", "=>", "return", "{", ";":
		return true
	}
	return s.Kind(i-1) == scan.Chunk
}

// isArguments reports whether the parenthesis at open is that of the values of a format:
// "%s" % (a, b).
func isArguments(s *File, open int) bool { return s.Text(open-1) == "%" }

// Fields returns what is filled in between the pieces, in their order.
func (c Composition) Fields(s *File) []Field {
	fields := slices.Clone(c.arguments)
	for k := len(fields); k+1 < len(c.Pieces); k++ {
		first, last := c.First, c.Last
		if before := c.Pieces[k].Token; before >= 0 {
			first = before + 1
		}
		if behind := c.Pieces[k+1].Token; behind >= 0 {
			last = behind - 1
		}
		if first <= last && s.Text(first) == "+" {
			first++
		}
		if first <= last && s.Text(last) == "+" {
			last--
		}
		if first > last {
			first, last = 0, 0
		}
		fields = append(fields, Field{first, last})
	}
	return fields
}

// Fill returns the template with texts in some of its holes.
func (p Template) Fill(texts map[int]string) Template {
	out := Template{p[0]}
	for k, piece := range p[1:] {
		if text, ok := texts[k]; ok {
			out[len(out)-1] += text + piece
		} else {
			out = append(out, piece)
		}
	}
	return out
}

// Fillings returns the texts that fill the holes to give value, where there is one way alone.
func (p Template) Fillings(value string) ([]string, bool) {
	if len(p) == 1 {
		return nil, p[0] == value
	}
	return p.onlyHoles(value)
}

// HasWord reports whether the texts of the template have two letters or more.
func (p Template) HasWord() bool { return hasWord(p) }

// addCoded adds a text that escapes or doubles some of its characters.
func (c *composer) addCoded(token int, text, start string) bool {
	form, quote := scan.BracePlain, start[len(start)-1:]
	escaped := `\` + quote
	switch {
	case c.s.Dialect.IsScript():
		form = scan.Template
	case strings.Contains(start, "@"):
		form, escaped = scan.Verbatim, quote+quote
		text = strings.NewReplacer("{{", "{", "}}", "}").Replace(text)
	case strings.ContainsAny(start, "rR"):
		return false
	}
	if strings.Contains(strings.ReplaceAll(text, escaped, ""), quote) || strings.ContainsAny(text, "\r\n") {
		return false
	}
	value, known := scan.Decode(c.s.Dialect.Scan, form, text)
	return known && c.add(Piece{Token: token, Text: value})
}

// verbatimOpen matches how a verbatim string of C# with fields begins.
var verbatimOpen = lazyregexp.New(`^(?:\$@|@\$)"`)

// formatOf returns the format that the call at open fills, and the arguments that fill it:
// String.format("#%s", id) and, where texts are only read, ROW.formatted(id) of a constant.
func (c *composer) formatOf(open int) (format int, arguments []Field) {
	s := c.s
	callee := s.Callee(open)
	if c.reads && s.IsMember(callee) && (s.Dialect.Scan == scan.Python || locator.Fold(s.Text(callee)) == "formatted") {
		return c.literalOf(s.ReceiverEnd(callee)), fieldsOf(s, open)
	}
	arguments = fieldsOf(s, open)
	if len(arguments) < 2 {
		return -1, nil
	}
	first := arguments[0]
	switch {
	case s.Kind(first.First) == scan.String && first.First == first.Last:
		return first.First, arguments[1:]
	case c.reads && s.ExpressionEnd(first.First) == first.Last:
		return c.literalOf(first.Last), arguments[1:]
	}
	return -1, nil
}

// literalOf returns the literal that a constant of the file is whose name is token i, -1 for
// none and where the name gets several values.
func (c *composer) literalOf(i int) int {
	s := c.s
	values := s.AssignedValues(s.Text(i))
	if s.Kind(i) != scan.Ident || len(values) != 1 || s.Kind(values[0]) != scan.String || s.Text(values[0]+1) != ";" && s.LineOf(values[0]+1) == s.LineOf(values[0]) {
		return -1
	}
	return values[0]
}

// fieldsOf returns the arguments of the call at open.
func fieldsOf(s *File, open int) []Field {
	var out []Field
	end := s.End(open)
	for first := open + 1; first < end; {
		last := first
		for last < end && s.Text(last) != "," {
			last = s.Next(last)
		}
		out = append(out, Field{first, last - 1})
		first = last + 1
	}
	return out
}

// moduloFields returns the values of a format of Python that is at token i: "%s" % a, or
// those in its parentheses. The token behind them is end.
func moduloFields(s *File, i, end int) []Field {
	if open := i + 2; s.Text(open) == "(" && s.End(open) == end-1 {
		return fieldsOf(s, open)
	}
	return []Field{{i + 2, end - 1}}
}

// argumentOf returns the argument that fills the n-th placeholder of a format, which is written
// as place. One that says how the value is written cannot be told.
func argumentOf(s *File, arguments []Field, n int, place string) Field {
	name := strings.Trim(place, "{}")
	switch number, err := strconv.Atoi(name); {
	case place == "%s" || place == "%v" || place == "{}":
	case err == nil:
		n = number
	case strings.HasPrefix(place, "{"):
		for _, a := range arguments {
			if s.Text(a.First) == name && s.Text(a.First+1) == "=" {
				return Field{a.First + 2, a.Last}
			}
		}
		return Field{}
	default:
		return Field{}
	}
	if n < 0 || n >= len(arguments) || s.Text(arguments[n].First+1) == "=" {
		return Field{}
	}
	return arguments[n]
}

// bracesOf returns the characters that are left of placeholders which are not understood.
func bracesOf(places *lazyregexp.Regexp) string {
	if places == braces {
		return "{}"
	}
	return ""
}
