package heal

import (
	_ "embed" // the trained models
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// The default scorer's models, which tools/healing/train writes.
var (
	//go:embed model_page.json
	modelPageFile []byte
	//go:embed model_alone.json
	modelAloneFile []byte

	modelPage  = sync.OnceValue(func() *Model { return embeddedModel(modelPageFile) })  // with the rest of the old page known
	modelAlone = sync.OnceValue(func() *Model { return embeddedModel(modelAloneFile) }) // with nothing but a fingerprint
)

// embeddedModel reads a model of this program. A test reads them too: were one
// not to fit the features, nothing would be healed.
func embeddedModel(file []byte) *Model {
	m := &Model{}
	if m.UnmarshalJSON(file) != nil {
		return &Model{Forest: Forest{Base: -math.MaxFloat32}, Threshold: 1, Suggest: [Evidences]float64{1, 1, 1, 1, 1}}
	}
	return m
}

// Model is a trained scorer with its gates. To the zero value every candidate is
// equally likely.
type Model struct {
	Forest      Forest
	Calibration [Evidences]Calibration // by Evidence
	Threshold   float64                // the least confidence of a heal
	Suggest     [Evidences]float64     // and of a suggestion, by Evidence
	Margin      float64
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

// modelFile is the JSON form of a Model. A tree is its nodes with commas between
// them: the value of a leaf, or feature|left|value of a split. Features have
// their names, so that a model fits whatever their order is.
type modelFile struct {
	Threshold   float64                `json:"threshold"`
	Suggest     [Evidences]float64     `json:"suggest"`
	Margin      float64                `json:"margin"`
	Calibration [Evidences]Calibration `json:"calibration"`
	Base        float32                `json:"base"`
	Trees       []string               `json:"trees"`
}

// MarshalJSON writes a model for UnmarshalJSON.
func (m *Model) MarshalJSON() ([]byte, error) {
	file := modelFile{Threshold: m.Threshold, Suggest: m.Suggest, Margin: m.Margin, Calibration: m.Calibration, Base: m.Forest.Base}
	names := FeatureNames()
	for k, from := range m.Forest.Roots {
		nodes := m.Forest.Nodes[from:]
		if k+1 < len(m.Forest.Roots) {
			nodes = m.Forest.Nodes[from:m.Forest.Roots[k+1]]
		}
		var tree []string
		for _, n := range nodes {
			text := strconv.FormatFloat(float64(n.Value), 'g', -1, 32)
			if n.Left != 0 {
				text = fmt.Sprintf("%s|%d|%s", names[n.Feature], n.Left, text)
			}
			tree = append(tree, text)
		}
		file.Trees = append(file.Trees, strings.Join(tree, ","))
	}
	return json.Marshal(file)
}

// UnmarshalJSON reads a model. The error names the tree that cannot be used.
func (m *Model) UnmarshalJSON(data []byte) error {
	var file modelFile
	if err := json.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("read model: %w", err)
	}
	places := map[string]uint8{}
	for i, name := range FeatureNames() {
		places[name] = uint8(i)
	}
	*m = Model{Threshold: file.Threshold, Suggest: file.Suggest, Margin: file.Margin, Calibration: file.Calibration, Forest: Forest{Base: file.Base}}
	for k, tree := range file.Trees {
		m.Forest.Roots = append(m.Forest.Roots, int32(len(m.Forest.Nodes)))
		left := strings.Count(tree, ",") // nodes that follow
		for text := range strings.SplitSeq(tree, ",") {
			n, err := parseNode(text, places)
			if err != nil || n.Left != 0 && int(n.Left) >= left {
				return fmt.Errorf("read model: tree %d has no use for node %.80q", k, text)
			}
			m.Forest.Nodes = append(m.Forest.Nodes, n)
			left--
		}
	}
	return nil
}

// parseNode reads a node. places are those of the features by name.
func parseNode(text string, places map[string]uint8) (n TreeNode, err error) {
	feature, split, inner := strings.Cut(text, "|")
	if inner {
		left, value, _ := strings.Cut(split, "|")
		place, known := places[feature]
		steps, err := strconv.ParseUint(left, 10, 8)
		if !known || err != nil || steps == 0 {
			return n, errors.New("no split")
		}
		n.Feature, n.Left, text = place, uint8(steps), value
	}
	v, err := strconv.ParseFloat(text, 32)
	n.Value = float32(v)
	return n, err
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
