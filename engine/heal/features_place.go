package heal

import "math"

// backFeatures writes where the candidate's own neighbours were on the old
// page: around the lost element, or elsewhere.
func (q *query) backFeatures(r *row, ci int32) {
	if q.align == nil {
		for range 3 {
			r.put(missing)
		}
		return
	}
	before, after := int32(-1), int32(-1)
	for j, n := ci-1, 0; j >= 0 && n < 12; j, n = j-1, n+1 {
		if from := q.align.toOld[j]; from >= 0 && q.page.nodes[j].end <= ci {
			before = from
			break
		}
	}
	for j, n := q.page.nodes[ci].end, 0; j < int32(len(q.page.nodes)) && n < 12; j, n = j+1, n+1 {
		if from := q.align.toOld[j]; from >= 0 {
			after = from
			break
		}
	}
	between := float32(missing)
	if before >= 0 && after >= 0 {
		between = boolean(before < q.oi && q.oi < after)
	}
	r.put(between)
	r.put(gap(before, q.oi))
	r.put(gap(q.oi, after))
}

// shiftFeatures writes by how much the candidate moved further than what was
// around the lost element.
func (q *query) shiftFeatures(r *row, c *node) {
	q.shift(r, c, q.beforeOld, q.before)
	q.shift(r, c, q.afterOld, q.after)
	if q.o.parent < 0 || c.parent < 0 || !q.o.hasBox || !c.hasBox {
		r.put(missing)
		r.put(missing)
		return
	}
	po, pc := &q.old.nodes[q.o.parent].box, &q.page.nodes[c.parent].box
	r.put(moved(c.box.X-pc.X, q.o.box.X-po.X))
	r.put(moved(c.box.Y-pc.Y, q.o.box.Y-po.Y))
}

// shift writes the candidate's move against that of a matched neighbour.
func (q *query) shift(r *row, c *node, from, to int32) {
	if q.align == nil || to < 0 || !q.o.hasBox || !c.hasBox {
		r.put(missing)
		r.put(missing)
		return
	}
	a, b := &q.old.nodes[from].box, &q.page.nodes[to].box
	r.put(moved(c.box.X-q.o.box.X, b.X-a.X))
	r.put(moved(c.box.Y-q.o.box.Y, b.Y-a.Y))
}

// moved returns the difference of two moves in pixels, cut at 500.
func moved(a, b float64) float32 { return float32(min(500, math.Abs(a-b))) }
