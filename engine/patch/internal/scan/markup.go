package scan

import "bytes"

// scanMarkup scans a JSX element when one can start here.
func (s *scanner) scanMarkup() bool {
	if s.lang != TSX || !s.valueNext() || !s.startsElement() {
		return false
	}
	s.nestDeeper(s.scanElement)
	return true
}

// startsElement tells <Tag …> from a type parameter list of a generic arrow
// function, which in these files has a comma, extends or = after its name.
func (s *scanner) startsElement() bool {
	c := s.peek(1)
	if c == '>' {
		return true
	}
	if !isWord(c) || c >= '0' && c <= '9' {
		return false
	}
	i := s.at + 1
	for i < len(s.src) && (isWord(s.src[i]) || s.src[i] == '.' || s.src[i] == '-' || s.src[i] == ':') {
		i++
	}
	rest := bytes.TrimLeft(s.src[i:min(len(s.src), i+40)], " \t\r\n")
	return !bytes.HasPrefix(rest, []byte(",")) && !bytes.HasPrefix(rest, []byte("extends ")) && !bytes.HasPrefix(rest, []byte("="))
}

// scanElement scans one element with its children.
func (s *scanner) scanElement() {
	opened := s.at
	if s.scanTag() {
		return
	}
	start := s.at
	for s.at < len(s.src) && s.err == nil {
		switch s.src[s.at] {
		case '{':
			s.scanBraced(start)
			start = s.at
		case '<':
			s.flushMarkup(start)
			if s.peek(1) == '/' {
				s.closingTag()
				return
			}
			s.nestDeeper(s.scanElement)
			start = s.at
		default:
			s.at++
		}
	}
	s.failAt(opened, "a tag is not closed")
}

// scanTag scans an opening tag and reports whether it closed itself.
func (s *scanner) scanTag() bool {
	opened, start := s.at, s.at
	for s.at++; s.at < len(s.src) && s.err == nil; {
		switch c := s.src[s.at]; {
		case c == '>':
			s.at++
			s.emitToken(Markup, start)
			return false
		case c == '/' && s.peek(1) == '>':
			s.at += 2
			s.emitToken(Markup, start)
			return true
		case c == '/' && (s.peek(1) == '*' || s.peek(1) == '/'):
			s.flushMarkup(start)
			s.scanComment(c, false)
			start = s.at
		case c == '"' || c == '\'':
			s.at++
			if !s.skipPast(string(c), s.at-1, "an attribute is not closed") {
				return true
			}
		case c == '{':
			s.scanBraced(start)
			start = s.at
		default:
			s.at++
		}
	}
	s.failAt(opened, "a tag is not closed")
	return true
}

// scanBraced emits the markup up to an opening brace, the code in the braces, and
// the closing brace.
func (s *scanner) scanBraced(start int) {
	s.at++
	s.emitToken(Chunk, start).Opens = true
	s.nestDeeper(func() { s.scanCode(true) })
	if s.err == nil {
		end := s.at
		s.at++
		s.emitToken(Chunk, end).Closes = true
	}
}

// flushMarkup emits the markup since start, if there is any.
func (s *scanner) flushMarkup(start int) {
	if s.at > start {
		s.emitToken(Markup, start)
	}
}

func (s *scanner) closingTag() {
	if start := s.at; s.skipPast(">", start, "a tag is not closed") {
		s.emitToken(Markup, start)
	}
}
