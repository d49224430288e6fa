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
const encodingVersion = 12

// Encode returns what the judge knows, for DecodeJudge: each test under the number
// that number gives it. The form is not for other versions.
func (j *Judge) Encode(number func(test int) int64) []byte {
	c := &codec{number: number, known: map[string]uint64{}}
	c.judge(j)
	return c.bytes
}

// errNotDecodable says that the bytes hold no judge of this version.
var errNotDecodable = errors.New("what was kept holds no judge of this version")

// DecodeJudge returns the judge that was encoded; test gives each number its test, or
// -1 when there is none any more, which is an error.
// The bytes may be hostile: whatever they hold, the memory used is in proportion
// to their size.
func DecodeJudge(encoded []byte, test func(number int64) int) (*Judge, error) {
	c, j := &codec{bytes: encoded, decodes: true, test: test}, NewJudge()
	if c.judge(j); c.bad || len(c.bytes) > 0 {
		return nil, errNotDecodable
	}
	return j, nil
}

// codec writes a judge as variable-length integers or, where it decodes, reads one.
// Its methods get what is to be written and return what was written or read. A text
// is written once and then by its number. After the first thing that cannot be, bad
// is set and everything reads as nothing.
type codec struct {
	bytes   []byte // written so far, or left to read
	decodes bool
	bad     bool
	said    []string          // texts so far
	known   map[string]uint64 // their numbers, to encode
	number  func(test int) int64
	test    func(number int64) int
}

// failIf ends decoding where what was read cannot be.
func (c *codec) failIf(impossible bool) {
	if c.decodes && impossible {
		c.bad, c.bytes = true, nil
	}
}

func (c *codec) uint(n uint64) uint64 {
	if !c.decodes {
		c.bytes = binary.AppendUvarint(c.bytes, n)
		return n
	}
	n, size := binary.Uvarint(c.bytes)
	return advance(c, n, size)
}

func (c *codec) varint(n int64) int64 {
	if !c.decodes {
		c.bytes = binary.AppendVarint(c.bytes, n)
		return n
	}
	n, size := binary.Varint(c.bytes)
	return advance(c, n, size)
}

func advance[N uint64 | int64](c *codec, n N, size int) N {
	if c.failIf(size <= 0); c.bad {
		return 0
	}
	c.bytes = c.bytes[size:]
	return n
}

// int is for numbers that no sum of can overflow.
func (c *codec) int(have int) int {
	n := c.varint(int64(have))
	if c.failIf(n < 0 || n > math.MaxInt32); c.bad {
		return 0
	}
	return int(n)
}

// count is how many things follow, each at least a byte.
func (c *codec) count(have int) int {
	n := c.uint(uint64(have))
	if c.failIf(n > uint64(len(c.bytes))); c.bad {
		return 0
	}
	return int(n)
}

func (c *codec) bool(b bool) bool {
	n := uint64(0)
	if b {
		n = 1
	}
	return c.uint(n) == 1
}

func (c *codec) float(f float64) float64 {
	if !c.decodes {
		c.bytes = binary.LittleEndian.AppendUint64(c.bytes, math.Float64bits(f))
		return f
	}
	if c.failIf(len(c.bytes) < 8); c.bad {
		return 0
	}
	f = math.Float64frombits(binary.LittleEndian.Uint64(c.bytes))
	c.bytes = c.bytes[8:]
	if c.failIf(!(f >= 0 && f <= math.MaxInt32)); c.bad {
		return 0
	}
	return f
}

func (c *codec) text(s string) string {
	n := c.uint(c.known[s])
	if c.failIf(n > uint64(len(c.said))); c.bad {
		return ""
	}
	if n > 0 {
		return c.said[n-1]
	}
	if size := c.count(len(s)); c.decodes {
		s, c.bytes = string(c.bytes[:size]), c.bytes[size:]
	} else {
		c.bytes = append(c.bytes, s...)
		c.known[s] = uint64(len(c.said)) + 1
	}
	c.said = append(c.said, s)
	return s
}

// codeList writes or reads a list, item by item.
func codeList[T any](c *codec, have []T, code func(T) T) (list []T) {
	for i := range c.count(len(have)) {
		if c.bad {
			break
		}
		var item T
		if !c.decodes {
			item = have[i]
		}
		list = append(list, code(item))
	}
	return list
}

// codeMap writes or reads a map in the order of its keys.
func codeMap[K comparable, V any](c *codec, m map[K]V, order func(a, b K) int, key func(K) K, value func(K, V) V) {
	codeList(c, slices.SortedFunc(maps.Keys(m), order), func(k K) K {
		var v V
		if !c.decodes {
			v = m[k]
		}
		k = key(k)
		m[k] = value(k, v)
		return k
	})
}

