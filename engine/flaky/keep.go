package flaky

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
)

// keptVersion names the rules and the form under which a judge was kept. Raise
// it whenever a run teaches a judge something else than before.
const keptVersion = 3

// Encode returns what the judge knows, for DecodeJudge: each test under the number
// that number gives it. The form is not for other versions.
func (j *Judge) Encode(number func(test int) int64) []byte {
	w := &keeper{number: number, texts: map[string]uint64{}}
	w.uint(keptVersion)
	w.ledger(j.Main)
	w.ledger(j.Pulls)
	return w.bytes
}

// errKept says that kept bytes hold no judge of this version.
var errKept = errors.New("what was kept holds no judge of this version")

// DecodeJudge returns the judge that was kept; test gives each number its test, or
// -1 when there is none any more, which is an error.
// The bytes may be hostile: whatever they hold, the memory used is in proportion
// to their size.
func DecodeJudge(kept []byte, test func(number int64) int) (*Judge, error) {
	r := &keptReader{bytes: kept, test: test}
	if r.uint() != keptVersion {
		return nil, errKept
	}
	j := &Judge{Main: r.ledger(ScopeMain), Pulls: r.ledger(ScopePulls)}
	if r.bad || len(r.bytes) > 0 {
		return nil, errKept
	}
	return j, nil
}

// keeper writes a judge as variable-length integers. A text is written once and
// then by its number.
type keeper struct {
	bytes  []byte
	number func(int) int64
	texts  map[string]uint64
}

func (w *keeper) uint(n uint64) { w.bytes = binary.AppendUvarint(w.bytes, n) }
func (w *keeper) int(n int)     { w.bytes = binary.AppendVarint(w.bytes, int64(n)) }
func (w *keeper) float(f float64) {
	w.bytes = binary.LittleEndian.AppendUint64(w.bytes, math.Float64bits(f))
}

func (w *keeper) bool(b bool) {
	if b {
		w.uint(1)
	} else {
		w.uint(0)
	}
}

func (w *keeper) text(s string) {
	if n, known := w.texts[s]; known {
		w.uint(n)
		return
	}
	w.texts[s] = uint64(len(w.texts)) + 1
	w.uint(0)
	w.uint(uint64(len(s)))
	w.bytes = append(w.bytes, s...)
}

func (w *keeper) list(texts []string) {
	w.uint(uint64(len(texts)))
	for _, s := range texts {
		w.text(s)
	}
}

func (w *keeper) ledger(l *Tracker) {
	w.float(l.share)
	w.int(l.size)
	w.uint(uint64(len(l.runs)))
	for _, witness := range slices.Sorted(maps.Keys(l.runs)) {
		w.text(witness)
		w.int(l.runs[witness])
	}
	w.uint(uint64(len(l.bursts)))
	for _, commit := range slices.Sorted(maps.Keys(l.bursts)) {
		w.text(commit)
		w.bool(l.bursts[commit])
	}
	w.uint(uint64(len(l.states)))
	byNumber := func(a, b int) int { return cmp.Compare(w.number(a), w.number(b)) }
	for _, test := range slices.SortedFunc(maps.Keys(l.states), byNumber) {
		w.bytes = binary.AppendVarint(w.bytes, w.number(test))
		w.bool(l.held[test])
		w.state(l.states[test])
	}
}

func (w *keeper) state(s *state) {
	w.int(s.executions)
	w.int(s.entered)
	w.uint(uint64(len(s.lanes)))
	for _, name := range slices.Sorted(maps.Keys(s.lanes)) {
		w.text(name)
		w.int(s.lanes[name].streak)
		w.int(s.lanes[name].red)
	}
	w.float(s.reds)
	w.float(s.seen)
	w.uint(uint64(len(s.pieces)))
	for _, p := range s.pieces {
		w.piece(p)
	}
	w.uint(uint64(len(s.branches)))
	for _, on := range slices.SortedFunc(maps.Keys(s.branches), track.compare) {
		w.text(on.witness)
		w.text(on.lane)
		w.branch(s.branches[on])
	}
}

