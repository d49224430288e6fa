package results

import (
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
)

// RerunRules says what several rows of one test of a Go report can mean.
type RerunRules struct {
	Limit    int  // attempts kept of one test
	Repeated bool // the report says that its tests were run more than once
	ByName   bool // ... only its names can say so
}

// Finish ends the adding of rows and decides what several rows of one test mean. Go reporters write
// a rerun as a further row behind the failed one, so the last row decides. Rows
// of other runners can also be different tests of one name: there the failing
// rows are put last, so that a pass hides no failure.
func (p *Set) Finish(n *input.Notices, rules RerunRules) {
	p.trimRows()
	reruns := !rules.Repeated && !p.ranRepeatedly(rules.ByName)
	for i := range p.results.len() {
		res := p.results.at(i)
		if res.flags&flagJoined == 0 {
			continue
		}
		if res.flags&flagFull != 0 {
			n.Warnf("rows", 0, "the report holds more than %d attempts of test %q; the rest were left out", rules.Limit, text.Cut(p.ID(i), 80))
		}
		all := p.outcomes(i)
		skipped := all[len(all)-1].Status == engine.StatusSkipped // which proves nothing
		if rerun := res.flags&flagGo != 0 && reruns; !rerun || skipped {
			res.flags |= flagFailingLast
			if Mixed(all) {
				n.Warnf("same-name", 0, "test %q stands in the report more than once with different outcomes; the failing one decides", text.Cut(p.ID(i), 80))
			}
		}
		whole := engine.TestResult{Attempts: p.outcomes(i)}
		res.flags.setFinal(whole.Final().Status, whole.Flaky())
	}
}

// ranRepeatedly reports whether the tests of a Go report were run more than once
// by -count, which is no rerun of failures: then tests that always passed have
// several rows too. Where byName is set, one such test that is no subtest proves
// it (subtests run again with the test they belong to); else all must be such.
func (p *Set) ranRepeatedly(byName bool) bool {
	every, passes := true, false
	for i := range p.results.len() {
		if p.results.at(i).flags&flagJoined == 0 {
			every = false
			continue
		}
		if all := p.outcomes(i); Mixed(all) || all[len(all)-1].Status.Failing() {
			continue
		}
		passes = true
		if id := p.ID(i); byName && !strings.Contains(id[strings.LastIndex(id, identity.Separator)+1:], "/") {
			return true
		}
	}
	return every && passes
}

func Mixed(attempts []engine.Attempt) bool {
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

// PutFailingLast moves the rows that end in a failure behind the others, each
// kind in its own order.
func PutFailingLast(attempts []engine.Attempt, sizes []int) {
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
