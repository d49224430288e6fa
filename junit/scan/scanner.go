// Package scan reads the text of reports as a stream: XML tokens, JSON values and
// lines. It converts encodings, repairs what is malformed and keeps of every text
// only as much as its field may hold.
package scan

import (
	"bytes"
	"errors"
	"io"
)

// Token is what the scanner found next.
type Token byte

// The tokens, with the method that reads what is left of them.
const (
	TokenEnd   Token = iota // end of the input
	TokenText               // Text
	TokenCDATA              // CDATA
	TokenOpen               // a start tag: Attributes
	TokenClose              // an end tag, read whole
)

// windowBytes is the scanner's buffer; no construct needs to fit into it.
const windowBytes = 64 << 10

// MaxName is how much of an element or attribute name is compared.
const MaxName = 128

// ErrDoctype says that a report declares a document type.
var ErrDoctype = errors.New("the file declares a document type (DOCTYPE), which is refused because it can name other files")

// Scanner cuts UTF-8 XML into tags, text and CDATA. It does not know how elements
// nest, drops comments and processing instructions, and never holds more than its
// window.
type Scanner struct {
	r         io.Reader
	buf       []byte
	pos, end  int
	line      int // 1-based line of lined
	lined     int // up to where the lines of the window are counted
	eof       bool
	Err       error  // first read error that is not io.EOF
	Name      []byte // local name of the tag last read
	Cut       bool   // the input ended inside markup
	Broken    bool   // the tag last read had to be repaired
	Surplus   bool   // the tag last read had too many attributes
	Unescaped int    // line of the first '&' or '<' that begins no markup
	Depth     int    // open elements, set by the caller
}

// NewScanner returns a scanner of r, which is UTF-8.
func NewScanner(r io.Reader) *Scanner {
	return &Scanner{r: r, buf: make([]byte, windowBytes), line: 1, Name: make([]byte, 0, MaxName)}
}

// Current returns the byte at pos. The caller knows that there is one.
func (s *Scanner) Current() byte { return s.buf[s.pos] }

// AtEOF reports whether everything was read and the end of the input was seen.
func (s *Scanner) AtEOF() bool { return s.eof && s.pos >= s.end }

// Have reports whether n bytes can be looked at from pos, reading as needed.
func (s *Scanner) Have(n int) bool {
	for s.end-s.pos < n && !s.eof {
		s.fillWindow()
	}
	return s.end-s.pos >= n
}

func (s *Scanner) fillWindow() {
	if s.pos > 0 {
		s.Line()
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos, s.lined = 0, 0
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err != nil {
			s.eof = true
			if !errors.Is(err, io.EOF) {
				s.Err = err
			}
		}
		if n > 0 || s.eof {
			return
		}
	}
	s.eof, s.Err = true, io.ErrNoProgress
}

// Skip moves past n bytes of the window.
func (s *Scanner) Skip(n int) { s.pos += n }

// Line returns the 1-based line of what is read next.
func (s *Scanner) Line() int {
	if s.lined < s.pos {
		s.line += bytes.Count(s.buf[s.lined:s.pos], newline)
		s.lined = s.pos
	}
	return s.line
}

var newline = []byte{'\n'}

// Past drops everything up to and with mark. Without a mark the input was cut.
func (s *Scanner) Past(mark string) {
	for s.Have(len(mark)) {
		if i := bytes.Index(s.buf[s.pos:s.end], []byte(mark)); i >= 0 {
			s.Skip(i + len(mark))
			return
		}
		s.Skip(s.end - s.pos - len(mark) + 1)
	}
	s.Skip(s.end - s.pos)
	s.Cut = true
}

func (s *Scanner) startsWith(prefix string) bool {
	return s.Have(len(prefix)) && string(s.buf[s.pos:s.pos+len(prefix)]) == prefix
}

// Next returns the next token. A '<' that cannot begin markup is text.
func (s *Scanner) Next() (Token, error) {
	for s.Have(1) {
		if s.buf[s.pos] != '<' || !s.Have(2) {
			return TokenText, nil
		}
		switch c := s.buf[s.pos+1]; {
		case c == '/':
			s.Skip(2)
			s.readName()
			s.Past(">")
			return TokenClose, nil
		case c == '?':
			s.Past("?>")
		case c == '!':
			if kind, found, err := s.readDeclaration(); found || err != nil {
				return kind, err
			}
		case startsName(c):
			s.Skip(1)
			s.readName()
			return TokenOpen, nil
		default:
			return TokenText, nil
		}
	}
	return TokenEnd, nil
}

