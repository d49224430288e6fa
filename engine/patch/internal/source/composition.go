package source

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Composition is a value that code makes of literal texts and of what it fills in
// between: `#row-${id}`, '#row-' + id, fmt.Sprintf("#row-%s", id).
type Composition struct {
	First, Last int     // its tokens
	Pieces      []Piece // the texts before, between and behind what is filled in

	arguments []Field // what fills the placeholders of a format, in their order
	format    bool    // it is a format alone, which is filled elsewhere
}

// Piece is a literal text of a composition. Nothing stands where there is none: before what
// is filled in first, or behind the last.
type Piece struct {
	Token int    // of the literal or of the part of one, -1 for nothing
	At    Span   // where its text is, or where the whole literal is
	Text  string // as it is read
	Whole bool   // At is the whole literal with its quotes
	// Escaped says that quotes in it are written with a backslash.
	Escaped bool
}

// CompositionOf returns the composition that begins at token i. It returns false for
// anything else, and where it cannot be told for sure which texts the value has: a
// condition, a method that changes it, escapes in a text with fields.
func CompositionOf(s *File, i int) (Composition, bool) { return compose(s, i, false) }

// FormatAt returns the literal at token i as a format that is filled where it is used: its
// texts around the placeholders.
func FormatAt(s *File, i int) (Composition, bool) {
	c := composer{s: s, out: Composition{First: i, Last: i, format: true}}
	if s.Kind(i) != scan.String || !c.addFormat(i, nil) {
		return Composition{}, false
	}
	if c.hole {
		c.out.Pieces = append(c.out.Pieces, Piece{Token: -1})
	}
	return c.out, len(c.out.Pieces) > 1
}

// In returns the composition of the same form that begins at the same token of a file, which
// is another version of its own.
func (c Composition) In(s *File) (Composition, bool) {
	if c.format {
		return FormatAt(s, c.First)
	}
	return CompositionOf(s, c.First)
}

// ReadingOf is CompositionOf for a value that is read and not written: escapes and formats
// that are constants of the file are no obstacle.
func ReadingOf(s *File, i int) (Composition, bool) { return compose(s, i, true) }

func compose(s *File, i int, reads bool) (Composition, bool) {
	c := composer{s: s, out: Composition{First: i}, reads: reads}
	for i < len(s.Tokens) && s.Text(i) != "," && (!s.Tokens[i].Closes || s.Kind(i) == scan.Chunk) && (i == c.out.First || !endsComposition(s, i)) {
		next, ok := c.take(i)
		if !ok {
			return Composition{}, false
		}
		i = next
	}
	if c.hole {
		c.out.Pieces = append(c.out.Pieces, Piece{Token: -1})
	}
	c.out.Last = i - 1
	return c.out, len(c.out.Pieces) > 1
}

// Template returns the texts of the composition.
func (c Composition) Template() Template {
	out := make(Template, len(c.Pieces))
	for i, p := range c.Pieces {
		out[i] = p.Text
	}
	return out
}

// composer reads a composition.
type composer struct {
	s     *File
	out   Composition
	hole  bool // something is filled in behind the last piece
	reads bool // the texts are only read
}

// joining are the tokens that may stand between what is joined, or within what is filled in.
var joining = scan.WordSet("+ . ?. ! await new")

// deciding are the words of a condition: which texts the value has is not known then.
var deciding = scan.WordSet("if else or and not in is for as")

// take reads the operand, or the token, at i and returns the one behind it.
func (c *composer) take(i int) (next int, ok bool) {
	s := c.s
	switch kind := s.Kind(i); {
	case kind == scan.String:
		return c.takeLiteral(i)
	case kind == scan.Chunk && s.Tokens[i].Opens:
		return c.takeFields(i)
	case kind == scan.Open && i > c.out.First && s.Text(i) == "(" && isFormatter(s, i):
		format, arguments := c.formatOf(i)
		if len(c.out.Pieces) > 0 || format < 0 {
			return i, false
		}
		c.hole = false // the name of the function
		return s.End(i) + 1, c.addFormat(format, arguments)
	case kind == scan.Open:
		c.hole = true
		return s.End(i) + 1, true
	case s.Text(i) == "+":
		return i + 1, i > c.out.First
	case joining[s.Text(i)]:
		return i + 1, true
	case kind == scan.Ident && !deciding[s.Text(i)]:
		c.hole = true
		return i + 1, true
	}
	return i, false
}

// takeLiteral reads a literal that is one of several operands, or says what a format is.
func (c *composer) takeLiteral(i int) (next int, ok bool) {
	s := c.s
	value, known := s.Literal(i)
	switch behind := s.Text(i + 1); {
	case !known:
		return i, false
	case s.Dialect.Scan == scan.Python && behind == "%" && i == c.out.First:
		for next = i + 2; next < len(s.Tokens) && s.Text(next) != "," && !s.Tokens[next].Closes; next = s.Next(next) {
			if deciding[s.Text(next)] || s.Text(next) == "+" {
				return i, false
			}
		}
		return next, c.addFormat(i, moduloFields(s, i, next))
	case behind == "." && i == c.out.First && s.Text(i+3) == "(" && isFormatter(s, i+3):
		return s.End(i+3) + 1, c.addFormat(i, fieldsOf(s, i+3))
	case behind == "." || behind == "?." || behind == "[":
		return i, false
	}
	return i + 1, c.add(Piece{Token: i, At: s.SpanOf(i, i), Text: value, Whole: true})
}

