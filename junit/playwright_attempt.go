package junit

import (
	"regexp"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// playwrightResult is one attempt as reported.
type playwrightResult struct {
	status   string
	duration float64
	errors   []playwrightError
	at       place
}

type playwrightError struct {
	message, text string
	at            place
}

func (p *playwrightReport) result(t *playwrightTest) (res playwrightResult) {
	var single playwrightError
	p.r.object(func(key string) {
		switch key {
		case "status":
			res.status = p.r.text(nameMax)
		case "duration":
			res.duration = milliseconds(min(max(p.r.number()/1e3, 0), secondsMax))
		case "error":
			single = p.error("")
		case "errors":
			p.r.array(func() {
				if len(res.errors) < 8 {
					res.errors = append(res.errors, p.error(single.text))
				}
			})
		case "attachments":
			p.r.array(func() { p.attachment(t) })
		}
	})
	if len(res.errors) == 0 && single != (playwrightError{}) {
		res.errors = []playwrightError{single}
	}
	for _, e := range res.errors {
		if res.at.file == "" {
			res.at = e.at
		}
	}
	return res
}

// error reads one error. said is a text that was read before and need not be
// kept a second time.
func (p *playwrightReport) error(said string) (e playwrightError) {
	stack, snippet := "", ""
	p.r.object(func(key string) {
		switch key {
		case "message", "value":
			e.message = p.feed.failureMessage(p.r)
		case "stack":
			stack = p.feed.failureText(p.r)
		case "snippet":
			snippet = p.feed.failureText(p.r)
		case "location":
			e.at = p.location()
		}
	})
	e.text = stack
	if !strings.Contains(stack, e.message) || stack == "" {
		e.text = joinTexts(e.message, stack)
	}
	e.text = joinTexts(e.text, snippet)
	if e.text == said {
		e.text = said
	}
	return e
}

func joinTexts(texts ...string) string {
	kept := texts[:0]
	for _, t := range texts {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n\n")
}

func (p *playwrightReport) location() (at place) {
	p.r.object(func(key string) {
		switch key {
		case "file":
			at.file = relative(p.r.text(4*kilobyte), p.feed.c.options.Root)
		case "line":
			at.line = p.r.integer()
		}
	})
	if at.line < 1 {
		return place{}
	}
	return at
}

func (p *playwrightReport) attachment(t *playwrightTest) {
	p.r.object(func(key string) {
		if key != "path" {
			return
		}
		name := p.r.text(4 * kilobyte)
		t.attached = p.feed.c.attach(t.attached, name)
	})
}

// expectation matches the message of an expectation that does not hold. Any
// other is an error, as in the newer junit reporter of Playwright.
var expectation = regexp.MustCompile(`\bexpect(?:\.\w+)?\([^)]*\)(?:\.\w+)*\.to\w+`)

// attempt maps an attempt's status: what was expected is a pass; a time-out, an
// interruption and an exception that is no failed expectation are errors.
func (res playwrightResult) attempt(expected string) engine.Attempt {
	message, text := "", ""
	for _, e := range res.errors {
		message = joinTexts(message, e.message)
		text = joinTexts(text, e.text)
	}
	status := engine.StatusFailed
	switch {
	case res.status == "skipped":
		status = engine.StatusSkipped
	case res.status == "passed" && expected == "", res.status == expected && expected != "":
		status = engine.StatusPassed
	case res.status == "passed":
	case res.status == "interrupted", res.status == "timedOut", len(res.errors) > 0 && !expectation.MatchString(cleanText(res.errors[0].message)):
		status = engine.StatusError
	}
	if !status.Failing() {
		return engine.Attempt{Status: status, DurationMS: res.duration}
	}
	if message == "" {
		message = "status " + clean(res.status) + ", expected " + clean(expected)
	}
	a := attempt(status, 0, "", message, text)
	a.DurationMS = res.duration
	return a
}
