package engine

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
	b := q.back
	b.turn(&q.page.nodes[ci], ci)
	own := b.quick(q.o)
	best, ahead, rival := float32(0), 0, int32(-1)
	try := func(list []int32) {
		for _, j := range list {
			if j == q.oi || b.twins(j, q.oi) {
				continue
			}
			s := b.quick(&q.old.nodes[j])
			if s > own {
				ahead++
			}
			if s > best {
				best, rival = s, j
			}
		}
	}
	try(q.old.ofKind[q.o.kind])
	if k := q.page.nodes[ci].kind; k != q.o.kind {
		try(q.old.ofKind[k])
	}
	b.clear()
	r.put(own - best)
	r.put(float32(min(20, ahead)))
	r.put(best)
	free := float32(missing)
	if rival >= 0 {
		to := q.align.toNew[rival]
		free = boolean(to < 0 || to == ci)
	}
	r.put(free)
	r.put(free * (own - best))
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
		if id, ok := q.page.tokenID[q.old.token[t]]; ok {
			q.weight[id] = 0
		}
	}
	for _, t := range q.o.context {
		if id, ok := q.page.tokenID[q.old.token[t]]; ok {
			q.ctx[id] = 0
		}
	}
}