func (t track) compare(other track) int {
	return cmp.Or(cmp.Compare(t.witness, other.witness), cmp.Compare(t.lane, other.lane))
}

func (w *keeper) piece(p Evidence) {
	w.uint(uint64(p.Kind))
	w.int(p.At)
	w.text(p.Commit)
	w.text(p.Source)
	w.text(p.Place)
	w.list(p.Signatures)
}

func (w *keeper) branch(b *branch) {
	w.text(b.commit)
	w.text(b.place)
	w.bool(b.failed)
	w.bool(b.crowd)
	w.int(b.streak)
	w.list(b.errors)
	w.bool(b.pending != nil)
	if b.pending != nil {
		w.piece(*b.pending)
	}
}

// keptReader is the inverse of keeper. After the first thing that cannot be, bad
// is set and everything reads as nothing.
type keptReader struct {
	bytes []byte
	test  func(int64) int
	texts []string
	bad   bool
}

func (r *keptReader) uint() uint64 {
	n, size := binary.Uvarint(r.bytes)
	return advance(r, n, size)
}

func (r *keptReader) varint() int64 {
	n, size := binary.Varint(r.bytes)
	return advance(r, n, size)
}

func advance[N uint64 | int64](r *keptReader, n N, size int) N {
	if size <= 0 {
		r.fail()
		return 0
	}
	r.bytes = r.bytes[size:]
	return n
}

func (r *keptReader) fail() { r.bad, r.bytes = true, nil }

// int returns a number that no sum of can overflow.
func (r *keptReader) int() int {
	n := r.varint()
	if n < 0 || n > math.MaxInt32 {
		r.fail()
		return 0
	}
	return int(n)
}

// count returns how many things follow, each at least a byte.
func (r *keptReader) count() int {
	n := r.uint()
	if n > uint64(len(r.bytes)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *keptReader) bool() bool { return r.uint() == 1 }

func (r *keptReader) float() float64 {
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

func (r *keptReader) text() string {
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

func (r *keptReader) list() []string {
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

func (r *keptReader) ledger(scope Scope) *Tracker {
	l := NewTracker(scope, r.float())
	l.size = r.int()
	for n := r.count(); n > 0 && !r.bad; n-- {
		witness := r.text()
		l.runs[witness] = r.int()
	}
	for n := r.count(); n > 0 && !r.bad; n-- {
		commit := r.text()
		l.bursts[commit] = r.bool()
	}
	for n := r.count(); n > 0 && !r.bad; n-- {
		test := r.test(r.varint())
		if test < 0 {
			r.fail()
			break
		}
		if r.bool() {
			l.held[test] = true
		}
		l.states[test] = r.state()
	}
	return l
}

func (r *keptReader) state() *state {
	s := newState()
	s.executions, s.entered = r.int(), r.int()
	for n := r.count(); n > 0 && !r.bad; n-- {
		name := r.text()
		s.lanes[name] = &lane{streak: r.int(), red: r.int()}
	}
	s.reds, s.seen = r.float(), r.float()
	for n := r.count(); n > 0 && !r.bad; n-- {
		p := r.piece()
		if p.At > s.executions {
			r.fail()
		}
		s.pieces = append(s.pieces, p)
	}
	if s.entered > s.executions {
		r.fail()
	}
	for n := r.count(); n > 0 && !r.bad; n-- {
		on := track{r.text(), r.text()}
		s.branches[on] = r.branch()
	}
	return s
}

func (r *keptReader) piece() Evidence {
	kind := r.uint()
	if kind >= uint64(len(points)) {
		r.fail()
		kind = 0
	}
	return Evidence{Kind: Kind(kind), At: r.int(), Commit: r.text(), Source: r.text(), Place: r.text(), Signatures: r.list()}
}

func (r *keptReader) branch() *branch {
	b := &branch{commit: r.text(), place: r.text(), failed: r.bool(), crowd: r.bool(), streak: r.int(), errors: r.list()}
	if r.bool() {
		p := r.piece()
		b.pending = &p
	}
	return b
}
