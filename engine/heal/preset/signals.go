package preset

import (
	"math"
	"slices"

	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// signal is a part of a preset's score. value returns a ratio and whether the
// signal is there: selfmend leaves out what neither element has.
type signal struct {
	name   string
	weight float64
	value  func(q *Scorer, c *Shape) (value float64, present bool)
}

var signals = map[Name][]signal{
	Docs: {
		{"tag", .25, tagSignal},
		{"id", .25, func(q *Scorer, c *Shape) (float64, bool) { return ratio(q.o.id != 0 && q.o.id == c.id), true }},
		{"text", .20, textSignal},
		{"class", .10, func(q *Scorer, c *Shape) (float64, bool) { return jaccard(q.o.classes, c.classes), true }},
		{"attributes", .05, func(q *Scorer, c *Shape) (float64, bool) { return jaccard(q.o.other, c.other), true }},
		{"dom_path", .10, pathSignal},
		{"siblings", .03, siblingsSignal},
		{"position", .02, positionSignal},
	},
	Py: {
		{"tag", .15, tagSignal},
		{"text", .25, textSignal},
		{"attributes", .25, func(q *Scorer, c *Shape) (float64, bool) { return jaccard(q.o.attributes, c.attributes), true }},
		{"dom_path", .15, pathSignal},
		{"siblings", .15, siblingsSignal},
		{"position", .05, positionSignal},
	},
	Selfmend: {
		{"test_id", 6, func(q *Scorer, c *Shape) (float64, bool) { return exact(q.o.testID, c.testID) }},
		{"role", 3, func(q *Scorer, c *Shape) (float64, bool) { return exact(q.o.role, c.role) }},
		{"text", 4, fuzzyTextSignal},
		{"tag", 1, func(q *Scorer, c *Shape) (float64, bool) { return exact(q.o.tag, c.tag) }},
		{"attributes", 2, stableAttributesSignal},
		{"parent_tag", .5, func(q *Scorer, c *Shape) (float64, bool) { return exact(q.o.parentTag, c.parentTag) }},
		{"neighbours", .5, func(q *Scorer, c *Shape) (float64, bool) { return exact(q.o.neighbours, c.neighbours) }},
		{"ordinal", .25, func(q *Scorer, c *Shape) (float64, bool) {
			return ratio(q.o.ordinal >= 0 && q.o.ordinal == c.ordinal), q.o.ordinal >= 0 || c.ordinal >= 0
		}},
	},
}

func tagSignal(q *Scorer, c *Shape) (float64, bool) { return ratio(q.o.tag == c.tag), true }

func textSignal(q *Scorer, c *Shape) (float64, bool) { return q.text.Ratio(c.text), true }

func pathSignal(q *Scorer, c *Shape) (float64, bool) { return q.path.ratio(c.path), true }

func siblingsSignal(q *Scorer, c *Shape) (float64, bool) { return q.siblings.ratio(c.siblings), true }

// positionSignal is 1 − d/500 with d the distance in CSS pixels between the
// centres of two boxes, never less than 0, and 0 when a box is missing.
func positionSignal(q *Scorer, c *Shape) (float64, bool) {
	a, b := q.o.box, c.box
	if a == nil || b == nil {
		return 0, true
	}
	dx := a.X + a.Width/2 - b.X - b.Width/2
	dy := a.Y + a.Height/2 - b.Y - b.Height/2
	return max(0, 1-math.Sqrt(dx*dx+dy*dy)/500), true
}

// fuzzyTextSignal is the better of the share of common words and the edit
// distance ratio.
func fuzzyTextSignal(q *Scorer, c *Shape) (float64, bool) {
	if len(q.o.text) == 0 && len(c.text) == 0 {
		return 1, false
	}
	return max(jaccard(q.o.words, c.words), q.units.Ratio(c.units)), true
}

// stableAttributesSignal is the share of the attribute names of either that
// have one value on both.
func stableAttributesSignal(q *Scorer, c *Shape) (float64, bool) {
	names, same := len(q.o.stable)+q.o.unseen, 0
	for _, b := range c.stable {
		i := slices.IndexFunc(q.o.stable, func(a attributeHash) bool { return a.name == b.name })
		switch {
		case i < 0:
			names++
		case q.o.stable[i].value == b.value:
			same++
		}
	}
	if names == 0 {
		return 0, false
	}
	return float64(same) / float64(names), true
}

// exact is 1 when two hashes are the same; it is not there when both are none.
func exact(a, b uint64) (float64, bool) { return ratio(a == b), a != 0 || b != 0 }

func ratio(same bool) float64 {
	if same {
		return 1
	}
	return 0
}

// jaccard returns |A∩B|/|A∪B| of two lists without repetitions (P. Jaccard,
// 1901), and 0 when both are empty.
func jaccard(a, b []uint64) float64 {
	all := len(a) + len(b)
	if all == 0 {
		return 0
	}
	both := token.Common(a, b)
	return float64(both) / float64(all-both)
}
