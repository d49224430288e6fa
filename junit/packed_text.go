package junit

import "hash/maphash"

// arena keeps texts one behind the other, where the garbage collector has
// nothing to follow.
type arena struct {
	blocks [][]byte
	open   int // the block that short texts go to
	size   int // bytes kept
}

// span is the place of a text in an arena.
type span struct{ at, length uint32 }

const arenaBlock = 64 * kilobyte

// add keeps text. A long one has a block of its own.
func (a *arena) add(text []byte) span {
	a.size += len(text)
	switch {
	case len(a.blocks) == 0:
		a.blocks = [][]byte{nil}
	case len(text) > arenaBlock/4:
		a.blocks = append(a.blocks, append(make([]byte, 0, len(text)), text...))
		return span{uint32((len(a.blocks) - 1) * arenaBlock), uint32(len(text))}
	case len(a.blocks[a.open])+len(text) > arenaBlock:
		a.blocks = append(a.blocks, make([]byte, 0, arenaBlock))
		a.open = len(a.blocks) - 1
	}
	at := len(a.blocks[a.open])
	a.blocks[a.open] = append(a.blocks[a.open], text...)
	return span{uint32(a.open*arenaBlock + at), uint32(len(text))}
}

func (a *arena) bytes(s span) []byte {
	if s.length == 0 {
		return nil
	}
	return a.from(s.at)[:s.length]
}

// from returns what stands at and behind a place.
func (a *arena) from(at uint32) []byte { return a.blocks[at/arenaBlock][at%arenaBlock:] }

// interner keeps every different text once. The number of "" is 0.
type interner struct {
	text  arena
	spans chunked[span]
	index hashIndex
}

func (t *interner) id(s string) uint32 {
	if s == "" {
		return 0
	}
	if i, known := t.index.find(s, func(i int) bool { return string(t.text.bytes(*t.spans.at(i))) == s }); known {
		return uint32(i + 1)
	}
	i := t.spans.append(t.text.add([]byte(s)))
	t.index.add(s, i, func(i int, _ []byte) []byte { return t.text.bytes(*t.spans.at(i)) })
	return uint32(i + 1)
}

func (t *interner) bytes(id uint32) []byte {
	if id == 0 {
		return nil
	}
	return t.text.bytes(*t.spans.at(int(id - 1)))
}

func (t *interner) string(id uint32) string { return string(t.bytes(id)) }

// size is what is kept, in bytes.
func (t *interner) size() int { return t.text.size + 8*t.spans.len() + 4*len(t.index.slots) }

// hashIndex finds entries of a list by their key: a hash table that keeps no
// key, as the list can tell it.
type hashIndex struct {
	seed    maphash.Seed
	slots   []int32 // index + 1, 0 where free; linear probing
	used    int
	scratch []byte
}

// find returns the entry whose key is key, is telling whether one has it.
func (x *hashIndex) find(key string, is func(i int) bool) (int, bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	for slot := x.slot(key); x.slots[slot] != 0; slot = (slot + 1) % len(x.slots) {
		if i := int(x.slots[slot] - 1); is(i) {
			return i, true
		}
	}
	return 0, false
}

func (x *hashIndex) slot(key string) int {
	return int(maphash.String(x.seed, key) % uint64(len(x.slots)))
}

// add enters entry i, which find does not know. keys returns the key of any
// other for when the table grows; it may use buf.
func (x *hashIndex) add(key string, i int, keys func(i int, buf []byte) []byte) {
	if x.used*4 >= len(x.slots)*3 {
		x.grow(keys)
	}
	x.put(x.slot(key), i)
	x.used++
}

func (x *hashIndex) grow(keys func(i int, buf []byte) []byte) {
	if len(x.slots) == 0 {
		x.seed = maphash.MakeSeed()
	}
	old := x.slots
	x.slots = make([]int32, max(2*len(old), 64))
	for _, entry := range old {
		if entry != 0 {
			key := keys(int(entry-1), x.scratch[:0])
			x.put(int(maphash.Bytes(x.seed, key)%uint64(len(x.slots))), int(entry-1))
			if cap(key) > cap(x.scratch) && cap(key) <= arenaBlock {
				x.scratch = append(x.scratch[:0], key...)
			}
		}
	}
}

// put enters i at slot or the next free one.
func (x *hashIndex) put(slot, i int) {
	for x.slots[slot] != 0 {
		slot = (slot + 1) % len(x.slots)
	}
	x.slots[slot] = int32(i + 1)
}
