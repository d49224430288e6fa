package formats

import (
	"cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/location"
	"github.com/breadcrumb/action/junit/scan"
)

// playwrightResult is one attempt as reported.
type playwrightResult struct {
	status  string
	seconds float64
	errors  []playwrightError
	cause   string // message of the first error, without the code around its place where that is known
	at      location.Place
}

type playwrightError struct {
	message, text string
	at            location.Place
}

func (p *playwrightReport) readResult(t *playwrightTest) (res playwrightResult) {
	var single playwrightError
	p.r.Object(func(key string) {
		switch key {
		case "status":
			res.status = p.r.Text(scan.MaxName)
		case "duration":
			res.seconds = min(max(p.r.Number()/1e3, 0), input.MaxSeconds)
		case "error":
			single = p.readError("")
		case "errors":
			p.r.Array(func() {
				if len(res.errors) < 8 {
					res.errors = append(res.errors, p.readError(single.text))
				}
			})
		case "attachments":
			t.attached = p.feed.readAttachments(p.r, t.attached)
		}
	})
	if len(res.errors) == 0 && single != (playwrightError{}) {
		res.errors = []playwrightError{single}
	}
	if len(res.errors) > 0 {
		res.cause = cmp.Or(single.message, res.errors[0].message)
	}
	for _, e := range res.errors {
		if res.at.File == "" {
			res.at = e.at
		}
	}
	return res
}

// readError reads one error. Where its text equals known, which was read before, that one
// is kept instead.
func (p *playwrightReport) readError(known string) (e playwrightError) {
	stack, snippet := "", ""
	p.r.Object(func(key string) {
		switch key {
		case "message", "value":
			e.message = p.feed.readMessage(p.r)
		case "stack":
			stack = p.feed.readText(p.r)
		case "snippet":
			snippet = p.feed.readText(p.r)
		case "location":
			e.at = p.readLocation()
		}
	})
	if e.text = joinError(e.message, stack, snippet); e.text == known {
		e.text = known
	}
	return e
}

func (p *playwrightReport) readLocation() (at location.Place) {
	p.r.Object(func(key string) {
		switch key {
		case "file":
			at.File = location.Relative(p.r.Text(4<<10), p.feed.Root)
		case "line":
			at.Line = p.r.Integer()
		}
	})
	if at.Line < 1 {
		return location.Place{}
	}
	return at
}

// expectation matches the message of a failed expectation, and any other message is that
// of an error: so Playwright's junit reporter tells them apart since 1.60.
var expectation = lazyregexp.New(`expect\(.*\)\.\w`)

// toAttempt converts an attempt. What was expected is a pass; one whose first error is no
// failed expectation is an error, as is a time-out or interruption without one.
func (res playwrightResult) toAttempt(expected string) engine.Attempt {
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
	case len(res.errors) > 0:
		if !expectation.MatchString(input.CleanText(res.cause)) {
			status = engine.StatusError
		}
	case res.status == "interrupted", res.status == "timedOut":
		status = engine.StatusError
	}
	if !status.Failing() {
		return engine.Attempt{Status: status, DurationMS: input.Milliseconds(res.seconds)}
	}
	message = cmp.Or(message, "status "+identity.Clean(res.status)+", expected "+identity.Clean(expected))
	return input.NewAttempt(status, res.seconds, "", message, text)
}
