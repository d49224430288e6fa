package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
)

// healed are the methods of a frame that wait for an element and then act on it or read
// it, with the name that heal events have for them where it is another
// (packages/protocol/src/protocol.yml).
var healed = map[string]string{
	"blur": "", "check": "", "click": "", "dblclick": "", "dispatchEvent": "", "dragAndDrop": "dragTo", "drop": "",
	"evalOnSelector": "", "fill": "", "focus": "", "getAttribute": "", "hover": "", "innerHTML": "", "innerText": "",
	"inputValue": "", "isChecked": "", "isDisabled": "", "isEditable": "", "isEnabled": "", "press": "", "selectOption": "",
	"setInputFiles": "", "tap": "", "textContent": "", "type": "", "uncheck": "", "waitForSelector": "",
}

// twoTargets are those that look for two elements.
var twoTargets = map[string]bool{"dragAndDrop": true}

// errTimeout is in the error of every call that timed out.
var errTimeout = errors.New("timeout")

// call is a call of the client that may lose its element.
type call struct {
	r       *relay
	id      string // its JSON text
	m       message
	method  string
	place   place
	strict  bool
	isNot   bool     // of an assertion
	timeout float64  // in ms; 0 is none
	targets []target // what it looks for: one, or two where something is dragged
	site    *engine.Site
	api     string
	stepID  string

	byWorker bool                      // made by the worker itself, before the relay heard of it
	within   bool                      // with a timeout, which it has not of its own
	told     []func() (message, error) // wait for what was asked behind it: what it finds, and what frames show
	deadline time.Time                 // of its test
	sent     chan struct{}
	sending  sync.Once      // closes sent
	made     bool           // sent to the driver as the client wrote it
	reading  func(now bool) // has the page asked what it shows, or not; nil where that is done
	begun    bool           // the call is sent, and what was to be asked behind it
	asked    chan struct{}  // closed when the page answered that; nil when it is not to be asked
	shown    bool           // the element is there, once asked is closed
	answers  chan answer
	answered bool // by the driver, before the call ended
	ended    bool
	got      *answer // what came through answers
	replayed message // the last answer to the call with a healed element
}

// target is a selector in the parameters of a call.
type target struct {
	at       span
	selector string
}

// answer is what the driver answered to a call.
type answer struct {
	message
	passed bool                      // to the client already
	read   bool                      // the page had told what it shows
	again  []func() (message, error) // wait for what it shows now, which was asked once more
}

// callParams and callMetadata are what is read of a call.
type callParams struct {
	Strict  bool     `json:"strict"`
	State   string   `json:"state"`
	IsNot   bool     `json:"isNot"`
	Timeout *float64 `json:"timeout"`
}

type callMetadata struct {
	Location *engine.Site `json:"location"`
	APIName  string       `json:"apiName"`
	Title    string       `json:"title"`
	StepID   string       `json:"stepId"`
	Internal bool         `json:"internal"`
	Timeout  *float64     `json:"timeout"`
}

// readCall returns the call of a message, nil for one that can lose no element.
func (r *relay) readCall(m message) *call {
	method := m.string(m.method)
	if _, ok := healed[method]; !ok && method != "expect" || !m.has(m.id) {
		return nil
	}
	at, known := r.objects.placeOf(m.string(m.guid))
	var params callParams
	var about callMetadata
	if !known || json.Unmarshal(m.params.of(m.text), &params) != nil || m.has(m.metadata) && json.Unmarshal(m.metadata.of(m.text), &about) != nil {
		return nil
	}
	if params.State == "hidden" || params.State == "detached" || about.Internal {
		return nil
	}
	c := &call{r: r, id: string(m.id.of(m.text)), m: m, method: method, place: at, strict: params.Strict || method == "expect", isNot: params.IsNot,
		timeout: at.timeout, site: about.Location, api: about.APIName, stepID: about.StepID, sent: make(chan struct{}), answers: make(chan answer, 1)}
	if c.api == "" {
		c.api = about.Title
	}
	if c.site != nil && (c.site.File == "" || isOfGoBinding(c.site.File)) {
		c.site = nil
	}
	for _, given := range []*float64{about.Timeout, params.Timeout} {
		if given != nil {
			c.timeout = *given
		}
	}
	c.byWorker = r.options.Reader != "" && m.has(m.made)
	c.within = c.byWorker && m.has(m.within)
	names := []string{"selector"}
	if twoTargets[method] {
		names = []string{"source", "target"}
	}
	for _, name := range names {
		at, ok := m.field(m.params, name)
		selector := m.string(at)
		if !ok || selector == "" || selector == ":root" { // which a page's own assertions look for
			return nil
		}
		c.targets = append(c.targets, target{at, selector})
	}
	return c
}

