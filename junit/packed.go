package junit

import (
	"strings"

	"github.com/breadcrumb/action/engine"
)

// packed holds results and rows small and without pointers: a passing test that
// ran once costs its name and about 35 bytes beside it, and nothing for the
// garbage collector to follow. What tests of one suite share is kept once, and
// nothing is copied as the tables grow.
type packed struct {
	results chunked[packedResult]
	rows    chunked[uint32] // by number: index of the result plus 1, or of a case; 0 where there is none
	cases   chunked[packedCase]
	names   arena
	shared  interner
	origins chunked[origin]
	byNames map[origin]uint32 // origins lately used
	last    originNames
	lastAt  uint32
	chain   chain
	texts   int // bytes of failure texts, properties and attachments in chain
	index   hashIndex
	suites  []uint32 // suite paths, in the order of the report
	known   []uint64 // a bit for every number that is in suites
	scratch []byte
}

// originNames is what tests of one suite have in common. An identity is before,
// name and after; reported is the file as the report has it.
type originNames struct{ suite, class, file, reported, env, before, after string }

// origin is originNames, by their numbers in packed.shared. separated says that
// pathSeparator follows before, which then is often a class or file.
type origin struct {
	suite, class, file, reported, env, before, after uint32
	separated                                        bool
}

// packedResult is an engine.TestResult.
type packedResult struct {
	origin     uint32
	record     uint32 // place of its first record plus 1; 0 for one attempt without a text
	time       packedTime
	line       uint32
	name       uint32 // place in names
	nameLength uint16
	flags      resultFlags
}

// packedCase is a Case that says something else than its result.
type packedCase struct {
	result, suite, class, name, file uint32
	time                             packedTime
	flaky, reruns, status            uint8
	named                            bool // the name differs from the result's
}

const caseRow = 1 << 31 // marks a row that is an index of cases

// resultFlags hold the status of the first row and the one that decides, two
// bits each, and the rest.
type resultFlags uint16

const (
	flagFlaky       resultFlags = 1 << (iota + 4) // passed after failing
	flagJoined                                    // has more than one row
	flagFailingLast                               // its failing rows decide
	flagGo                                        // a Go reporter wrote it
	flagFull                                      // rows beyond the limit were left out
)

func (f resultFlags) first() engine.Status { return statusCodes[f&3] }
func (f resultFlags) final() engine.Status { return statusCodes[f>>2&3] }

