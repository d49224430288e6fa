package htmlreport

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"

	"github.com/breadcrumb/action/engine/outcome"
)

// Options say what the report may link to.
type Options struct {
	// ServerURL is where runs are looked at, "https://github.com"; without it
	// nothing is linked.
	ServerURL string
}

//go:embed page.gohtml
var pageText string

//go:embed page.css
var style string

//go:embed page.js
var script string

var page = template.Must(template.New("page").Parse(pageText))

// policy lets the page's own style and script work and nothing else, whatever
// a test's name turns out to be (Content Security Policy Level 3, W3C).
var policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hashOf(style), hashOf(script))

// Write writes the report: one self-contained HTML document in UTF-8. It
// returns the first error of w.
func Write(w io.Writer, s outcome.Survey, t outcome.Timeline, o Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := page.Execute(out, newView(s, t, o)); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// links are the addresses of runs.
type links struct{ server string }

var (
	serverForm     = regexp.MustCompile(`^https?://[A-Za-z0-9.:-]+$`)
	repositoryForm = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
)

func newLinks(server string) links {
	if !serverForm.MatchString(server) {
		return links{}
	}
	return links{server}
}

// run returns the address of a run, "" where there is none.
func (l links) run(r outcome.TimelineRun) string {
	if l.server == "" || r.RunID <= 0 || !repositoryForm.MatchString(r.Repository) {
		return ""
	}
	address := fmt.Sprintf("%s/%s/actions/runs/%d", l.server, r.Repository, r.RunID)
	if r.Attempt > 1 {
		address += fmt.Sprintf("/attempts/%d", r.Attempt)
	}
	return address
}