// takeFields reads a string with fields that begins at token i.
func (c *composer) takeFields(i int) (next int, ok bool) {
	s, end := c.s, c.s.End(i)
	if behind := s.Text(end + 1); behind == "." || behind == "?." || behind == "[" {
		return i, false
	}
	start := fieldsOpen.FindString(s.Text(i))
	if c.reads && start == "" {
		start = verbatimOpen.FindString(s.Text(i))
	}
	if start == "" {
		return i, false
	}
	quote := start[len(start)-1:]
	for j := i; j <= end; j++ {
		if s.Kind(j) != scan.Chunk || j != i && j != end && s.Parent[j] != i {
			continue
		}
		text, from, to := s.Text(j), len(start), 0
		if j != i {
			if from = 1; !strings.HasPrefix(text, "}") {
				return i, false // a format of the field, which is no text
			}
		}
		switch to = len(text); {
		case j == end && strings.HasSuffix(text, quote):
			to--
		case j < end && strings.HasSuffix(text, "${") && s.Dialect.IsScript():
			to -= 2
		case j < end && strings.HasSuffix(text, "{") && !s.Dialect.IsScript():
			to--
		default:
			return i, false
		}
		if to < from || !c.addPart(j, from, to, quote) && (!c.reads || !c.addCoded(j, text[from:to], start)) {
			return i, false
		}
		c.hole = j < end
	}
	return end + 1, true
}

// fieldsOpen matches how a string with fields begins whose text is written as it is read.
var fieldsOpen = lazyregexp.New("^(?:`|[fF][rR]?[\"']|[rR][fF][\"']|\\$\")")

// escapedQuote is the one escape of a C# string with fields that is written as it was.
const escapedQuote = `\"`

// addPart adds the bytes [from,to) of a token as a piece. They must be read as they are
// written, but for quotes in C#.
func (c *composer) addPart(token, from, to int, quote string) bool {
	text := c.s.Text(token)[from:to]
	read := text
	if c.s.Dialect.Scan == scan.CSharp {
		read = strings.ReplaceAll(text, escapedQuote, "")
	}
	if strings.ContainsAny(read, notInFields+quote) {
		return false
	}
	start := c.s.Tokens[token].Start
	return c.add(Piece{Token: token, At: Span{start + from, start + to}, Text: strings.ReplaceAll(text, escapedQuote, quote), Escaped: read != text})
}

// notInFields are the characters that mean something in a string with fields, besides its
// quotes.
const notInFields = "\\{}$\r\n"

// addFormat adds the texts of a format around its placeholders, which the arguments fill.
func (c *composer) addFormat(token int, arguments []Field) bool {
	s := c.s
	value, known := s.Literal(token)
	lit := s.Tokens[token].Lit
	places := percents
	if s.Dialect.Scan == scan.CSharp || s.Dialect.Scan == scan.Python && s.Text(token+1) != "%" && (!c.out.format || !strings.Contains(value, "%")) {
		places = braces
	}
	text := s.Text(token)
	isAsWritten := known && text[lit.Prefix:len(text)-lit.Suffix] == value
	if !known || !isAsWritten && !c.reads {
		return false
	}
	at := 0
	found := places.FindAllStringIndex(value, -1)
	for _, m := range append(found, []int{len(value), len(value)}) {
		piece := value[at:m[0]]
		switch {
		case strings.Contains(piece, "%"), c.reads && strings.ContainsAny(piece, bracesOf(places)):
			return false
		case c.reads && !c.add(Piece{Token: token, Text: piece}), !c.reads && !c.addPart(token, lit.Prefix+at, lit.Prefix+m[0], text[len(text)-1:]):
			return false
		}
		if m[0] < len(value) {
			c.out.arguments = append(c.out.arguments, argumentOf(s, arguments, len(c.out.arguments), value[m[0]:m[1]]))
		}
		at, c.hole = m[1], m[0] < len(value)
	}
	return len(found) > 0
}

// percents and braces are the placeholders of formats.
var (
	percents = lazyregexp.New(`%[-+ 0-9.]*[a-z]`)
	braces   = lazyregexp.New(`\{[\w.:]*\}`)
)

// isFormatter reports whether the call at open fills the placeholders of a format.
func isFormatter(s *File, open int) bool {
	c := s.Callee(open)
	return c >= 0 && formatters[locator.Fold(s.Text(c))]
}

// add adds a piece: something must be filled in between it and the last one.
func (c *composer) add(p Piece) bool {
	switch {
	case len(c.out.Pieces) == 0 && c.hole:
		c.out.Pieces = []Piece{{Token: -1}}
	case len(c.out.Pieces) > 0 && !c.hole:
		return false
	}
	c.out.Pieces, c.hole = append(c.out.Pieces, p), false
	return true
}