func (f *resultFlags) setFinal(s engine.Status, flaky bool) {
	*f = *f&^(3<<2|flagFlaky) | resultFlags(statusCode(s))<<2
	if flaky {
		*f |= flagFlaky
	}
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

func (t packedTime) ms() float64 {
	if t >= longTime {
		return float64(t-longTime) * 10
	}
	return float64(t) / 1e3
}

// size is what is kept beside texts, in bytes.
func (p *packed) size() int64 {
	return int64(24*p.results.len() + 4*p.rows.len() + 32*(p.cases.len()+p.origins.len()) +
		p.names.size + p.chain.log.size - p.texts + p.shared.size() + p.index.size() + 4*len(p.suites))
}

// addSuite enters a suite path.
func (p *packed) addSuite(path string) {
	if path == "" {
		return
	}
	id := p.shared.id(path)
	for int(id/64) >= len(p.known) {
		p.known = append(p.known, 0)
	}
	if bit := uint64(1) << (id % 64); p.known[id/64]&bit == 0 {
		p.known[id/64] |= bit
		p.suites = append(p.suites, id)
	}
}

// suitePaths returns the suite paths entered, each once.
func (p *packed) suitePaths() []string {
	var out []string
	for _, id := range p.suites {
		out = append(out, p.shared.string(id))
	}
	return out
}

// add appends the result r of the row number, which is c, and returns its
// index.
func (p *packed) add(number int, r *engine.TestResult, c Case, runner Runner) int {
	out := packedResult{line: uint32(min(r.Line, 1<<31-1)), time: packTime(c.DurationMS), flags: resultFlags(statusCode(c.Status))}
	if runner == RunnerGo {
		out.flags |= flagGo
	}
	o := originNames{suite: r.Suite, class: r.Class, file: r.File, reported: c.File, env: r.Environment, before: r.ID}
	named := r.Name
	if at := strings.LastIndex(r.ID, r.Name); at >= 0 && len(r.Name) <= identityMax {
		o.before, o.after, named = r.ID[:at], r.ID[at+len(r.Name):], ""
		s := p.names.add([]byte(r.Name))
		out.name, out.nameLength = s.at, uint16(s.length)
	}
	out.origin = p.origin(o)
	out.flags.setFinal(r.Final().Status, r.Flaky())
	if named != "" || !plainResult(r, c) {
		out.record = p.chain.begin(p.record(r, named, 0))
	}
	i := p.results.append(out)
	p.index.add(r.ID, i, p.appendID)
	p.addRow(number, i, c, nil)
	return i
}

func (p *packed) record(r *engine.TestResult, name string, flags byte) []byte {
	p.scratch = appendRecord(p.scratch[:0], r, name, flags)
	return p.scratch
}

// plainResult reports whether r is one attempt of which c says all.
func plainResult(r *engine.TestResult, c Case) bool {
	return len(r.Attempts) == 1 && r.Attempts[0] == engine.Attempt{Status: c.Status, DurationMS: c.DurationMS} &&
		len(r.Properties) == 0 && len(r.Attachments) == 0 && c.Flaky == 0 && c.Reruns == 0
}

// join adds the row number, which alone would give r, to result i. Beyond limit
// attempts only a row that fails worse than all others is kept.
func (p *packed) join(i, number int, r *engine.TestResult, c Case, limit int) {
	res := p.results.at(i)
	if res.record == 0 {
		first := engine.TestResult{Attempts: []engine.Attempt{{Status: res.flags.first(), DurationMS: res.time.ms()}}}
		res.record = p.chain.begin(p.record(&first, "", 0))
	}
	res.flags |= flagJoined
	p.addRow(number, i, c, r)
	if res.flags&flagFull == 0 && p.attemptCount(i)+len(r.Attempts) <= limit {
		p.chain.join(res.record, p.record(r, "", 0))
	} else {
		p.joinWorst(i, r.Final())
	}
	if res.line == 0 && r.Line > 0 {
		p.move(i, r.File, r.Line)
	}
}

// joinWorst keeps an attempt beyond the limit where it fails worse than those
// kept already.
func (p *packed) joinWorst(i int, last engine.Attempt) {
	worst := p.overflow(i)
	res := p.results.at(i)
	res.flags |= flagFull
	if last.Status.Failing() && severity(last.Status) > severity(worst) {
		only := engine.TestResult{Attempts: []engine.Attempt{last}}
		p.chain.join(res.record, p.record(&only, "", recordOverflow))
	}
}

func (p *packed) attemptCount(i int) (n int) {
	p.chain.each(p.results.at(i).record, func(flags byte, r recordReader) {
		if flags&recordNamed != 0 {
			r.bytes()
		}
		n += r.number()
	})
	return n
}

// overflow returns the worst status that was kept beyond the limit, which is
// that of the last record.
func (p *packed) overflow(i int) engine.Status {
	flags, r := p.chain.last(p.results.at(i).record)
	if flags&recordOverflow == 0 {
		return engine.StatusPassed
	}
	r.number()
	status, _ := r.outcome()
	return status
}

func (p *packed) origin(o originNames) uint32 {
	if p.origins.len() > 0 && p.last == o {
		return p.lastAt
	}
	p.last = o
	before, separated := strings.CutSuffix(o.before, pathSeparator)
	packed := origin{
		suite: p.shared.id(o.suite), class: p.shared.id(o.class), file: p.shared.id(o.file), reported: p.shared.id(o.reported),
		env: p.shared.id(o.env), before: p.shared.id(before), after: p.shared.id(o.after), separated: separated,
	}
	at, known := p.byNames[packed]
	if !known {
		if p.byNames == nil || len(p.byNames) > 5_000 {
			p.byNames = map[origin]uint32{}
		}
		at = uint32(p.origins.append(packed))
		p.byNames[packed] = at
	}
	p.lastAt = at
	return at
}

// move gives result i another place.
func (p *packed) move(i int, file string, line int) {
	r := p.results.at(i)
	var u unpacker
	o := *u.names(p, r.origin)
	o.file = file
	r.origin, r.line = p.origin(o), uint32(min(line, 1<<31-1))
}

// find returns the result with the identity id.
func (p *packed) find(id string) (int, bool) {
	return p.index.find(id, func(i int) bool {
		r := p.results.at(i)
		rest, ok := cutBytes(id, p.shared.bytes(p.origins.at(int(r.origin)).before))
		if ok && p.origins.at(int(r.origin)).separated {
			rest, ok = strings.CutPrefix(rest, pathSeparator)
		}
		if ok {
			rest, ok = cutBytes(rest, p.nameBytes(r))
		}
		return ok && rest == string(p.shared.bytes(p.origins.at(int(r.origin)).after))
	})
}

func cutBytes(s string, prefix []byte) (string, bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != string(prefix) {
		return "", false
	}
	return s[len(prefix):], true
}

func (p *packed) nameBytes(r *packedResult) []byte {
	return p.names.bytes(span{r.name, uint32(r.nameLength)})
}

// appendID appends the identity of result i to b.
func (p *packed) appendID(i int, b []byte) []byte {
	r := p.results.at(i)
	o := p.origins.at(int(r.origin))
	b = append(b, p.shared.bytes(o.before)...)
	if o.separated {
		b = append(b, pathSeparator...)
	}
	b = append(b, p.nameBytes(r)...)
	return append(b, p.shared.bytes(o.after)...)
}

// id returns the identity of result i.
func (p *packed) id(i int) string { return string(p.appendID(i, make([]byte, 0, 64))) }
