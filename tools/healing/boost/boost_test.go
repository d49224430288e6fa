package boost_test

import (
	"math/rand"
	"reflect"
	"testing"

	"github.com/breadcrumb/action/tools/healing/boost"
)

// ring is points that are in a ring around the origin or not, which no single
// split tells apart, with a third feature that says nothing.
func ring(n int, seed int64) *boost.Data {
	rnd := rand.New(rand.NewSource(seed))
	d := &boost.Data{Width: 3}
	for range n {
		x, y := rnd.Float32()*2-1, rnd.Float32()*2-1
		r := x*x + y*y
		d.Rows = append(d.Rows, x, y, rnd.Float32())
		d.Labels = append(d.Labels, r > .25 && r < .81)
		d.Weight = append(d.Weight, 1)
	}
	return d
}

var options = boost.Options{Trees: 60, Leaves: 12, Rate: .2, MinRows: 10, L2: 1, Bins: 32}

func TestTrainLearnsARing(t *testing.T) {
	f := boost.Train(ring(4000, 1), options)
	test, right := ring(2000, 2), 0
	for i, label := range test.Labels {
		if (f.Score(test.Rows[i*3:i*3+3]) > 0) == label {
			right++
		}
	}
	if right < 1850 {
		t.Errorf("%d of 2000 right", right)
	}
}

func TestTrainIsDeterministic(t *testing.T) {
	if !reflect.DeepEqual(boost.Train(ring(1000, 3), options), boost.Train(ring(1000, 3), options)) {
		t.Error("the same data gave other trees")
	}
}

func TestRowsOfNoWeightDoNotCount(t *testing.T) {
	d := ring(1000, 4)
	with := boost.Train(d, options)
	for range 200 {
		d.Rows = append(d.Rows, 9, 9, 9)
		d.Labels = append(d.Labels, true)
		d.Weight = append(d.Weight, 0)
	}
	if !reflect.DeepEqual(with, boost.Train(d, options)) {
		t.Error("rows without weight changed the trees")
	}
}

func TestOneKindOfLabelGivesAConstant(t *testing.T) {
	d := ring(100, 5)
	for i := range d.Labels {
		d.Labels[i] = false
	}
	if s := boost.Train(d, options).Score([]float32{0, 0, 0}); s > -5 {
		t.Errorf("score %v for what never happened", s)
	}
}
