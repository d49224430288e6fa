package junit

import (
	"bytes"
	"unicode/utf8"
)

// field collects one decoded text up to max bytes. A nil field drops it.
type field struct {
	b   []byte
	max int
	cut bool // there was more

	// pool, where there is one, is what this and other fields may still take
	// together.
	pool *int

	// spaces turns literal white space into spaces, as XML 1.0 (section 3.3.3)
	// has it for attributes. Failure messages keep their lines.
	spaces bool
}

func (f *field) full() bool { return f == nil || f.cut }

func (f *field) write(b []byte) {
	if f.full() {
		return
	}
	room := f.max - len(f.b)
	if f.pool != nil {
		room = min(room, *f.pool)
	}
	if len(b) > room {
		f.cut = true
		b = wholeRunes(b[:max(room, 0)])
	}
	f.b = append(f.b, b...)
	if f.pool != nil {
		*f.pool -= len(b)
	}
}

// writeRun writes literal characters.
func (f *field) writeRun(b []byte) {
	if f.full() || !f.spaces {
		f.write(b)
		return
	}
	from := len(f.b)
	f.write(b)
	for i, c := range f.b[from:] {
		if c == '\n' || c == '\t' {
			f.b[from+i] = ' '
		}
	}
}

func (f *field) writeRune(r rune) {
	var b [utf8.UTFMax]byte
	f.write(b[:utf8.EncodeRune(b[:], r)])
}

// wholeRunes drops a rune that was cut at the end of b.
func wholeRunes(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// plain marks the bytes that need no decoding in text.
var plain = func() (set [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		set[c] = c != '&' && c != '<' && c != '\'' && c != '"'
	}
	set['\t'], set['\n'] = true, true
	return set
}()

// text decodes character data up to the next '<' into dst.
func (s *scanner) text(dst *field) {
	first := true
	for s.have(1) {
		if s.buf[s.pos] == '<' && !first {
			return
		}
		if dst.full() {
			s.dropText()
			return
		}
		s.decode(dst, true)
		first = false
	}
}

// dropText moves to the next '<' after pos.
func (s *scanner) dropText() {
	for skipped := 0; s.have(1); skipped++ {
		window := s.buf[s.pos:s.end]
		from := 0
		if skipped == 0 {
			from = 1
		}
		if i := bytes.IndexByte(window[min(from, len(window)):], '<'); i >= 0 {
			s.skip(i + from)
			return
		}
		s.skip(len(window))
	}
}

// cdata decodes up to "]]>" into dst.
func (s *scanner) cdata(dst *field) {
	for !dst.full() && s.have(1) {
		if s.buf[s.pos] == ']' && s.at("]]>") {
			s.skip(3)
			return
		}
		s.decode(dst, false)
	}
	s.past("]]>")
}

// decode moves a run of characters into dst: at least one, at most up to the
// next one that needs a look. References are resolved where refs is set.
func (s *scanner) decode(dst *field, refs bool) {
	run := s.buf[s.pos:s.end]
	n := 0
	for n < len(run) && plain[run[n]] && run[n] != ']' {
		n++
	}
	if n > 0 {
		dst.writeRun(run[:n])
		s.skip(n)
		return
	}
	switch c := run[0]; {
	case c == '&' && refs:
		s.reference(dst)
	case c == '\r':
		if !s.at("\r\n") {
			dst.writeRun(newline)
		}
		s.skip(1)
	case c >= utf8.RuneSelf:
		s.decodeRune(dst)
	case c < 0x20 && c != '\t' && c != '\n':
		dst.writeRune(utf8.RuneError)
		s.skip(1)
	default:
		if c == '<' && refs {
			s.unescaped()
		}
		dst.write(run[:1])
		s.skip(1)
	}
}

// decodeRune copies one rune beyond ASCII, replacing what XML does not allow.
func (s *scanner) decodeRune(dst *field) {
	s.have(utf8.UTFMax)
	r, n := utf8.DecodeRune(s.buf[s.pos:s.end])
	if legal(r) && n > 1 {
		dst.write(s.buf[s.pos : s.pos+n])
	} else {
		dst.writeRune(utf8.RuneError)
	}
	s.skip(n)
}

// legal reports whether XML 1.0 (section 2.2, production Char) allows r.
func legal(r rune) bool {
	switch {
	case r < 0x20:
		return r == '\t' || r == '\n' || r == '\r'
	case r < 0xd800:
		return true
	case r < 0xe000:
		return false
	}
	return r <= 0xfffd || r >= 0x10000 && r <= utf8.MaxRune
}
