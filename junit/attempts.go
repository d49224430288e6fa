package junit

import (
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
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
			c.notes.warnf("rows", 0, "the report holds more than %d attempts of test %q; the rest were left out", c.options.Limits.Attempts, text.Cut(p.id(i), 80))
		}
		all := p.outcomes(i)
		skipped := all[len(all)-1].Status == engine.StatusSkipped // which proves nothing
		if rerun := res.flags&flagGo != 0 && retries; !rerun || skipped {
			res.flags |= flagFailingLast
			if mixed(all) {
				c.notes.warnf("same-name", 0, "test %q stands in the report more than once with different outcomes; the failing one decides", text.Cut(p.id(i), 80))
			}
		}
		whole := engine.TestResult{Attempts: p.outcomes(i)}
		res.flags.setFinal(whole.Final().Status, whole.Flaky())
	}
}

// repeated reports whether the tests of a Go report were run more than once,
// which is -count and no rerun of failures: one that always passed was, too.
// Subtests run again with the test they are of. Of packages that ran again as a
// whole go test -json says so.
func (c *collector) repeated() bool {
	if c.counted {
		return true
	}
	p := &c.out.packed
	every, passes := true, false
	for i := range p.results.len() {
		if p.results.at(i).flags&flagJoined == 0 {
			every = false
			continue
		}
		if all := p.outcomes(i); mixed(all) || all[len(all)-1].Status.Failing() {
			continue
		}
		passes = true
		if c.out.Format != formatGoTest && !subtest(p.id(i)) {
			return true
		}
	}
	return every && passes
}

// subtest reports whether the test of a Go report belongs to another.
func subtest(id string) bool {
	return strings.Contains(id[strings.LastIndex(id, pathSeparator)+1:], "/")
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
