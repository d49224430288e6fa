package junit

import (
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// close handles an end tag. One that leaves out open elements closes them, and one
// that fits none is dropped. Both give a notice, which blocks where a result may
// be missing.
func (d *document) close(k kind, name []byte) error {
	for i := len(d.stack) - 1; i >= 0; i-- {
		if d.stack[i].kind != k || k == kindOther && d.stack[i].name != string(name) {
			continue
		}
		d.noteUnclosed(d.stack[i+1:])
		for len(d.stack) > i {
			if err := d.pop(); err != nil {
				return err
			}
		}
		return nil
	}
	if k.structural() && !d.quiet() {
		d.Notices.Blockf("structure", d.Scan.Line, "the end tag </%s> has no beginning; part of the report is missing", name)
	} else {
		d.Notices.Warn("mismatch", d.Scan.Line, "an end tag without its beginning was left out")
	}
	return nil
}

func (d *document) quiet() bool { return len(d.stack) > 0 && d.stack[len(d.stack)-1].quiet }

func (d *document) noteUnclosed(open []element) {
	for _, e := range open {
		if e.kind.structural() && !e.quiet {
			d.Notices.Block("structure", d.Scan.Line, "a suite or test case is not closed; part of the report is missing")
			return
		}
	}
	if len(open) > 0 {
		d.Notices.Warn("mismatch", d.Scan.Line, "an element that is not closed was closed")
	}
}

// pop closes the innermost element.
func (d *document) pop() error {
	e := d.stack[len(d.stack)-1]
	d.stack = d.stack[:len(d.stack)-1]
	quiet := d.quiet()
	switch {
	case e.finding != nil:
		d.TextLeft -= int64(len(e.finding.text.Text))
		if e.fault != nil {
			d.suites[d.current].addFault(e.fault)
		}
		if d.TextLeft > 0 && (e.finding.text.Cut || e.finding.message.Cut) {
			d.Notices.Warn("cut", d.Scan.Line, "a failure text was too long and was cut")
		}
	case quiet:
	case e.kind == kindCase:
		c := d.cases[len(d.cases)-1]
		d.cases = d.cases[:len(d.cases)-1]
		return d.closeCase(c)
	case e.kind == kindSuite || e.kind == kindGroup:
		d.closeSuite()
	}
	return nil
}

// closeCase counts a closed test case and hands it on.
func (d *document) closeCase(c *openCase) error {
	v := c.judge()
	if d.Mute && len(v.attempts)+len(c.properties)+len(c.attached) > 0 {
		d.DropTexts(c.line)
		v.bare()
		c.properties, c.attached = nil, nil
	}
	d.suites[c.suite].count(v.status, v.status == engine.StatusPassed && v.flaky > 0)
	if c.unfound() {
		d.Notices.Blockf("unfound", c.line, "test %q could not run: its program or a file it needs is missing", text.Cut(string(c.name.Text), 80))
	}
	if c.dropped > 0 {
		d.Notices.Warnf("attempts", c.line, "a test case holds more than %d failures; the rest were left out", d.Limits.Attempts)
	}
	return d.batch.add(c, v)
}

func (d *document) closeSuite() {
	s := d.suites[d.current]
	s.check(d.Notices)
	d.hidden.check(s)
	parent := d.suites[s.parent]
	parent.counted.addAll(s.counted)
	parent.flaky += s.flaky
	d.batch.closeSuite(d.current)
	d.current = s.parent
}

// finish closes what a truncated file left open. A test case that ends early
// counts only where it already failed: nothing proves that the others passed.
func (d *document) finish() error {
	if f := d.suites[0].faults; f.failures+f.errors > 0 {
		d.Notices.Block("suite-error", d.Scan.Line, "a failure stands outside every suite: "+d.suites[0].fault)
	}
	if len(d.stack) == 0 && !d.Scan.Cut {
		return nil
	}
	reason := "the report is truncated"
	if n := len(d.cases); n > 0 {
		reason += fmt.Sprintf(" inside test case %q", text.Cut(string(d.cases[n-1].name.Text), 80))
	}
	d.Notices.Block("truncated", d.Scan.Line, reason+"; only what is complete was read")
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
				d.Rows--
				continue
			}
		}
		if err := d.pop(); err != nil {
			return err
		}
	}
	return nil
}
