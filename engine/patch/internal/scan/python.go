package scan

import "strings"

// pyString is a Python string while it is scanned.
type pyString struct {
	start, opened int
	fields        int
	quote         byte
	triple        bool
	raw, fielded  bool
	bytes         bool
	prefix        int
}

// pythonString scans a string with any prefix when one starts here.
func (s *scanner) pythonString() bool {
	n := 0
	for n < 2 && strings.IndexByte("rRbBuUfFtT", s.peek(n)) >= 0 && s.peek(n) != 0 {
		n++
	}
	quote := s.peek(n)
	if quote != '"' && quote != '\'' {
		return false
	}
	prefix := strings.ToLower(string(s.src[s.at : s.at+n]))
	p := pyString{
		start: s.at, opened: s.at, quote: quote,
		triple:  s.peek(n+1) == quote && s.peek(n+2) == quote,
		raw:     strings.Contains(prefix, "r"),
		bytes:   strings.Contains(prefix, "b"),
		fielded: strings.ContainsAny(prefix, "ft"),
	}
	p.prefix = n + p.quotes()
	s.at += p.prefix
	s.pythonBody(&p)
	return true
}

func (p *pyString) quotes() int {
	if p.triple {
		return 3
	}
	return 1
}

// literal describes the notation of a string without fields.
func (p *pyString) literal() Literal {
	form := Plain
	switch {
	case p.fielded && !p.raw && !p.triple:
		form = BracePlain
	case p.fielded:
		form = BraceOther
	case p.triple && p.raw:
		form = RawTriple
	case p.triple:
		form = TriplePy
	case p.raw:
		form = RawPython
	}
	return Literal{Form: form, Prefix: p.prefix, Suffix: p.quotes()}
}

func (s *scanner) pythonBody(p *pyString) {
	closing := strings.Repeat(string(p.quote), p.quotes())
	for s.at < len(s.src) && s.err == nil {
		switch c := s.src[s.at]; {
		case c == '\\':
			if s.peek(1) == '\r' && s.peek(2) == '\n' {
				s.at++
			}
			s.at += 2
		case s.has(closing):
			s.at += len(closing)
			s.finish(p.start, p.fields, p.literal())
			if p.bytes {
				s.tokens[len(s.tokens)-1].Lit.Decoded = false
			}
			return
		case c == '\n' && !p.triple:
			s.fail(p.opened, "a string is not closed on its line")
		case p.fielded && (s.has("{{") || s.has("}}")):
			s.at += 2
		case p.fielded && c == '{':
			s.pythonField(p)
		default:
			s.at++
		}
	}
	s.fail(p.opened, "a string is not closed")
}

// pythonField scans {code!r:spec}; a spec may hold fields of its own.
func (s *scanner) pythonField(p *pyString) {
	s.at++
	s.field(p.start, p.fields)
	p.start = s.at
	p.fields++
	for s.at < len(s.src) && s.err == nil {
		switch c := s.src[s.at]; {
		case c == '}':
			s.at++
			return
		case c == '{':
			s.nest(func() { s.pythonField(p) })
		case c == '\n' && !p.triple:
			s.fail(p.opened, "a string is not closed on its line")
		default:
			s.at++
		}
	}
}
