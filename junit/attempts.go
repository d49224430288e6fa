package junit

import (
	"sort"

	"github.com/breadcrumb/action/engine"
)

// settle decides what the rows of one test mean. The Go reporters write a
// rerun as a further row behind the failed one, so the last row decides. Rows
// of other runners can as well be different tests under one name: there the
// failing ones are put last, so that no failure hides behind a pass.
func (c *collector) settle() {
	p := &c.out.packed
	retries := !c.repeated()
	for i := range p.results.len() {
		res := p.results.at(i)
		if res.flags&flagJoined == 0 {
			continue
		}
		if res.flags&flagFull != 0 {
			c.notes.warnf("rows", 0, "the report holds more than %d attempts of test %q; the rest were left out", c.options.Limits.Attempts, shorten(p.id(i), 80))
		}
		if rerun := res.flags&flagGo != 0 && retries; !rerun {
			res.flags |= flagFailingLast
			if mixed(p.outcomes(i)) {
				c.notes.warnf("same-name", 0, "test %q stands in the report more than once with different outcomes; the failing one decides", shorten(p.id(i), 80))
			}
		}
		whole := engine.TestResult{Attempts: p.outcomes(i)}
		res.flags.setFinal(whole.Final().Status, whole.Flaky())
	}
}

// repeated reports whether every test of a Go report was run more than once,
// which is -count and no rerun of failures.
func (c *collector) repeated() bool {
	p := &c.out.packed
	passes := false
	for i := range p.results.len() {
		if p.results.at(i).flags&flagJoined == 0 {
			return false
		}
		if all := p.outcomes(i); !mixed(all) && !all[len(all)-1].Status.Failing() {
			passes = true
		}
	}
	return passes && p.results.len() > 1
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
