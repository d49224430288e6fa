package results

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"

	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
)

// packedCase is a Case that differs from its result.
type packedCase struct {
	result, suite, class, name, file uint32
	time                             packedTime
	flaky, reruns, status            uint8
	named                            bool // the name differs from the result's
}

const caseRow = 1 << 31 // marks a row that is an index of Set.cases

// Case is one <testcase> row as the report has it.
type Case struct {
	Result     int           // index of its result, see File.Result
	File       string        // the case's file attribute as reported, may be empty
	Status     engine.Status // status of the row
	DurationMS float64
	Flaky      int // attempts that failed before the row passed
	Reruns     int // further failed attempts of a failing row
}

// setRow sets the row with a number, which is one of result i. joined is what the row
// would give alone, nil for the first row of a result.
func (p *Set) setRow(number, i int, c Case, joined *engine.TestResult) {
	if joined == nil && c.Flaky == 0 && c.Reruns == 0 {
		p.rows.set(number, uint32(i+1))
		return
	}
	out := packedCase{
		result: uint32(i), file: p.shared.idOf(c.File), time: packTime(c.DurationMS), status: input.StatusCode(c.Status),
		flaky: uint8(min(c.Flaky, 255)), reruns: uint8(min(c.Reruns, 255)),
	}
	if joined == nil {
		o := p.origins.at(int(p.results.at(i).origin))
		out.suite, out.class = o.suite, o.class
		if p.results.at(i).flags&flagClassIsName != 0 {
			out.class = p.shared.idOf(p.nameOf(i))
		}
	} else {
		out.suite, out.class = p.shared.idOf(joined.Suite), p.shared.idOf(joined.Class)
		if joined.Name != p.nameOf(i) {
			out.named, out.name = true, p.shared.idOf(joined.Name)
		}
	}
	p.rows.set(number, uint32(p.cases.append(out))|caseRow)
}

// nameOf returns the name of result i.
func (p *Set) nameOf(i int) string {
	r := p.results.at(i)
	if r.record != 0 {
		if record := p.records.log.from(r.record - 1); record[recordHead-1]&recordNamed != 0 {
			rest := recordReader(record[recordHead:])
			return rest.readText()
		}
	}
	return string(p.nameBytes(r))
}

// Row returns row i.
func (p *Set) Row(i int) Case {
	ref := *p.rows.at(i)
	if ref&caseRow == 0 {
		r := p.results.at(int(ref - 1))
		return Case{Result: int(ref - 1), File: p.shared.string(p.origins.at(int(r.origin)).reported), Status: r.flags.firstStatus(), DurationMS: r.time.milliseconds()}
	}
	c := p.cases.at(int(ref &^ caseRow))
	return Case{
		Result: int(c.result), File: p.shared.string(c.file), Status: input.StatusOf(c.status), DurationMS: c.time.milliseconds(),
		Flaky: int(c.flaky), Reruns: int(c.reruns),
	}
}

// RowNames returns suite, class and name of row i as the report has them.
func (p *Set) RowNames(i int) (suite, class, name string) {
	ref := *p.rows.at(i)
	if ref&caseRow == 0 {
		r := p.results.at(int(ref - 1))
		o := p.origins.at(int(r.origin))
		suite, class, name = p.shared.string(o.suite), p.shared.string(o.class), p.nameOf(int(ref-1))
		if r.flags&flagClassIsName != 0 {
			class = name
		}
		return suite, class, name
	}
	c := p.cases.at(int(ref &^ caseRow))
	if c.named {
		name = p.shared.string(c.name)
	} else {
		name = p.nameOf(int(c.result))
	}
	return p.shared.string(c.suite), p.shared.string(c.class), name
}

// trimRows drops the rows that were begun and not kept.
func (p *Set) trimRows() {
	kept := 0
	for i := range p.rows.len() {
		if ref := *p.rows.at(i); ref != 0 {
			*p.rows.at(kept) = ref
			kept++
		}
	}
	for p.rows.len() > kept {
		last := len(p.rows.chunks) - 1
		p.rows.chunks[last] = p.rows.chunks[last][:max(0, kept-last*chunkLength)]
		if len(p.rows.chunks[last]) == 0 {
			p.rows.chunks = p.rows.chunks[:last]
		}
	}
}

// RowCount returns the number of rows.
func (p *Set) RowCount() int { return p.rows.len() }

// RerunRules says what is known of several rows of one test.
type RerunRules struct {
	Limit    int  // attempts kept of one test
	Repeated bool // the report says that -count ran its tests several times
	ByName   bool // the report cannot say so; the names of its tests show it
}

// Finish ends the adding of rows and decides what several rows of one test mean. Go
// reporters write a rerun as a further row behind the failed one, so the last row
// decides. Rows of other runners can also be different tests with one name: there
// the failing rows are put last, so that a pass hides no failure.
func (p *Set) Finish(n *input.Notices, rules RerunRules) {
	p.trimRows()
	reruns := !rules.Repeated && !p.ranRepeatedly(rules.ByName)
	for i := range p.results.len() {
		res := p.results.at(i)
		if res.flags&flagJoined == 0 {
			continue
		}
		if res.flags&flagFull != 0 {
			n.Warn("rows", 0, "the report holds more than %d attempts of test %q; the rest were left out", rules.Limit, text.Cut(string(p.ID(i)), 80))
		}
		all := p.outcomes(i)
		skipped := all[len(all)-1].Status == engine.StatusSkipped // which proves nothing
		if rerun := res.flags&flagGo != 0 && reruns; !rerun || skipped {
			res.flags |= flagFailingLast
			if Mixed(all) {
				n.Warn("same-name", 0, "test %q stands in the report more than once with different outcomes; the failing one decides", text.Cut(string(p.ID(i)), 80))
			}
		}
		whole := engine.TestResult{Attempts: p.outcomes(i)}
		res.flags.setFinal(whole.Final().Status, whole.Flaky())
	}
}

// ranRepeatedly reports whether -count ran the tests of a Go report several times,
// which is no rerun of failures: then tests that always passed have several rows
// too. Where byName is set, one such test proves it unless it is a subtest, which
// also runs again with the test that it belongs to; else every test must be one.
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
		if id := string(p.ID(i)); byName && !strings.Contains(id[strings.LastIndex(id, identity.Separator)+1:], "/") {
			return true
		}
	}
	return every && passes
}

// Mixed reports whether some attempts fail and others do not.
func Mixed(attempts []engine.Attempt) bool {
	return slices.ContainsFunc(attempts, func(a engine.Attempt) bool { return a.Status.Failing() != attempts[0].Status.Failing() })
}

// PutFailingLast moves the rows that end in a failure behind the others and keeps the
// order among each. sizes are the numbers of attempts of the rows.
func PutFailingLast(attempts []engine.Attempt, sizes []int) {
	var passing, failing []engine.Attempt
	rest := attempts
	for _, n := range sizes {
		if rest[n-1].Status.Failing() {
			failing = append(failing, rest[:n]...)
		} else {
			passing = append(passing, rest[:n]...)
		}
		rest = rest[n:]
	}
	copy(attempts[copy(attempts, passing):], failing)
}
