package heal

import (
	"math"
	"slices"

	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// maxAligned is how many children of one parent are aligned with another's.
const maxAligned = 300

// alignment says which element of the new page each element of an old page
// became, as far as the pages themselves show it. It begins with anchors, elements
// that are the only ones with their name, say, on both pages; their parents and
// children follow.
type alignment struct {
	toNew, toOld     []int32          // index or -1
	newToken         []int32          // by old token id: the new page's, or -1
	oldToken         []int32          // the other way round
	level            []uint8          // how the match was found, by new index
	share            float32          // of the old candidates that were matched
	freeOld, freeNew map[uint64]int32 // candidates without counterpart, by key
	competitors      competitors
}

// How a match was found, the least certain first.
const (
	levelNone uint8 = iota
	levelFallback
	levelOrder
	levelParent
	levelNeighbour
	levelPlace
	levelKey
	levelAll
	levelID
)

// aligner is what making an alignment needs.
type aligner struct {
	*alignment
	old, new *Page
	seen     map[uint64]anchor
	table    []float32
}

// anchor counts the elements of one key on both pages and keeps the last of them.
type anchor struct{ old, new, olds, news int32 }

// align matches the elements of two pages.
func align(old, new *Page) *alignment {
	a := &aligner{alignment: &alignment{
		toNew: slices.Repeat([]int32{-1}, len(old.nodes)), toOld: slices.Repeat([]int32{-1}, len(new.nodes)), level: make([]uint8, len(new.nodes)),
		newToken: sameTokens(old, new), oldToken: sameTokens(new, old),
	}, old: old, new: new, seen: make(map[uint64]anchor, len(old.nodes))}
	a.matchAnchors(levelID, keyID)
	a.matchAnchors(levelAll, keyAll)
	a.matchAnchors(levelKey, keyName)
	a.matchAnchors(levelPlace, keyUnderHeading)
	a.matchAnchors(levelPlace, keyUnderParent)
	for range 2 {
		a.matchParents()
		a.matchChildren()
		a.matchAnchors(levelNeighbour, a.keyAfter)
		a.matchAnchors(levelNeighbour, a.keyBefore)
	}
	a.matchParents()
	a.matchChildren()
	a.countMatches()
	return a.alignment
}

// matchAnchors matches elements with a key that no other unmatched element of
// their page has. A key of 0 is none.
func (a *aligner) matchAnchors(level uint8, key func(*Page, int32, bool) uint64) {
	clear(a.seen)
	for i := range a.old.nodes {
		if a.toNew[i] < 0 {
			if k := key(a.old, int32(i), true); k != 0 {
				s := a.seen[k]
				s.old, s.olds = int32(i), s.olds+1
				a.seen[k] = s
			}
		}
	}
	keys := make([]uint64, len(a.new.nodes))
	for i := range a.new.nodes {
		if a.toOld[i] < 0 {
			keys[i] = key(a.new, int32(i), false)
			if s, ok := a.seen[keys[i]]; ok && keys[i] != 0 {
				s.new, s.news = int32(i), s.news+1
				a.seen[keys[i]] = s
			}
		}
	}
	for i, k := range keys {
		if s, ok := a.seen[k]; ok && k != 0 && s.olds == 1 && s.news == 1 && s.new == int32(i) {
			a.match(s.old, s.new, level)
		}
	}
}

func (a *aligner) match(old, new int32, level uint8) {
	a.toNew[old], a.toOld[new], a.level[new] = new, old, level
}

func keyID(p *Page, i int32, _ bool) uint64 {
	n := &p.nodes[i]
	if n.id == 0 {
		return 0
	}
	return token.Mix(n.tag, p.phrases[n.id].hash)
}

func keyAll(p *Page, i int32, _ bool) uint64 {
	n := &p.nodes[i]
	if n.best == 0 && n.href == 0 && n.src == 0 && n.nameAttr == 0 {
		return 0
	}
	k := token.Mix(n.nameKey, n.tag)
	for _, id := range [...]int32{n.text, n.called, n.href, n.src, n.nameAttr, n.value} {
		k = token.Mix(k, p.phrases[id].hash)
	}
	return k
}

func keyName(p *Page, i int32, _ bool) uint64 {
	n := &p.nodes[i]
	if n.best == 0 {
		return 0
	}
	return token.Mix(n.nameKey, n.tag)
}

func keyUnderHeading(p *Page, i int32, _ bool) uint64 { return keyUnder(p, i, p.nodes[i].heading) }

func keyUnderParent(p *Page, i int32, _ bool) uint64 { return keyUnder(p, i, p.nodes[i].around) }

// keyUnder is made of the name of an element and a text around it.
func keyUnder(p *Page, i, text int32) uint64 {
	k := keyName(p, i, true)
	if k == 0 || text == 0 {
		return 0
	}
	return token.Mix(k, p.phrases[text].hash)
}

// keyAfter is made of the name of an element and the matched element before it.
func (a *aligner) keyAfter(p *Page, i int32, old bool) uint64 {
	return a.keyBeside(p, i, i-1, -1, old)
}

// keyBefore is made of the name of an element and the matched element after it.
func (a *aligner) keyBefore(p *Page, i int32, old bool) uint64 {
	return a.keyBeside(p, i, p.nodes[i].end, 1, old)
}

// keyBeside is made of the name of an element and the first matched element of
// four, from j on.
func (a *aligner) keyBeside(p *Page, i, j, step int32, old bool) uint64 {
	for end := j + 4*step; j != end && j >= 0 && j < int32(len(p.nodes)); j += step {
		if k := a.matchKey(j, old); k != 0 {
			return token.Mix(token.Mix(p.nodes[i].nameKey, p.nodes[i].tag), k)
		}
	}
	return 0
}

// matchKey is the same for two matched elements; 0 for an unmatched one.
func (a *aligner) matchKey(i int32, old bool) uint64 {
	if old && a.toNew[i] < 0 {
		return 0
	}
	if !old {
		i = a.toOld[i]
	}
	if i < 0 {
		return 0
	}
	return token.Mix(uint64(i), 1)
}

// matchParents matches the parents of matched elements when they have one tag.
func (a *aligner) matchParents() {
	for i := len(a.old.nodes) - 1; i >= 0; i-- {
		j := a.toNew[i]
		if j < 0 {
			continue
		}
		up, to := a.old.nodes[i].parent, a.new.nodes[j].parent
		if up < 0 || to < 0 || a.toNew[up] >= 0 || a.toOld[to] >= 0 {
			continue
		}
		if a.old.nodes[up].tag == a.new.nodes[to].tag {
			a.match(up, to, levelParent)
		}
	}
}

// matchChildren matches the unmatched children of matched parents in order, first
// those of one tag and key, then those of one tag when as many are left.
func (a *aligner) matchChildren() {
	var olds, news []int32
	for i := range a.old.nodes {
		j := a.toNew[i]
		if j < 0 {
			continue
		}
		olds = appendFree(olds[:0], a.old, int32(i), a.toNew)
		news = appendFree(news[:0], a.new, j, a.toOld)
		if len(olds) == 0 || len(news) == 0 {
			continue
		}
		a.matchInOrder(olds, news, levelOrder, func(o, n *node) bool { return o.tag == n.tag && o.nameKey == n.nameKey })
		olds = appendFree(olds[:0], a.old, int32(i), a.toNew)
		news = appendFree(news[:0], a.new, j, a.toOld)
		if len(olds) == len(news) {
			a.matchInOrder(olds, news, levelFallback, a.compatible)
		}
	}
}

// compatible reports whether two elements have the same tag and similar names, if
// any.
func (a *aligner) compatible(o, n *node) bool {
	if o.tag != n.tag || (o.best == 0) != (n.best == 0) {
		return false
	}
	return o.best == 0 || a.old.phrases[o.best].dice(&a.new.phrases[n.best]) >= .4
}

// appendFree appends the unmatched children of an element.
func appendFree(list []int32, p *Page, i int32, to []int32) []int32 {
	for j := i + 1; j < p.nodes[i].end; j = p.nodes[j].end {
		if to[j] < 0 {
			list = append(list, j)
		}
	}
	return list
}

// matchInOrder matches two lists of siblings without changing their order: as
// many as same allows, and so that they move least within their parents. It is
// the longest common subsequence with a bonus of at most a fifth of a match for
// the same place.
func (a *aligner) matchInOrder(olds, news []int32, level uint8, same func(o, n *node) bool) {
	n, m := min(len(olds), maxAligned), min(len(news), maxAligned)
	w := m + 1
	if need := (n + 1) * w; cap(a.table) < need {
		a.table = make([]float32, need)
	}
	gain := a.table[:(n+1)*w]
	clear(gain)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best := max(gain[(i+1)*w+j], gain[i*w+j+1])
			o, c := &a.old.nodes[olds[i]], &a.new.nodes[news[j]]
			if same(o, c) {
				best = max(best, gain[(i+1)*w+j+1]+1+a.stayed(o, c))
			}
			gain[i*w+j] = best
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch gain[i*w+j] {
		case gain[(i+1)*w+j]:
			i++
		case gain[i*w+j+1]:
			j++
		default:
			a.match(olds[i], news[j], level)
			i, j = i+1, j+1
		}
	}
}

// stayed returns how little an element moved within its parent, in [0,0.2].
func (a *aligner) stayed(o, n *node) float32 {
	if !o.hasBox || !n.hasBox || o.parent < 0 || n.parent < 0 {
		return 0
	}
	po, pn := &a.old.nodes[o.parent].box, &a.new.nodes[n.parent].box
	d := math.Abs((o.box.X-po.X)-(n.box.X-pn.X)) + math.Abs((o.box.Y-po.Y)-(n.box.Y-pn.Y))
	return float32(4 / (20 + d))
}

// countMatches counts what was matched and what was not.
func (a *aligner) countMatches() {
	matched, total := 0, 0
	a.freeOld, a.freeNew = map[uint64]int32{}, map[uint64]int32{}
	for i := range a.old.nodes {
		if a.old.candidate(i) {
			total++
			if a.toNew[i] >= 0 {
				matched++
			} else {
				a.freeOld[a.old.nodes[i].nameKey]++
			}
		}
	}
	for i := range a.new.nodes {
		if a.toOld[i] < 0 && a.new.candidate(i) {
			a.freeNew[a.new.nodes[i].nameKey]++
		}
	}
	if total > 0 {
		a.share = float32(matched) / float32(total)
	}
}
