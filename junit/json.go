package junit

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader walks one JSON value as a stream. encoding/json holds every string
// and every value it decodes as a whole; here a text is kept up to its field's
// bound and what nobody asks for is passed over, so that no report can cost
// more than the scanner's window. It is lenient where nothing is lost by it.
type jsonReader struct {
	*scanner
	values int    // values consumed so far
	depth  int    // open objects and arrays
	max    int    // bound of depth
	broken string // why reading stopped, "" while all is well
	halted bool   // a limit was reached, which was told already
}

func newJSONReader(s *scanner, depth int) *jsonReader { return &jsonReader{scanner: s, max: depth} }

// stopped reports whether nothing more can be read.
func (r *jsonReader) stopped() bool { return r.cut || r.halted || r.broken != "" }

func (r *jsonReader) fail(reason string) {
	if !r.stopped() {
		r.broken = reason
	}
}

// peek returns the first byte of the next token; 0 where there is none.
func (r *jsonReader) peek() byte {
	r.skipSpace()
	if r.stopped() {
		return 0
	}
	if !r.have(1) {
		r.cut = true
		return 0
	}
	return r.buf[r.pos]
}

// take consumes c where it is next.
func (r *jsonReader) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.skip(1)
	return true
}

// object calls visit with every key of the object that is next. A value that
// visit leaves is passed over; another kind of value is passed over whole.
func (r *jsonReader) object(visit func(key string)) {
	if r.peek() != '{' || !r.enter() {
		r.pass()
		return
	}
	for r.peek() != '}' && !r.stopped() {
		key := r.text(nameMax)
		if !r.take(':') {
			r.fail("a key has no value")
			break
		}
		r.value(func() { visit(key) })
		r.comma('}')
	}
	r.leave('}')
}

// array calls visit before every element of the array that is next.
func (r *jsonReader) array(visit func()) {
	if r.peek() != '[' || !r.enter() {
		r.pass()
		return
	}
	for r.peek() != ']' && !r.stopped() {
		r.value(visit)
		r.comma(']')
	}
	r.leave(']')
}

func (r *jsonReader) value(visit func()) {
	before := r.values
	visit()
	if r.values == before {
		r.pass()
	}
}

func (r *jsonReader) comma(end byte) {
	if !r.take(',') && r.peek() != end {
		r.fail("a comma is missing")
	}
}

func (r *jsonReader) enter() bool {
	if r.depth >= r.max {
		r.fail("values are nested too deep")
		return false
	}
	r.depth++
	r.skip(1)
	return true
}

func (r *jsonReader) leave(end byte) {
	r.take(end)
	r.depth--
	r.values++
}

// text returns the string that is next, at most limit bytes of it, or the
// letters of a number, true or false; "" for null and everything else.
func (r *jsonReader) text(limit int) string {
	f := field{max: limit}
	r.textInto(&f)
	return string(f.b)
}

// textInto reads what text does into dst; nil drops it.
func (r *jsonReader) textInto(dst *field) {
	switch r.peek() {
	case '"':
		r.values++
		r.skip(1)
		r.str(dst)
	case '{', '[', 0:
		r.pass()
	default:
		word := r.literal()
		if dst != nil && word != "null" {
			dst.write([]byte(word))
		}
	}
}

// number returns the number that is next, 0 for everything else.
func (r *jsonReader) number() float64 {
	v, err := strconv.ParseFloat(r.text(nameMax), 64)
	if err != nil || v != v {
		return 0
	}
	return v
}

func (r *jsonReader) integer() int { return int(max(min(r.number(), 1e9), -1e9)) }

// literal reads a number, true, false or null.
func (r *jsonReader) literal() string {
	r.values++
	var word []byte
	for r.have(1) && len(word) < nameMax {
		c := r.buf[r.pos]
		if c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		word = append(word, c)
		r.skip(1)
	}
	if len(word) == 0 {
		r.fail("a value is missing")
	}
	return string(word)
}

// pass drops the value that is next, however deep it is nested.
func (r *jsonReader) pass() {
	r.values++
	for depth := 0; ; {
		switch c := r.peek(); c {
		case 0:
			return
		case '"':
			r.skip(1)
			r.str(nil)
		case '{', '[':
			depth++
			r.skip(1)
		case '}', ']':
			if depth--; depth < 0 {
				r.fail("a value is missing")
				return
			}
			r.skip(1)
		case ',', ':':
			if depth == 0 {
				r.fail("a value is missing")
				return
			}
			r.skip(1)
		default:
			r.literal()
		}
		if depth == 0 {
			return
		}
	}
}

// stringRun is how far a string is looked at for its end or an escape at once:
// looked for at each of many escapes, an end far away costs a square.
const stringRun = 512

// str decodes a string behind its opening quote.
func (r *jsonReader) str(dst *field) {
	for r.have(1) {
		run := r.buf[r.pos:min(r.end, r.pos+stringRun)]
		n := bytes.IndexByte(run, '"')
		if n < 0 {
			n = len(run)
		}
		if i := bytes.IndexByte(run[:n], '\\'); i >= 0 {
			n = i
		}
		if n > 0 {
			if dst != nil {
				dst.write(run[:n])
			}
			r.skip(n)
			continue
		}
		if run[0] == '"' {
			r.skip(1)
			return
		}
		r.escape(dst)
	}
	r.cut = true
}

// escape decodes what begins with a backslash.
func (r *jsonReader) escape(dst *field) {
	if !r.have(2) {
		r.skip(1)
		return
	}
	c := r.buf[r.pos+1]
	if c != 'u' {
		if i := bytes.IndexByte([]byte("bfnrt"), c); i >= 0 {
			c = "\b\f\n\r\t"[i]
		}
		if dst != nil {
			dst.write([]byte{c})
		}
		r.skip(2)
		return
	}
	first, n := r.unit(0)
	if utf16.IsSurrogate(first) {
		second, m := r.unit(n)
		if pair := utf16.DecodeRune(first, second); m > 0 && pair != utf8.RuneError {
			first, n = pair, n+m
		} else {
			first = utf8.RuneError
		}
	}
	if dst != nil {
		dst.writeRune(first)
	}
	r.skip(n)
}

// unit reads the \uXXXX at offset: its value and length, 0 where there is none.
func (r *jsonReader) unit(offset int) (rune, int) {
	const length = len(`\uXXXX`)
	if !r.have(offset+length) || r.buf[r.pos+offset] != '\\' || r.buf[r.pos+offset+1] != 'u' {
		return utf8.RuneError, min(2, r.end-r.pos-offset)
	}
	v, err := strconv.ParseUint(string(r.buf[r.pos+offset+2:r.pos+offset+length]), 16, 32)
	if err != nil {
		return utf8.RuneError, 2
	}
	return rune(v), length
}
