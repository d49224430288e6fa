package flaky

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
)

// encodingVersion names the rules by which a judge learned and the form in which
// it is encoded. Raise it whenever a run teaches a judge something else than
// before.
const encodingVersion = 3

// Encode returns what the judge knows, for DecodeJudge: each test under the number
// that number gives it. The form is not for other versions.
func (j *Judge) Encode(number func(test int) int64) []byte {
	w := &encoder{number: number, texts: map[string]uint64{}}
	w.uint(encodingVersion)
	w.tracker(j.Main)
	w.tracker(j.Pulls)
	return w.bytes
}

// errNotDecodable says that the bytes hold no judge of this version.
var errNotDecodable = errors.New("what was kept holds no judge of this version")

// DecodeJudge returns the judge that was encoded; test gives each number its test, or
// -1 when there is none any more, which is an error.
// The bytes may be hostile: whatever they hold, the memory used is in proportion
// to their size.
func DecodeJudge(encoded []byte, test func(number int64) int) (*Judge, error) {
	r := &decoder{bytes: encoded, test: test}
	if r.uint() != encodingVersion {
		return nil, errNotDecodable
	}
	j := &Judge{Main: r.tracker(ScopeMain), Pulls: r.tracker(ScopePulls)}
	if r.bad || len(r.bytes) > 0 {
		return nil, errNotDecodable
	}
	return j, nil
}

// encoder writes a judge as variable-length integers. A text is written once and
// then by its number.
type encoder struct {
	bytes  []byte
	number func(int) int64
	texts  map[string]uint64
}

func (w *encoder) uint(n uint64) { w.bytes = binary.AppendUvarint(w.bytes, n) }

func (w *encoder) int(n int) { w.bytes = binary.AppendVarint(w.bytes, int64(n)) }

func (w *encoder) float(f float64) {
	w.bytes = binary.LittleEndian.AppendUint64(w.bytes, math.Float64bits(f))
}

func (w *encoder) bool(b bool) {
	if b {
		w.uint(1)
	} else {
		w.uint(0)
	}
}

func (w *encoder) text(s string) {
	if n, known := w.texts[s]; known {
		w.uint(n)
		return
	}
	w.texts[s] = uint64(len(w.texts)) + 1
	w.uint(0)
	w.uint(uint64(len(s)))
	w.bytes = append(w.bytes, s...)
}

func (w *encoder) list(texts []string) {
	w.uint(uint64(len(texts)))
	for _, s := range texts {
		w.text(s)
	}
}

func (w *encoder) tracker(t *Tracker) {
	w.float(t.share)
	w.int(t.size)
	w.uint(uint64(len(t.runs)))
	for _, source := range slices.Sorted(maps.Keys(t.runs)) {
		w.text(source)
		w.int(t.runs[source])
	}
	w.uint(uint64(len(t.bursts)))
	for _, commit := range slices.Sorted(maps.Keys(t.bursts)) {
		w.text(commit)
		w.bool(t.bursts[commit])
	}
	w.uint(uint64(len(t.states)))
	byNumber := func(a, b int) int { return cmp.Compare(w.number(a), w.number(b)) }
	for _, test := range slices.SortedFunc(maps.Keys(t.states), byNumber) {
		w.bytes = binary.AppendVarint(w.bytes, w.number(test))
		w.bool(t.held[test])
		w.state(t.states[test])
	}
}

func (w *encoder) state(s *testState) {
	w.int(s.executions)
	w.int(s.entered)
	w.uint(uint64(len(s.variants)))
	for _, name := range slices.Sorted(maps.Keys(s.variants)) {
		w.text(name)
		w.int(s.variants[name].streak)
		w.int(s.variants[name].red)
	}
	w.float(s.reds)
	w.float(s.seen)
	w.uint(uint64(len(s.evidence)))
	for _, p := range s.evidence {
		w.evidence(p)
	}
	w.uint(uint64(len(s.branches)))
	for _, on := range slices.SortedFunc(maps.Keys(s.branches), branchKey.compare) {
		w.text(on.source)
		w.text(on.variant)
		w.branch(s.branches[on])
	}
}

func (k branchKey) compare(other branchKey) int {
	return cmp.Or(cmp.Compare(k.source, other.source), cmp.Compare(k.variant, other.variant))
}

func (w *encoder) evidence(e Evidence) {
	w.uint(uint64(e.Kind))
	w.int(e.At)
	w.text(e.Commit)
	w.text(e.Source)
	w.text(e.Place)
	w.list(e.Signatures)
}

