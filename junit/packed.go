package junit

import (
	"cmp"
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// packed holds results and rows small: a passing test that ran once costs its
// name and about 75 bytes beside it. What tests of one suite share is kept once,
// and nothing is copied as the tables grow.
type packed struct {
	results chunked[packedResult]
	rows    chunked[packedRow]
	text    arena
	index   identityIndex
	origins map[origin]*origin
	last    *origin
	files   map[string]uint32 // reported files to index in paths
	paths   []string
	names   map[int32]*caseNames // by row number, where they are not the result's
}

// origin is what tests of one suite have in common. An identity is before,
// name and after.
type origin struct{ suite, class, file, env, before, after string }

// packedResult is an engine.TestResult.
type packedResult struct {
	from       *origin
	more       *moreResult // nil for a test with one attempt without a text
	durationMS float64
	name       span // empty where the identity does not hold the name
	line       int32
	status     uint8
}

// moreResult is what few results have.
type moreResult struct {
	name        string
	attempts    []engine.Attempt
	properties  map[string]string
	attachments []string
}

// packedRow is a Case.
type packedRow struct {
	durationMS    float64
	result        int32
	number        int32
	file          uint32
	flaky, reruns uint8
	status        uint8
}

var statusCodes = [...]engine.Status{engine.StatusPassed, engine.StatusSkipped, engine.StatusFailed, engine.StatusError}

func statusCode(s engine.Status) uint8 {
	for i, known := range statusCodes {
		if s == known {
			return uint8(i)
		}
	}
	return uint8(len(statusCodes) - 1)
}

// add appends r and returns its index.
func (p *packed) add(r engine.TestResult) int {
	out := packedResult{line: int32(min(r.Line, 1<<31-1))}
	o := origin{suite: r.Suite, class: r.Class, file: r.File, env: r.Environment, before: r.ID}
	at := strings.LastIndex(r.ID, r.Name)
	if at >= 0 {
		o.before, o.after = r.ID[:at], r.ID[at+len(r.Name):]
		out.name = p.text.add(r.Name)
	}
	out.from = p.origin(o)
	plain := len(r.Attempts) == 1 && r.Attempts[0] == engine.Attempt{Status: r.Attempts[0].Status, DurationMS: r.Attempts[0].DurationMS}
	if plain {
		out.status, out.durationMS = statusCode(r.Attempts[0].Status), r.Attempts[0].DurationMS
	}
	if !plain || at < 0 || len(r.Properties) > 0 || len(r.Attachments) > 0 {
		out.more = &moreResult{attempts: r.Attempts, properties: r.Properties, attachments: r.Attachments}
		if at < 0 {
			out.more.name = r.Name
		}
	}
	i := p.results.append(out)
	p.index.add(r.ID, i, p.id)
	return i
}

func (p *packed) origin(o origin) *origin {
	if p.last != nil && *p.last == o {
		return p.last
	}
	if known := p.origins[o]; known != nil {
		p.last = known
		return known
	}
	if p.origins == nil || len(p.origins) > 5_000 {
		p.origins = map[origin]*origin{}
	}
	o.before, o.after = strings.Clone(o.before), strings.Clone(o.after)
	p.last = &o
	p.origins[o] = p.last
	return p.last
}

// move gives result i another place.
func (p *packed) move(i int, file string, line int) {
	r := p.results.at(i)
	o := *r.from
	o.file = file
	r.from, r.line = p.origin(o), int32(min(line, 1<<31-1))
}

// find returns the result with the identity id.
func (p *packed) find(id string) (int, bool) {
	return p.index.find(id, func(i int) bool {
		r := p.results.at(i)
		name := p.text.bytes(r.name)
		o := r.from
		return len(id) == len(o.before)+len(name)+len(o.after) && strings.HasPrefix(id, o.before) &&
			id[len(o.before):len(o.before)+len(name)] == string(name) && strings.HasSuffix(id, o.after)
	})
}

// unpack returns result i.
func (p *packed) unpack(i int, report string) engine.TestResult {
	in := p.results.at(i)
	r := engine.TestResult{
		ID: p.id(i), Suite: in.from.suite, Class: in.from.class, File: in.from.file,
		Line: int(in.line), Environment: in.from.env, Report: report, Attempts: in.attempts(),
	}
	r.Name = r.ID[len(in.from.before) : len(r.ID)-len(in.from.after)]
	if in.more != nil {
		r.Properties, r.Attachments = in.more.properties, in.more.attachments
		r.Name = cmp.Or(in.more.name, r.Name)
	}
	return r
}

// id returns the identity of result i.
func (p *packed) id(i int) string {
	r := p.results.at(i)
	return r.from.before + string(p.text.bytes(r.name)) + r.from.after
}

// name returns the name of result i.
func (p *packed) name(i int) string {
	r := p.results.at(i)
	if r.more != nil && r.more.name != "" {
		return r.more.name
	}
	return string(p.text.bytes(r.name))
}

func (r *packedResult) attempts() []engine.Attempt {
	if r.more != nil {
		return r.more.attempts
	}
	return []engine.Attempt{{Status: statusCodes[r.status], DurationMS: r.durationMS}}
}

// final returns the status that decides, as engine.TestResult.Final does.
func (r *packedResult) final() engine.Status {
	if r.more == nil {
		return statusCodes[r.status]
	}
	if n := len(r.more.attempts); n > 0 {
		return r.more.attempts[n-1].Status
	}
	return engine.StatusError
}

// flaky reports what engine.TestResult.Flaky does.
func (r *packedResult) flaky() bool {
	return r.more != nil && engine.TestResult{Attempts: r.more.attempts}.Flaky()
}

// open returns what r may have more of, to be changed.
func (r *packedResult) open() *moreResult {
	if r.more == nil {
		r.more = &moreResult{attempts: r.attempts()}
	}
	return r.more
}

// addRow appends a row. Its names are those of the result unless given.
func (p *packed) addRow(number int, c Case, names *caseNames) {
	p.rows.append(packedRow{
		durationMS: c.DurationMS, result: int32(c.Result), number: int32(number), file: p.file(c.File),
		flaky: uint8(min(c.Flaky, 255)), reruns: uint8(min(c.Reruns, 255)), status: statusCode(c.Status),
	})
	if names != nil {
		if p.names == nil {
			p.names = map[int32]*caseNames{}
		}
		p.names[int32(number)] = names
	}
}

func (p *packed) file(name string) uint32 {
	at, known := p.files[name]
	if !known {
		if p.files == nil || len(p.files) > 10_000 {
			p.files = map[string]uint32{}
		}
		at = uint32(len(p.paths))
		p.paths = append(p.paths, name)
		p.files[name] = at
	}
	return at
}

func (p *packed) row(i int) Case {
	r := p.rows.at(i)
	return Case{
		Result: int(r.result), File: p.paths[r.file], Status: statusCodes[r.status], DurationMS: r.durationMS,
		Flaky: int(r.flaky), Reruns: int(r.reruns),
	}
}

// sort puts rows that closed out of order, one inside the other, back into the
// order of the report.
func (p *packed) sort() {
	all := make([]packedRow, 0)
	for i, last := 0, int32(-1); i < p.rows.len(); i++ {
		number := p.rows.at(i).number
		if number < last && len(all) == 0 {
			all = p.rows.all()
		}
		last = number
	}
	if len(all) == 0 {
		return
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].number < all[j].number })
	for i, r := range all {
		*p.rows.at(i) = r
	}
}

// chunked is a list that grows without copying what it holds.
type chunked[T any] struct{ chunks [][]T }

const chunkLength = 2048

func (c *chunked[T]) len() int {
	if len(c.chunks) == 0 {
		return 0
	}
	return (len(c.chunks)-1)*chunkLength + len(c.chunks[len(c.chunks)-1])
}

func (c *chunked[T]) at(i int) *T { return &c.chunks[i/chunkLength][i%chunkLength] }

// append adds v and returns its index. The first chunk grows as it fills.
func (c *chunked[T]) append(v T) int {
	i := c.len()
	switch {
	case i == 0:
		c.chunks = [][]T{nil}
	case i%chunkLength == 0:
		c.chunks = append(c.chunks, make([]T, 0, chunkLength))
	}
	last := &c.chunks[i/chunkLength]
	*last = append(*last, v)
	return i
}

func (c *chunked[T]) all() []T {
	out := make([]T, 0, c.len())
	for _, chunk := range c.chunks {
		out = append(out, chunk...)
	}
	return out
}
