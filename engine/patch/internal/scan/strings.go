package scan

import "strings"

// stringLiteral is a string literal while it is scanned, with the rules of its
// notation.
type stringLiteral struct {
	kind     Kind
	form     Form
	sigils   int    // bytes before the opening quotes
	closing  string // the quotes that end it
	escapes  bool   // a backslash escapes the next character
	joins    bool   // a backslash also escapes the end of a line
	lines    bool   // it may span lines
	doubled  string // characters that stand for themselves when they are doubled
	field    string // what opens an interpolated field, "" for none
	bytes    bool   // it is bytes, not text
	dollars  int    // of a C# raw string: the braces that open a field
	unclosed string // the error when it does not end

	opened, start int // where the literal and its current chunk start
	fields        int // interpolated so far
}

// scanLiteral scans a string or character literal when one starts here.
func (s *scanner) scanLiteral(c byte) bool {
	str := stringLiteral{kind: String, closing: string(c), escapes: true, unclosed: "a string is not closed"}
	switch {
	case s.lang == Python:
		if !s.pythonNotation(&str) {
			return false
		}
	case c == '\'' && !s.lang.isScript():
		str.kind = Char
	case s.lang == CSharp:
		if !s.csharpNotation(&str) {
			return false
		}
	case s.lang == Java && s.startsWith(`"""`):
		str.form, str.closing, str.joins, str.lines, str.unclosed = TextBlock, `"""`, true, true, "a text block is not closed"
	case c == '"', c == '\'':
		str.joins = s.lang.isScript()
	case c == '`' && s.lang == Go:
		str.form, str.escapes, str.lines, str.unclosed = RawGo, false, true, "a raw string is not closed"
	case c == '`' && s.lang.isScript():
		str.form, str.joins, str.lines, str.field, str.unclosed = Template, true, true, "${", "a template string is not closed"
	default:
		return false
	}
	str.opened, str.start = s.at, s.at
	s.at += str.sigils + len(str.closing)
	for s.at < len(s.src) && s.err == nil {
		if str.form == RawCSharp && s.scanRawPart(&str) || str.form != RawCSharp && s.scanPart(&str) {
			return true
		}
	}
	s.failAt(str.opened, str.unclosed)
	return true
}

// pythonNotation sets the notation of the Python string that starts here, false
// when none does.
func (s *scanner) pythonNotation(str *stringLiteral) bool {
	n := 0
	for n < 2 && strings.IndexByte("rRbBuUfFtT", s.peek(n)) >= 0 && s.peek(n) != 0 {
		n++
	}
	quote := s.peek(n)
	if quote != '"' && quote != '\'' {
		return false
	}
	prefix := strings.ToLower(string(s.src[s.at : s.at+n]))
	raw, fielded := strings.Contains(prefix, "r"), strings.ContainsAny(prefix, "ft")
	str.sigils, str.closing, str.joins, str.bytes = n, string(quote), true, strings.Contains(prefix, "b")
	if s.peek(n+1) == quote && s.peek(n+2) == quote {
		str.closing, str.lines = strings.Repeat(string(quote), 3), true
	}
	if fielded {
		str.field, str.doubled = "{", "{}"
	}
	switch {
	case fielded && !raw && !str.lines:
		str.form = BracePlain
	case fielded:
		str.form = BraceOther
	case str.lines && raw:
		str.form = RawTriple
	case str.lines:
		str.form = TriplePy
	case raw:
		str.form = RawPython
	}
	return true
}

// csharpNotation sets the notation of the C# string that starts here, false when
// none does.
func (s *scanner) csharpNotation(str *stringLiteral) bool {
	n, verbatim := 0, false
	for ; s.peek(n) == '@' || s.peek(n) == '$'; n++ {
		if s.peek(n) == '@' {
			verbatim = true
		} else {
			str.dollars++
		}
	}
	quotes := s.countRun(n, '"')
	if quotes == 0 {
		return false
	}
	str.sigils, str.closing, str.escapes, str.lines = n, `"`, !verbatim, verbatim
	if str.dollars > 0 {
		str.field, str.doubled = "{", "{}"
	}
	switch {
	case quotes > 2 && !verbatim:
		str.form, str.closing, str.unclosed = RawCSharp, strings.Repeat(`"`, quotes), "a raw string is not closed"
	case str.dollars > 0 && verbatim:
		str.form, str.doubled = BraceOther, `{}"`
	case str.dollars > 0:
		str.form = BracePlain
	case verbatim:
		str.form, str.doubled = Verbatim, `"`
	}
	return true
}

