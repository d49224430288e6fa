package heal

// rivalFeatures writes whether another element of the old page is more like a
// candidate than the lost one is. A candidate that has such a rival is the
// rival, moved or changed, and not the lost element.
func (q *query) rivalFeatures(r *row, ci int32) {
	if q.align == nil {
		for range 5 {
			r.put(missing)
		}
		return
	}
	c := &q.page.nodes[ci]
	q.back.turn(c, ci)
	j := judging{query: q, own: q.back.quick(q.o), rival: -1}
	j.try(q.o.kind)
	if c.kind != q.o.kind {
		j.try(c.kind)
	}
	q.back.clear()
	r.put(j.own - j.best)
	r.put(float32(min(maxAhead, j.ahead)))
	r.put(j.best)
	free := float32(missing)
	if j.rival >= 0 {
		to := q.align.toNew[j.rival]
		free = boolean(to < 0 || to == ci)
	}
	r.put(free)
	r.put(free * (j.own - j.best))
}

// maxAhead is how many rivals count.
const maxAhead = 20

// judging compares the old page's elements with the lost one by how much they
// are like a candidate: back looks for that candidate.
type judging struct {
	*query
	own   float32 // likeness of the lost element
	best  float32 // of the likeliest other
	rival int32   // which that is, -1 for none
	ahead int     // others that are more like the candidate than the lost element
}

// try judges the old page's elements of one kind. The likeliest are known once
// some lost element asked for them; all are looked at only when these do not
// settle it, because many of them are the lost element's own wrappers.
func (j *judging) try(k kind) {
	before := *j
	list := j.old.ofKind[k]
	top := j.align.rivals.of(j.back, k, list)
	seen := 0
	for _, r := range top {
		seen += j.judge(r.index, r.score)
	}
	if len(top) == len(list) || seen > 0 && (j.ahead >= maxAhead || top[len(top)-1].score <= j.own) {
		return
	}
	*j = before
	for _, i := range list {
		j.judge(i, j.back.quick(&j.old.nodes[i]))
	}
}

// judge counts an old element of a likeness and returns 1, or 0 when it is the
// lost element itself or as good.
func (j *judging) judge(i int32, score float32) int {
	if i == j.oi || j.back.twins(i, j.oi) {
		return 0
	}
	if score > j.own {
		j.ahead++
	}
	if score > j.best {
		j.best, j.rival = score, i
	}
	return 1
}

// turn makes a query look for another element of the same page.
func (q *query) turn(o *node, oi int32) {
	q.o, q.oi = o, oi
	q.sum = q.translate(q.weight, q.page.rare, o.tokens)
	q.ctxSum = q.translate(q.ctx, q.page.ctxRare, o.context)
}

// clear takes back what turn marked.
func (q *query) clear() {
	for _, t := range q.o.tokens {
		if id := q.token[t]; id >= 0 {
			q.weight[id] = 0
		}
	}
	for _, t := range q.o.context {
		if id := q.token[t]; id >= 0 {
			q.ctx[id] = 0
		}
	}
}
