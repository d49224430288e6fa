package preset

import (
	"math/bits"
	"slices"
)

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
		k := slices.Index(s.names, x)
		if k < 0 {
			k = len(s.names)
			s.names, s.masks = append(s.names, x), append(s.masks, 0)
		}
		s.masks[k] |= 1 << i
	}
	return s
}

// ratio returns the length of the longest common subsequence over the longer
// list's length, and 0 when both are empty.
func (s *sequence) ratio(other []uint64) float64 {
	longer := max(len(s.list), len(other))
	if longer == 0 {
		return 0
	}
	if len(s.list) > 64 {
		return lcsRatio(s.list, other)
	}
	v := ^uint64(0)
	for _, x := range other {
		var m uint64
		if k := slices.Index(s.names, x); k >= 0 {
			m = s.masks[k]
		}
		u := v & m
		v = (v + u) | (v - u)
	}
	inside := uint64(1)<<len(s.list) - 1
	return float64(bits.OnesCount64(^v&inside)) / float64(longer)
}

// lcsRatio is the ratio of two lists of any length (R. A. Wagner and M. J.
// Fischer, 1974).
func lcsRatio(a, b []uint64) float64 {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return float64(row[len(b)]) / float64(max(1, len(a), len(b)))
}
