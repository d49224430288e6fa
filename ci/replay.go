package ci

import (
	"context"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/trace"
)

// maxReplays bounds the second looks of one run, which take a second each.
const maxReplays = 200

// Browser shows the pages of traces a second time. Close ends it.
type Browser interface {
	trace.Browser
	Close() error
}

// replays are the second looks of a run: the browser is opened for the first of
// them, and when there is none, that is told once.
type replays struct {
	ending  context.Context         // when it ends, there are no more
	open    func() (Browser, error) // nil: no second looks
	browser Browser
	failed  bool
	done    int
	warn    func(file, reason string)
}

// heal looks for what a call lost, in a browser too where there is one.
func (r *replays) heal(file string, c *trace.Call, known *heal.Learned) trace.Suggestion {
	var browser trace.Browser // a nil of its own type
	if known != nil && !c.Asserts && r.ready() {
		browser = r.browser
		r.done++
	}
	suggestion, err := c.Replay(r.ending, known, heal.Options{}, browser)
	if err != nil && r.ending.Err() == nil {
		r.warn(file, "replay: "+err.Error()+"; the suggestion is the one without a browser")
	}
	return suggestion
}

// ready reports whether there is a browser for one more look.
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
	browser, err := r.opened()
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

// opened opens the browser, which no signal can hurry.
func (r *replays) opened() (Browser, error) {
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
