package junit

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// referenceMax is the longest reference looked for, "&#x0010FFFF;" and more.
const referenceMax = 16

// reference decodes the reference at pos. A bare '&' stands for itself, an
// unknown entity stays as it is written: nothing is ever expanded from
// elsewhere.
func (s *scanner) reference(dst *field) {
	body, n := s.peekReference(s.pos)
	if r, known := entities[string(body)]; known {
		dst.writeRune(r)
		s.skip(n)
		return
	}
	r, ok := characterNumber(body)
	if !ok {
		s.unescaped()
		dst.write(s.buf[s.pos : s.pos+1])
		s.skip(1)
		return
	}
	if utf16.IsSurrogate(r) {
		if low, m := s.peekReference(s.pos + n); m > 0 {
			if second, ok := characterNumber(low); ok && utf16.DecodeRune(r, second) != utf8.RuneError {
				dst.writeRune(utf16.DecodeRune(r, second))
				s.skip(n + m)
				return
			}
		}
	}
	if !legal(r) {
		r = utf8.RuneError
	}
	dst.writeRune(r)
	s.skip(n)
}

// unescaped notes that the character at pos should have been escaped.
func (s *scanner) unescaped() {
	if s.bare == 0 {
		s.bare = s.line
	}
}

var entities = map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"', "apos": '\''}

// peekReference returns what stands between '&' and ';' at pos, and the length
// of the whole reference; 0 where there is none.
func (s *scanner) peekReference(pos int) ([]byte, int) {
	offset := pos - s.pos
	s.have(offset + referenceMax)
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
