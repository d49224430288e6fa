package heal

import (
	"github.com/breadcrumb/action/engine/heal/internal/token"
	"math"
	"math/bits"
)

// missing is the value of a feature that neither side can give.
const missing = -1

// featureNames names the features of a pair in the order they are written; the
// model's table refers to them by index.
var featureNames = []string{
	// what the element is and says
	"tag", "kind", "role", "type", "text equal", "text dice", "text none", "text one", "own text equal",
	"name equal", "name dice", "name none", "name one", "called equal", "called dice", "best equal", "best dice",
	"tokens covered", "tokens dice", "text length",
	// attributes
	"classes", "classes covered", "id equal", "id dice", "id present", "name attribute equal", "name attribute dice",
	"href equal", "href dice", "href tail dice", "other attributes", "src equal", "for equal", "value equal",
	// structure
	"path", "path end", "depth", "parent tag", "parent classes", "siblings", "ordinal", "nth", "place equal", "size", "kids",
	// context
	"context covered", "context dice", "before equal", "before dice", "after equal", "after dice", "heading equal", "heading dice", "around dice",
	// geometry
	"dx", "dy", "distance", "width", "height", "relative y",
	// equals on both pages
	"old same text", "old same name", "new old-text", "new old-name", "new same name", "new size", "has text", "has name",
	// the page as a whole
	"aligned", "aligned level", "taken", "taken by kin", "taken better", "ancestor holds", "ancestor steps", "parent aligned",
	"between", "after before", "before after", "page share", "near share", "near agree", "gap free", "inside agree", "inside moved",
	"old free", "new free", "rival lead", "rival rank", "rival likeness", "rival free", "rival lead calibrated",
	"back between", "back before", "back after", "shift x before", "shift y before", "shift x after", "shift y after", "shift x parent", "shift y parent",
	// against the other candidates
	"quick lead", "quick rank", "best lead", "best rank", "tokens lead", "tokens rank", "context lead", "context rank",
	"classes lead", "classes rank", "before lead", "before rank", "distance lead", "distance rank", "path lead", "path rank", "called lead", "called rank",
}

// Indexes of the features that other features are made from.
const (
	featTextDice  = 5
	featBestEqual = 15
	featBestDice  = 16
	featTokens    = 18
	featCalled    = 14
	featClasses   = 21
	featPath      = 34
	featContext   = 46
	featBefore    = 48
	featDistance  = 56
	featHasName   = 67
	featPair      = 101 // features of a pair alone; the rest are relative
)

// row writes features in order.
type row struct {
	f []float32
	k int
}

func (r *row) put(v float32) { r.f[r.k] = v; r.k++ }

func (r *row) is(v bool) {
	if v {
		r.put(1)
		return
	}
	r.put(0)
}

// both writes v when present says that there is something to compare.
func (r *row) both(present bool, v float32) {
	if !present {
		v = missing
	}
	r.put(v)
}

// pair writes the features of candidate ci that do not depend on the others.
func (q *query) pair(r *row, ci int32) {
	c := &q.page.nodes[ci]
	q.contentFeatures(r, c)
	q.attributeFeatures(r, c)
	q.structureFeatures(r, c)
	q.contextFeatures(r, c)
	q.geometryFeatures(r, c)
	q.countFeatures(r, c)
	q.alignFeatures(r, ci)
	q.rivalFeatures(r, ci)
	q.backFeatures(r, ci)
	q.shiftFeatures(r, c)
}

func (q *query) contentFeatures(r *row, c *node) {
	o, op, cp := q.o, q.old.phrases, q.page.phrases
	r.is(o.tag == c.tag)
	r.is(o.kind == c.kind)
	r.is(o.role == c.role)
	r.both(o.typ != token.Seed || c.typ != token.Seed, boolean(o.typ == c.typ))
	r.is(op[o.text].equal(&cp[c.text]))
	r.put(op[o.text].dice(&cp[c.text]))
	r.is(o.text == 0 && c.text == 0)
	r.is((o.text == 0) != (c.text == 0))
	r.is(op[o.own].equal(&cp[c.own]))
	r.is(op[o.name].equal(&cp[c.name]))
	r.put(op[o.name].dice(&cp[c.name]))
	r.is(o.name == 0 && c.name == 0)
	r.is((o.name == 0) != (c.name == 0))
	r.is(op[o.called].equal(&cp[c.called]))
	r.put(op[o.called].dice(&cp[c.called]))
	r.is(op[o.best].equal(&cp[c.best]))
	r.put(op[o.best].dice(&cp[c.best]))
	r.put(covered(q.weight, c.tokens, q.sum))
	r.put(overlap(q.weight, c.tokens, q.sum, c.tokenSum))
	r.put(ratio(float64(len(op[o.text].text)), float64(len(cp[c.text].text))))
}

