// Package junittest makes reports for tests: hostile ones of many shapes and
// the large plain ones of a big team. All are made as they are written, so that
// making one costs no memory.
package junittest

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// Shape is a report that is built to be dear to read.
type Shape struct {
	Name  string // also fit for a file's name
	Green bool   // a whole report in which no test fails
	write func(w *bufio.Writer)
}

// Write writes the report to w as UTF-8.
func (s Shape) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	s.write(out)
	return out.Flush()
}

// WriteUTF16 writes the report as UTF-16 with a byte order mark.
func (s Shape) WriteUTF16(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if _, err := out.WriteString("\xff\xfe"); err != nil {
		return err
	}
	wide := &wideWriter{out: out}
	if err := s.Write(wide); err != nil {
		return err
	}
	return out.Flush()
}

// wideWriter turns ASCII and what it is given of UTF-8 into UTF-16LE.
type wideWriter struct {
	out  *bufio.Writer
	rest []byte
}

func (w *wideWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	whole := len(text)
	for whole > 0 && whole > len(text)-3 && text[whole-1] >= 0x80 {
		whole--
	}
	for _, unit := range utf16.Encode([]rune(string(text[:whole]))) {
		if _, err := w.out.Write([]byte{byte(unit), byte(unit >> 8)}); err != nil {
			return 0, err
		}
	}
	w.rest = append([]byte(nil), text[whole:]...)
	return len(p), nil
}

// Shapes returns hostile reports of about 7 to 40 MB, in XML and in the other
// formats that are read.
func Shapes() []Shape { return append(xmlShapes(), otherShapes()...) }

// text returns about n bytes of a line repeated.
func text(line string, n int) string { return strings.Repeat(line, n/len(line)+1) }

const suiteEnd = "</testsuite></testsuites>"

// inSuite writes body between the tags of one suite.
func inSuite(body func(w *bufio.Writer)) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		put(w, `<testsuites><testsuite name="s">`)
		body(w)
		put(w, suiteEnd)
	}
}

// put writes text; Flush tells of an error.
func put(w *bufio.Writer, text string) { _, _ = w.WriteString(text) }

// times writes format n times with the number of each.
func times(n int, format string) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		for i := range n {
			fmt.Fprintf(w, format, i)
		}
	}
}

// again writes one text n times.
func again(n int, s string) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		for range n {
			put(w, s)
		}
	}
}

// all writes one after the other.
func all(parts ...func(w *bufio.Writer)) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		for _, part := range parts {
			part(w)
		}
	}
}
