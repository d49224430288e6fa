package junit

import (
	"bytes"
	"errors"
	"io"
)

// token is what the scanner found next.
type token byte

const (
	tokenEnd   token = iota // end of the input
	tokenText               // read it with text
	tokenCDATA              // read it with cdata
	tokenOpen               // a start tag; read the rest of it with attributes
	tokenClose              // an end tag, read whole
)

// windowBytes is the scanner's buffer; no construct needs to fit into it.
const windowBytes = 64 * kilobyte

// nameMax is how much of an element or attribute name is compared.
const nameMax = 128

var errDoctype = errors.New("the file declares a document type (DOCTYPE), which is refused because it can name other files")

// scanner cuts UTF-8 XML into tags, text and CDATA. It knows no document
// structure, drops comments and processing instructions and never holds more
// than its window.
type scanner struct {
	r        io.Reader
	buf      []byte
	pos, end int
	eof      bool
	err      error  // first read error that is not io.EOF
	line     int    // 1-based line of pos
	name     []byte // local name of the tag last read
	cut      bool   // the input ended inside markup
	broken   bool   // the tag last read had to be repaired
	surplus  bool   // the tag last read had too many attributes
	bare     int    // line of the first '&' or '<' that begins no markup
	depth    int    // open elements, told by the reader
}

func newScanner(r io.Reader) *scanner {
	return &scanner{r: r, buf: make([]byte, windowBytes), line: 1, name: make([]byte, 0, nameMax)}
}

// have reports whether n bytes can be looked at from pos, reading as needed.
func (s *scanner) have(n int) bool {
	for s.end-s.pos < n && !s.eof {
		s.fill()
	}
	return s.end-s.pos >= n
}

func (s *scanner) fill() {
	if s.pos > 0 {
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err != nil {
			s.eof = true
			if !errors.Is(err, io.EOF) {
				s.err = err
			}
		}
		if n > 0 || s.eof {
			return
		}
	}
	s.eof, s.err = true, io.ErrNoProgress
}

// skip moves past n bytes of the window and counts their lines.
func (s *scanner) skip(n int) {
	s.line += bytes.Count(s.buf[s.pos:s.pos+n], newline)
	s.pos += n
}

var newline = []byte{'\n'}

// past drops everything up to and with mark. Without a mark the input was cut.
func (s *scanner) past(mark string) {
	for s.have(len(mark)) {
		if i := bytes.Index(s.buf[s.pos:s.end], []byte(mark)); i >= 0 {
			s.skip(i + len(mark))
			return
		}
		s.skip(s.end - s.pos - len(mark) + 1)
	}
	s.skip(s.end - s.pos)
	s.cut = true
}

func (s *scanner) at(prefix string) bool {
	return s.have(len(prefix)) && string(s.buf[s.pos:s.pos+len(prefix)]) == prefix
}

// next returns the next token. A '<' that cannot begin markup is text.
func (s *scanner) next() (token, error) {
	for s.have(1) {
		if s.buf[s.pos] != '<' || !s.have(2) {
			return tokenText, nil
		}
		switch c := s.buf[s.pos+1]; {
		case c == '/':
			return s.closeTag(), nil
		case c == '?':
			s.past("?>")
		case c == '!':
			if kind, found, err := s.declaration(); found || err != nil {
				return kind, err
			}
		case nameStart(c):
			s.skip(1)
			s.readName()
			return tokenOpen, nil
		default:
			return tokenText, nil
		}
	}
	return tokenEnd, nil
}

// declaration reads what begins with "<!": a comment is dropped, CDATA found,
// and a document type refused where it is legal. Elsewhere it is stray text.
func (s *scanner) declaration() (token, bool, error) {
	switch {
	case s.at("<!--"):
		s.skip(4)
		s.past("-->")
		return 0, false, nil
	case s.at("<![CDATA["):
		s.skip(9)
		return tokenCDATA, true, nil
	case s.depth == 0 && s.have(3) && nameStart(s.buf[s.pos+2]):
		return 0, false, errDoctype
	}
	return tokenText, true, nil
}

func (s *scanner) closeTag() token {
	s.skip(2)
	s.readName()
	s.past(">")
	return tokenClose
}

// readName reads an element or attribute name into s.name without its
// namespace prefix.
func (s *scanner) readName() {
	s.name = s.name[:0]
	for s.have(1) {
		c := s.buf[s.pos]
		if nameStop[c] {
			return
		}
		switch {
		case c == ':':
			s.name = s.name[:0]
		case len(s.name) < nameMax:
			s.name = append(s.name, c)
		}
		s.skip(1)
	}
}

func (s *scanner) skipSpace() {
	for s.have(1) && space[s.buf[s.pos]] {
		s.skip(1)
	}
}

func nameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c >= 0x80
}

var (
	space    = byteSet(" \t\r\n")
	nameStop = byteSet(" \t\r\n=/><\"'")
	tagStop  = byteSet(" \t\r\n/>?")
)

func byteSet(members string) (set [256]bool) {
	for i := range len(members) {
		set[members[i]] = true
	}
	return set
}
