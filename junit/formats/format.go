// Package formats recognises reports that are no JUnit XML and reads those of
// Playwright (JSON), CTRF, go test -json and TAP. It names suites, classes and
// tests as the JUnit reporter of the same runner does.
package formats

import (
	"bytes"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/scan"
)

// Reader reads a report of one format. It returns the name of the format, "" when the
// report turned out to have another one.
type Reader func(*Feed) (string, error)

// The names of formats other than JUnit XML, as File.Format has them.
const (
	Playwright = "playwright-json"
	CTRF       = "ctrf"
	GoTest     = "go-test-json"
	TAP        = "tap"
)

var (
	goTestEvent = lazyregexp.New(`(?m)^\s*\{(?:"(?:Time|Action|ImportPath|Package)":.*)?"Action":"(?:start|run|pause|cont|pass|bench|fail|output|skip|build-output|build-fail|attr|artifacts)"`)
	tapStart    = lazyregexp.New(`(?m)\A(?:\s*(?:#.*)?\n)*[ ]*(?:TAP version \d+|1\.\.\d+|(?:not )?ok \d+)\b`)
	tapVersion  = lazyregexp.New(`(?m)^TAP version \d+\s*$`)
)

// ReaderOf returns the reader of a report that begins with head, nil for XML.
func ReaderOf(head []byte) Reader {
	text := TrimSpaceNUL(head)
	switch {
	case len(text) == 0 || text[0] == '<':
		return nil
	case goTestEvent.Match(head):
		return readGoTest
	case text[0] == '{':
		return readJSONReport
	case tapStart.Match(text), tapVersion.Match(head) && bytes.IndexByte(head, 0) < 0:
		return readTAP
	}
	return nil
}

// readJSONReport reads a report of Playwright or CTRF. The keys of its first level show
// which it is.
func readJSONReport(f *Feed) (string, error) {
	r := scan.NewJSONReader(f.Scan, 2*f.Limits.Depth)
	p := &playwrightReport{feed: f, r: r}
	c := &ctrfReport{feed: f, r: r}
	r.Object(func(key string) {
		p.readKey(key)
		c.readKey(key)
	})
	switch {
	case p.configured && !c.seen:
		f.checkEnd(r)
		return Playwright, p.checkTotals()
	case c.seen && !p.configured:
		f.checkEnd(r)
		return CTRF, c.checkSummary()
	}
	return "", nil
}

// TrimSpaceNUL trims white space, NUL bytes and byte order marks.
func TrimSpaceNUL(b []byte) []byte { return bytes.Trim(b, " \t\r\n\x00\ufeff") }
