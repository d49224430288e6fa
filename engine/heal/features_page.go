package heal

// nearby is how many elements before and after count as the neighbourhood.
const nearby = 10

// alignFeatures writes what the alignment of both pages says about a candidate:
// whether another old element explains it better, and whether it stands where
// the lost element's surroundings went.
func (q *query) alignFeatures(r *row, ci int32) {
	if q.align == nil {
		for range 19 {
			r.put(missing)
		}
		return
	}
	q.takenFeatures(r, ci)
	q.ancestorFeatures(r, ci)
	q.orderFeatures(r, ci)
	r.put(q.align.share)
	q.nearFeatures(r, ci)
	q.insideFeatures(r, ci)
	q.freeFeatures(r, ci)
}

func (q *query) takenFeatures(r *row, ci int32) {
	al := q.align
	to, from := al.toNew[q.oi], al.toOld[ci]
	r.both(to >= 0, boolean(to == ci))
	r.put(boolean(to == ci) * float32(al.levelNew[ci]))
	if from < 0 || from == q.oi {
		r.put(0)
		r.put(missing)
		r.put(missing)
		return
	}
	r.put(float32(al.levelNew[ci]))
	r.is(q.old.contains(from, q.oi) || q.old.contains(q.oi, from))
	rival, c := &q.old.nodes[from], &q.page.nodes[ci]
	r.put(q.old.phrases[rival.best].dice(&q.page.phrases[c.best]) - q.old.phrases[q.o.best].dice(&q.page.phrases[c.best]))
}

// contains reports whether element i holds element j.
func (p *Page) contains(i, j int32) bool { return i < j && j < p.nodes[i].end }

func (q *query) ancestorFeatures(r *row, ci int32) {
	steps := 1
	for up := q.o.parent; up >= 0 && steps < 64; up, steps = q.old.nodes[up].parent, steps+1 {
		to := q.align.toNew[up]
		if to < 0 {
			continue
		}
		r.is(q.page.contains(to, ci))
		r.put(float32(steps))
		break
	}
	if steps == 64 || q.o.parent < 0 || q.noAncestor() {
		r.put(missing)
		r.put(missing)
	}
	po, pc := q.o.parent, q.page.nodes[ci].parent
	switch {
	case po < 0 || pc < 0 || q.align.toNew[po] < 0:
		r.put(missing)
	default:
		r.is(q.align.toNew[po] == pc)
	}
}

// noAncestor reports whether none of o's ancestors is on the new page.
func (q *query) noAncestor() bool {
	for up, n := q.o.parent, 0; up >= 0 && n < 64; up, n = q.old.nodes[up].parent, n+1 {
		if q.align.toNew[up] >= 0 {
			return false
		}
	}
	return true
}

func (q *query) orderFeatures(r *row, ci int32) {
	between := float32(missing)
	if q.before >= 0 && q.after >= 0 {
		between = boolean(q.before < ci && ci < q.after)
	}
	r.put(between)
	r.put(gap(q.before, ci))
	r.put(gap(ci, q.after))
}

// gap returns how far to comes after from, cut at ±50; missing·100 when one is
// not known.
func gap(from, to int32) float32 {
	if from < 0 || to < 0 {
		return missing * 100
	}
	return float32(min(50, max(-50, to-from)))
}

// nearFeatures writes which share of the elements around o is still there, and
// which share of those is around the candidate.
func (q *query) nearFeatures(r *row, ci int32) {
	total, there, close := 0, 0, 0
	look := func(j int32) {
		if !q.old.candidate(int(j)) {
			return
		}
		total++
		if to := q.align.toNew[j]; to >= 0 {
			there++
			if abs(int(to-ci)) <= 3*nearby {
				close++
			}
		}
	}
	for j := max(0, q.oi-nearby); j < q.oi; j++ {
		if q.old.nodes[j].end <= q.oi {
			look(j)
		}
	}
	for j := q.o.end; j < min(q.o.end+nearby, int32(len(q.old.nodes))); j++ {
		look(j)
	}
	r.put(share(there, total))
	r.put(share(close, there))
	free := 0
	if q.before >= 0 && q.after > q.before {
		for j := q.before + 1; j < q.after && free < 20; j++ {
			n := &q.page.nodes[j]
			if q.align.toOld[j] < 0 && n.kind == q.o.kind && q.page.candidate(int(j)) {
				free++
			}
		}
		r.put(float32(free))
		return
	}
	r.put(missing)
}

func share(part, whole int) float32 {
	if whole == 0 {
		return missing
	}
	return float32(part) / float32(whole)
}

// insideFeatures writes what became of the elements inside o.
func (q *query) insideFeatures(r *row, ci int32) {
	total, inside, moved := 0, 0, 0
	for j := q.oi + 1; j < min(q.o.end, q.oi+40); j++ {
		total++
		to := q.align.toNew[j]
		switch {
		case to < 0:
		case q.page.contains(ci, to):
			inside++
		default:
			moved++
		}
	}
	r.put(share(inside, total))
	r.put(share(moved, total))
}

// freeFeatures writes how many elements called like o have no counterpart.
func (q *query) freeFeatures(r *row, _ int32) {
	r.put(float32(min(20, q.align.freeOld[q.o.key])))
	r.put(float32(min(20, q.align.freeNew[q.o.key])))
}
