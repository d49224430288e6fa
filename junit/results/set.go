// Package results keeps the results of one report in little memory.
package results

import (
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
)

// Set holds the results and rows of one report. They are small and hold no
// pointers: a passing test that ran once takes its name and about 35 bytes, and
// the garbage collector has nothing to follow. What tests of one suite share is
// kept once, and growing tables copy nothing.
type Set struct {
	results chunked[packedResult]
	rows    chunked[uint32] // by number: index of the result plus 1, or caseRow and an index of cases; 0 is no row
	cases   chunked[packedCase]
	names   arena
	shared  interner
	origins chunked[origin]
	recent  map[origin]uint32 // indexes of origins used of late
	last    originNames
	lastAt  uint32 // index of last
	records recordLog
	texts   int // bytes of failure texts, properties and attachments in records
	index   hashIndex
	suites  []uint32 // ids of suite paths, in the order of the report
	known   []uint64 // a bit for every id in suites
	scratch []byte
}

// originNames is what the tests of one suite share. An identity consists of before,
// the test's name and after; reported is the file as the report names it.
type originNames struct{ suite, class, file, reported, env, before, after string }

// origin is originNames as ids of Set.shared. separated says that a separator
// follows before, which is then often the same text as class or file.
type origin struct {
	suite, class, file, reported, env, before, after uint32
	separated                                        bool
}

// Size returns how many bytes are kept beside texts.
func (p *Set) Size() int64 {
	return int64(24*p.results.len() + 4*p.rows.len() + 32*(p.cases.len()+p.origins.len()) +
		p.names.size + p.records.log.size - p.texts + p.shared.text.size + 8*p.shared.spans.len() + p.shared.index.size() + p.index.size() + 4*len(p.suites))
}

// AddTextSize says how many bytes the texts, properties and attachments of the next
// row have, which Size leaves out.
func (p *Set) AddTextSize(bytes int64) { p.texts += int(bytes) }

// AddSuite adds a suite path and returns how many there are.
func (p *Set) AddSuite(path string) int {
	if path == "" {
		return len(p.suites)
	}
	id := p.shared.idOf(path)
	for int(id/64) >= len(p.known) {
		p.known = append(p.known, 0)
	}
	if bit := uint64(1) << (id % 64); p.known[id/64]&bit == 0 {
		p.known[id/64] |= bit
		p.suites = append(p.suites, id)
	}
	return len(p.suites)
}

// SuitePaths returns the suite paths, each once.
func (p *Set) SuitePaths() []string {
	var out []string
	for _, id := range p.suites {
		out = append(out, p.shared.string(id))
	}
	return out
}

// AddRow adds the row c with its number in the report. r is the result that the row
// would give alone. It becomes a result, or further attempts of the result with
// the same identity, of which at most limit are kept. byGo says that a Go reporter
// wrote the row.
func (p *Set) AddRow(number int, r *engine.TestResult, c Case, byGo bool, limit int) {
	if i, found := p.findResult(string(r.ID)); found {
		p.joinRow(i, r, limit)
		p.setRow(number, i, c, r)
	} else {
		p.setRow(number, p.addResult(r, c, byGo), c, nil)
	}
}

// addResult appends the result r of row c and returns its index.
func (p *Set) addResult(r *engine.TestResult, c Case, byGo bool) int {
	out := packedResult{line: uint32(min(r.Line, 1<<31-1)), time: packTime(c.DurationMS), flags: resultFlags(input.StatusCode(c.Status))}
	if byGo {
		out.flags |= flagGo
	}
	o := originNames{suite: r.Suite, class: r.Class, file: r.File, reported: c.File, env: r.Environment, before: string(r.ID)}
	name := r.Name
	if o.class == r.Name { // as Jest has it: no class is shared then
		o.class = ""
		out.flags |= flagClassIsName
	}
	if at := lastIndex(o.before, r.Name); at >= 0 && len(r.Name) <= identity.MaxBytes {
		o.before, o.after, name = o.before[:at], o.before[at+len(r.Name):], ""
		s := p.names.addText([]byte(r.Name))
		out.name, out.nameLength = s.at, uint16(s.length)
	}
	out.origin = p.originOf(o)
	out.flags.setFinal(r.Final().Status, r.Flaky())
	if name != "" || !plainResult(r, c) {
		out.record = p.records.beginTest(p.encodeRecord(r, name, 0))
	}
	p.index.addEntry()
	return p.results.append(out)
}

// lastIndex is strings.LastIndex, quick where s ends in part.
func lastIndex(s, part string) int {
	if strings.HasSuffix(s, part) {
		return len(s) - len(part)
	}
	return strings.LastIndex(s, part)
}

