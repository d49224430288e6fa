package junit

// attributes reads the rest of a start tag. For every attribute it asks want
// for the field to put the value in; nil drops it. It reports whether the
// element is empty ("/>").
func (s *scanner) attributes(limit int, want func(name []byte) *field) (empty bool) {
	s.broken, s.surplus = false, false
	for seen := 0; ; {
		s.skipSpace()
		if !s.have(1) {
			s.cut = true
			return false
		}
		switch s.buf[s.pos] {
		case '>':
			s.skip(1)
			return empty
		case '/':
			s.skip(1)
			empty = s.have(1) && s.buf[s.pos] == '>'
		case '<':
			s.broken = true
			return false
		case '=', '"', '\'':
			s.broken = true
			s.skip(1)
		default:
			if seen++; seen > limit {
				s.surplus = true
				s.attribute(drop)
				continue
			}
			s.attribute(want)
		}
	}
}

func drop([]byte) *field { return nil }

// attribute reads name="value"; the name alone is passed over.
func (s *scanner) attribute(want func(name []byte) *field) {
	s.readName()
	s.skipSpace()
	if !s.have(1) || s.buf[s.pos] != '=' {
		s.broken = true
		return
	}
	s.skip(1)
	s.skipSpace()
	if !s.have(1) {
		return
	}
	dst := want(s.name)
	quote := s.buf[s.pos]
	if quote != '"' && quote != '\'' {
		s.broken = true
		s.bareValue(dst)
		return
	}
	s.skip(1)
	s.quoted(dst, quote)
	if s.have(1) && !tagStop[s.buf[s.pos]] {
		s.broken = true
	}
}

// quoted decodes an attribute value up to its closing quote, where a raw '<'
// stands for itself.
func (s *scanner) quoted(dst *field, quote byte) {
	for s.have(1) {
		if s.buf[s.pos] == quote {
			s.skip(1)
			return
		}
		if dst.full() {
			s.past(string(quote))
			return
		}
		s.decode(dst, true)
	}
	s.cut = true
}

// bareValue decodes a value without quotes, up to white space or the tag's end.
func (s *scanner) bareValue(dst *field) {
	for s.have(1) && !tagStop[s.buf[s.pos]] && s.buf[s.pos] != '<' {
		if c := s.buf[s.pos]; c != '&' && plain[c] {
			dst.write(s.buf[s.pos : s.pos+1])
			s.skip(1)
		} else {
			s.decode(dst, true)
		}
	}
}
