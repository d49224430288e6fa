package packed

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrDamaged says that bytes hold no results of a run.
var ErrDamaged = errors.New("it holds no results of a run")

// Each calls row for each of the packed rows in the order of their keys. The row is
// reused. The bytes may be hostile: then the error is ErrDamaged, and no memory is used.
// Any other error is that of row, which ends the reading.
func Each(packed []byte, row func(*Row) error) error {
	r, rows, ok := open(packed)
	if !ok {
		return ErrDamaged
	}
	var one Row
	for range rows {
		if !r.next(&one) {
			return ErrDamaged
		}
		if err := row(&one); err != nil {
			return err
		}
	}
	if len(r.tests)+len(r.rest) > 0 {
		return ErrDamaged
	}
	return nil
}

// EachHead is Each for who needs the test, status and healed locator of each row alone: the
// others are empty, and what they are in the bytes is not looked at. The row is reused.
func EachHead(packed []byte, row func(*Row) error) error {
	r, rows, ok := open(packed)
	if !ok {
		return ErrDamaged
	}
	var one Row
	for i := range rows {
		if !r.nextTest(i == 0) || r.heads[i] >= headEnd {
			return ErrDamaged
		}
		one.Test = r.last.Test
		one.setHead(r.heads[i])
		if err := row(&one); err != nil {
			return err
		}
	}
	if len(r.tests) > 0 {
		return ErrDamaged
	}
	return nil
}

// reader reads rows from the parts of what was packed.
type reader struct {
	tests, heads, rest []byte
	last               Key // of the row before; attempt 0 before the first
	bad                bool
}

func open(packed []byte) (r reader, rows int, ok bool) {
	if len(packed) == 0 || packed[0] != format {
		return r, 0, false
	}
	r.rest = packed[1:]
	n, tests := r.uint(), r.uint()
	if r.bad || tests > uint64(len(r.rest)) || n > tests || n > uint64(len(r.rest))-tests {
		return r, 0, false
	}
	r.tests, r.heads, r.rest = r.rest[:tests], r.rest[tests:tests+n], r.rest[tests+n:]
	return r, int(n), true
}

// next reads a row.
func (r *reader) next(row *Row) bool {
	before := r.last
	if !r.nextTest(before.Attempt == 0) {
		return false
	}
	attempt := int64(1)
	if before.Attempt != 0 && r.last.Test == before.Test {
		attempt = before.Attempt + 1
	}
	row.Test, row.Attempt = r.last.Test, attempt
	head := r.heads[0]
	r.heads = r.heads[1:]
	row.setHead(head)
	row.Error, row.Environment, row.Signature, row.Place, row.At = 0, 0, 0, 0, Number{}
	more := byte(0)
	if head&headMore != 0 {
		if len(r.rest) == 0 {
			return false
		}
		more, r.rest = r.rest[0], r.rest[1:]
	}
	row.Duration = r.duration(head & headFloat)
	if more != 0 {
		r.addMore(row, more)
	}
	r.last.Attempt = row.Attempt
	return !r.bad && head < headEnd && isID(row.Test) && row.Attempt >= attempt && row.Attempt <= maxAttempt
}

// nextTest moves on to the test of the next row.
func (r *reader) nextTest(first bool) bool {
	if first {
		id, size := binary.Varint(r.tests)
		if size <= 0 {
			return false
		}
		r.last.Test, r.tests = id, r.tests[size:]
		return isID(id)
	}
	// Mostly it is the next but few: Uvarint reads one byte more slowly.
	if len(r.tests) > 0 && r.tests[0] < 0x80 {
		r.last.Test, r.tests = r.last.Test+int64(r.tests[0]), r.tests[1:]
		return isID(r.last.Test)
	}
	ahead, size := binary.Uvarint(r.tests)
	if size <= 0 || ahead > 2*maxID {
		return false
	}
	r.last.Test, r.tests = r.last.Test+int64(ahead), r.tests[size:]
	return isID(r.last.Test)
}

func (r *Row) setHead(head byte) { r.Status, r.Healed = int(head&3), head&headHealed != 0 }

func (r *reader) duration(kind byte) Number {
	switch kind {
	case headWhole:
		return Number{float64(r.uint()), true}
	case headMicro:
		return Number{float64(r.uint()) / 1000, true}
	case headFloat:
		return r.float()
	}
	return Number{}
}

func (r *reader) addMore(row *Row, more byte) {
	if more&moreAttempt != 0 {
		row.Attempt = int64(min(r.uint(), maxAttempt+1))
	}
	for i, label := range [...]*int64{&row.Error, &row.Environment, &row.Signature, &row.Place} {
		if more&(moreError<<i) != 0 {
			*label = r.int()
			r.bad = r.bad || *label == 0 || !isID(*label)
		}
	}
	if more&moreAt != 0 {
		row.At = r.float()
	}
	r.bad = r.bad || more >= moreEnd
}

func (r *reader) uint() uint64 {
	if len(r.rest) > 1 && r.rest[1] < 0x80 { // of one or two bytes, as most durations are
		first, second := uint64(r.rest[0]), uint64(r.rest[1])
		if first < 0x80 {
			r.rest = r.rest[1:]
			return first
		}
		r.rest = r.rest[2:]
		return first&0x7f | second<<7
	}
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) int() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// float reads a finite number.
func (r *reader) float() Number {
	if len(r.rest) < 8 {
		r.bad, r.rest = true, nil
		return Number{}
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(r.rest))
	r.rest = r.rest[8:]
	r.bad = r.bad || math.IsNaN(f) || math.IsInf(f, 0)
	return Number{f, true}
}
