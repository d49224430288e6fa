package scan

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JSONReader reads one JSON value as a stream. encoding/json holds every string and
// every decoded value as a whole. Here a text is kept up to its field's bound and
// unwanted values are skipped, so that no report costs more memory than the
// scanner's window. Errors in the syntax that lose nothing are ignored.
type JSONReader struct {
	*Scanner
	values int    // values consumed so far
	depth  int    // open objects and arrays
	max    int    // bound of depth
	Broken string // why reading stopped, "" while all is well
	Halted bool   // a limit was reached, of which there is a notice

	scratch []byte            // memory of Text
	keys    map[string]string // keys seen, so that each is made once
}

// NewJSONReader returns a reader of values nested up to depth.
func NewJSONReader(s *Scanner, depth int) *JSONReader {
	return &JSONReader{Scanner: s, max: depth, keys: map[string]string{}}
}

// Stopped reports whether nothing more can be read.
func (r *JSONReader) Stopped() bool { return r.Cut || r.Halted || r.Broken != "" }

func (r *JSONReader) noteMalformed(reason string) {
	if !r.Stopped() {
		r.Broken = reason
	}
}

// Peek returns the first byte of the next token; 0 where there is none.
func (r *JSONReader) Peek() byte {
	r.SkipSpace()
	if r.Stopped() {
		return 0
	}
	if !r.Have(1) {
		r.Cut = true
		return 0
	}
	return r.buf[r.pos]
}

// consume skips c where it is next.
func (r *JSONReader) consume(c byte) bool {
	if r.Peek() != c {
		return false
	}
	r.Skip(1)
	return true
}

// Object calls visit with every key of the object that is next. A value that visit
// does not read is skipped, and so is a next value of another kind.
func (r *JSONReader) Object(visit func(key string)) {
	if r.Peek() != '{' || !r.openValue() {
		r.skipValue()
		return
	}
	for r.Peek() != '}' && !r.Stopped() {
		key := r.key()
		if !r.consume(':') {
			r.noteMalformed("a key has no value")
			break
		}
		r.readValue(func() { visit(key) })
		r.readSeparator('}')
	}
	r.closeValue('}')
}

// key returns the key that is next. A report repeats few.
func (r *JSONReader) key() string {
	text := r.bytes(MaxName)
	key, known := r.keys[string(text)]
	if !known {
		key = string(text)
		if len(r.keys) < 256 {
			r.keys[key] = key
		}
	}
	return key
}

// Array calls visit before every element of the array that is next, and skips what
// Object would.
func (r *JSONReader) Array(visit func()) {
	if r.Peek() != '[' || !r.openValue() {
		r.skipValue()
		return
	}
	for r.Peek() != ']' && !r.Stopped() {
		r.readValue(visit)
		r.readSeparator(']')
	}
	r.closeValue(']')
}

func (r *JSONReader) readValue(visit func()) {
	before := r.values
	visit()
	if r.values == before {
		r.skipValue()
	}
}

func (r *JSONReader) readSeparator(end byte) {
	if !r.consume(',') && r.Peek() != end {
		r.noteMalformed("a comma is missing")
	}
}

func (r *JSONReader) openValue() bool {
	if r.depth >= r.max {
		r.noteMalformed("values are nested too deep")
		return false
	}
	r.depth++
	r.Skip(1)
	return true
}

func (r *JSONReader) closeValue(end byte) {
	r.consume(end)
	r.depth--
	r.values++
}

// Text returns the string that is next, at most limit bytes of it, or the letters of a
// number, true or false; "" for null and everything else.
func (r *JSONReader) Text(limit int) string {
	return string(r.bytes(limit))
}

// bytes returns what Text does. It is valid until the next call.
func (r *JSONReader) bytes(limit int) []byte {
	f := Field{Text: r.scratch[:0], Max: limit}
	r.TextInto(&f)
	if cap(f.Text) <= windowBytes {
		r.scratch = f.Text
	}
	return f.Text
}

