package ci

import (
	"context"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/trace"
)

// maxReplays bounds the replays of one run, which take a second each.
const maxReplays = 200

// Browser shows the pages of traces once more. Close ends it.
type Browser interface {
	trace.Browser
	Close() error
}

// replays shows the pages of failed traces in a browser to find what a call lost.
// The browser is opened for the first of them; where there is none, one warning
// says so.
type replays struct {
	ending  context.Context         // when it ends, there are no more
	open    func() (Browser, error) // nil: no browser is wanted
	browser Browser
	failed  bool // no more replays: there is no browser, or they were too many
	done    int
	warn    func(file, reason string)
}

// heal looks for what a call lost, in a browser too where there is one.
func (r *replays) heal(file string, c *trace.Call, known *heal.Learned, options heal.Options) trace.Suggestion {
	var browser trace.Browser // a nil of its own type
	if known != nil && !c.Asserts && r.ready() {
		browser = r.browser
		r.done++
	}
	suggestion, err := c.Replay(r.ending, known, options, browser)
	if err != nil && r.ending.Err() == nil {
		r.warn(file, "replay: "+err.Error()+"; the suggestion is the one without a browser")
	}
	return suggestion
}

// ready reports whether there is a browser for one more replay.
func (r *replays) ready() bool {
	switch {
	case r.open == nil || r.failed || r.ending.Err() != nil:
		return false
	case r.done == maxReplays:
		r.warn("", fmt.Sprintf("replay: only the first %d lost locators were looked at in a browser", maxReplays))
		r.failed = true
		return false
	case r.browser != nil:
		return true
	}
	browser, err := r.openBrowser()
	if err != nil {
		r.failed = true
		if r.ending.Err() == nil {
			r.warn("", "replay: "+err.Error()+"; the suggestions are those without a browser")
		}
		return false
	}
	r.browser = browser
	return true
}

// openBrowser opens the browser, which may take long: a run that is told to end
// does not wait for it.
func (r *replays) openBrowser() (Browser, error) {
	type answer struct {
		browser Browser
		err     error
	}
	done := make(chan answer, 1)
	go func() {
		b, err := r.open()
		done <- answer{b, err}
	}()
	select {
	case a := <-done:
		return a.browser, a.err
	case <-r.ending.Done():
		return nil, r.ending.Err()
	}
}

// close ends the browser, if one was opened.
func (r *replays) close() error {
	if r.browser == nil {
		return nil
	}
	if err := r.browser.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("replay: close the browser: %w", err)
	}
	return nil
}