// isOfGoBinding reports whether a place is one that playwright-go names: it sends the base
// name of a file of its own (serializeCallStack in its connection.go, v0.6100).
func isOfGoBinding(file string) bool {
	return strings.HasSuffix(file, ".go") && !strings.ContainsAny(file, `/\`)
}

// run makes the call and sees that the client gets one answer.
func (c *call) run() {
	defer c.r.endCall(c)
	defer func() {
		if fault := recover(); fault != nil {
			c.r.noteFault(fmt.Errorf("%s: %v", c.method, fault))
			c.giveUp()
		}
	}()
	if c.r.trial != nil {
		c.try()
		return
	}
	t, site, err := c.r.testOf(c)
	if err != nil {
		c.r.noteFault(err)
		c.giveUp()
		return
	}
	value, _ := c.perform(t, site)
	c.beginReading(false)
	c.r.saveAgain(t, c.place.page)
	if value.text == nil {
		value = c.replayed // a call that has no timeout was not made otherwise
	}
	switch {
	case c.got != nil && c.got.passed:
	case value.text != nil:
		c.r.takeCall(c.id)
		c.release()
		_ = c.r.toClient(value.text) // a client that is gone is noticed where it is read
	default:
		c.giveUp()
	}
}

// endCall notes that a call has ended, and its page is asked no more for it.
func (r *relay) endCall(c *call) {
	if c.asked != nil {
		select {
		case <-c.asked:
		case <-time.After(closeTime):
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.ended = true
	r.forgetAnswer(c)
}

// forgetAnswer notes that the page of a call is asked no more for it.
func (r *relay) forgetAnswer(c *call) {
	if !c.answered {
		return
	}
	c.answered = false
	if r.learning[c.place.page]--; r.learning[c.place.page] == 0 {
		delete(r.learning, c.place.page)
	}
	r.learned.Broadcast()
}

// giveUp lets the driver and the client speak for themselves.
func (c *call) giveUp() {
	if c.r.takeCall(c.id) != nil {
		c.send()
		return
	}
	if a := c.await(); !a.passed { // it was sent and is answered
		_ = c.r.toClient(a.text)
	}
}

// await waits for the answer to the call as the client wrote it. Where the page was asked once
// more, what it told before is forgotten.
func (c *call) await() answer {
	if c.got == nil {
		a := <-c.answers
		c.got = &a
		if a.again != nil {
			c.told = a.again
		}
	}
	return *c.got
}

// send sends the call as the client wrote it.
func (c *call) send() {
	if c.made {
		return
	}
	c.made = true
	_ = c.r.toDriver(c.m.text) // a driver that is gone is noticed where it is read
	c.beginReading(true)
	c.release()
}

// release lets the client's next calls pass.
func (c *call) release() { c.sending.Do(func() { close(c.sent) }) }

// perform makes the call. It returns the answer for the client, none when nothing was
// done yet.
func (c *call) perform(t *live.Test, site live.Site) (message, error) {
	action := healed[c.method]
	if action == "" {
		action = c.method
	}
	first := c.subject(c.targets[0], site, true)
	if c.method == "expect" {
		return c.check(t, first)
	}
	original := func() (message, error) { return c.original(t, first) }
	if len(c.targets) == 1 {
		return live.Read(t, first, action, original, func(at live.Locator) (message, error) { return c.again(at) })
	}
	second := func(from live.Locator) *live.Subject {
		s := c.subject(c.targets[1], site, false)
		s.Before = from
		return s
	}
	return live.Read(t, first, action,
		func() (message, error) {
			return live.Read(t, second(first.Locator), action, original, func(to live.Locator) (message, error) { return c.again(nil, to) })
		},
		func(from live.Locator) (message, error) {
			return live.Read(t, second(from), action,
				func() (message, error) { return c.again(from) },
				func(to live.Locator) (message, error) { return c.again(from, to) })
		})
}

// original makes the call as the client wrote it.
func (c *call) original(t *live.Test, first *live.Subject) (message, error) {
	switch {
	case c.within:
		return c.awaitWithin()
	case c.byWorker: // which has counted the element of one without a timeout
	case c.timeout == 0 && c.isRepeatable() && !t.Heals(): // nobody looks for what it loses
	case c.timeout == 0 && c.isRepeatable() && !c.place.traced:
		return c.originalWithin(c.patience())
	case c.timeout == 0:
		if err := c.awaitElement(first); err != nil {
			return message{}, err
		}
	case c.timeout <= shortTimeout:
		c.awaitReading() // the page does one after the other
	}
	c.send()
	a := c.await()
	return a.message, errorOf(a.message)
}

// again makes the call with the locators of healed elements, nil for those that were
// found.
func (c *call) again(found ...live.Locator) (message, error) {
	var edits []edit
	for i, at := range found {
		if at == nil {
			continue
		}
		l, ok := at.(locator)
		if !ok || l.guid != c.place.frame && len(c.targets) > 1 {
			return message{}, errors.New("the healed element is in another frame")
		}
		selector, err := json.Marshal(l.selector)
		if err != nil {
			return message{}, err
		}
		edits = append(edits, edit{c.targets[i].at, selector})
		if l.guid != c.place.frame {
			guid, err := json.Marshal(l.guid)
			if err != nil {
				return message{}, err
			}
			edits = append(edits, edit{c.m.guid, guid})
		}
	}
	m, err := c.r.repeat(c.m, edits...)
	if err != nil {
		return message{}, err
	}
	c.replayed = m
	return m, errorOf(m)
}

// holds reports whether an answer is held back from the client: because the call may have
// lost its element, or for a moment, because what an assertion found is to be learned.
func (c *call) holds(m message) bool {
	if c.r.trial != nil {
		return false
	}
	if c.method == "expect" {
		return c.timeout >= minAssertion || !c.failed(m)
	}
	return errors.Is(errorOf(m), errTimeout)
}

// errorOf returns the error of an answer, nil for none. Older drivers write the log of the
// call into its message.
func errorOf(m message) error {
	if !m.has(m.fault) {
		if m.text == nil {
			return errEnded
		}
		return nil
	}
	var fault struct {
		Error struct{ Name, Message string }
	}
	if json.Unmarshal(m.fault.of(m.text), &fault) != nil {
		return errors.New("an error of unknown form")
	}
	text := fault.Error.Message + "\n" + logText(m.log.of(m.text))
	if fault.Error.Name == "TimeoutError" {
		return fmt.Errorf("%w: %s", errTimeout, text)
	}
	return errors.New(text)
}

// logText returns the lines of a log, "" where there is none.
func logText(log []byte) string {
	var lines []string
	_ = json.Unmarshal(log, &lines)
	return strings.Join(lines, "\n")
}
