package heal

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// The models name their features; a training gives the same models only in the same order.
func TestFeaturesStandWhereTheModelWasTrainedOnThem(t *testing.T) {
	names := FeatureNames()
	if len(pairFeatures) != 101 || len(names) != 119 || rowWidth != len(names) {
		t.Fatalf("%d features of a pair, %d in all, rows of %d", len(pairFeatures), len(names), rowWidth)
	}
	for i, want := range map[int]string{5: "text dice", 14: "called dice", 15: "best equal", 16: "best dice", 18: "tokens dice", 21: "classes covered",
		34: "path", 46: "context dice", 48: "before dice", 56: "distance", 67: "has name", 68: "aligned", 87: "competitor lead", 92: "back between",
		95: "shift x before", 99: "shift x parent", 101: "quick lead", 118: "called rank"} {
		if names[i] != want {
			t.Errorf("feature %d is %q, want %q", i, names[i], want)
		}
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			t.Errorf("two features are called %q", name)
		}
		seen[name] = true
	}
	for _, file := range [][]byte{modelPageFile, modelAloneFile} {
		var m Model
		if err := json.Unmarshal(file, &m); err != nil {
			t.Fatal(err)
		}
		if len(m.Forest.Roots) == 0 || m.Threshold <= 0 || m.Threshold > 1 || slices.ContainsFunc(m.Calibration[:EvidenceElsewhere], func(c Calibration) bool { return len(c) < 2 }) {
			t.Errorf("a model with %d trees, threshold %v, calibration %v", len(m.Forest.Roots), m.Threshold, m.Calibration)
		}
		for _, n := range m.Forest.Nodes {
			if int(n.Feature) >= len(names) {
				t.Fatalf("the model splits by feature %d of %d", n.Feature, len(names))
			}
		}
	}
}

func TestModelsComeBackAsTheyWere(t *testing.T) {
	for _, m := range []*Model{modelPage(), modelAlone(), {}} {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var again Model
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(&again, m) {
			t.Errorf("not the same: %v", err)
		}
	}
}

func TestAModelThatDoesNotFitHealsNothing(t *testing.T) {
	if err := new(Model).UnmarshalJSON([]byte(`{"trees":["tag|1|0.5,1,2","tag|1|0.5,text dice|1|0.5,1,2,-1"]}`)); err != nil {
		t.Fatal(err)
	}
	page := NewPage(site(100))
	for _, tree := range []string{"colour|1|0.5,1,2", "tag|1|0.5,1", "tag|2|0.5,1,2", "tag|0|0.5,1,2", "tag|-1|0.5,1,2", "tag|300|0.5,1,2", "tag|1", "tag", "", "tag|1|0.5,1,2,"} {
		file := []byte(fmt.Sprintf(`{"threshold":0.5,"trees":[%q]}`, tree))
		if new(Model).UnmarshalJSON(file) == nil {
			t.Errorf("%q was read", tree)
		}
		for _, threshold := range []float64{0, 0.001} {
			if d := Compare(page, page).Heal(5, Options{Model: embeddedModel(file), Threshold: threshold, Margin: -1}); d.Outcome != engine.OutcomeRefused {
				t.Errorf("%q: %s", tree, d.Outcome)
			}
		}
	}
}

func TestFeaturesFillARow(t *testing.T) {
	page := NewPage([]Element{{Parent: -1, Tag: "body", Visible: true}, {Parent: 0, Tag: "a", Text: "Home", Visible: true}})
	for _, q := range []*query{newQuery(page, 1, page, align(page, page)), newQuery(page, 1, page, nil)} {
		row := make([]float32, rowWidth)
		for i := range row {
			row[i] = 4711
		}
		q.features(row, 1)
		for i, v := range row {
			if (v != 4711) != (i < len(pairFeatures)) {
				t.Errorf("feature %d is %v", i, v)
			}
		}
	}
}
