package text

import "unicode/utf8"

// Pattern is a text prepared for edit distances to many others: for each
// character the positions where it occurs, as bits. The distance is computed a machine word
// of positions at a time (G. Myers, "A fast bit-vector algorithm for
// approximate string matching", 1999; blocks after H. Hyyrö, 2003).
type Pattern struct {
	n      int // characters
	blocks int
	ascii  []uint64          // blocks words by ASCII character
	other  map[rune][]uint64 // the same for the rest
	none   []uint64
	pv, mv []uint64 // work space
}

// NewPattern prepares a text. Its distances are taken by one goroutine at a time.
func NewPattern(text []rune) *Pattern {
	p := &Pattern{n: len(text), blocks: (len(text) + 63) / 64}
	p.ascii = make([]uint64, utf8.RuneSelf*p.blocks)
	work := make([]uint64, 3*p.blocks)
	p.none, p.pv, p.mv = work[:p.blocks], work[p.blocks:2*p.blocks], work[2*p.blocks:]
	for i, r := range text {
		p.writableWords(r)[i/64] |= 1 << (i % 64)
	}
	return p
}

// writableWords returns the words of a character of the pattern, to be written.
func (p *Pattern) writableWords(r rune) []uint64 {
	if (r < 0 || r >= utf8.RuneSelf) && p.other[r] == nil {
		if p.other == nil {
			p.other = make(map[rune][]uint64)
		}
		p.other[r] = make([]uint64, p.blocks)
	}
	return p.wordsAt(r)
}

// wordsAt returns the words of any character.
func (p *Pattern) wordsAt(r rune) []uint64 {
	if r >= 0 && r < utf8.RuneSelf {
		return p.ascii[int(r)*p.blocks : (int(r)+1)*p.blocks]
	}
	if w := p.other[r]; w != nil {
		return w
	}
	return p.none
}

// Ratio returns 1 − distance/longer length; 1 for two empty texts.
func (p *Pattern) Ratio(text []rune) float64 {
	longer := max(p.n, len(text))
	switch {
	case longer == 0:
		return 1
	case p.n == 0 || len(text) == 0:
		return 0
	}
	return 1 - float64(p.Distance(text))/float64(longer)
}

// Distance returns the edit distance to text (V. I. Levenshtein, 1966).
func (p *Pattern) Distance(text []rune) int {
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
		eq := p.wordsAt(r)
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
func (p *Pattern) distance64(text []rune) int {
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
