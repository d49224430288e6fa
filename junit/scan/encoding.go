package scan

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// sniffBytes is how much of a file shows its encoding and format.
const sniffBytes = 4 << 10

// boms are byte order marks, the longer ones first: UTF-32LE begins as UTF-16LE.
var boms = []struct {
	mark string
	enc  encoding.Encoding // nil is UTF-8
}{
	{"\xff\xfe\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
	{"\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	{"\xef\xbb\xbf", nil},
	{"\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	{"\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
}

// OpenUTF8 returns r as UTF-8, decoded by its byte order mark, else by the pattern
// of its first bytes, else by its declaration. head is the beginning of what it
// reads. The warning, if any, says what was assumed. Bytes that stay illegal are
// left to the scanner.
func OpenUTF8(r io.Reader) (in *bufio.Reader, head []byte, warning string) {
	in, warning = decodeUTF8(r)
	peeked, _ := in.Peek(sniffBytes)
	return in, bytes.Clone(peeked), warning
}

func decodeUTF8(r io.Reader) (*bufio.Reader, string) {
	in := bufio.NewReaderSize(r, windowBytes)
	head, _ := in.Peek(sniffBytes)
	for _, bom := range boms {
		if bytes.HasPrefix(head, []byte(bom.mark)) {
			_, _ = in.Discard(len(bom.mark))
			return decodeFrom(in, bom.enc), ""
		}
	}
	if enc := wideEncoding(head); enc != nil {
		return decodeFrom(in, enc), ""
	}
	enc, warning := declaredEncoding(head)
	return decodeFrom(in, enc), warning
}

func decodeFrom(in *bufio.Reader, enc encoding.Encoding) *bufio.Reader {
	if enc == nil {
		return in
	}
	return bufio.NewReaderSize(enc.NewDecoder().Reader(in), windowBytes)
}

// wideEncoding recognises UTF-16 without a byte order mark by the zero bytes around the
// first '<' (XML 1.0, appendix F.1).
func wideEncoding(head []byte) encoding.Encoding {
	if len(head) < 4 {
		return nil
	}
	switch {
	case head[0] == '<' && head[1] == 0 && head[3] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case head[0] == 0 && head[1] == '<' && head[2] == 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

var declarationPattern = lazyregexp.New(`^\s*<\?xml\s[^>]*?encoding\s*=\s*["']\s*([A-Za-z0-9._:-]{1,40})\s*["']`)

// declaredEncoding returns the encoding of the XML declaration. A declaration
// that can be read byte by byte is not UTF-16, whatever it says: .NET writes
// that when it saves a string as UTF-8.
func declaredEncoding(head []byte) (encoding.Encoding, string) {
	label := "utf-8"
	match := declarationPattern.FindSubmatch(head)
	if match != nil {
		label = strings.ToLower(string(match[1]))
	}
	if strings.HasPrefix(label, "utf") || strings.HasPrefix(label, "ucs") || label == "us-ascii" || label == "ascii" {
		return unlessValid(head, match != nil)
	}
	enc, err := htmlindex.Get(label)
	if err != nil {
		enc, warning := unlessValid(head, false)
		if warning == "" {
			warning = fmt.Sprintf("the declared encoding %q is not known; read as UTF-8", label)
		}
		return enc, warning
	}
	return enc, ""
}

// unlessValid returns no encoding for a head in UTF-8. Without a claim to be UTF-8 any
// other is read as Windows-1252, with a claim as UTF-8 with illegal bytes replaced.
func unlessValid(head []byte, claimed bool) (encoding.Encoding, string) {
	if utf8.Valid(WholeRunes(head)) {
		return nil, ""
	}
	if claimed {
		return nil, "the file declares UTF-8 and is not; illegal bytes were replaced"
	}
	return charmap.Windows1252, "the file names no encoding and is not UTF-8; read as Windows-1252"
}
