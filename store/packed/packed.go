// Package packed keeps the results of one run in few bytes: four for an attempt that
// passed, where a row of a table takes thirty. A database keeps them so, reads them
// without SQL, and lets a whole run go as one row.
package packed

import (
	"encoding/binary"
	"errors"
	"math"
)

// Row is one attempt of a test in a run. Labels are row ids, 0 for none.
type Row struct {
	Test, Attempt int64 // attempts are counted from 1
	Status        int   // 0 to 3
	Healed        bool
	Duration, At  Number // milliseconds, Unix seconds

	Error, Environment, Signature, Place int64
}

// Number is a number that may be unknown.
type Number struct {
	Value float64
	Known bool
}

func (n Number) finite() bool { return !math.IsNaN(n.Value) && !math.IsInf(n.Value, 0) }

// Key returns what names a row within its run.
func (r *Row) Key() Key { return Key{r.Test, r.Attempt} }

// Key names a row within its run.
type Key struct{ Test, Attempt int64 }

// Less reports whether a row with the key comes before one with the other.
func (k Key) Less(other Key) bool {
	return k.Test < other.Test || k.Test == other.Test && k.Attempt < other.Attempt
}

// Compare orders keys as Less does, for those who sort.
func (k Key) Compare(other Key) int {
	switch {
	case k.Less(other):
		return -1
	case other.Less(k):
		return 1
	}
	return 0
}

// maxAttempt and maxID bound attempts and row ids. A float64 holds every id exactly.
const (
	maxAttempt = 1 << 31
	maxID      = 1 << 53
)

// format is the first byte of what is packed.
const format = 1

// What the byte of a row says of it: the status in two bits, then these.
const (
	headHealed = 1 << 2
	headWhole  = 1 << 3 // the duration follows in milliseconds
	headMicro  = 2 << 3 // in microseconds
	headFloat  = 3 << 3 // as a float64
	headMore   = 1 << 5 // a byte follows that says what else does
	headEnd    = 1 << 6
)

const (
	moreAttempt = 1 << iota // it is not the one that is expected
	moreError
	moreEnvironment
	moreSignature
	morePlace
	moreAt
	moreEnd
)

// Writer packs rows, which must come in the order of their keys. The zero value is
// empty.
type Writer struct {
	rows               int
	last               Key
	tests, heads, rest []byte // apart: each is packed better so by whoever packs all of it
}

// ErrOrder says that a row does not come after the one before it, or that it is none.
var ErrOrder = errors.New("a result is none, or comes out of order")

// Add adds a row.
func (w *Writer) Add(r *Row) error {
	key := r.Key()
	if w.rows > 0 && !w.last.Less(key) || r.Attempt < 1 || r.Attempt > maxAttempt || r.Status < 0 || r.Status > 3 || !isID(r.Test) || !r.Duration.finite() || !r.At.finite() {
		return ErrOrder
	}
	expected := int64(1)
	if w.rows == 0 {
		w.tests = binary.AppendVarint(w.tests, r.Test)
	} else {
		w.tests = binary.AppendUvarint(w.tests, uint64(r.Test-w.last.Test))
		if r.Test == w.last.Test {
			expected = w.last.Attempt + 1
		}
	}
	head := byte(r.Status)
	if r.Healed {
		head |= headHealed
	}
	at := len(w.rest)
	head |= w.addDuration(r.Duration)
	duration := len(w.rest) - at
	if more := r.more(expected); more != 0 {
		head |= headMore
		w.rest = append(w.rest, 0)
		copy(w.rest[at+1:], w.rest[at:at+duration])
		w.rest[at] = more
		w.addMore(r, more)
	}
	w.heads = append(w.heads, head)
	w.rows++
	w.last = key
	return nil
}

func isID(id int64) bool { return -maxID <= id && id <= maxID }

// addDuration writes a duration in the form that takes the fewest bytes and loses
// nothing.
func (w *Writer) addDuration(d Number) (head byte) {
	micro := math.Round(d.Value * 1000)
	switch whole := d.Value >= 0 && d.Value < maxID && !math.Signbit(d.Value); {
	case !d.Known:
		return 0
	case whole && d.Value == math.Trunc(d.Value):
		w.rest = binary.AppendUvarint(w.rest, uint64(d.Value))
		return headWhole
	case whole && micro < maxID && micro/1000 == d.Value:
		w.rest = binary.AppendUvarint(w.rest, uint64(micro))
		return headMicro
	}
	w.rest = binary.LittleEndian.AppendUint64(w.rest, math.Float64bits(d.Value))
	return headFloat
}

// more returns what a row has beside its status and duration.
func (r *Row) more(expected int64) (more byte) {
	if r.Attempt != expected {
		more |= moreAttempt
	}
	if r.Error != 0 {
		more |= moreError
	}
	if r.Environment != 0 {
		more |= moreEnvironment
	}
	if r.Signature != 0 {
		more |= moreSignature
	}
	if r.Place != 0 {
		more |= morePlace
	}
	if r.At.Known {
		more |= moreAt
	}
	return more
}

func (w *Writer) addMore(r *Row, more byte) {
	if more&moreAttempt != 0 {
		w.rest = binary.AppendUvarint(w.rest, uint64(r.Attempt))
	}
	for _, label := range [...]int64{r.Error, r.Environment, r.Signature, r.Place} {
		if label != 0 {
			w.rest = binary.AppendVarint(w.rest, label)
		}
	}
	if r.At.Known {
		w.rest = binary.LittleEndian.AppendUint64(w.rest, math.Float64bits(r.At.Value))
	}
}

// Len returns how many rows were added.
func (w *Writer) Len() int { return w.rows }

// Bytes returns what was packed.
func (w *Writer) Bytes() []byte {
	out := make([]byte, 0, 2*binary.MaxVarintLen64+1+len(w.tests)+len(w.heads)+len(w.rest))
	out = binary.AppendUvarint(append(out, format), uint64(w.rows))
	out = binary.AppendUvarint(out, uint64(len(w.tests)))
	return append(append(append(out, w.tests...), w.heads...), w.rest...)
}
