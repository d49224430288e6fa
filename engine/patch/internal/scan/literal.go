package scan

import "bytes"

// literal scans a string or character literal when one starts here.
func (s *scanner) literal(c byte) bool {
	switch s.lang {
	case Python:
		return s.pythonString()
	case CSharp:
		return s.sharpString(c)
	case Java:
		if s.has(`"""`) {
			s.textBlock()
			return true
		}
	}
	switch {
	case c == '"', c == '\'' && s.lang.script():
		s.quoted(c, String)
	case c == '\'':
		s.quoted(c, Char)
	case c == '`' && s.lang == Go:
		s.rawGo()
	case c == '`' && s.lang.script():
		s.template()
	default:
		return false
	}
	return true
}

// quoted scans a literal on one line with backslash escapes. A line end may be
// escaped in JavaScript.
func (s *scanner) quoted(quote byte, kind Kind) {
	start := s.at
	for s.at++; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; {
		case c == '\\' && (s.peek(1) != '\n' || s.lang.script()):
			if s.peek(1) == '\r' && s.peek(2) == '\n' && s.lang.script() {
				s.at++
			}
			s.at++
		case c == '\n':
			s.fail(start, "a string is not closed on its line")
			return
		case c == quote:
			s.at++
			if kind == Char {
				s.emit(Char, start)
				return
			}
			s.finish(start, 0, Literal{Form: Plain, Prefix: 1, Suffix: 1})
			return
		}
	}
	s.fail(start, "a string is not closed")
}

func (s *scanner) rawGo() {
	start := s.at
	i := bytes.IndexByte(s.src[s.at+1:], '`')
	if i < 0 {
		s.fail(start, "a raw string is not closed")
		return
	}
	s.at += i + 2
	s.finish(start, 0, Literal{Form: RawGo, Prefix: 1, Suffix: 1})
}

func (s *scanner) textBlock() {
	start := s.at
	for s.at += 3; s.at < len(s.src); s.at++ {
		if s.src[s.at] == '\\' {
			s.at++
		} else if s.has(`"""`) {
			s.at += 3
			s.finish(start, 0, Literal{Form: TextBlock, Prefix: 3, Suffix: 3})
			return
		}
	}
	s.fail(start, "a text block is not closed")
}
