package proxy

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/breadcrumb/action/engine"
	selectors "github.com/breadcrumb/action/engine/locator"
)

// Trial has a connection try edited locators in the place of healing: nothing is learned
// or healed.
type Trial struct {
	Targets []Target
	Control Control
	// Limit is the most that a call of a test waits behind the first one on a target in
	// which the control took effect; 0 is no limit.
	Limit time.Duration
	// Note is told of each call on a target; it may be called by several goroutines.
	Note func(target int, what Noted)
}

// Target is an edited locator in a test.
type Target struct {
	Test     string // as in the reports
	Selector string // as Playwright's protocol or package engine/locator writes it
	// Site is where the call stands, its file relative to the checkout; nil where that is
	// not known: then every call of the test on the selector is one on the target.
	Site *engine.Site
}

// Control is what a call on a target finds.
type Control string

// The controls. An edit that passes in one of them proves nothing.
const (
	AsWritten Control = ""        // the element, as the test says
	Hidden    Control = "hidden"  // nothing, at once
	Undone    Control = "undone"  // the element, but the action is not done
	Other     Control = "other"   // the likest other element of its kind on the page
	Another   Control = "another" // the one after that
)

// Noted is what became of a call on a target.
type Noted string

// What is noted.
const (
	NotedDone     Noted = "done"     // the call succeeded, or the control took effect
	NotedUnsuited Noted = "unsuited" // the control does not apply to the call, which was made as the test says
)

// Times of a trial.
const (
	hiddenTime = 100 * time.Millisecond // that a call waits for an element that is hidden
	otherTime  = 2 * time.Second        // that an action waits for another element
)

// effects are the methods that only do something with their element, so that a test which
// needs them sees it later.
var effects = map[string]bool{
	"blur": true, "check": true, "click": true, "dblclick": true, "dispatchEvent": true, "dragAndDrop": true, "drop": true, "fill": true,
	"focus": true, "hover": true, "press": true, "setInputFiles": true, "tap": true, "type": true, "uncheck": true,
}

// trial is the state of a trial on one connection.
type trial struct {
	Trial
	selectors []string // of the targets, in one form

	mu       sync.Mutex
	affected map[string]bool // tests whose calls are limited
}

// sameForm returns a selector in the form that equal selectors share.
func sameForm(selector string) string {
	if s, err := selectors.Parse(selector); err == nil {
		return s.String()
	}
	return selector
}

// try makes a call of the client as the trial says.
func (c *call) try() {
	t := c.r.trial
	id, site := c.r.whoCalls(c)
	id = string(engine.NewTestID(id))
	target, part := t.find(c, id, site)
	if target < 0 {
		c.pass(t, id, false)
		return
	}
	m, what := c.tryTarget(t, part)
	if m.text == nil { // as the test wrote it
		a := c.pass(t, id, t.Control == AsWritten)
		if t.Control == AsWritten && (a.text == nil || c.failed(a.message)) {
			return
		}
		t.Note(target, what)
		return
	}
	t.affect(id)
	t.Note(target, what)
	c.r.takeCall(c.id)
	c.release()
	_ = c.r.toClient(m.text) // a client that is gone is noticed where it is read
}

// affect notes that the calls of a test are limited from now on.
func (t *trial) affect(test string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.affected[test] = true
}

// find returns the target that a call is on, -1 for none, and which of the call's
// selectors it is.
func (t *trial) find(c *call, test string, site *engine.Site) (target, part int) {
	for part, looked := range c.targets {
		selector := sameForm(looked.selector)
		for i, known := range t.Targets {
			if known.Test == test && t.selectors[i] == selector && sameLine(known.Site, site) {
				return i, part
			}
		}
	}
	return -1, 0
}

// sameLine reports whether a call may stand where a target does.
func sameLine(target, call *engine.Site) bool {
	if target == nil || call == nil {
		return true
	}
	name := filepath.ToSlash(call.File)
	return target.Line == call.Line && (name == target.File || strings.HasSuffix(name, "/"+target.File))
}

