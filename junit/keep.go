package junit

import (
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// nameBytes bounds the name of a test.
const nameBytes = 2 * kilobyte

// keep takes one row of the report.
func (c *collector) keep(r row) error {
	c.runners[r.runner]++
	if name := r.result.Name; len(name) > nameBytes {
		r.result.Name = text.Cut(name, nameBytes)
		c.notes.warnf("name", r.line, "the name of a test is longer than %d bytes and was cut; its identity ends in a digest of the whole", nameBytes)
	}
	c.bound(&r.result, r.line)
	if r.unrun && len(c.out.Unrun) < maxUnrun {
		c.out.Unrun = append(c.out.Unrun, r.result.ID)
	}
	p := &c.out.packed
	if at, found := p.find(r.result.ID); found {
		p.join(at, r.number, &r.result, r.shared, c.options.Limits.Attempts)
	} else {
		p.add(r.number, &r.result, r.shared, r.runner)
	}
	return c.within(r.line)
}

// maxUnrun bounds File.Unrun.
const maxUnrun = 1000

// enterSuite keeps the path of a suite.
func (c *collector) enterSuite(path string) error {
	c.out.packed.addSuite(path)
	return c.within(c.doc.scan.line)
}

// waitEvery is after how many results a caller may wait for memory.
const waitEvery = 512

// within stops a report that holds more at line than may be kept of it.
func (c *collector) within(line int) error {
	if c.kept++; c.kept%waitEvery == 0 && c.options.Wait != nil {
		c.options.Wait()
	}
	if limits := c.options.Limits; c.out.packed.size() > limits.KeptBytes {
		return c.doc.stop(line, fmt.Sprintf("the names of suites and tests are too large: they need more than %d bytes; the rest of the file was not read", limits.KeptBytes))
	}
	return nil
}

// bound takes what r holds beside its names off what may be kept of one file.
// Where that is used up, first texts and properties go and messages are cut,
// then those go too; the tests still count.
func (c *collector) bound(r *engine.TestResult, line int) {
	size := textSize(r)
	if size == 0 {
		return
	}
	if c.texts-size < c.options.Limits.TextBytes/8 {
		c.doc.noTexts(line)
		for i := range r.Attempts {
			a := &r.Attempts[i]
			a.Text, a.Message = "", text.Cut(a.Message, 120)
		}
		r.Properties, r.Attachments = nil, nil
		size = textSize(r)
	}
	if c.texts < size {
		c.doc.mute = true
		for i := range r.Attempts {
			r.Attempts[i].Message, r.Attempts[i].ErrorType = "", ""
		}
		return
	}
	c.texts -= size
	c.out.packed.texts += int(size)
}

// textSize is what r holds beside its names and outcomes, in bytes.
func textSize(r *engine.TestResult) int64 {
	size := 0
	for _, a := range r.Attempts {
		size += len(a.Text) + len(a.Message) + len(a.ErrorType)
	}
	for name, value := range r.Properties {
		size += len(name) + len(value) + 2
	}
	for _, name := range r.Attachments {
		size += len(name) + 2
	}
	return int64(size)
}
