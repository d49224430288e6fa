package packed

import (
	"encoding/binary"
	"slices"
)

// Move says that a rename gave a row to another test: the key that it has now, and the one
// that it was recorded under.
type Move struct{ Now, Was Key }

// Moves are the moves of one run, in the order of the keys that its rows have now.
type Moves []Move

// Recorded returns the key that the row with a key was recorded under.
func (m Moves) Recorded(now Key) Key {
	i, moved := slices.BinarySearchFunc(m, now, func(one Move, key Key) int { return one.Now.Compare(key) })
	if !moved {
		return now
	}
	return m[i].Was
}

// Pack returns the bytes that ReadMoves reads. Where a folder of tests was moved they are
// the same few for every test: what is written is how far a number is from the one that is
// expected. The error is ErrOrder where moves are out of order, or are none.
func (m Moves) Pack() ([]byte, error) {
	out := binary.AppendUvarint([]byte{format}, uint64(len(m)))
	var last Move
	for i, one := range m {
		if i > 0 && !last.Now.Less(one.Now) || !one.Now.valid() || !one.Was.valid() {
			return nil, ErrOrder
		}
		out = binary.AppendVarint(out, one.Now.Test-last.Now.Test)
		out = binary.AppendVarint(out, one.Now.Attempt-last.expected(one.Now.Test))
		out = binary.AppendVarint(out, one.away()-last.away())
		out = binary.AppendVarint(out, one.Was.Attempt-one.Now.Attempt)
		last = one
	}
	return out, nil
}

// ReadMoves returns packed moves. The bytes may be hostile: then the error is ErrDamaged,
// and the memory used is in proportion to their number.
func ReadMoves(packed []byte) (Moves, error) {
	if len(packed) == 0 || packed[0] != format {
		return nil, ErrDamaged
	}
	r := reader{rest: packed[1:]}
	n := r.uint()
	if r.bad || n > uint64(len(r.rest))/4 {
		return nil, ErrDamaged
	}
	moves, last := make(Moves, 0, n), Move{}
	for i := range n {
		var one Move
		one.Now.Test = last.Now.Test + r.near()
		one.Now.Attempt = last.expected(one.Now.Test) + r.near()
		one.Was.Test = one.Now.Test + last.away() + r.near()
		one.Was.Attempt = one.Now.Attempt + r.near()
		if r.bad || i > 0 && !last.Now.Less(one.Now) || !one.Now.valid() || !one.Was.valid() {
			return nil, ErrDamaged
		}
		moves, last = append(moves, one), one
	}
	if len(r.rest) > 0 {
		return nil, ErrDamaged
	}
	return moves, nil
}

// expected returns which attempt of a test mostly comes next.
func (m Move) expected(test int64) int64 {
	if m.Now.Attempt > 0 && test == m.Now.Test {
		return m.Now.Attempt + 1
	}
	return 1
}

// away is how far the two tests are from each other.
func (m Move) away() int64 { return m.Was.Test - m.Now.Test }

// near reads a number that no sum of can overflow.
func (r *reader) near() int64 {
	n := r.int()
	if n < -4*maxID || n > 4*maxID {
		r.bad = true
		return 0
	}
	return n
}

func (k Key) valid() bool { return isID(k.Test) && k.Attempt >= 1 && k.Attempt <= maxAttempt }
