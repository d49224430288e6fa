package preset

import "math/bits"

// Scorer is a lost element prepared for one preset. It is for one goroutine.
type Scorer struct {
	preset   Name
	signals  []weighted
	o        Shape
	text     *pattern
	units    *pattern
	path     sequence
	siblings sequence
}

// NewScorer prepares a lost element.
func NewScorer(p Name, o Shape) *Scorer {
	q := &Scorer{preset: p, signals: p.signals(), o: o, path: newSequence(o.path), siblings: newSequence(o.siblings)}
	if p == Selfmend {
		q.units = newPattern(o.units)
	} else {
		q.text = newPattern(o.text)
	}
	return q
}

// Alike reports whether selfmend would compare an element with what was lost:
// it has the same tag or the lost element's explicit role.
func (q *Scorer) Alike(c *Shape) bool {
	return c.tag == q.o.tag || q.o.role != 0 && c.role == q.o.role
}

func exactHash(a, b uint64) float64 {
	if a == b {
		return 1
	}
	return 0
}

func sigTag(q *Scorer, c *Shape) (float64, bool) {
	return exactHash(q.o.tag, c.tag), q.o.tag != 0 || c.tag != 0 || q.preset != Selfmend
}

// sigID is 1 when both have the same id; two elements without one share none.
func sigID(q *Scorer, c *Shape) (float64, bool) {
	if q.o.id == 0 {
		return 0, true
	}
	return exactHash(q.o.id, c.id), true
}

func sigText(q *Scorer, c *Shape) (float64, bool) { return q.text.ratio(c.text), true }

func sigClass(q *Scorer, c *Shape) (float64, bool) {
	return jaccardSets(q.o.classes, c.classes), true
}

func sigAttributes(q *Scorer, c *Shape) (float64, bool) {
	return jaccardSets(q.o.attributes, c.attributes), true
}

// sigOtherAttributes leaves out id and class, which have signals of their own.
func sigOtherAttributes(q *Scorer, c *Shape) (float64, bool) {
	return jaccardSets(q.o.other, c.other), true
}

func sigPath(q *Scorer, c *Shape) (float64, bool) { return q.path.ratio(c.path), true }

func sigSiblings(q *Scorer, c *Shape) (float64, bool) {
	return q.siblings.ratio(c.siblings), true
}

func sigPosition(q *Scorer, c *Shape) (float64, bool) { return Proximity(q.o.box, c.box), true }

func sigTestID(q *Scorer, c *Shape) (float64, bool) {
	return exactHash(q.o.testID, c.testID), q.o.testID != 0 || c.testID != 0
}

func sigRole(q *Scorer, c *Shape) (float64, bool) {
	return exactHash(q.o.role, c.role), q.o.role != 0 || c.role != 0
}

// sigFuzzyText is the better of the share of common words and the edit
// distance ratio.
func sigFuzzyText(q *Scorer, c *Shape) (float64, bool) {
	if len(q.o.text) == 0 && len(c.text) == 0 {
		return 1, false
	}
	return max(jaccardSets(q.o.words, c.words), q.units.ratio(c.units)), true
}

// sigStableAttributes is the share of the attribute names of either that have
// one value on both.
func sigStableAttributes(q *Scorer, c *Shape) (float64, bool) {
	names, same := len(q.o.stable)+q.o.unseen, 0
	for _, b := range c.stable {
		found := false
		for _, a := range q.o.stable {
			if a.name == b.name {
				found = true
				if a.value == b.value {
					same++
				}
				break
			}
		}
		if !found {
			names++
		}
	}
	if names == 0 {
		return 0, false
	}
	return float64(same) / float64(names), true
}

func sigParentTag(q *Scorer, c *Shape) (float64, bool) {
	return exactHash(q.o.parentTag, c.parentTag), q.o.parentTag != 0 || c.parentTag != 0
}

func sigNeighbours(q *Scorer, c *Shape) (float64, bool) {
	return exactHash(q.o.neighbours, c.neighbours), q.o.neighbours != 0 || c.neighbours != 0
}

func sigOrdinal(q *Scorer, c *Shape) (float64, bool) {
	if q.o.ordinal >= 0 && q.o.ordinal == c.ordinal {
		return 1, true
	}
	return 0, q.o.ordinal >= 0 || c.ordinal >= 0
}

// jaccardSets is Jaccard for lists without repetitions.
func jaccardSets(a, b []uint64) float64 {
	all := len(a) + len(b)
	if all == 0 {
		return 0
	}
	both := 0
	for _, x := range a {
		for _, y := range b {
			if x == y {
				both++
				break
			}
		}
	}
	return float64(both) / float64(all-both)
}

// sequence is a list prepared for longest common subsequences with others, a
// bit a position (M. Crochemore et al., 2001). Longer lists than 64 are
// compared the plain way.
type sequence struct {
	list  []uint64
	names []uint64
	masks []uint64
}

func newSequence(list []uint64) sequence {
	s := sequence{list: list}
	if len(list) > 64 {
		return s
	}
	for i, x := range list {
		k := 0
		for k < len(s.names) && s.names[k] != x {
			k++
		}
		if k == len(s.names) {
			s.names, s.masks = append(s.names, x), append(s.masks, 0)
		}
		s.masks[k] |= 1 << i
	}
	return s
}

// ratio is LCSRatio.
func (s *sequence) ratio(other []uint64) float64 {
	longer := max(len(s.list), len(other))
	if longer == 0 {
		return 0
	}
	if len(s.list) > 64 {
		return LCSRatio(s.list, other)
	}
	v := ^uint64(0)
	for _, x := range other {
		var m uint64
		for k, name := range s.names {
			if name == x {
				m = s.masks[k]
				break
			}
		}
		u := v & m
		v = (v + u) | (v - u)
	}
	inside := uint64(1)<<len(s.list) - 1
	return float64(bits.OnesCount64(^v&inside)) / float64(longer)
}
