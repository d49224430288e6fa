package results

import (
	"iter"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
)

// packedResult is an engine.TestResult.
type packedResult struct {
	origin     uint32
	record     uint32 // place of its first record plus 1, 0 for a single attempt without a text
	time       packedTime
	line       uint32
	name       uint32 // place in names
	nameLength uint16
	flags      resultFlags
}

// resultFlags hold two statuses of two bits each, of the first row and of the row that
// decides, and the flags below.
type resultFlags uint16

const (
	flagFlaky       resultFlags = 1 << (iota + 4) // passed after failing
	flagJoined                                    // has more than one row
	flagFailingLast                               // its failing rows decide
	flagGo                                        // a Go reporter wrote it
	flagFull                                      // rows beyond the limit were left out
	flagClassIsName                               // the class is the same text as the name
)

func (f resultFlags) firstStatus() engine.Status { return input.StatusOf(uint8(f & 3)) }

func (f resultFlags) finalStatus() engine.Status { return input.StatusOf(uint8(f >> 2 & 3)) }

func (f *resultFlags) setFinal(s engine.Status, flaky bool) {
	*f = *f&^(3<<2|flagFlaky) | resultFlags(input.StatusCode(s))<<2
	if flaky {
		*f |= flagFlaky
	}
}

// packedTime is a duration in microseconds, or, beyond half an hour, in
// hundredths of a second.
type packedTime uint32

const longTime = 1 << 31

func packTime(ms float64) packedTime {
	if us := ms*1e3 + 0.5; us < longTime {
		return packedTime(max(us, 0))
	}
	return longTime | packedTime(min(ms/10+0.5, longTime-1))
}

func (t packedTime) milliseconds() float64 {
	if t >= longTime {
		return float64(t-longTime) * 10
	}
	return float64(t) / 1e3
}

// unpacker makes results from packed ones. Results made one after the other share
// the strings of their origin and the memory of their attempts.
type unpacker struct {
	at    uint32 // index plus 1 of the origin in last
	last  originNames
	plain []engine.Attempt // memory for results with one attempt
}

// namesOf returns the names of an origin.
func (u *unpacker) namesOf(p *Set, at uint32) *originNames {
	if u.at == at+1 {
		return &u.last
	}
	o := p.origins.at(int(at))
	u.at = at + 1
	u.last = originNames{
		suite: p.shared.string(o.suite), class: p.shared.string(o.class), file: p.shared.string(o.file), reported: p.shared.string(o.reported),
		env: p.shared.string(o.env), before: p.shared.string(o.before), after: p.shared.string(o.after),
	}
	if o.separated {
		u.last.before += identity.Separator
	}
	return &u.last
}

// Result returns result i.
func (p *Set) Result(i int, report string) engine.TestResult {
	var u unpacker
	return u.unpackResult(p, i, report)
}

// All returns every result.
func (p *Set) All(report string) iter.Seq[engine.TestResult] {
	return func(yield func(engine.TestResult) bool) {
		var u unpacker
		for i := range p.results.len() {
			if !yield(u.unpackResult(p, i, report)) {
				return
			}
		}
	}
}

// Len returns the number of results.
func (p *Set) Len() int { return p.results.len() }

// Final returns how result i ended.
func (p *Set) Final(i int) engine.Status { return p.results.at(i).flags.finalStatus() }

// Flaky reports whether result i passed after failing.
func (p *Set) Flaky(i int) bool { return p.results.at(i).flags&flagFlaky != 0 }

// unpackResult returns result i.
func (u *unpacker) unpackResult(p *Set, i int, report string) engine.TestResult {
	in := p.results.at(i)
	o := u.namesOf(p, in.origin)
	r := engine.TestResult{
		ID: p.ID(i), Suite: o.suite, Class: o.class, File: o.file,
		Line: int(in.line), Environment: o.env, Report: report,
	}
	r.Name = string(r.ID[len(o.before) : len(r.ID)-len(o.after)])
	if in.record == 0 {
		r.Attempts = u.singleAttempt(engine.Attempt{Status: in.flags.firstStatus(), DurationMS: in.time.milliseconds()})
	} else {
		p.readRecords(in, &r)
	}
	if in.flags&flagClassIsName != 0 {
		r.Class = r.Name
	}
	return r
}

// singleAttempt returns a list of a alone, cut from a larger list.
func (u *unpacker) singleAttempt(a engine.Attempt) []engine.Attempt {
	if len(u.plain) == cap(u.plain) {
		u.plain = make([]engine.Attempt, 0, min(max(2*cap(u.plain), 1), 256))
	}
	u.plain = append(u.plain, a)
	return u.plain[len(u.plain)-1 : len(u.plain) : len(u.plain)]
}

// outcomes returns how the attempts of result i ended, in their order.
func (p *Set) outcomes(i int) []engine.Attempt {
	in := p.results.at(i)
	if in.record == 0 {
		return []engine.Attempt{{Status: in.flags.firstStatus()}}
	}
	var bare engine.TestResult
	p.readRecords(in, &bare)
	return bare.Attempts
}
