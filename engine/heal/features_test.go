package heal

import "testing"

// The model's trees know features by their place alone.
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
	for _, m := range []*Model{&modelPage, &modelAlone} {
		for _, n := range m.Forest.Nodes {
			if int(n.Feature) >= len(names) {
				t.Fatalf("the model splits by feature %d of %d", n.Feature, len(names))
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