// pass makes a call as the client wrote it, with less time where the control took effect
// in its test: what it waits for may never come. The calls of a test that it affects are
// limited before its answer can lead to another.
func (c *call) pass(t *trial, test string, affects bool) answer {
	t.mu.Lock()
	affected := t.affected[test]
	if affects {
		t.affected[test] = true
	}
	t.mu.Unlock()
	if affected && t.Limit > 0 {
		c.m.text = c.m.edited(c.limitTime(t.Limit)...)
	}
	c.send()
	return c.await()
}

// limitTime returns the edits that give a call a time, where it has none or more.
func (c *call) limitTime(limit time.Duration) (edits []edit) {
	ms := limit.Milliseconds()
	if c.timeout > 0 && c.timeout <= float64(ms) {
		return nil
	}
	text := strconv.FormatInt(ms, 10)
	for _, part := range []span{c.m.params, c.m.metadata} {
		if at, ok := c.m.field(part, "timeout"); ok {
			edits = append(edits, edit{at, []byte(text)})
		}
	}
	if len(edits) == 0 { // params hold the selector at least
		edits = append(edits, edit{span{c.m.params.to - 1, c.m.params.to - 1}, []byte(`,"timeout":` + text)})
	}
	return edits
}

// tryTarget makes a call on a target in the trial's control. The answer is empty where the
// call is to be made as the test wrote it.
func (c *call) tryTarget(t *trial, part int) (message, Noted) {
	switch t.Control {
	case Hidden:
		nothing := "css=breadcrumb-hidden-" + strings.Trim(c.r.questions.secret, "-")
		m, err := c.onOther(part, nothing, hiddenTime)
		if err != nil {
			return message{}, NotedUnsuited
		}
		return m, NotedDone
	case Other, Another:
		return c.tryOthers(t, part)
	case Undone:
		result := `{}`
		if c.method == "selectOption" {
			result = `{"values":[]}`
		} else if !effects[c.method] {
			return message{}, NotedUnsuited
		}
		if !c.waitFor(t, part) {
			return message{}, NotedUnsuited
		}
		m, _ := readMessage([]byte(`{"id":` + c.id + `,"result":` + result + `}`))
		return m, NotedDone
	}
	return message{}, NotedDone
}

// onOther makes the call with another selector in the place of one of its own.
func (c *call) onOther(part int, selector string, limit time.Duration) (message, error) {
	quoted, err := json.Marshal(selector)
	if err != nil {
		return message{}, err
	}
	return c.r.repeat(c.m, append(c.limitTime(limit), edit{c.targets[part].at, quoted})...)
}

// waitFor waits for the element of a target and reports whether it came.
func (c *call) waitFor(t *trial, part int) bool {
	params := map[string]any{"selector": c.targets[part].selector, "state": "attached", "omitReturnValue": true}
	limit := t.Limit
	if limit == 0 {
		limit = patience
	}
	_, err := c.r.ask(c.place.frame, "waitForSelector", params, float64(limit.Milliseconds()))()
	return err == nil
}

//go:embed others.js
var othersScript string

// tryOthers makes the call on another element that is like the target's: the likest on
// which an action succeeds.
func (c *call) tryOthers(t *trial, part int) (message, Noted) {
	if !c.waitFor(t, part) {
		return message{}, NotedUnsuited
	}
	selector := c.targets[part].selector
	use := "read"
	if effects[c.method] || c.method == "selectOption" {
		use = "act"
	}
	value, err := c.r.evaluate(c.place.frame, "evalOnSelectorAll", selector, othersScript, []any{use})()
	text, _ := value.(string)
	var paths []string
	if err != nil || json.Unmarshal([]byte(text), &paths) != nil {
		return message{}, NotedUnsuited
	}
	if t.Control == Another {
		paths = paths[min(1, len(paths)):]
	}
	frames := ""
	if end := strings.LastIndex(selector, enterFrame); end >= 0 {
		frames = selector[:end+len(enterFrame)] + " >> "
	}
	for _, path := range paths {
		m, err := c.onOther(part, frames+"css="+path, otherTime)
		if err == nil && (use == "read" || errorOf(m) == nil) {
			return m, NotedDone
		}
	}
	return message{}, NotedUnsuited
}
