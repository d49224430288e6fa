package scan

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Field collects one decoded text up to max bytes. A nil field drops it.
type Field struct {
	Text []byte
	Max  int
	Cut  bool // there was more

	// pool, where there is one, is what this and other fields may still take
	// together.
	Pool *int

	// spaces turns literal white space into spaces, as XML 1.0 (section 3.3.3)
	// has it for attributes. Failure messages keep their lines.
	Spaces bool
}

// Bytes returns what f holds, nothing where it is nil.
func (f *Field) Bytes() []byte {
	if f == nil {
		return nil
	}
	return f.Text
}

// String returns what f holds, "" where it is nil.
func (f *Field) String() string { return string(f.Bytes()) }

func (f *Field) isFull() bool { return f == nil || f.Cut }

// Write adds b as far as there is room.
func (f *Field) Write(b []byte) {
	if f.isFull() {
		return
	}
	room := f.Max - len(f.Text)
	if f.Pool != nil {
		room = min(room, *f.Pool)
	}
	if len(b) > room {
		f.Cut = true
		b = WholeRunes(b[:max(room, 0)])
	}
	f.Text = append(f.Text, b...)
	if f.Pool != nil {
		*f.Pool -= len(b)
	}
}

// writeRun adds literal characters.
func (f *Field) writeRun(b []byte) {
	if f.isFull() || !f.Spaces {
		f.Write(b)
		return
	}
	from := len(f.Text)
	f.Write(b)
	for i, c := range f.Text[from:] {
		if c == '\n' || c == '\t' {
			f.Text[from+i] = ' '
		}
	}
}

func (f *Field) writeRune(r rune) {
	var b [utf8.UTFMax]byte
	f.Write(b[:utf8.EncodeRune(b[:], r)])
}

// WholeRunes drops a rune that was cut at the end of b.
func WholeRunes(b []byte) []byte {
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

// The bytes that need no decoding in an attribute, in text and in CDATA.
var (
	plainValue = plainBut(`&<'"`)
	plainText  = plainBut("&<")
	plainCDATA = plainBut("]")
)

// plainBut returns a set of the printable bytes of ASCII, without those of others.
func plainBut(others string) (set [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		set[c] = strings.IndexByte(others, byte(c)) < 0
	}
	set['\t'], set['\n'] = true, true
	return set
}

// Text decodes character data up to the next '<' into dst.
func (s *Scanner) Text(dst *Field) {
	first := true
	for s.Have(1) {
		if s.buf[s.pos] == '<' && !first {
			return
		}
		if dst.isFull() {
			s.DropText()
			return
		}
		s.decodeRun(dst, &plainText)
		first = false
	}
}

// DropText moves to the next '<' after pos.
func (s *Scanner) DropText() {
	for skipped := 0; s.Have(1); skipped++ {
		window := s.buf[s.pos:s.end]
		from := 0
		if skipped == 0 {
			from = 1
		}
		if i := bytes.IndexByte(window[min(from, len(window)):], '<'); i >= 0 {
			s.Skip(i + from)
			return
		}
		s.Skip(len(window))
	}
}

// CDATA decodes up to "]]>" into dst.
func (s *Scanner) CDATA(dst *Field) {
	for !dst.isFull() && s.Have(1) {
		if s.buf[s.pos] == ']' && s.startsWith("]]>") {
			s.Skip(3)
			return
		}
		s.decodeRun(dst, &plainCDATA)
	}
	s.Past("]]>")
}

// decodeRun moves characters into dst: the run of plain ones or, where none is next, the
// one that has a meaning in XML. References are resolved but in CDATA.
func (s *Scanner) decodeRun(dst *Field, plain *[256]bool) {
	run := s.buf[s.pos:s.end]
	n := 0
	for n < len(run) && plain[run[n]] {
		n++
	}
	if n > 0 {
		dst.writeRun(run[:n])
		s.Skip(n)
		return
	}
	switch c := run[0]; {
	case c == '&' && !plain['&']:
		s.readReference(dst)
	case c == '\r':
		if !s.startsWith("\r\n") {
			dst.writeRun(newline)
		}
		s.Skip(1)
	case c >= utf8.RuneSelf:
		s.decodeRune(dst)
	case c < 0x20 && c != '\t' && c != '\n':
		dst.writeRune(utf8.RuneError)
		s.Skip(1)
	default:
		if c == '<' && !plain['<'] {
			s.noteUnescaped()
		}
		dst.Write(run[:1])
		s.Skip(1)
	}
}

// decodeRune copies one rune beyond ASCII, replacing what XML does not allow.
func (s *Scanner) decodeRune(dst *Field) {
	s.Have(utf8.UTFMax)
	r, n := utf8.DecodeRune(s.buf[s.pos:s.end])
	if isLegal(r) && n > 1 {
		dst.Write(s.buf[s.pos : s.pos+n])
	} else {
		dst.writeRune(utf8.RuneError)
	}
	s.Skip(n)
}

// isLegal reports whether XML 1.0 (section 2.2, production Char) allows r.
func isLegal(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r < 0xd800 ||
		r >= 0xe000 && r <= 0xfffd || r >= 0x10000 && r <= utf8.MaxRune
}

// referenceMax is the longest reference looked for, "&#x0010FFFF;" and more.
const referenceMax = 16

// readReference decodes the reference at pos. A bare '&' stands for itself and an unknown
// entity stays as it is written: nothing is ever expanded from elsewhere.
func (s *Scanner) readReference(dst *Field) {
	body, n := s.peekReference(0)
	if r, known := entities[string(body)]; known {
		dst.writeRune(r)
		s.Skip(n)
		return
	}
	r, ok := characterNumber(body)
	if !ok {
		s.noteUnescaped()
		dst.Write(s.buf[s.pos : s.pos+1])
		s.Skip(1)
		return
	}
	if utf16.IsSurrogate(r) {
		if low, m := s.peekReference(n); m > 0 {
			if second, ok := characterNumber(low); ok && utf16.DecodeRune(r, second) != utf8.RuneError {
				dst.writeRune(utf16.DecodeRune(r, second))
				s.Skip(n + m)
				return
			}
		}
	}
	if !isLegal(r) {
		r = utf8.RuneError
	}
	dst.writeRune(r)
	s.Skip(n)
}

// noteUnescaped notes that the character at pos should have been escaped.
func (s *Scanner) noteUnescaped() {
	if s.Unescaped == 0 {
		s.Unescaped = s.Line()
	}
}

var entities = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"', "apos": '\''}

// peekReference returns what stands between '&' and ';' at an offset from pos, and the
// length of the whole reference; 0 where there is none.
func (s *Scanner) peekReference(offset int) ([]byte, int) {
	s.Have(offset + referenceMax)
	window := s.buf[min(s.pos+offset, s.end):min(s.pos+offset+referenceMax, s.end)]
	if len(window) == 0 || window[0] != '&' {
		return nil, 0
	}
	i := bytes.IndexByte(window, ';')
	if i < 2 {
		return nil, 0
	}
	return window[1:i], i + 1
}

// characterNumber reads "#10" or "#xA".
func characterNumber(body []byte) (rune, bool) {
	if len(body) < 2 || body[0] != '#' {
		return 0, false
	}
	digits, base := string(body[1:]), 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	v, err := strconv.ParseUint(digits, base, 32)
	if err != nil || v > 1<<30 {
		return 0, false
	}
	return rune(v), true
}
