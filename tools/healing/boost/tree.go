package boost

import "math"

// leaf is a leaf that may still be split.
type leaf struct {
	from, to int // its rows
	node     int
	hist     *histogram
	g, h     float64
	gain     float64
	feature  int
	cut      int
}

// tree grows one tree leaf by leaf, the best split first, and adds it to the
// scores.
func (t *trainer) tree() []Node {
	for _, i := range t.rows {
		p := 1 / (1 + math.Exp(-t.score[i]))
		w := float64(t.d.Weight[i])
		t.grad[i] = float32(w * (float64(t.y[i]) - p))
		t.hess[i] = float32(w * p * (1 - p))
	}
	root := leaf{to: len(t.rows), hist: t.newHistogram()}
	t.fill(root.hist, t.rows)
	for _, i := range t.rows {
		root.g += float64(t.grad[i])
		root.h += float64(t.hess[i])
	}
	nodes := []Node{{}}
	t.best(&root)
	leaves := []leaf{root}
	for len(leaves) < t.o.Leaves {
		pick := -1
		for i := range leaves {
			if leaves[i].gain > 1e-6 && (pick < 0 || leaves[i].gain > leaves[pick].gain) {
				pick = i
			}
		}
		if pick < 0 {
			break
		}
		left, right := t.split(leaves[pick], &nodes)
		leaves[pick] = left
		leaves = append(leaves, right)
	}
	for _, l := range leaves {
		v := t.o.Rate * l.g / (l.h + t.o.L2)
		nodes[l.node].Value = v
		for _, i := range t.rows[l.from:l.to] {
			t.score[i] += v
		}
		t.free = append(t.free, l.hist)
	}
	return nodes
}

// split turns a leaf into a split with two leaves.
func (t *trainer) split(l leaf, nodes *[]Node) (left, right leaf) {
	column := t.bins[l.feature]
	rows := t.rows[l.from:l.to]
	n, m := 0, 0
	for _, i := range rows {
		if int(column[i]) <= l.cut {
			rows[n] = i
			n++
		} else {
			t.scratch[m] = i
			m++
		}
	}
	copy(rows[n:], t.scratch[:m])
	at := len(*nodes)
	parent := &(*nodes)[l.node]
	parent.Feature, parent.Threshold, parent.Left, parent.Right = l.feature, t.cuts[l.feature][l.cut], at, at+1
	*nodes = append(*nodes, Node{}, Node{})
	left = leaf{from: l.from, to: l.from + n, node: at}
	right = leaf{from: l.from + n, to: l.to, node: at + 1}
	small, large := &left, &right
	if n > m {
		small, large = large, small
	}
	small.hist = t.newHistogram()
	t.fill(small.hist, t.rows[small.from:small.to])
	large.hist = l.hist
	for i := range large.hist.bins {
		a, b := &large.hist.bins[i], &small.hist.bins[i]
		a.g, a.h, a.n = a.g-b.g, a.h-b.h, a.n-b.n
	}
	for _, s := range [...]*leaf{&left, &right} {
		for _, i := range t.rows[s.from:s.to] {
			s.g += float64(t.grad[i])
			s.h += float64(t.hess[i])
		}
		t.best(s)
	}
	return left, right
}

func (t *trainer) newHistogram() *histogram {
	if n := len(t.free); n > 0 {
		h := t.free[n-1]
		t.free = t.free[:n-1]
		clear(h.bins)
		return h
	}
	return &histogram{bins: make([]bin, t.features*t.o.Bins)}
}

func (t *trainer) fill(h *histogram, rows []int32) {
	for f := range t.features {
		column := t.bins[f]
		bins := h.bins[f*t.o.Bins : (f+1)*t.o.Bins]
		for _, i := range rows {
			b := &bins[column[i]]
			b.g += t.grad[i]
			b.h += t.hess[i]
			b.n++
		}
	}
}

// best finds the split of a leaf that lowers the loss most.
func (t *trainer) best(l *leaf) {
	l.gain = 0
	if l.to-l.from < 2*t.o.MinRows {
		return
	}
	whole := l.g * l.g / (l.h + t.o.L2)
	total := float32(l.to - l.from)
	for f := range t.features {
		bins := l.hist.bins[f*t.o.Bins : (f+1)*t.o.Bins]
		var g, h float64
		var n float32
		for c := range t.cuts[f] {
			g, h, n = g+float64(bins[c].g), h+float64(bins[c].h), n+bins[c].n
			if n < float32(t.o.MinRows) {
				continue
			}
			if total-n < float32(t.o.MinRows) {
				break
			}
			gain := g*g/(h+t.o.L2) + (l.g-g)*(l.g-g)/(l.h-h+t.o.L2) - whole
			if gain > l.gain+1e-9 {
				l.gain, l.feature, l.cut = gain, f, c
			}
		}
	}
}
