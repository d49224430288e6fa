package junit

import (
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// close handles an end tag. One that skips open elements closes them, and one
// that fits none is dropped; both are told, and block where a result may be
// missing.
func (d *document) close(k kind, name []byte) error {
	for i := len(d.stack) - 1; i >= 0; i-- {
		if d.stack[i].kind != k || k == kindOther && d.stack[i].name != string(name) {
			continue
		}
		d.repaired(d.stack[i+1:])
		for len(d.stack) > i {
			if err := d.pop(); err != nil {
				return err
			}
		}
		return nil
	}
	if k.structural() && !d.quiet() {
		d.notes.blockf("structure", d.scan.line, "the end tag </%s> has no beginning; part of the report is missing", name)
	} else {
		d.notes.warn("mismatch", d.scan.line, "an end tag without its beginning was left out")
	}
	return nil
}

func (d *document) quiet() bool { return len(d.stack) > 0 && d.stack[len(d.stack)-1].quiet }

func (d *document) repaired(open []element) {
	for _, e := range open {
		if e.kind.structural() && !e.quiet {
			d.notes.block("structure", d.scan.line, "a suite or test case is not closed; part of the report is missing")
			return
		}
	}
	if len(open) > 0 {
		d.notes.warn("mismatch", d.scan.line, "an element that is not closed was closed")
	}
}

// pop closes the innermost element.
func (d *document) pop() error {
	e := d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
	quiet := d.quiet()
	switch {
	case e.finding != nil:
		d.text -= int64(len(e.finding.text.b))
		if e.fault != nil {
			d.suites[d.current].failed(e.fault)
		}
		if d.text > 0 && (e.finding.text.cut || e.finding.message.cut) {
			d.notes.warn("cut", d.scan.line, "a failure text was too long and was cut")
		}
	case quiet:
	case e.kind == kindCase:
		c := d.cases[len(d.cases)-1]
		d.cases = d.cases[:len(d.cases)-1]
		return d.done(c)
	case e.kind == kindSuite || e.kind == kindGroup:
		d.closeSuite()
	}
	return nil
}

// done counts a closed test case and hands it on.
func (d *document) done(c *openCase) error {
	v := c.judge()
	if d.mute && len(v.attempts)+len(c.properties)+len(c.attached) > 0 {
		d.noTexts(c.line)
		v.bare()
		c.properties, c.attached = nil, nil
	}
	d.suites[c.suite].count(v.status, v.status == engine.StatusPassed && v.flaky > 0)
	if c.unfound() {
		d.notes.blockf("unfound", c.line, "test %q could not run: its program or a file it needs is missing", text.Cut(string(c.name.b), 80))
	}
	if c.dropped > 0 {
		d.notes.warnf("attempts", c.line, "a test case holds more than %d failures; the rest were left out", d.limits.Attempts)
	}
	return d.batch.add(c, v)
}

// noTexts says that texts are left out from line on, and keeps no more.
func (d *document) noTexts(line int) {
	d.text = min(d.text, 0)
	d.notes.warnf("texts", line, "the report holds more than %d bytes of failure texts, properties and attachments; further ones were left out, the tests count", d.limits.TextBytes)
}

func (d *document) closeSuite() {
	s := d.suites[d.current]
	s.check(d.notes)
	d.hidden.see(s)
	parent := d.suites[s.parent]
	parent.counted.addAll(s.counted)
	parent.flaky += s.flaky
	d.batch.closeSuite(d.current)
	d.current = s.parent
}

// release lets go of closed suites, whose test cases are built.
func (d *document) release(closed []int) {
	for _, i := range closed {
		d.suites[i] = nil
	}
}

// finish closes what a truncated file left open. A test case that ends early
// counts only where it already failed: nothing proves that the others passed.
func (d *document) finish() error {
	if f := d.suites[0].faults; f.failures+f.errors > 0 {
		d.notes.block("suite-error", d.scan.line, "a failure stands outside every suite: "+d.suites[0].fault)
	}
	if len(d.stack) == 0 && !d.scan.cut {
		return nil
	}
	reason := "the report is truncated"
	if n := len(d.cases); n > 0 {
		reason += fmt.Sprintf(" inside test case %q", text.Cut(string(d.cases[n-1].name.b), 80))
	}
	d.notes.block("truncated", d.scan.line, reason+"; only what is complete was read")
	return d.abandon()
}

// abandon hands on the open test cases that already failed and closes the rest.
func (d *document) abandon() error {
	for len(d.stack) > 0 {
		e := d.stack[len(d.stack)-1]
		if e.kind == kindCase && !e.quiet {
			if c := d.cases[len(d.cases)-1]; !c.judge().status.Failing() {
				d.cases = d.cases[:len(d.cases)-1]
				d.stack = d.stack[:len(d.stack)-1]
				d.rows--
				continue
			}
		}
		if err := d.pop(); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) stop(line int, reason string) error {
	d.notes.block("limit", line, reason)
	return errStop
}