// countRun counts the repetitions of c that start n bytes from here.
func (s *scanner) countRun(n int, c byte) int {
	count := 0
	for s.peek(n+count) == c {
		count++
	}
	return count
}

// scanPart scans one part of a string literal: a character, an escape, a field or the
// closing quotes. It reports whether the literal ended.
func (s *scanner) scanPart(str *stringLiteral) bool {
	switch c := s.src[s.at]; {
	case c == '\\' && str.escapes && (str.joins || s.peek(1) != '\n'):
		if str.joins && s.peek(1) == '\r' && s.peek(2) == '\n' {
			s.at++
		}
		s.at += 2
	case strings.IndexByte(str.doubled, c) >= 0 && s.peek(1) == c:
		s.at += 2
	case s.startsWith(str.closing):
		s.at += len(str.closing)
		s.finishLiteral(str)
		return true
	case c == '\n' && !str.lines:
		s.failAt(str.opened, "a string is not closed on its line")
	case str.field != "" && s.startsWith(str.field):
		s.at += len(str.field)
		s.scanField(str)
	default:
		s.at++
	}
	return false
}

// scanRawPart is scanPart for a raw string of C#: """…""" and $$"""…""".
func (s *scanner) scanRawPart(str *stringLiteral) bool {
	switch c := s.src[s.at]; {
	case c == '"':
		n := s.countRun(0, c)
		s.at += n
		if n >= len(str.closing) {
			s.finishLiteral(str)
			return true
		}
	case c == '{' && str.dollars > 0:
		n := s.countRun(0, c)
		s.at += n
		if n >= str.dollars {
			s.scanField(str)
			s.at += max(0, str.dollars-1)
		}
	default:
		s.at++
	}
	return false
}

// scanField emits the chunk before an interpolated field and scans the field, whose
// end belongs to the next chunk: }, or {code,width:format} and {code!r:spec}.
func (s *scanner) scanField(str *stringLiteral) {
	s.emitToken(Chunk, str.start).Opens = str.fields == 0
	s.nestDeeper(func() { s.scanCode(true) })
	str.start = s.at
	str.fields++
	switch {
	case s.err != nil:
	case s.lang == Python:
		s.pythonFieldEnd(str)
	case s.lang == CSharp:
		s.skipPast("}", str.opened, "an interpolated string is not closed")
	default:
		s.at++
	}
}

// pythonFieldEnd scans the rest of a field behind its code. A format may have
// fields of its own.
func (s *scanner) pythonFieldEnd(str *stringLiteral) {
	for s.at < len(s.src) && s.err == nil {
		switch c := s.src[s.at]; {
		case c == '}':
			s.at++
			return
		case c == '{':
			s.at++
			s.nestDeeper(func() { s.scanField(str) })
		case c == '\n' && !str.lines:
			s.failAt(str.opened, "a string is not closed on its line")
		default:
			s.at++
		}
	}
}

// finishLiteral emits the end of a literal: all of it when it has no field, else its last
// chunk.
func (s *scanner) finishLiteral(str *stringLiteral) {
	switch {
	case str.kind == Char:
		s.emitToken(Char, str.start)
		return
	case str.fields > 0:
		s.emitToken(Chunk, str.start).Closes = true
		return
	}
	lit := Literal{Form: str.form, Prefix: str.sigils + len(str.closing), Suffix: len(str.closing)}
	t := s.emitToken(String, str.start)
	lit.Value, lit.Decoded = Decode(s.lang, lit.Form, string(s.src[str.start+lit.Prefix:t.End-lit.Suffix]))
	lit.Decoded = lit.Decoded && !str.bytes
	t.Lit = lit
}
