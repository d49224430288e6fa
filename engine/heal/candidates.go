package heal

import (
	"math"
	"slices"
	"sort"
)

// query is the search for one lost element, o of the old page, on another page.
type query struct {
	old, page *Page
	o         *node
	oi        int32
	align     *alignment // nil when the old page is not known
	token     []int32    // by old's token id: the id of the same token on page, -1 for none

	tokenWeight, context     []float32 // by token id of page: the weight if o has the token, else 0
	tokenSum, contextSum     float32   // of the weights of o's tokens
	classSum                 float32
	ranked                   []ranked
	newSameText, newSameName int32  // candidates with o's text, and with its name
	surroundings                    // set only with an alignment
	back                     *query // searches the old page for a candidate
	pair                     pair   // the candidate whose features are computed
}

// maxRanked is for how many candidates the features are computed.
const maxRanked = 16

// ranked is a candidate with its likeness, by which the likeliest are picked.
type ranked struct {
	index    int32
	likeness float32
}

// newQuery prepares the search for old's element oi among page's elements.
func newQuery(old *Page, oi int, page *Page, al *alignment) *query {
	q := &query{old: old, page: page, align: al}
	if al == nil {
		q.token = sameTokens(old, page)
	} else {
		q.token = al.newToken
		q.back = &query{old: page, page: old, token: al.oldToken, tokenWeight: make([]float32, len(old.token)), context: make([]float32, len(old.token))}
	}
	both := make([]float32, 2*len(page.token))
	q.tokenWeight, q.context = both[:len(page.token)], both[len(page.token):]
	q.lookFor(&old.nodes[oi], int32(oi))
	q.newSameText, q.newSameName = page.byText[q.o.textKey], page.byName[q.o.nameKey]
	absent := page.weight(0)
	for _, t := range q.o.classes {
		if id := q.token[t]; id >= 0 {
			q.classSum += page.tokenWeight[id]
		} else {
			q.classSum += absent
		}
	}
	if al != nil {
		q.readSurroundings()
	}
	return q
}

// sameTokens returns, by token id of one page, the id of the same token on
// another page, -1 for none.
func sameTokens(from, to *Page) []int32 {
	same := make([]int32, len(from.token))
	for i, t := range from.token {
		same[i] = -1
		if id, ok := to.tokenID[t]; ok {
			same[i] = int32(id)
		}
	}
	return same
}

// markTokens sets in mark, by token id of the new page, the weights of the tokens
// of the old page, and returns the sum of all their weights.
func (q *query) markTokens(mark, rare []float32, tokens []uint32) (sum float32) {
	absent := q.page.weight(0)
	for _, t := range tokens {
		id := q.token[t]
		if id < 0 {
			sum += absent
			continue
		}
		mark[id] = rare[id]
		sum += rare[id]
	}
	return sum
}

// overlap returns Dice's coefficient of two weighted token sets in [0,1].
func overlap(mark []float32, tokens []uint32, sumO, sumC float32) float32 {
	if sumO+sumC <= 0 {
		return 0
	}
	return 2 * sumOf(mark, tokens) / (sumO + sumC)
}

// covered returns the share of o's weighted tokens that a candidate has.
func covered(mark []float32, tokens []uint32, sumO float32) float32 {
	if sumO <= 0 {
		return 0
	}
	return sumOf(mark, tokens) / sumO
}

// unlikely is less than any likeness.
var unlikely = float32(math.Inf(-1))

// The most that is added to a likeness after the first and after the second step of
// likenessAbove, and a little for how sums are rounded.
const (
	mostAfterTokens = 1 + .7 + .5 + .5 + .3 + .1
	mostAfterName   = 3 + mostAfterTokens
)

// likeness is a cheap score. It only decides for which candidates the features
// are computed.
func (q *query) likeness(c *node) float32 { return q.likenessAbove(c, unlikely) }

// likenessAbove returns the likeness of a candidate, or unlikely as soon as it is
// certain to be below floor: most candidates are out of question at once.
func (q *query) likenessAbove(c *node, floor float32) float32 {
	o := q.o
	op, cp := q.old.phrases, q.page.phrases
	s := float32(3)
	if !op[o.best].equal(&cp[c.best]) {
		s = 1.5 * op[o.best].dice(&cp[c.best])
	}
	if o.kind == c.kind {
		s += 1.2
	}
	if o.tag == c.tag {
		s += .5
	}
	if s+mostAfterName < floor {
		return unlikely
	}
	s += 3 * overlap(q.tokenWeight, c.tokens, q.tokenSum, c.tokenSum)
	if s+mostAfterTokens < floor {
		return unlikely
	}
	s += covered(q.context, c.context, q.contextSum)
	if op[o.prev].equal(&cp[c.prev]) {
		s += .7
	}
	if op[o.next].equal(&cp[c.next]) {
		s += .5
	}
	if o.hasBox && c.hasBox {
		dx, dy := float32(o.box.X-c.box.X), float32(o.box.Y-c.box.Y)
		if d := dx*dx + dy*dy; d < 500*500 {
			s += .5 * (1 - float32(math.Sqrt(float64(d)))/500)
		}
		s += .3 * ratio(o.box.Width, c.box.Width)
	}
	return s
}

// ratio returns the smaller of two sizes over the larger in [0,1].
func ratio(a, b float64) float32 {
	return float32(min(a, b) / max(1, a, b))
}

// rankCandidates finds the likeliest candidates, best first; of equals the one
// that stands first on the page.
func (q *query) rankCandidates() {
	p := q.page
	q.ranked = make([]ranked, 0, maxRanked+2)
	for i := range p.nodes {
		if p.candidate(i) {
			floor := unlikely
			if n := len(q.ranked); n >= maxRanked {
				floor = q.ranked[n-1].likeness
			}
			q.insertRanked(int32(i), q.likenessAbove(&p.nodes[i], floor))
		}
	}
	if q.align != nil {
		q.insertAligned()
	}
}

// insertRanked puts a candidate in its place among the ranked.
func (q *query) insertRanked(i int32, score float32) {
	r := ranked{index: i, likeness: score}
	n := len(q.ranked)
	if n >= maxRanked && !q.ranksBefore(r, q.ranked[n-1]) {
		return
	}
	at := sort.Search(n, func(i int) bool { return !q.ranksBefore(q.ranked[i], r) })
	if n >= maxRanked {
		q.ranked = q.ranked[:n-1]
	}
	q.ranked = slices.Insert(q.ranked, at, r)
}

// insertAligned adds the element that o became according to the alignment.
func (q *query) insertAligned() {
	j := q.align.toNew[q.oi]
	if j < 0 || !q.page.candidate(int(j)) {
		return
	}
	if slices.ContainsFunc(q.ranked, func(r ranked) bool { return r.index == j }) {
		return
	}
	q.ranked = append(q.ranked, ranked{index: j, likeness: q.likeness(&q.page.nodes[j])})
}

func (q *query) ranksBefore(a, b ranked) bool {
	if a.likeness != b.likeness {
		return a.likeness > b.likeness
	}
	return q.page.standsBefore(a.index, b.index)
}
