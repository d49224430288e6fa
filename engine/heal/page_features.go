package heal

const (
	reach        = 10 // elements before and after that count as the neighbourhood
	maxSteps     = 12 // elements to pass on the way to a matched neighbour
	maxAncestors = 64 // ancestors to pass on the way to a matched one
	maxInside    = 40 // elements inside the lost one that are looked at
)

// surroundings says where the elements around the lost one are on the new page,
// according to the alignment.
type surroundings struct {
	before, after       int32   // where the nearest matched neighbours went, -1 unknown
	beforeOld, afterOld int32   // which they are
	ancestor            int32   // where the nearest matched ancestor went, -1 unknown
	steps               int     // how many steps up that is
	near                int     // elements of the neighbourhood
	nearby              []int32 // where the matched ones among them went
	free                int     // unmatched elements of the lost one's kind between before and after, -1 unknown
	in, inMatched       int     // elements inside the lost one, and the matched ones among them
	freeOld, freeNew    int32   // unmatched elements that are called like the lost one
}

// readSurroundings looks at the elements around the lost one.
func (q *query) readSurroundings() {
	s := &q.surroundings
	s.beforeOld, s.before = q.old.matchedBefore(q.oi, q.align.toNew)
	s.afterOld, s.after = q.old.matchedAfter(q.oi, q.align.toNew)
	s.freeOld, s.freeNew = q.align.freeOld[q.o.nameKey], q.align.freeNew[q.o.nameKey]
	s.ancestor = -1
	for up, steps := q.o.parent, 1; up >= 0 && steps < maxAncestors; up, steps = q.old.nodes[up].parent, steps+1 {
		if to := q.align.toNew[up]; to >= 0 {
			s.ancestor, s.steps = to, steps
			break
		}
	}
	s.nearby = make([]int32, 0, 2*reach)
	look := func(j int32) {
		if !q.old.candidate(int(j)) {
			return
		}
		s.near++
		if to := q.align.toNew[j]; to >= 0 {
			s.nearby = append(s.nearby, to)
		}
	}
	for j := max(0, q.oi-reach); j < q.oi; j++ {
		if q.old.nodes[j].end <= q.oi {
			look(j)
		}
	}
	for j := q.o.end; j < min(q.o.end+reach, int32(len(q.old.nodes))); j++ {
		look(j)
	}
	s.free = -1
	if s.before >= 0 && s.after > s.before {
		s.free = 0
		for j := s.before + 1; j < s.after && s.free < 20; j++ {
			if q.align.toOld[j] < 0 && q.page.nodes[j].kind == q.o.kind && q.page.candidate(int(j)) {
				s.free++
			}
		}
	}
	for j := q.oi + 1; j < min(q.o.end, q.oi+maxInside); j++ {
		s.in++
		if q.align.toNew[j] >= 0 {
			s.inMatched++
		}
	}
}

// matchedBefore returns the nearest element before i, but not around it, that
// has a counterpart, and the counterpart; -1 where there is none close by.
func (p *Page) matchedBefore(i int32, to []int32) (found, counterpart int32) {
	for j, n := i-1, 0; j >= 0 && n < maxSteps; j, n = j-1, n+1 {
		if to[j] >= 0 && p.nodes[j].end <= i {
			return j, to[j]
		}
	}
	return -1, -1
}

// matchedAfter is matchedBefore for what follows i and is not inside it.
func (p *Page) matchedAfter(i int32, to []int32) (found, counterpart int32) {
	for j, n := p.nodes[i].end, 0; j < int32(len(p.nodes)) && n < maxSteps; j, n = j+1, n+1 {
		if to[j] >= 0 {
			return j, to[j]
		}
	}
	return -1, -1
}

// readPages computes what the features below share.
func (p *pair) readPages() {
	for j := p.oi + 1; j < min(p.o.end, p.oi+maxInside); j++ {
		if p.page.contains(p.ci, p.align.toNew[j]) {
			p.inside++
		}
	}
	_, p.oldBefore = p.page.matchedBefore(p.ci, p.align.toOld)
	_, p.oldAfter = p.page.matchedAfter(p.ci, p.align.toOld)
	p.competition = p.compete(p.c, p.ci)
}

// compete compares the old page's elements of the lost element's kind and of
// the candidate's.
func (q *query) compete(c *node, ci int32) competition {
	q.back.lookFor(c, ci)
	k := competition{own: q.back.likeness(q.o), competitor: -1}
	q.competeInKind(&k, q.o.kind)
	if c.kind != q.o.kind {
		q.competeInKind(&k, c.kind)
	}
	q.back.forget()
	return k
}