func (q *query) attributeFeatures(r *row, c *node) {
	o, op, cp := q.o, q.old.phrases, q.page.phrases
	r.put(q.classJaccard(c))
	if q.classSum > 0 {
		r.put(covered(q.weight, c.classes, q.classSum))
	} else {
		r.put(missing)
	}
	r.both(o.id != 0 && c.id != 0, boolean(op[o.id].equal(&cp[c.id])))
	r.both(o.id != 0 && c.id != 0, op[o.id].dice(&cp[c.id]))
	r.put(boolean(o.id != 0) + 2*boolean(c.id != 0))
	switch {
	case o.nameAttr != 0 && c.nameAttr != 0:
		r.is(op[o.nameAttr].equal(&cp[c.nameAttr]))
	case o.nameAttr != 0 || c.nameAttr != 0:
		r.put(missing / 2.)
	default:
		r.put(missing)
	}
	r.both(o.nameAttr != 0 && c.nameAttr != 0, op[o.nameAttr].dice(&cp[c.nameAttr]))
	links := o.href != 0 && c.href != 0
	r.both(links, boolean(op[o.href].equal(&cp[c.href])))
	r.both(links, op[o.href].dice(&cp[c.href]))
	r.both(links, op[o.hrefTail].dice(&cp[c.hrefTail]))
	r.put(jaccardHashes(o.other, c.other))
	r.both(o.src != 0 && c.src != 0, boolean(op[o.src].equal(&cp[c.src])))
	r.both(o.forAttr != 0 && c.forAttr != 0, boolean(op[o.forAttr].equal(&cp[c.forAttr])))
	r.both(o.value != 0 && c.value != 0, boolean(op[o.value].equal(&cp[c.value])))
}

// classJaccard returns |A∩B|/|A∪B| of the stable classes, missing when there
// are none.
func (q *query) classJaccard(c *node) float32 {
	all := len(q.o.classes) + len(c.classes)
	if all == 0 {
		return missing
	}
	both := 0
	for _, t := range c.classes {
		for _, u := range q.o.classes {
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
	both := 0
	for _, x := range a {
		for _, y := range b {
			if x == y {
				both++
				break
			}
		}
	}
	return float32(both) / float32(max(1, all-both))
}

func (q *query) structureFeatures(r *row, c *node) {
	o := q.o
	same, tail := q.pathLikeness(c)
	r.put(same)
	r.put(tail)
	r.put(float32(abs(int(o.depth) - int(c.depth))))
	r.is(parentTag(q.old, o) == parentTag(q.page, c) && o.depth > 0)
	if o.parent >= 0 && c.parent >= 0 {
		r.put(q.classesOf(&q.old.nodes[o.parent], &q.page.nodes[c.parent]))
	} else {
		r.put(missing)
	}
	r.put(ratio(float64(o.siblings), float64(c.siblings)))
	r.is(o.ordinal == c.ordinal)
	r.is(o.nth == c.nth)
	r.is(o.place == c.place)
	r.put(ratio(float64(o.size), float64(c.size)))
	r.is(o.kids == c.kids)
}

func (q *query) classesOf(o, c *node) float32 {
	p := query{old: q.old, page: q.page, o: o}
	return p.classJaccard(c)
}

// pathLikeness compares the tags up to the body: twice the length of the
// common end over both lengths, and that length cut at 6 over 6.
func (q *query) pathLikeness(c *node) (all, tail float32) {
	k := 0
	a, b := climb{q.old, q.o, 0}, climb{q.page, c, 0}
	for k < maxPathTags {
		x, y := a.next(), b.next()
		if x != y || x == 0 {
			break
		}
		k++
	}
	return 2 * float32(k) / float32(max(2, q.o.depth+c.depth+2)), float32(min(k, 6)) / 6
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

func (q *query) contextFeatures(r *row, c *node) {
	o, op, cp := q.o, q.old.phrases, q.page.phrases
	if q.ctxSum > 0 {
		r.put(covered(q.ctx, c.context, q.ctxSum))
		r.put(overlap(q.ctx, c.context, q.ctxSum, c.contextSum))
	} else {
		r.put(missing)
		r.put(missing)
	}
	r.both(o.prev != 0, boolean(op[o.prev].equal(&cp[c.prev])))
	r.both(o.prev != 0 || c.prev != 0, op[o.prev].dice(&cp[c.prev]))
	r.both(o.next != 0, boolean(op[o.next].equal(&cp[c.next])))
	r.both(o.next != 0 || c.next != 0, op[o.next].dice(&cp[c.next]))
	r.both(o.head != 0, boolean(op[o.head].equal(&cp[c.head])))
	r.both(o.head != 0 || c.head != 0, op[o.head].dice(&cp[c.head]))
	r.both(o.around != 0 || c.around != 0, op[o.around].dice(&cp[c.around]))
}

func (q *query) geometryFeatures(r *row, c *node) {
	a, b := &q.o.box, &c.box
	if !q.o.hasBox || !c.hasBox {
		for range 6 {
			r.put(missing)
		}
		return
	}
	dx := math.Abs(a.X + a.Width/2 - b.X - b.Width/2)
	dy := math.Abs(a.Y + a.Height/2 - b.Y - b.Height/2)
	r.put(float32(min(dx, 1300) / 1300))
	r.put(float32(min(dy, 3000) / 3000))
	r.put(float32(min(1, math.Sqrt(dx*dx+dy*dy)/1000)))
	r.put(ratio(a.Width, b.Width))
	r.put(ratio(a.Height, b.Height))
	r.put(float32(math.Abs(a.Y/q.old.height - b.Y/q.page.height)))
}

func (q *query) countFeatures(r *row, c *node) {
	o := q.o
	r.put(float32(min(20, o.sameText)))
	r.put(float32(min(20, o.sameKey)))
	r.put(float32(min(20, q.page.byText[o.textKey])))
	r.put(float32(min(20, q.page.byKey[o.key])))
	r.put(float32(min(20, c.sameKey)))
	r.put(float32(bits.Len(uint(q.page.visible))))
	r.is(o.text != 0)
	r.is(o.best != 0)
}

func boolean(v bool) float32 {
	if v {
		return 1
	}
	return 0
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}