// plainResult reports whether r says no more than c.
func plainResult(r *engine.TestResult, c Case) bool {
	return len(r.Attempts) == 1 && r.Attempts[0] == engine.Attempt{Status: c.Status, DurationMS: c.DurationMS} &&
		len(r.Properties) == 0 && len(r.Attachments) == 0 && c.Flaky == 0 && c.Reruns == 0
}

// joinRow adds to result i a row that would give r alone. Beyond limit attempts only
// a row that fails worse than all others is kept.
func (p *Set) joinRow(i int, r *engine.TestResult, limit int) {
	res := p.results.at(i)
	if res.record == 0 {
		first := engine.TestResult{Attempts: []engine.Attempt{{Status: res.flags.firstStatus(), DurationMS: res.time.milliseconds()}}}
		res.record = p.records.beginTest(p.encodeRecord(&first, "", 0))
	}
	res.flags |= flagJoined
	if res.flags&flagFull == 0 && p.attemptCount(i)+len(r.Attempts) <= limit {
		p.records.addRecord(res.record, p.encodeRecord(r, "", 0))
	} else {
		p.joinWorst(i, r.Final())
	}
	if res.line == 0 && r.Line > 0 {
		p.setPlace(i, r.File, r.Line)
	}
}

// joinWorst keeps an attempt beyond the limit if it fails worse than the last one
// kept beyond it.
func (p *Set) joinWorst(i int, last engine.Attempt) {
	res := p.results.at(i)
	res.flags |= flagFull
	if last.Status.Failing() && input.Severity(last.Status) > input.Severity(p.records.overflowStatus(res.record)) {
		only := engine.TestResult{Attempts: []engine.Attempt{last}}
		p.records.addRecord(res.record, p.encodeRecord(&only, "", recordOverflow))
	}
}

// overflowStatus returns the worst status kept beyond the limit, which is that of the
// test's last record.
func (c *recordLog) overflowStatus(first uint32) engine.Status {
	record := c.lastRecord(first)
	if record[recordHead-1]&recordOverflow == 0 {
		return engine.StatusPassed
	}
	r := recordReader(record[recordHead:])
	r.readNumber()
	status, _ := r.readOutcome()
	return status
}

func (p *Set) attemptCount(i int) (n int) {
	p.records.eachRecord(p.results.at(i).record, func(flags byte, r recordReader) {
		if flags&recordNamed != 0 {
			r.readBytes()
		}
		n += r.readNumber()
	})
	return n
}

func (p *Set) originOf(o originNames) uint32 {
	if p.origins.len() > 0 && p.last == o {
		return p.lastAt
	}
	p.last = o
	before, separated := strings.CutSuffix(o.before, identity.Separator)
	packed := origin{
		suite: p.shared.idOf(o.suite), class: p.shared.idOf(o.class), file: p.shared.idOf(o.file), reported: p.shared.idOf(o.reported),
		env: p.shared.idOf(o.env), before: p.shared.idOf(before), after: p.shared.idOf(o.after), separated: separated,
	}
	at, known := p.recent[packed]
	if !known {
		if p.recent == nil || len(p.recent) > 5_000 {
			p.recent = map[origin]uint32{}
		}
		at = uint32(p.origins.append(packed))
		p.recent[packed] = at
	}
	p.lastAt = at
	return at
}

// setPlace sets where result i is.
func (p *Set) setPlace(i int, file string, line int) {
	r := p.results.at(i)
	var u unpacker
	o := *u.namesOf(p, r.origin)
	o.file = file
	r.origin, r.line = p.originOf(o), uint32(min(line, 1<<31-1))
}

// findResult returns the result with the identity id.
func (p *Set) findResult(id string) (int, bool) {
	return p.index.findEntry(id, func(i int) bool {
		p.scratch = p.appendID(i, p.scratch[:0])
		return string(p.scratch) == id
	})
}

func (p *Set) nameBytes(r *packedResult) []byte {
	return p.names.bytes(span{r.name, uint32(r.nameLength)})
}

// appendID appends the identity of result i to b.
func (p *Set) appendID(i int, b []byte) []byte {
	r := p.results.at(i)
	o := p.origins.at(int(r.origin))
	b = append(b, p.shared.bytes(o.before)...)
	if o.separated {
		b = append(b, identity.Separator...)
	}
	b = append(b, p.nameBytes(r)...)
	return append(b, p.shared.bytes(o.after)...)
}

// ID returns the identity of result i.
func (p *Set) ID(i int) engine.TestID {
	return engine.NewTestID(string(p.appendID(i, make([]byte, 0, 64))))
}
