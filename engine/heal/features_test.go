package heal

import "testing"

func TestFeatureNamesMatchWhatIsWritten(t *testing.T) {
	page := NewPage([]Element{{Parent: -1, Tag: "body", Visible: true}, {Parent: 0, Tag: "a", Text: "Home", Visible: true}})
	q := newQuery(page, 1, page, align(page, page))
	r := row{f: make([]float32, 200)}
	q.pair(&r, 1)
	if r.k != featPair || featPair+2*len(relatives) != len(featureNames) {
		t.Fatalf("%d features written, featPair %d, %d names, %d relatives", r.k, featPair, len(featureNames), len(relatives))
	}
	for i, want := range map[int]string{featBestEqual: "best equal", featTextDice: "text dice", featHasName: "has name", featBestDice: "best dice", featTokens: "tokens dice", featCalled: "called dice",
		featClasses: "classes covered", featPath: "path", featContext: "context dice", featBefore: "before dice", featDistance: "distance"} {
		if featureNames[i] != want {
			t.Errorf("feature %d is %q, want %q", i, featureNames[i], want)
		}
	}
}
