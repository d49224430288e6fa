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
