package preset

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// pattern is a text prepared for edit distances to many others: per character
// the positions it stands at, as bits. The distance is computed a machine word
// of positions at a time (G. Myers, "A fast bit-vector algorithm for
// approximate string matching", 1999; blocks after H. Hyyrö, 2003).
type pattern struct {
	n      int // characters
	blocks int
	ascii  []uint64          // blocks words by ASCII character
	other  map[rune][]uint64 // the same for the rest
	none   []uint64
	pv, mv []uint64 // work space
	text   []rune
}

func newPattern(text []rune) *pattern {
	p := &pattern{n: len(text), blocks: (len(text) + 63) / 64, text: text}
	p.ascii = make([]uint64, utf8.RuneSelf*p.blocks)
	work := make([]uint64, 3*p.blocks)
	p.none, p.pv, p.mv = work[:p.blocks], work[p.blocks:2*p.blocks], work[2*p.blocks:]
	for i, r := range text {
		p.places(r)[i/64] |= 1 << (i % 64)
	}
	return p
}

// places returns the words of a character of the pattern, to be written.
func (p *pattern) places(r rune) []uint64 {
	if r >= 0 && r < utf8.RuneSelf {
		return p.ascii[int(r)*p.blocks : (int(r)+1)*p.blocks]
	}
	if p.other == nil {
		p.other = make(map[rune][]uint64)
	}
	if p.other[r] == nil {
		p.other[r] = make([]uint64, p.blocks)
	}
	return p.other[r]
}

// at returns the words of any character.
func (p *pattern) at(r rune) []uint64 {
	if r >= 0 && r < utf8.RuneSelf {
		return p.ascii[int(r)*p.blocks : (int(r)+1)*p.blocks]
	}
	if w := p.other[r]; w != nil {
		return w
	}
	return p.none
}

// ratio returns 1 − distance/longer length; 1 for two empty texts.
func (p *pattern) ratio(text []rune) float64 {
	longer := max(p.n, len(text))
	switch {
	case longer == 0:
		return 1
	case p.n == 0 || len(text) == 0:
		return 0
	}
	return 1 - float64(p.distance(text))/float64(longer)
}

// distance returns the edit distance to text.
func (p *pattern) distance(text []rune) int {
	if p.n == 0 {
		return len(text)
	}
	if p.blocks == 1 {
		return p.distance64(text)
	}
	for b := range p.pv {
		p.pv[b], p.mv[b] = ^uint64(0), 0
	}
	d, last := p.n, uint64(1)<<((p.n-1)%64)
	for _, r := range text {
		eq := p.at(r)
		carryP, carryM := uint64(1), uint64(0)
		for b := range p.pv {
			pv, mv := p.pv[b], p.mv[b]
			e := eq[b]
			xv := e | mv
			e |= carryM
			xh := (((e & pv) + pv) ^ pv) | e
			ph, mh := mv|^(xh|pv), pv&xh
			if b == p.blocks-1 {
				if ph&last != 0 {
					d++
				} else if mh&last != 0 {
					d--
				}
			}
			outP, outM := ph>>63, mh>>63
			ph, mh = ph<<1|carryP, mh<<1|carryM
			p.pv[b], p.mv[b] = mh|^(xv|ph), ph&xv
			carryP, carryM = outP, outM
		}
	}
	return d
}

// distance64 is distance for at most 64 characters.
func (p *pattern) distance64(text []rune) int {
	pv, mv := ^uint64(0), uint64(0)
	d, last := p.n, uint64(1)<<(p.n-1)
	for _, r := range text {
		var eq uint64
		if r >= 0 && r < utf8.RuneSelf {
			eq = p.ascii[r]
		} else if w := p.other[r]; w != nil {
			eq = w[0]
		}
		xv := eq | mv
		xh := (((eq & pv) + pv) ^ pv) | eq
		ph, mh := mv|^(xh|pv), pv&xh
		if ph&last != 0 {
			d++
		} else if mh&last != 0 {
			d--
		}
		ph, mh = ph<<1|1, mh<<1
		pv, mv = mh|^(xv|ph), ph&xv
	}
	return d
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
