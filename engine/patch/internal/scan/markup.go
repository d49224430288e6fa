package scan

import "bytes"

// markup scans a JSX element when one can start here.
func (s *scanner) markup() bool {
	if s.lang != TSX || !s.valueNext() || !s.startsElement() {
		return false
	}
	s.nest(s.element)
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

// element scans one element with its children.
func (s *scanner) element() {
	opened := s.at
	if s.tag() {
		return
	}
	start := s.at
	for s.at < len(s.src) && s.err == nil {
		switch s.src[s.at] {
		case '{':
			s.braced(start)
			start = s.at
		case '<':
			s.flush(start)
			if s.peek(1) == '/' {
				s.closingTag()
				return
			}
			s.nest(s.element)
			start = s.at
		default:
			s.at++
		}
	}
	s.fail(opened, "a tag is not closed")
}

// tag scans an opening tag and reports whether it closed itself.
func (s *scanner) tag() bool {
	opened, start := s.at, s.at
	for s.at++; s.at < len(s.src) && s.err == nil; {
		switch c := s.src[s.at]; {
		case c == '>':
			s.at++
			s.emit(Markup, start)
			return false
		case c == '/' && s.peek(1) == '>':
			s.at += 2
			s.emit(Markup, start)
			return true
		case c == '/' && (s.peek(1) == '*' || s.peek(1) == '/'):
			s.flush(start)
			s.comment(c, false)
			start = s.at
		case c == '"' || c == '\'':
			s.at++
			if !s.skipPast(string(c), s.at-1, "an attribute is not closed") {
				return true
			}
		case c == '{':
			s.braced(start)
			start = s.at
		default:
			s.at++
		}
	}
	s.fail(opened, "a tag is not closed")
	return true
}

// braced emits the markup up to an opening brace, the code in the braces, and
// the closing brace.
func (s *scanner) braced(start int) {
	s.at++
	s.emit(Chunk, start).Opens = true
	s.nest(func() { s.code(true) })
	if s.err == nil {
		end := s.at
		s.at++
		s.emit(Chunk, end).Closes = true
	}
}

// flush emits the markup since start, if there is any.
func (s *scanner) flush(start int) {
	if s.at > start {
		s.emit(Markup, start)
	}
}

func (s *scanner) closingTag() {
	if start := s.at; s.skipPast(">", start, "a tag is not closed") {
		s.emit(Markup, start)
	}
}
