package junit

import (
	"slices"

	"github.com/breadcrumb/action/engine"
)

// unpacker makes results of packed ones. Results made one after the other share
// the strings of their origin and the memory of their attempts.
type unpacker struct {
	at    uint32 // of the origin in last, plus 1
	last  originNames
	plain []engine.Attempt
}

// names returns the names of an origin.
func (u *unpacker) names(p *packed, at uint32) *originNames {
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
		u.last.before += pathSeparator
	}
	return &u.last
}

// result returns result i.
func (u *unpacker) result(p *packed, i int, report string) engine.TestResult {
	in := p.results.at(i)
	o := u.names(p, in.origin)
	r := engine.TestResult{
		ID: p.id(i), Suite: o.suite, Class: o.class, File: o.file,
		Line: int(in.line), Environment: o.env, Report: report,
	}
	r.Name = r.ID[len(o.before) : len(r.ID)-len(o.after)]
	if in.record == 0 {
		r.Attempts = u.one(engine.Attempt{Status: in.flags.first(), DurationMS: in.time.ms()})
		return r
	}
	p.more(in, &r)
	return r
}

// one returns a list of a, cut from a larger one.
func (u *unpacker) one(a engine.Attempt) []engine.Attempt {
	if len(u.plain) == cap(u.plain) {
		u.plain = make([]engine.Attempt, 0, min(max(2*cap(u.plain), 1), 256))
	}
	u.plain = append(u.plain, a)
	return u.plain[len(u.plain)-1 : len(u.plain) : len(u.plain)]
}

// more reads the records of in into r.
func (p *packed) more(in *packedResult, r *engine.TestResult) {
	var sizes []int
	var beyond *engine.Attempt
	p.chain.each(in.record, func(flags byte, rec recordReader) {
		if flags&recordNamed != 0 {
			r.Name = rec.text()
		}
		n := rec.number()
		if flags&recordOverflow != 0 {
			a := rec.attempt()
			beyond = &a
			return
		}
		sizes = append(sizes, n)
		for range n {
			r.Attempts = append(r.Attempts, rec.attempt())
		}
		rec.rest(r)
	})
	if in.flags&flagFailingLast != 0 {
		failingLast(r.Attempts, sizes)
	}
	if beyond != nil {
		r.Attempts = append(r.Attempts, *beyond)
	}
}

// rest reads properties and attachments. Where rows differ the first one's
// property stays.
func (r *recordReader) rest(out *engine.TestResult) {
	for range r.number() {
		name, value := r.text(), r.text()
		if out.Properties == nil {
			out.Properties = map[string]string{}
		}
		if _, known := out.Properties[name]; !known {
			out.Properties[name] = value
		}
	}
	for range r.number() {
		if name := r.text(); len(out.Attachments) < attachmentsMax && !slices.Contains(out.Attachments, name) {
			out.Attachments = append(out.Attachments, name)
		}
	}
}

// outcomes returns how the attempts of result i ended, in their order.
func (p *packed) outcomes(i int) []engine.Attempt {
	in := p.results.at(i)
	if in.record == 0 {
		return []engine.Attempt{{Status: in.flags.first()}}
	}
	var bare engine.TestResult
	p.more(in, &bare)
	return bare.Attempts
}
