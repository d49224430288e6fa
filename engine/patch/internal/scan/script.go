package scan

// beforeValue are the words after which a value starts, so that a slash opens
// a regular expression.
var beforeValue = WordSet("return typeof case in of delete void throw new else do await yield instanceof default export extends")

var controlWords = WordSet("if while for with")

// afterControl reports whether the parenthesis here belongs to if, while, for
// or with.
func (s *scanner) afterControl() bool {
	if !s.lang.script() {
		return false
	}
	t, ok := s.before(0)
	if ok && t.Kind == Ident && s.text(t) == "await" {
		t, ok = s.before(1)
	}
	return ok && t.Kind == Ident && controlWords[s.text(t)] && !s.memberName()
}

// memberName reports whether the last token is a property: x.if
func (s *scanner) memberName() bool {
	t, ok := s.before(1)
	return ok && t.Kind == Punct && (s.text(t) == "." || s.text(t) == "?.")
}

// valueBrace reports whether the brace here opens an object literal.
func (s *scanner) valueBrace() bool {
	t, ok := s.before(0)
	if !ok || !s.lang.script() {
		return false
	}
	switch t.Kind {
	case Open:
		return s.src[t.Start] != '{'
	case Punct:
		text := s.text(t)
		return text != "=>" && text != ";"
	case Ident:
		return beforeValue[s.text(t)] && s.text(t) != "else" && s.text(t) != "do" && !s.memberName()
	case Chunk:
		return true
	}
	return false
}

// valueNext reports whether a value can start here, so that a slash is a
// regular expression and an angle bracket is markup.
func (s *scanner) valueNext() bool {
	t, ok := s.before(0)
	if !ok {
		return true
	}
	switch t.Kind {
	case Ident:
		return beforeValue[s.text(t)] && !s.memberName()
	case Open:
		return true
	case Chunk:
		return !t.Closes
	case Close:
		switch s.src[t.Start] {
		case ')':
			return s.closed.control
		case '}':
			return !s.closed.value
		}
		return false
	case Punct:
		return s.operatorWantsValue(t)
	}
	return false
}

// operatorWantsValue is true after every operator but postfix ++, -- and !.
func (s *scanner) operatorWantsValue(t Token) bool {
	c := s.src[t.Start]
	if c != '+' && c != '-' && c != '!' {
		return true
	}
	prev, ok := s.before(1)
	if !ok || prev.End != t.Start {
		return true
	}
	if c == '!' {
		return (prev.Kind != Ident || beforeValue[s.text(prev)]) && prev.Kind != Close
	}
	return prev.Kind != Punct || s.src[prev.Start] != c
}

// regex scans a regular expression literal when one can stand here.
func (s *scanner) regex() bool {
	if !s.valueNext() {
		return false
	}
	class := false
	for i := s.at + 1; i < len(s.src) && s.src[i] != '\n'; i++ {
		switch c := s.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			start := s.at
			for i++; i < len(s.src) && isWord(s.src[i]); i++ {
			}
			s.at = i
			s.emit(Regex, start)
			return true
		}
	}
	return false
}

// template scans `…`, with its fields as code.
func (s *scanner) template() {
	start, opened := s.at, s.at
	fields := 0
	for s.at++; s.at < len(s.src) && s.err == nil; {
		switch c := s.src[s.at]; {
		case c == '\\':
			s.at += 2
		case c == '`':
			s.at++
			s.finish(start, fields, Literal{Form: Template, Prefix: 1, Suffix: 1})
			return
		case c == '$' && s.peek(1) == '{':
			s.at += 2
			s.field(start, fields)
			start = s.at
			s.at++ // the closing brace begins the next chunk
			fields++
		default:
			s.at++
		}
	}
	s.fail(opened, "a template string is not closed")
}

// field emits the chunk before an interpolated field and scans the field.
func (s *scanner) field(start, fields int) {
	s.emit(Chunk, start).Opens = fields == 0
	s.nest(func() { s.code(true) })
}

// finish emits the end of a string: a String when it had no field, else its
// last Chunk.
func (s *scanner) finish(start, fields int, lit Literal) {
	if fields > 0 {
		s.emit(Chunk, start).Closes = true
		return
	}
	t := s.emit(String, start)
	lit.Value, lit.Decoded = decode(s.lang, lit.Form, string(s.src[start+lit.Prefix:t.End-lit.Suffix]))
	t.Lit = lit
}