// pageFeatures need the rest of the old page: they say whether another of its
// elements explains the candidate better, and whether the candidate stands where
// the lost element's surroundings went.
var pageFeatures = []feature{
	{"aligned", func(p *pair) float32 {
		to := p.align.toNew[p.oi]
		return given(to >= 0, same(to, p.ci))
	}},
	{"aligned level", func(p *pair) float32 {
		return same(p.align.toNew[p.oi], p.ci) * float32(p.align.level[p.ci])
	}},
	{"taken", func(p *pair) float32 {
		if !p.taken() {
			return 0
		}
		return float32(p.align.level[p.ci])
	}},
	{"taken by relative", func(p *pair) float32 {
		from := p.align.toOld[p.ci]
		return given(p.taken(), number(p.old.contains(from, p.oi) || p.old.contains(p.oi, from)))
	}},
	{"taken better", func(p *pair) float32 {
		if !p.taken() {
			return missing
		}
		return p.dice(p.old.nodes[p.align.toOld[p.ci]].best, p.c.best) - p.dice(p.o.best, p.c.best)
	}},
	{"ancestor holds", func(p *pair) float32 { return given(p.ancestor >= 0, number(p.page.contains(p.ancestor, p.ci))) }},
	{"ancestor steps", func(p *pair) float32 { return given(p.ancestor >= 0, float32(p.steps)) }},
	{"parent aligned", func(p *pair) float32 {
		if p.o.parent < 0 || p.c.parent < 0 {
			return missing
		}
		to := p.align.toNew[p.o.parent]
		return given(to >= 0, same(to, p.c.parent))
	}},
	{"between", func(p *pair) float32 { return between(p.before, p.ci, p.after) }},
	{"after before", func(p *pair) float32 { return gap(p.before, p.ci) }},
	{"before after", func(p *pair) float32 { return gap(p.ci, p.after) }},
	{"page share", func(p *pair) float32 { return p.align.share }},
	{"near share", func(p *pair) float32 { return share(len(p.nearby), p.near) }},
	{"near agree", func(p *pair) float32 {
		close := 0
		for _, to := range p.nearby {
			if abs(to-p.ci) <= 3*reach {
				close++
			}
		}
		return share(close, len(p.nearby))
	}},
	{"gap free", func(p *pair) float32 { return given(p.free >= 0, float32(p.free)) }},
	{"inside agree", func(p *pair) float32 { return share(p.inside, p.in) }},
	{"inside moved", func(p *pair) float32 { return share(p.inMatched-p.inside, p.in) }},
	{"old free", func(p *pair) float32 { return float32(min(20, p.freeOld)) }},
	{"new free", func(p *pair) float32 { return float32(min(20, p.freeNew)) }},

	// A candidate that another element of the old page is more like is that
	// element, moved or changed, and not the lost one.
	{"competitor lead", func(p *pair) float32 { return p.own - p.top }},
	{"competitor rank", func(p *pair) float32 { return float32(min(maxAhead, p.ahead)) }},
	{"competitor likeness", func(p *pair) float32 { return p.top }},
	{"competitor free", func(p *pair) float32 { return p.competitorFree() }},
	{"competitor free lead", func(p *pair) float32 { return p.competitorFree() * (p.own - p.top) }},

	// where the candidate's own neighbours were: around the lost element, or elsewhere
	{"back between", func(p *pair) float32 { return between(p.oldBefore, p.oi, p.oldAfter) }},
	{"back before", func(p *pair) float32 { return gap(p.oldBefore, p.oi) }},
	{"back after", func(p *pair) float32 { return gap(p.oi, p.oldAfter) }},

	// how much further the candidate moved than what was around the lost element, in pixels
	{"shift x before", func(p *pair) float32 { return p.shift(xOf, p.beforeOld, p.before) }},
	{"shift y before", func(p *pair) float32 { return p.shift(yOf, p.beforeOld, p.before) }},
	{"shift x after", func(p *pair) float32 { return p.shift(xOf, p.afterOld, p.after) }},
	{"shift y after", func(p *pair) float32 { return p.shift(yOf, p.afterOld, p.after) }},
}

// taken reports whether the alignment knows the candidate as another element of
// the old page.
func (p *pair) taken() bool {
	from := p.align.toOld[p.ci]
	return from >= 0 && from != p.oi
}

// competitorFree says whether the likeliest other element of the old page went
// nowhere else.
func (p *pair) competitorFree() float32 {
	if p.competitor < 0 {
		return missing
	}
	to := p.align.toNew[p.competitor]
	return number(to < 0 || to == p.ci)
}

func between(before, i, after int32) float32 {
	return given(before >= 0 && after >= 0, number(before < i && i < after))
}

// gap returns how far to comes after from, cut at ±50; missing·100 when one is
// not known.
func gap(from, to int32) float32 {
	if from < 0 || to < 0 {
		return missing * 100
	}
	return float32(min(50, max(-50, to-from)))
}

func share(part, whole int) float32 {
	if whole == 0 {
		return missing
	}
	return float32(part) / float32(whole)
}

// shift returns the candidate's move along an axis against that of a matched
// neighbour of the lost element.
func (p *pair) shift(axis func(*node) float64, from, to int32) float32 {
	if to < 0 || !p.boxes {
		return missing
	}
	return difference(axis(p.c)-axis(p.o), axis(&p.page.nodes[to])-axis(&p.old.nodes[from]))
}

func xOf(n *node) float64 { return n.box.X }
func yOf(n *node) float64 { return n.box.Y }
