// Package boost trains gradient-boosted decision trees for a yes/no question:
// J. H. Friedman, "Greedy function approximation" (2001), with second-order
// leaf values and histograms of binned features. The same data and options
// always give the same trees.
package boost

import (
	"math"
	"sort"
)

// Options of a training. The zero value is not useful.
type Options struct {
	Trees, Leaves int
	Rate          float64 // learning rate
	MinRows       int     // rows a leaf needs
	L2            float64 // pulls leaf values to 0
	Bins          int     // at most 255
}

// Data is the training set: rows of Width features, a label and a weight each.
type Data struct {
	Width  int
	Rows   []float32 // row after row
	Labels []bool
	Weight []float32
}

// Node is a split, or a leaf when Left is 0. A row whose feature is at most
// Threshold goes left.
type Node struct {
	Feature     int
	Threshold   float32
	Left, Right int // within the tree
	Value       float64
}

// Forest is a trained model: its score is Base plus each tree's leaf, a
// logarithm of odds.
type Forest struct {
	Base  float64
	Trees [][]Node
}

// Score returns the log odds for a row.
func (f *Forest) Score(row []float32) float64 {
	s := f.Base
	for _, t := range f.Trees {
		n := &t[0]
		for n.Left != 0 {
			if row[n.Feature] <= n.Threshold {
				n = &t[n.Left]
			} else {
				n = &t[n.Right]
			}
		}
		s += n.Value
	}
	return s
}

// Train fits a forest.
func Train(d *Data, o Options) *Forest {
	t := newTrainer(d, o)
	f := &Forest{Base: t.base}
	for range o.Trees {
		f.Trees = append(f.Trees, t.tree())
	}
	return f
}

type trainer struct {
	d        *Data
	o        Options
	n        int
	bins     [][]uint8   // by feature, by row
	cuts     [][]float32 // by feature: upper edge of each bin but the last
	score    []float64
	grad     []float32
	hess     []float32
	rows     []int32
	scratch  []int32
	base     float64
	y        []float32
	free     []*histogram
	features int
}

// bin is the sums of one bin of one feature.
type bin struct{ g, h, n float32 }

type histogram struct{ bins []bin }

func newTrainer(d *Data, o Options) *trainer {
	t := &trainer{d: d, o: o, features: d.Width}
	for i := range d.Labels {
		if d.Weight[i] > 0 {
			t.rows = append(t.rows, int32(i))
		}
	}
	t.n = len(d.Labels)
	t.scratch = make([]int32, len(t.rows))
	t.score, t.grad, t.hess = make([]float64, t.n), make([]float32, t.n), make([]float32, t.n)
	t.y = make([]float32, t.n)
	var yes, all float64
	for _, i := range t.rows {
		all += float64(d.Weight[i])
		if d.Labels[i] {
			t.y[i] = 1
			yes += float64(d.Weight[i])
		}
	}
	p := min(max(yes/max(all, 1), 1e-6), 1-1e-6)
	t.base = math.Log(p / (1 - p))
	for i := range t.score {
		t.score[i] = t.base
	}
	t.quantize()
	return t
}

// quantize cuts each feature into bins of about equal numbers of rows.
func (t *trainer) quantize() {
	t.bins, t.cuts = make([][]uint8, t.features), make([][]float32, t.features)
	values := make([]float32, len(t.rows))
	for f := range t.features {
		for k, i := range t.rows {
			values[k] = t.d.Rows[int(i)*t.features+f]
		}
		sort.Slice(values, func(a, b int) bool { return values[a] < values[b] })
		t.cuts[f] = cutPoints(values, t.o.Bins)
		column := make([]uint8, t.n)
		for _, i := range t.rows {
			v := t.d.Rows[int(i)*t.features+f]
			column[i] = uint8(sort.Search(len(t.cuts[f]), func(k int) bool { return v <= t.cuts[f][k] }))
		}
		t.bins[f] = column
	}
}

// cutPoints returns thresholds between distinct values of a sorted list.
func cutPoints(sorted []float32, bins int) []float32 {
	var distinct []float32
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			distinct = append(distinct, v)
		}
	}
	var cuts []float32
	if len(distinct) <= bins {
		for i := 1; i < len(distinct); i++ {
			cuts = append(cuts, (distinct[i-1]+distinct[i])/2)
		}
		return cuts
	}
	for k := 1; k < bins; k++ {
		i := k * len(sorted) / bins
		for i > 0 && i < len(sorted) && sorted[i] == sorted[i-1] {
			i++
		}
		if i >= len(sorted) {
			break
		}
		c := (sorted[i-1] + sorted[i]) / 2
		if len(cuts) == 0 || c > cuts[len(cuts)-1] {
			cuts = append(cuts, c)
		}
	}
	return cuts
}

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