func (w *encoder) branch(b *branchState) {
	w.text(b.commit)
	w.text(b.place)
	w.bool(b.failed)
	w.bool(b.crowd)
	w.int(b.streak)
	w.list(b.errors)
	w.bool(b.pending != nil)
	if b.pending != nil {
		w.evidence(*b.pending)
	}
}

// decoder is the inverse of encoder. After the first thing that cannot be, bad
// is set and everything reads as nothing.
type decoder struct {
	bytes []byte
	test  func(int64) int
	texts []string
	bad   bool
}

func (r *decoder) uint() uint64 {
	n, size := binary.Uvarint(r.bytes)
	return advance(r, n, size)
}

func (r *decoder) varint() int64 {
	n, size := binary.Varint(r.bytes)
	return advance(r, n, size)
}

func advance[N uint64 | int64](r *decoder, n N, size int) N {
	if size <= 0 {
		r.fail()
		return 0
	}
	r.bytes = r.bytes[size:]
	return n
}

func (r *decoder) fail() { r.bad, r.bytes = true, nil }

// int returns a number that no sum of can overflow.
func (r *decoder) int() int {
	n := r.varint()
	if n < 0 || n > math.MaxInt32 {
		r.fail()
		return 0
	}
	return int(n)
}

// count returns how many things follow, each at least a byte.
func (r *decoder) count() int {
	n := r.uint()
	if n > uint64(len(r.bytes)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *decoder) bool() bool { return r.uint() == 1 }

func (r *decoder) float() float64 {
	if len(r.bytes) < 8 {
		r.fail()
		return 0
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(r.bytes))
	r.bytes = r.bytes[8:]
	if !(f >= 0 && f <= math.MaxInt32) {
		r.fail()
		return 0
	}
	return f
}

func (r *decoder) text() string {
	if n := r.uint(); n > 0 {
		if n > uint64(len(r.texts)) {
			r.fail()
			return ""
		}
		return r.texts[n-1]
	}
	n := r.count()
	s := string(r.bytes[:n])
	r.bytes = r.bytes[n:]
	r.texts = append(r.texts, s)
	return s
}

func (r *decoder) list() []string {
	n := r.count()
	if n > maxErrors {
		r.fail()
	}
	var texts []string
	for ; n > 0 && !r.bad; n-- {
		texts = append(texts, r.text())
	}
	return texts
}

func (r *decoder) tracker(scope Scope) *Tracker {
	t := NewTracker(scope, r.float())
	t.size = r.int()
	for n := r.count(); n > 0 && !r.bad; n-- {
		source := r.text()
		t.runs[source] = r.int()
	}
	for n := r.count(); n > 0 && !r.bad; n-- {
		commit := r.text()
		t.bursts[commit] = r.bool()
	}
	for n := r.count(); n > 0 && !r.bad; n-- {
		test := r.test(r.varint())
		if test < 0 {
			r.fail()
			break
		}
		if r.bool() {
			t.held[test] = true
		}
		t.states[test] = r.state()
	}
	return t
}

func (r *decoder) state() *testState {
	s := newTestState()
	s.executions, s.entered = r.int(), r.int()
	for n := r.count(); n > 0 && !r.bad; n-- {
		name := r.text()
		s.variants[name] = &variantState{streak: r.int(), red: r.int()}
	}
	s.reds, s.seen = r.float(), r.float()
	for n := r.count(); n > 0 && !r.bad; n-- {
		p := r.evidence()
		if p.At > s.executions {
			r.fail()
		}
		s.evidence = append(s.evidence, p)
	}
	if s.entered > s.executions {
		r.fail()
	}
	for n := r.count(); n > 0 && !r.bad; n-- {
		on := branchKey{r.text(), r.text()}
		s.branches[on] = r.branch()
	}
	return s
}

func (r *decoder) evidence() Evidence {
	kind := r.uint()
	if kind >= uint64(len(points)) {
		r.fail()
		kind = 0
	}
	return Evidence{Kind: Kind(kind), At: r.int(), Commit: r.text(), Source: r.text(), Place: r.text(), Signatures: r.list()}
}

func (r *decoder) branch() *branchState {
	b := &branchState{commit: r.text(), place: r.text(), failed: r.bool(), crowd: r.bool(), streak: r.int(), errors: r.list()}
	if r.bool() {
		p := r.evidence()
		b.pending = &p
	}
	return b
}
