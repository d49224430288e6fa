package heal

import "math"

// Model is a trained scorer with its gates. To the zero value every candidate is
// equally likely.
type Model struct {
	Forest      Forest
	Calibration [3]Calibration // by Evidence
	Threshold   float64
	Margin      float64
}

// Evidence says how the texts of a lost element and a candidate compare. The same
// raw confidence is right less often where there are none.
type Evidence int

// The texts are the same or nearly, they differ, or the lost element has none.
const (
	EvidenceSame Evidence = iota
	EvidenceChanged
	EvidenceSilent
)

// EvidenceOf returns the evidence of a row of features.
func EvidenceOf(row []float32) Evidence {
	switch {
	case row[featHasName] == 0:
		return EvidenceSilent
	case max(row[featTextDice], row[featCalled], row[featBestDice]) < .5:
		return EvidenceChanged
	}
	return EvidenceSame
}

// Forest is gradient-boosted decision trees: the score of a row of features is
// the base plus one leaf of each tree, the logarithm of the odds that a
// candidate is the lost element.
type Forest struct {
	Base  float32
	Roots []int32
	Nodes []TreeNode
}

// TreeNode is a split, or a leaf when Left is 0. A row whose feature is at most
// Value goes to the node Left places on, else to the one after that.
type TreeNode struct {
	Feature, Left uint8
	Value         float32
}

// Score returns the log odds of a row in the order of FeatureNames.
func (f *Forest) Score(row []float32) float32 {
	s := f.Base
	for _, at := range f.Roots {
		n := &f.Nodes[at]
		for n.Left != 0 {
			at += int32(n.Left)
			if row[n.Feature] > n.Value {
				at++
			}
			n = &f.Nodes[at]
		}
		s += n.Value
	}
	return s
}

// Calibration maps the log odds of a raw confidence to those of a probability,
// linear between its knots and beyond them.
type Calibration []Knot

// Knot is a point of a Calibration, both sides in log odds.
type Knot struct{ Raw, True float64 }

// Probability returns the calibrated probability of a raw one, in (0,1).
func (c Calibration) Probability(raw float64) float64 {
	x := logit(raw)
	if len(c) > 1 {
		k := 1
		for k < len(c)-1 && x > c[k].Raw {
			k++
		}
		a, b := c[k-1], c[k]
		x = a.True + (x-a.Raw)*(b.True-a.True)/(b.Raw-a.Raw)
	}
	return sigmoid(x)
}

// logit returns ln(p/(1−p)), kept finite.
func logit(p float64) float64 {
	p = min(max(p, 1e-9), 1-1e-9)
	return math.Log(p / (1 - p))
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