func (c *codec) judge(j *Judge) {
	c.failIf(c.uint(encodingVersion) != encodingVersion)
	c.tracker(j.Main)
	c.tracker(j.Pulls)
}

func (c *codec) tracker(t *Tracker) {
	t.commits = c.int(t.commits)
	codeMap(c, t.sources, cmp.Compare, c.text, func(_ string, s sourceState) sourceState {
		return sourceState{c.int(s.commits), c.int(s.last)}
	})
	t.reds = codeList(c, t.reds, func(r redCommit) redCommit { return redCommit{c.texts(r.sources), c.bool(r.rerun)} })
	t.usual.tests, t.usual.all = c.float(t.usual.tests), c.float(t.usual.all)
	codeMap(c, t.usual.byError, cmp.Compare, c.text, func(_ string, n float64) float64 { return c.float(n) })
	t.correlation = suiteCorrelation{c.retries(t.correlation.retries), c.float(t.correlation.expected)}
	byNumber := func(a, b int) int { return cmp.Compare(c.number(a), c.number(b)) }
	codeMap(c, t.states, byNumber, c.testNumber, func(test int, s *testState) *testState {
		s = c.state(s)
		if s.turn > 0 {
			t.held[test] = true
		}
		return s
	})
}

// testNumber writes or reads the number of a test.
func (c *codec) testNumber(test int) int {
	if !c.decodes {
		c.varint(c.number(test))
		return test
	}
	test = c.test(c.varint(0))
	c.failIf(test < 0)
	return test
}

func (c *codec) state(s *testState) *testState {
	if s == nil {
		s = newTestState()
	}
	s.executions, s.clean, s.turn, s.since = c.int(s.executions), c.int(s.clean), c.int(s.turn), c.varint(s.since)
	s.newest, s.evidence = c.varint(s.newest), codeList(c, s.evidence, c.evidence)
	c.failIf(slices.ContainsFunc(s.evidence, func(e Evidence) bool { return e.At > s.executions }))
	codeMap(c, s.variants, cmp.Compare, c.text, func(_ string, r *redRate) *redRate { return c.redRate(r) })
	codeMap(c, s.branches, branchKey.compare, c.branchKey, func(_ branchKey, b *branchState) *branchState { return c.branch(b) })
	return s
}

func (c *codec) redRate(r *redRate) *redRate {
	if r == nil {
		r = &redRate{}
	}
	r.reds, r.seen, r.again = c.float(r.reds), c.float(r.seen), c.retries(r.again)
	r.streak.greens = codeList(c, r.streak.greens, func(g green) green { return green{c.texts(g.by), c.int(g.reds)} })
	r.streak.older = c.int(r.streak.older)
	own := func(o ownReds) ownReds {
		return ownReds{c.texts(o.sources), c.float(o.reds), c.float(o.seen), c.retries(o.again)}
	}
	r.pulls, r.waiting = codeList(c, r.pulls, own), codeList(c, r.waiting, own)
	return r
}

func (c *codec) retries(r retries) retries { return retries{c.float(r.ran), c.float(r.failed)} }

func (k branchKey) compare(other branchKey) int {
	return cmp.Or(cmp.Compare(k.sources, other.sources), cmp.Compare(k.variant, other.variant))
}

func (c *codec) branchKey(k branchKey) branchKey {
	return branchKey{c.text(k.sources), c.text(k.variant)}
}

func (c *codec) evidence(e Evidence) Evidence {
	kind := c.uint(uint64(e.Kind))
	if c.failIf(kind >= uint64(len(points))); c.bad {
		return Evidence{}
	}
	return Evidence{Kind: Kind(kind), At: c.int(e.At), Commit: c.text(e.Commit), Sources: c.texts(e.Sources), DependsOn: c.texts(e.DependsOn),
		Place: c.text(e.Place), Variants: c.texts(e.Variants), Signatures: c.signatures(e.Signatures)}
}

func (c *codec) texts(have []string) []string { return codeList(c, have, c.text) }

func (c *codec) signatures(have []string) []string {
	texts := c.texts(have)
	c.failIf(len(texts) > maxErrors)
	return texts
}

func (c *codec) branch(b *branchState) *branchState {
	if b == nil {
		b = &branchState{}
	}
	b.streak, b.retries, b.since, b.errors = c.int(b.streak), c.int(b.retries), c.text(b.since), c.signatures(b.errors)
	if c.bool(b.pending != nil) {
		b.pending = cmp.Or(b.pending, &Evidence{})
		*b.pending = c.evidence(*b.pending)
	}
	return b
}
