package scan

import "bytes"

// csString is a C# string while it is scanned.
type csString struct {
	start, opened int
	fields        int
	verbatim      bool
	dollars       int // braces that open a field
	quotes        int // of a raw string, 1 otherwise
	prefix        int
}

// sharpString scans a string or character when one starts here.
func (s *scanner) sharpString(c byte) bool {
	if c == '\'' {
		s.quoted(c, Char)
		return true
	}
	str := csString{start: s.at, opened: s.at}
	n := 0
	for ; s.peek(n) == '@' || s.peek(n) == '$'; n++ {
		if s.peek(n) == '@' {
			str.verbatim = true
		} else {
			str.dollars++
		}
	}
	for s.peek(n+str.quotes) == '"' {
		str.quotes++
	}
	switch {
	case str.quotes == 0:
		return false
	case str.verbatim || str.quotes < 3:
		str.quotes = 1
	}
	str.prefix = n + str.quotes
	s.at += str.prefix
	if str.quotes > 1 {
		s.sharpRaw(&str)
	} else {
		s.sharpBody(&str)
	}
	return true
}

func (c *csString) literal() Literal {
	form := Plain
	switch {
	case c.quotes > 1:
		form = RawCSharp
	case c.dollars > 0 && c.verbatim:
		form = BraceOther
	case c.dollars > 0:
		form = BracePlain
	case c.verbatim:
		form = Verbatim
	}
	return Literal{Form: form, Prefix: c.prefix, Suffix: c.quotes}
}

// sharpBody scans "…", @"…", $"…" and $@"…".
func (s *scanner) sharpBody(str *csString) {
	for s.at < len(s.src) && s.err == nil {
		switch c := s.src[s.at]; {
		case str.verbatim && s.has(`""`):
			s.at += 2
		case c == '"':
			s.at++
			s.finish(str.start, str.fields, str.literal())
			return
		case c == '\\' && !str.verbatim && s.peek(1) != '\n':
			s.at += 2
		case c == '\n' && !str.verbatim:
			s.fail(str.opened, "a string is not closed on its line")
		case str.dollars > 0 && (s.has("{{") || s.has("}}")):
			s.at += 2
		case str.dollars > 0 && c == '{':
			s.at++
			s.sharpField(str)
		default:
			s.at++
		}
	}
	s.fail(str.opened, "a string is not closed")
}

// sharpRaw scans """…""" and $$"""…""".
func (s *scanner) sharpRaw(str *csString) {
	for s.at < len(s.src) && s.err == nil {
		switch c := s.src[s.at]; {
		case c == '"':
			n := s.run('"')
			s.at += n
			if n >= str.quotes {
				s.finish(str.start, str.fields, str.literal())
				return
			}
		case c == '{' && str.dollars > 0:
			n := s.run('{')
			s.at += n
			if n >= str.dollars {
				s.sharpField(str)
				s.at += max(0, str.dollars-1)
			}
		default:
			s.at++
		}
	}
	s.fail(str.opened, "a raw string is not closed")
}

// run counts the repetitions of c that start here.
func (s *scanner) run(c byte) int {
	n := 0
	for s.peek(n) == c {
		n++
	}
	return n
}

// sharpField scans {code,width:format} after its brace.
func (s *scanner) sharpField(str *csString) {
	s.field(str.start, str.fields)
	str.start = s.at
	str.fields++
	if s.err != nil {
		return
	}
	i := bytes.IndexByte(s.src[s.at:], '}')
	if i < 0 {
		s.fail(str.opened, "an interpolated string is not closed")
		return
	}
	s.at += i + 1
}
