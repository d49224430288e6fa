package heal

import (
	"math"
	"math/bits"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// feature is one number about a lost element and a candidate. The model's
// trees know it by its name.
type feature struct {
	name string
	of   func(p *pair) float32
}

// missing is the value of a feature that neither side can give.
const missing = -1

// elementFeatures compare the two elements and what stands around them.
var elementFeatures = []feature{
	// what the element is and says
	{"tag", func(p *pair) float32 { return same(p.o.tag, p.c.tag) }},
	{"kind", func(p *pair) float32 { return same(p.o.kind, p.c.kind) }},
	{"role", func(p *pair) float32 { return same(p.o.role, p.c.role) }},
	{"type", func(p *pair) float32 {
		return given(p.o.typ != token.Seed || p.c.typ != token.Seed, same(p.o.typ, p.c.typ))
	}},
	{"text equal", func(p *pair) float32 { return p.equal(p.o.text, p.c.text) }},
	{"text dice", func(p *pair) float32 { return p.dice(p.o.text, p.c.text) }},
	{"text none", func(p *pair) float32 { return number(p.o.text == 0 && p.c.text == 0) }},
	{"text one", func(p *pair) float32 { return number((p.o.text == 0) != (p.c.text == 0)) }},
	{"own text equal", func(p *pair) float32 { return p.equal(p.o.own, p.c.own) }},
	{"name equal", func(p *pair) float32 { return p.equal(p.o.name, p.c.name) }},
	{"name dice", func(p *pair) float32 { return p.dice(p.o.name, p.c.name) }},
	{"name none", func(p *pair) float32 { return number(p.o.name == 0 && p.c.name == 0) }},
	{"name one", func(p *pair) float32 { return number((p.o.name == 0) != (p.c.name == 0)) }},
	{"called equal", func(p *pair) float32 { return p.equal(p.o.called, p.c.called) }},
	{"called dice", func(p *pair) float32 { return p.dice(p.o.called, p.c.called) }},
	{"best equal", func(p *pair) float32 { return p.equal(p.o.best, p.c.best) }},
	{"best dice", func(p *pair) float32 { return p.dice(p.o.best, p.c.best) }},
	{"tokens covered", func(p *pair) float32 { return covered(p.tokenWeight, p.c.tokens, p.tokenSum) }},
	{"tokens dice", func(p *pair) float32 { return overlap(p.tokenWeight, p.c.tokens, p.tokenSum, p.c.tokenSum) }},
	{"text length", func(p *pair) float32 {
		return ratio(float64(len(p.op[p.o.text].text)), float64(len(p.cp[p.c.text].text)))
	}},

	// attributes
	{"classes", func(p *pair) float32 { return p.classJaccard(p.o, p.c) }},
	{"classes covered", func(p *pair) float32 { return given(p.classSum > 0, covered(p.tokenWeight, p.c.classes, p.classSum)) }},
	{"id equal", func(p *pair) float32 { return p.bothEqual(p.o.id, p.c.id) }},
	{"id dice", func(p *pair) float32 { return p.bothDice(p.o.id, p.c.id) }},
	{"id present", func(p *pair) float32 { return number(p.o.id != 0) + 2*number(p.c.id != 0) }},
	{"name attribute equal", func(p *pair) float32 {
		if (p.o.nameAttr == 0) != (p.c.nameAttr == 0) {
			return missing / 2.
		}
		return p.bothEqual(p.o.nameAttr, p.c.nameAttr)
	}},
	{"name attribute dice", func(p *pair) float32 { return p.bothDice(p.o.nameAttr, p.c.nameAttr) }},
	{"href equal", func(p *pair) float32 { return p.bothEqual(p.o.href, p.c.href) }},
	{"href dice", func(p *pair) float32 { return p.bothDice(p.o.href, p.c.href) }},
	{"href tail dice", func(p *pair) float32 {
		return given(p.o.href != 0 && p.c.href != 0, p.dice(p.o.hrefTail, p.c.hrefTail))
	}},
	{"other attributes", func(p *pair) float32 { return jaccardHashes(p.o.other, p.c.other) }},
	{"src equal", func(p *pair) float32 { return p.bothEqual(p.o.src, p.c.src) }},
	{"for equal", func(p *pair) float32 { return p.bothEqual(p.o.forAttr, p.c.forAttr) }},
	{"value equal", func(p *pair) float32 { return p.bothEqual(p.o.value, p.c.value) }},

	// structure
	{"path", func(p *pair) float32 { return 2 * float32(p.path) / float32(max(2, p.o.depth+p.c.depth+2)) }},
	{"path end", func(p *pair) float32 { return float32(min(p.path, 6)) / 6 }},
	{"depth", func(p *pair) float32 { return float32(abs(p.o.depth - p.c.depth)) }},
	{"parent tag", func(p *pair) float32 {
		return number(p.o.depth > 0 && parentTag(p.old, p.o) == parentTag(p.page, p.c))
	}},
	{"parent classes", func(p *pair) float32 {
		if p.o.parent < 0 || p.c.parent < 0 {
			return missing
		}
		return p.classJaccard(&p.old.nodes[p.o.parent], &p.page.nodes[p.c.parent])
	}},
	{"siblings", func(p *pair) float32 { return ratio(float64(p.o.siblings), float64(p.c.siblings)) }},
	{"ordinal", func(p *pair) float32 { return same(p.o.ordinal, p.c.ordinal) }},
	{"nth", func(p *pair) float32 { return same(p.o.nth, p.c.nth) }},
	{"place equal", func(p *pair) float32 { return same(p.o.pathHash, p.c.pathHash) }},
	{"size", func(p *pair) float32 { return ratio(float64(p.o.size), float64(p.c.size)) }},
	{"kids", func(p *pair) float32 { return same(p.o.children, p.c.children) }},

	// context
	{"context covered", func(p *pair) float32 { return given(p.contextSum > 0, covered(p.context, p.c.context, p.contextSum)) }},
	{"context dice", func(p *pair) float32 {
		return given(p.contextSum > 0, overlap(p.context, p.c.context, p.contextSum, p.c.contextSum))
	}},
	{"before equal", func(p *pair) float32 { return given(p.o.prev != 0, p.equal(p.o.prev, p.c.prev)) }},
	{"before dice", func(p *pair) float32 { return p.eitherDice(p.o.prev, p.c.prev) }},
	{"after equal", func(p *pair) float32 { return given(p.o.next != 0, p.equal(p.o.next, p.c.next)) }},
	{"after dice", func(p *pair) float32 { return p.eitherDice(p.o.next, p.c.next) }},
	{"heading equal", func(p *pair) float32 { return given(p.o.heading != 0, p.equal(p.o.heading, p.c.heading)) }},
	{"heading dice", func(p *pair) float32 { return p.eitherDice(p.o.heading, p.c.heading) }},
	{"around dice", func(p *pair) float32 { return p.eitherDice(p.o.around, p.c.around) }},

	// geometry
	{"dx", func(p *pair) float32 { return given(p.boxes, float32(min(p.dx, 1300)/1300)) }},
	{"dy", func(p *pair) float32 { return given(p.boxes, float32(min(p.dy, 3000)/3000)) }},
	{"distance", func(p *pair) float32 {
		return given(p.boxes, float32(min(1, math.Sqrt(p.dx*p.dx+p.dy*p.dy)/1000)))
	}},
	{"width", func(p *pair) float32 { return given(p.boxes, ratio(p.o.box.Width, p.c.box.Width)) }},
	{"height", func(p *pair) float32 { return given(p.boxes, ratio(p.o.box.Height, p.c.box.Height)) }},
	{"relative y", func(p *pair) float32 {
		return given(p.boxes, float32(math.Abs(p.o.box.Y/p.old.height-p.c.box.Y/p.page.height)))
	}},

	// how many equals there are on both pages
	{"old same text", func(p *pair) float32 { return float32(min(20, p.o.sameText)) }},
	{"old same name", func(p *pair) float32 { return float32(min(20, p.o.sameName)) }},
	{"new old-text", func(p *pair) float32 { return float32(min(20, p.newSameText)) }},
	{"new old-name", func(p *pair) float32 { return float32(min(20, p.newSameName)) }},
	{"new same name", func(p *pair) float32 { return float32(min(20, p.c.sameName)) }},
	{"new size", func(p *pair) float32 { return float32(bits.Len(uint(p.page.candidates))) }},
	{"has text", func(p *pair) float32 { return number(p.o.text != 0) }},
	{"has name", func(p *pair) float32 { return number(p.o.best != 0) }},
}

// parentFeatures say how far a candidate moved within its parent, in pixels.
var parentFeatures = []feature{
	{"shift x parent", func(p *pair) float32 {
		po, pc, ok := p.parentBoxes()
		return given(ok, difference(p.c.box.X-pc.X, p.o.box.X-po.X))
	}},
	{"shift y parent", func(p *pair) float32 {
		po, pc, ok := p.parentBoxes()
		return given(ok, difference(p.c.box.Y-pc.Y, p.o.box.Y-po.Y))
	}},
}

// pair is the lost element and one candidate, with what several features need.
type pair struct {
	*query
	o, c   *node
	ci     int32
	op, cp []phrase // of the old and the new page
	path   int      // tags that both paths have in common at their ends
	boxes  bool     // both were laid out
	dx, dy float64  // between the centres of the boxes

	inside              int   // elements inside the lost one that went into the candidate
	oldBefore, oldAfter int32 // where the candidate's matched neighbours were, -1 unknown
	competition               // of the old page's elements for the candidate
}

// number is 1 for true and 0 for false.
func number(v bool) float32 {
	if v {
		return 1
	}
	return 0
}

func same[T comparable](a, b T) float32 { return number(a == b) }

// given returns v, or missing when there is nothing to compare.
func given(present bool, v float32) float32 {
	if !present {
		return missing
	}
	return v
}

func (p *pair) equal(o, c int32) float32 {
	return number(p.op[o].equal(&p.cp[c]))
}

func (p *pair) dice(o, c int32) float32 { return p.op[o].dice(&p.cp[c]) }

func (p *pair) bothEqual(o, c int32) float32 { return given(o != 0 && c != 0, p.equal(o, c)) }

func (p *pair) bothDice(o, c int32) float32 { return given(o != 0 && c != 0, p.dice(o, c)) }

func (p *pair) eitherDice(o, c int32) float32 { return given(o != 0 || c != 0, p.dice(o, c)) }

// classJaccard returns |A∩B|/|A∪B| of the stable classes of an element of each
// page, missing when there are none.
func (q *query) classJaccard(o, c *node) float32 {
	all := len(o.classes) + len(c.classes)
	if all == 0 {
		return missing
	}
	both := 0
	for _, t := range c.classes {
		for _, u := range o.classes {
			if q.page.token[t] == q.old.token[u] {
				both++
			}
		}
	}
	return float32(both) / float32(all-both)
}

// jaccardHashes returns |A∩B|/|A∪B|, missing when both are empty.
func jaccardHashes(a, b []uint64) float32 {
	all := len(a) + len(b)
	if all == 0 {
		return missing
	}
	both := token.Common(a, b)
	return float32(both) / float32(max(1, all-both))
}

// climb goes from an element up to the body.
type climb struct {
	page *Page
	n    *node
	done int
}

// next returns the tag of the element, then of its parent and so on; 0 at the end.
func (c *climb) next() uint64 {
	if c.n == nil {
		return 0
	}
	if c.n.path != nil {
		c.done++
		if c.done > len(c.n.path) {
			return 0
		}
		return c.n.path[len(c.n.path)-c.done]
	}
	tag := c.n.tag
	if c.n.parent < 0 || tag == tagBody {
		c.n = nil
	} else {
		c.n = &c.page.nodes[c.n.parent]
	}
	return tag
}

func parentTag(p *Page, n *node) uint64 {
	c := climb{p, n, 0}
	c.next()
	return c.next()
}

// parentBoxes returns the boxes of both parents and whether there is something
// to compare.
func (p *pair) parentBoxes() (old, now engine.BoundingBox, ok bool) {
	if p.o.parent < 0 || p.c.parent < 0 || !p.boxes {
		return old, now, false
	}
	return p.old.nodes[p.o.parent].box, p.page.nodes[p.c.parent].box, true
}

// difference returns the difference of two moves in pixels, cut at 500.
func difference(a, b float64) float32 { return float32(min(500, math.Abs(a-b))) }

func abs[T int | int32](v T) T { return max(v, -v) }
