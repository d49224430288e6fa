package junit

import (
	"bytes"
	"regexp"
)

// formatReader reads a report that is no XML. It returns the name of its
// format, "" when the file turned out to be another one.
type formatReader func(*feed) (string, error)

// The names of formats other than JUnit XML, as File.Format has them.
const (
	formatPlaywright = "playwright-json"
	formatCTRF       = "ctrf"
	formatGoTest     = "go-test-json"
	formatTAP        = "tap"
)

var (
	goTestEvent = regexp.MustCompile(`(?m)^\s*\{"(?:Time|Action|ImportPath|Package)":.*"Action":"(?:start|run|pause|cont|pass|bench|fail|output|skip|build-output|build-fail|attr|artifacts)"`)
	goTestFirst = regexp.MustCompile(`(?m)^\s*\{"Action":"(?:start|run|pause|cont|pass|bench|fail|output|skip|build-output|build-fail|attr|artifacts)"`)
	tapStart    = regexp.MustCompile(`(?m)\A(?:\s*(?:#.*)?\n)*[ ]*(?:TAP version \d+|1\.\.\d+|(?:not )?ok \d+)\b`)
	tapVersion  = regexp.MustCompile(`(?m)^TAP version \d+\s*$`)
)

// formatOf tells by its first bytes how a file is read; nil is as XML.
func formatOf(head []byte) formatReader {
	text := trimSpaceNUL(head)
	switch {
	case len(text) == 0 || text[0] == '<':
		return nil
	case goTestEvent.Match(head), goTestFirst.Match(head):
		return readGoTest
	case text[0] == '{':
		return readJSONReport
	case tapStart.Match(text), tapVersion.Match(head) && bytes.IndexByte(head, 0) < 0:
		return readTAP
	}
	return nil
}

// readJSONReport reads a Playwright or CTRF report, which are told apart by
// their first level.
func readJSONReport(f *feed) (string, error) {
	r := newJSONReader(f.c.doc.scan, 2*f.c.options.Limits.Depth)
	p := &playwrightReport{feed: f, r: r}
	c := &ctrfReport{feed: f, r: r}
	r.object(func(key string) {
		switch key {
		case "config":
			p.config()
		case "suites":
			p.files()
		case "errors":
			p.globalErrors()
		case "stats":
			p.stats()
		case "results":
			c.results()
		}
	})
	switch {
	case p.configured && !c.seen:
		f.finish(r)
		return formatPlaywright, p.close()
	case c.seen && !p.configured:
		f.finish(r)
		return formatCTRF, c.close()
	}
	return "", nil
}