// readDeclaration reads what begins with "<!": a comment is dropped, CDATA found,
// and a document type refused where it is legal. Elsewhere it is stray text.
func (s *Scanner) readDeclaration() (Token, bool, error) {
	switch {
	case s.startsWith("<!--"):
		s.Skip(4)
		s.Past("-->")
		return 0, false, nil
	case s.startsWith("<![CDATA["):
		s.Skip(9)
		return TokenCDATA, true, nil
	case s.Depth == 0 && s.Have(3) && startsName(s.buf[s.pos+2]):
		return 0, false, ErrDoctype
	}
	return TokenText, true, nil
}

// readName reads an element or attribute name into s.Name without its
// namespace prefix.
func (s *Scanner) readName() {
	s.Name = s.Name[:0]
	for s.Have(1) {
		run := s.buf[s.pos:s.end]
		n := 0
		for n < len(run) && !nameStop[run[n]] {
			n++
		}
		s.Skip(n)
		local := run[:n]
		if at := bytes.LastIndexByte(local, ':'); at >= 0 {
			s.Name, local = s.Name[:0], local[at+1:]
		}
		s.Name = append(s.Name, local[:min(len(local), MaxName-len(s.Name))]...)
		if n < len(run) {
			return
		}
	}
}

// SkipSpace skips white space.
func (s *Scanner) SkipSpace() {
	for s.Have(1) {
		run := s.buf[s.pos:s.end]
		n := 0
		for n < len(run) && space[run[n]] {
			n++
		}
		if s.Skip(n); n < len(run) {
			return
		}
	}
}

func startsName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c >= 0x80
}

var (
	space    = byteSet(" \t\r\n")
	nameStop = byteSet(" \t\r\n=/><\"'")
	tagStop  = byteSet(" \t\r\n/>?")
)

// IsSpace reports whether c is white space in XML.
func IsSpace(c byte) bool { return space[c] }

func byteSet(members string) (set [256]bool) {
	for i := range len(members) {
		set[members[i]] = true
	}
	return set
}

// Attributes reads the rest of a start tag. It puts the value of every attribute
// into the field that want returns; a nil field, or no want, drops it. It reports
// whether the element is empty ("/>").
func (s *Scanner) Attributes(limit int, want func(name []byte) *Field) (empty bool) {
	s.Broken, s.Surplus = false, false
	for seen := 0; ; {
		s.SkipSpace()
		if !s.Have(1) {
			s.Cut = true
			return false
		}
		switch s.buf[s.pos] {
		case '>':
			s.Skip(1)
			return empty
		case '/':
			s.Skip(1)
			empty = s.Have(1) && s.buf[s.pos] == '>'
		case '<':
			s.Broken = true
			return false
		case '=', '"', '\'':
			s.Broken = true
			s.Skip(1)
		default:
			if seen++; seen > limit {
				s.Surplus = true
				s.readAttribute(nil)
				continue
			}
			s.readAttribute(want)
		}
	}
}

// readAttribute reads name="value"; the name alone is passed over.
func (s *Scanner) readAttribute(want func(name []byte) *Field) {
	s.readName()
	s.SkipSpace()
	if !s.Have(1) || s.buf[s.pos] != '=' {
		s.Broken = true
		return
	}
	s.Skip(1)
	s.SkipSpace()
	if !s.Have(1) {
		return
	}
	var dst *Field
	if want != nil {
		dst = want(s.Name)
	}
	quote := s.buf[s.pos]
	if quote != '"' && quote != '\'' {
		s.Broken = true
		s.readBareValue(dst)
		return
	}
	s.Skip(1)
	s.readQuoted(dst, quote)
	if s.Have(1) && !tagStop[s.buf[s.pos]] {
		s.Broken = true
	}
}

// readQuoted decodes an attribute value up to its closing quote, where a raw '<'
// stands for itself.
func (s *Scanner) readQuoted(dst *Field, quote byte) {
	for s.Have(1) {
		if s.buf[s.pos] == quote {
			s.Skip(1)
			return
		}
		if dst.isFull() {
			s.Past(string(quote))
			return
		}
		s.decodeRun(dst, &plainValue)
	}
	s.Cut = true
}

// readBareValue decodes a value without quotes, up to white space or the tag's end.
func (s *Scanner) readBareValue(dst *Field) {
	for s.Have(1) && !tagStop[s.buf[s.pos]] && s.buf[s.pos] != '<' {
		if c := s.buf[s.pos]; plainValue[c] {
			dst.Write(s.buf[s.pos : s.pos+1])
			s.Skip(1)
		} else {
			s.decodeRun(dst, &plainValue)
		}
	}
}

// LineInto reads the rest of a line into dst, without its end.
func (s *Scanner) LineInto(dst *Field) {
	for s.Have(1) {
		if s.buf[s.pos] == '\n' {
			s.Skip(1)
			return
		}
		run, _, _ := bytes.Cut(s.buf[s.pos:s.end], newline)
		dst.Write(run)
		s.Skip(len(run))
	}
}
