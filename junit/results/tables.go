package results

import "hash/maphash"

// arena keeps texts one behind the other in large blocks.
type arena struct {
	blocks [][]byte
	open   int // the block that short texts go to
	size   int // bytes kept
}

// span is the place of a text in an arena.
type span struct{ at, length uint32 }

const arenaBlock = 64 << 10

// addText keeps text. A long one has a block of its own.
func (a *arena) addText(text []byte) span {
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

// from returns what stands at a place and behind it.
func (a *arena) from(at uint32) []byte { return a.blocks[at/arenaBlock][at%arenaBlock:] }

// interner keeps every different text once and gives it an id. The id of "" is 0.
type interner struct {
	text  arena
	spans chunked[span]
	index hashIndex
}

func (t *interner) idOf(s string) uint32 {
	if s == "" {
		return 0
	}
	if i, known := t.index.findEntry(s, func(i int) bool { return string(t.text.bytes(*t.spans.at(i))) == s }); known {
		return uint32(i + 1)
	}
	t.index.addEntry()
	return uint32(t.spans.append(t.text.addText([]byte(s))) + 1)
}

func (t *interner) bytes(id uint32) []byte {
	if id == 0 {
		return nil
	}
	return t.text.bytes(*t.spans.at(int(id - 1)))
}

func (t *interner) string(id uint32) string { return string(t.bytes(id)) }

// hashIndex is a hash table that finds the entries of a list by their keys. It keeps
// no keys, because the list has them, but the hash of each, which rules out entries
// with other keys and lets the table grow without them. Entries beyond maxEntries are
// not found.
type hashIndex struct {
	seed   maphash.Seed
	slots  []uint32        // index + 1 and behind it a byte of the hash, 0 where free; a power of two of them, linear probing
	hashes chunked[uint32] // by entry
	missed uint32          // hash of the key that findEntry did not find last
}

// size is what the table takes, in bytes.
func (x *hashIndex) size() int { return 4 * (len(x.slots) + x.hashes.len()) }

// findEntry returns the entry with a key; is reports whether entry i has it.
func (x *hashIndex) findEntry(key string, is func(i int) bool) (int, bool) {
	if len(x.slots) == 0 {
		x.seed, x.slots = maphash.MakeSeed(), make([]uint32, 64)
	}
	hash := uint32(maphash.String(x.seed, key))
	for slot := x.homeSlot(hash); x.slots[slot] != 0; slot = x.nextSlot(slot) {
		if i := int(x.slots[slot]>>8 - 1); byte(x.slots[slot]) == byte(hash>>24) && *x.hashes.at(i) == hash && is(i) {
			return i, true
		}
	}
	x.missed = hash
	return 0, false
}

// addEntry adds the next entry of the list, with the key that findEntry did not find
// last.
func (x *hashIndex) addEntry() {
	if x.hashes.len()*4 >= len(x.slots)*3 {
		x.slots = make([]uint32, 2*len(x.slots))
		for i := range x.hashes.len() {
			x.putEntry(*x.hashes.at(i), i)
		}
	}
	x.putEntry(x.missed, x.hashes.append(x.missed))
}

// putEntry puts i into its slot or the next free one.
func (x *hashIndex) putEntry(hash uint32, i int) {
	if i >= maxEntries {
		return
	}
	slot := x.homeSlot(hash)
	for x.slots[slot] != 0 {
		slot = x.nextSlot(slot)
	}
	x.slots[slot] = uint32(i+1)<<8 | hash>>24
}

// maxEntries is how many entries a slot can name: more than a report may have tests.
const maxEntries = 1<<24 - 1

func (x *hashIndex) homeSlot(hash uint32) int { return int(hash) & (len(x.slots) - 1) }
func (x *hashIndex) nextSlot(slot int) int    { return (slot + 1) & (len(x.slots) - 1) }

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

// set puts v at index i, with zero values before it where the list is shorter.
func (c *chunked[T]) set(i int, v T) {
	for c.len() <= i {
		c.append(*new(T))
	}
	*c.at(i) = v
}