// TextInto reads into dst what Text returns; nil drops it.
func (r *JSONReader) TextInto(dst *Field) {
	switch r.Peek() {
	case '"':
		r.values++
		r.Skip(1)
		r.readString(dst)
	case '{', '[', 0:
		r.skipValue()
	default:
		if word := r.readLiteral(); word != "null" {
			dst.Write([]byte(word))
		}
	}
}

// Number returns the number that is next, 0 for everything else.
func (r *JSONReader) Number() float64 {
	v, err := strconv.ParseFloat(r.Text(MaxName), 64)
	if err != nil || v != v {
		return 0
	}
	return v
}

// Integer returns the number that is next as an integer between -1e9 and 1e9.
func (r *JSONReader) Integer() int { return int(max(min(r.Number(), 1e9), -1e9)) }

// readLiteral reads a number, true, false or null.
func (r *JSONReader) readLiteral() string {
	r.values++
	var word []byte
	for r.Have(1) && len(word) < MaxName {
		c := r.buf[r.pos]
		if c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		word = append(word, c)
		r.Skip(1)
	}
	if len(word) == 0 {
		r.noteMalformed("a value is missing")
	}
	return string(word)
}

// skipValue skips the value that is next, however deep it is nested.
func (r *JSONReader) skipValue() {
	r.values++
	for depth := 0; ; {
		switch c := r.Peek(); c {
		case 0:
			return
		case '"':
			r.Skip(1)
			r.readString(nil)
		case '{', '[':
			depth++
			r.Skip(1)
		case '}', ']':
			if depth--; depth < 0 {
				r.noteMalformed("a value is missing")
				return
			}
			r.Skip(1)
		case ',', ':':
			if depth == 0 {
				r.noteMalformed("a value is missing")
				return
			}
			r.Skip(1)
		default:
			r.readLiteral()
		}
		if depth == 0 {
			return
		}
	}
}

// stringRun is how far readString looks ahead for the end of a string. Looking for a
// far end again at each of many escapes would take quadratic time.
const stringRun = 512

// readString decodes a string behind its opening quote.
func (r *JSONReader) readString(dst *Field) {
	for r.Have(1) {
		run := r.buf[r.pos:min(r.end, r.pos+stringRun)]
		n := bytes.IndexByte(run, '"')
		if n < 0 {
			n = len(run)
		}
		if i := bytes.IndexByte(run[:n], '\\'); i >= 0 {
			n = i
		}
		if n > 0 {
			dst.Write(run[:n])
			r.Skip(n)
			continue
		}
		if run[0] == '"' {
			r.Skip(1)
			return
		}
		r.readEscape(dst)
	}
	r.Cut = true
}

// readEscape decodes what begins with a backslash.
func (r *JSONReader) readEscape(dst *Field) {
	if !r.Have(2) {
		r.Skip(1)
		return
	}
	c := r.buf[r.pos+1]
	if c != 'u' {
		if i := bytes.IndexByte([]byte("bfnrt"), c); i >= 0 {
			c = "\b\f\n\r\t"[i]
		}
		dst.Write([]byte{c})
		r.Skip(2)
		return
	}
	first, n := r.utf16Unit(0)
	if utf16.IsSurrogate(first) {
		second, m := r.utf16Unit(n)
		if pair := utf16.DecodeRune(first, second); m > 0 && pair != utf8.RuneError {
			first, n = pair, n+m
		} else {
			first = utf8.RuneError
		}
	}
	dst.writeRune(first)
	r.Skip(n)
}

// utf16Unit reads the \uXXXX at offset: its value and length, 0 where there is none.
func (r *JSONReader) utf16Unit(offset int) (rune, int) {
	const length = len(`\uXXXX`)
	if !r.Have(offset+length) || r.buf[r.pos+offset] != '\\' || r.buf[r.pos+offset+1] != 'u' {
		return utf8.RuneError, min(2, r.end-r.pos-offset)
	}
	v, err := strconv.ParseUint(string(r.buf[r.pos+offset+2:r.pos+offset+length]), 16, 32)
	if err != nil {
		return utf8.RuneError, 2
	}
	return rune(v), length
}
