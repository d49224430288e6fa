package junit

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/breadcrumb/action/engine"
)

// group is a test that a file holds more than one row of.
type group struct {
	runner Runner
	sizes  []int // attempts of each row, in the order of the report
	full   bool
	worst  engine.Attempt // the worst attempt dropped beyond the limit
}

// join adds the attempts of another row of the test at index at.
func (c *collector) join(at int, r row) {
	res := c.out.packed.results.at(at)
	more := res.open()
	g := c.groups[at]
	if g == nil {
		g = &group{runner: r.runner, sizes: []int{len(more.attempts)}}
		c.groups[at] = g
	}
	if len(more.attempts)+len(r.result.Attempts) > c.options.Limits.Attempts {
		last := r.result.Final()
		if !g.full || severity(last.Status) > severity(g.worst.Status) {
			g.worst = last
		}
		g.full = true
		return
	}
	g.sizes = append(g.sizes, len(r.result.Attempts))
	more.attempts = append(more.attempts, r.result.Attempts...)
	for _, name := range r.result.Attachments {
		if len(more.attachments) < attachmentsMax && !slices.Contains(more.attachments, name) {
			more.attachments = append(more.attachments, name)
		}
	}
	if res.line == 0 && r.result.Line > 0 {
		c.out.packed.move(at, r.result.File, r.result.Line)
	}
	for name, value := range r.result.Properties {
		if more.properties == nil {
			more.properties = map[string]string{}
		}
		if _, known := more.properties[name]; !known && len(more.properties) < c.options.Limits.Properties {
			more.properties[name] = value
		}
	}
}

// settle decides what the rows of one test mean. The Go reporters write a
// rerun as a further row behind the failed one, so the last row decides. Rows
// of other runners can as well be different tests under one name: there the
// failing ones are put last, so that no failure hides behind a pass.
func (c *collector) settle() {
	retries := !c.repeated()
	for _, at := range slices.Sorted(maps.Keys(c.groups)) {
		g := c.groups[at]
		id, res := c.out.packed.id(at), c.out.packed.results.at(at).open()
		rerun := g.runner == RunnerGo && retries
		if !rerun {
			failingLast(res.attempts, g.sizes)
		}
		if g.full {
			c.notes.warn("rows", 0, fmt.Sprintf("the report holds more than %d attempts of test %q; the rest were left out", c.options.Limits.Attempts, shorten(id, 80)))
			if g.worst.Status.Failing() {
				res.attempts = append(res.attempts, g.worst)
			}
		}
		if !rerun && mixed(res.attempts) {
			c.notes.warn("same-name", 0, fmt.Sprintf("test %q stands in the report more than once with different outcomes; the failing one decides", shorten(id, 80)))
		}
	}
}

// repeated reports whether every test of a Go report was run more than once,
// which is -count and no rerun of failures.
func (c *collector) repeated() bool {
	if len(c.groups) < 2 || len(c.groups) < c.out.Len() {
		return false
	}
	passes := false
	for at := range c.groups {
		if res := c.out.packed.results.at(at); !mixed(res.attempts()) && !res.final().Failing() {
			passes = true
		}
	}
	return passes
}

func mixed(attempts []engine.Attempt) bool {
	failing, other := false, false
	for _, a := range attempts {
		if a.Status.Failing() {
			failing = true
		} else {
			other = true
		}
	}
	return failing && other
}

// failingLast moves the rows that end in a failure behind the others, each
// kind in its own order.
func failingLast(attempts []engine.Attempt, sizes []int) {
	rows := make([][]engine.Attempt, 0, len(sizes))
	rest := append([]engine.Attempt(nil), attempts...)
	for _, n := range sizes {
		rows = append(rows, rest[:n])
		rest = rest[n:]
	}
	sort.SliceStable(rows, func(i, j int) bool {
		return !rows[i][len(rows[i])-1].Status.Failing() && rows[j][len(rows[j])-1].Status.Failing()
	})
	at := 0
	for _, r := range rows {
		at += copy(attempts[at:], r)
	}
}
