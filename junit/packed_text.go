package junit

import "hash/maphash"

// arena keeps short texts one behind the other.
type arena struct{ blocks [][]byte }

// span is the place of a text in an arena.
type span struct {
	at     uint32
	length uint16
}

const arenaBlock = 64 * kilobyte

// add keeps text, which is shorter than a block.
func (a *arena) add(text string) span {
	last := len(a.blocks) - 1
	if last < 0 || len(a.blocks[last])+len(text) > arenaBlock {
		a.blocks = append(a.blocks, nil)
		last++
	}
	if last > 0 && a.blocks[last] == nil {
		a.blocks[last] = make([]byte, 0, arenaBlock)
	}
	at := len(a.blocks[last])
	a.blocks[last] = append(a.blocks[last], text...)
	return span{uint32(last*arenaBlock + at), uint16(len(text))}
}

func (a *arena) bytes(s span) []byte {
	if s.length == 0 {
		return nil
	}
	at := int(s.at) % arenaBlock
	return a.blocks[int(s.at)/arenaBlock][at : at+int(s.length)]
}

// identityIndex finds results by identity: a hash table that keeps no key, as
// the results hold them.
type identityIndex struct {
	seed  maphash.Seed
	slots []int32 // index + 1, 0 where free; linear probing
	used  int
}

// find returns the result of the identity id, is telling whether one has it.
func (x *identityIndex) find(id string, is func(i int) bool) (int, bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	for slot := x.slot(id); x.slots[slot] != 0; slot = (slot + 1) % len(x.slots) {
		if i := int(x.slots[slot] - 1); is(i) {
			return i, true
		}
	}
	return 0, false
}

func (x *identityIndex) slot(id string) int {
	return int(maphash.String(x.seed, id) % uint64(len(x.slots)))
}

// add enters result i, which find does not know. ids returns the identity of
// any other, for when the table grows.
func (x *identityIndex) add(id string, i int, ids func(i int) string) {
	if x.used*4 >= len(x.slots)*3 {
		x.grow(ids)
	}
	x.put(id, i)
	x.used++
}

func (x *identityIndex) grow(ids func(i int) string) {
	if len(x.slots) == 0 {
		x.seed = maphash.MakeSeed()
	}
	old := x.slots
	x.slots = make([]int32, max(2*len(old), 64))
	for _, entry := range old {
		if entry != 0 {
			x.put(ids(int(entry-1)), int(entry-1))
		}
	}
}

func (x *identityIndex) put(id string, i int) {
	slot := x.slot(id)
	for x.slots[slot] != 0 {
		slot = (slot + 1) % len(x.slots)
	}
	x.slots[slot] = int32(i + 1)
}
