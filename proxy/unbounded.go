package proxy

import (
	"errors"
	"strconv"
	"time"

	"github.com/breadcrumb/action/crumb/live"
)

// patience is after which an element counts as lost, where the call itself would wait on.
const patience = 10 * time.Second

// patience returns how long the call looks for its element before that counts as lost.
func (c *call) patience() time.Duration {
	limit := patience
	if !c.deadline.IsZero() {
		limit = min(limit, time.Until(c.deadline)/3)
	}
	return max(limit, time.Millisecond)
}

// onlyLook are the methods of calls that change nothing, and repeatSame those that do the same
// again when they are made twice.
var (
	onlyLook = map[string]bool{
		"getAttribute": true, "innerHTML": true, "innerText": true, "inputValue": true, "isChecked": true, "isDisabled": true,
		"isEditable": true, "isEnabled": true, "textContent": true, "waitForSelector": true,
	}
	repeatSame = map[string]bool{"blur": true, "fill": true, "focus": true}
)

// isRepeatable reports whether the call may be made twice when the first one timed out.
func (c *call) isRepeatable() bool { return onlyLook[c.method] || repeatSame[c.method] }

// originalWithin makes a repeatable call that has no timeout of its own with one. When it
// times out the client hears nothing of it, and the call is as if it were not made yet. To
// wait for the element first, as other calls do, takes as long again as a call that reads;
// those do it too of which a trace is kept, because it shows the timeout.
func (c *call) originalWithin(limit time.Duration) (message, error) {
	_ = c.r.toDriver(c.m.edited(c.editsOfTimeout(limit)...)) // a driver that is gone is noticed where it is read
	c.beginReading(true)
	c.release()
	return c.takeBack()
}

// awaitWithin is originalWithin for a call that its worker made with a timeout.
func (c *call) awaitWithin() (message, error) {
	c.send() // which ends in the lane to the worker
	m, err := c.takeBack()
	c.made = c.got != nil
	return m, err
}

// takeBack waits for the answer to a call with a timeout that it has not of its own. When it
// timed out the call is as if it were not made yet.
func (c *call) takeBack() (message, error) {
	a := c.await()
	err := errorOf(a.message)
	if a.passed || !errors.Is(err, errTimeout) || !c.r.putBack(c) {
		return a.message, err
	}
	c.got = nil
	return message{}, err
}

// editsOfTimeout returns the edits that give the call a timeout, where clients write it and
// drivers look for it: in the parameters, or in the metadata of newer ones.
func (c *call) editsOfTimeout(limit time.Duration) []edit {
	ms := []byte(strconv.FormatInt(limit.Milliseconds(), 10))
	var edits []edit
	for _, part := range []span{c.m.params, c.m.metadata} {
		if at, ok := c.m.field(part, "timeout"); ok {
			edits = append(edits, edit{at, ms})
		}
	}
	if len(edits) == 0 {
		begin := c.m.params.from + len("{")
		edits = append(edits, edit{span{begin, begin}, []byte(`"timeout":` + string(ms) + ",")})
	}
	return edits
}

// putBack takes a call whose answer the client did not get for one that the driver has not
// answered. It reports false when the connection has ended.
func (r *relay) putBack(c *call) bool {
	if !r.addCall(c) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetAnswer(c)
	return true
}

// awaitElement waits for the element of a call that has no timeout of its own, before the
// call is sent: sent calls cannot be taken back, and could act on an element that comes
// after the heal. The error is of kind errTimeout when the element is lost; otherwise the
// call itself is to say what it finds.
//
// An element that came only now is looked at once more: the click that opens a form in the
// place of its button leaves nothing to look at afterwards.
func (c *call) awaitElement(first *live.Subject) error {
	waiting, shown := c.targets, c.awaitReading()
	if shown {
		waiting = waiting[1:]
	}
	limit := c.patience()
	for _, t := range waiting {
		if n, err := (locator{frame{c.r, c.place.frame}, t.selector}).Count(); err == nil && n > 0 {
			continue // which takes the driver half as long as to wait for what is there
		}
		params := map[string]any{"selector": t.selector, "state": "attached", "omitReturnValue": true}
		m, err := c.r.ask(c.place.frame, "waitForSelector", params, float64(limit.Milliseconds()))()
		if errors.Is(err, errRefused) && errors.Is(errorOf(m), errTimeout) {
			return errorOf(m)
		}
	}
	if !shown && !c.readsBehind() {
		first.LookAgain()
	}
	return nil
}

// settle makes a call that has no timeout as the client wrote it, whose element did not come
// in time, and reports whether it came later.
func (c *call) settle() bool {
	c.send()
	err := errorOf(c.await().message)
	return err == nil || live.Found(err)
}
