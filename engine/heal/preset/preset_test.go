package preset

import (
	"bufio"
	"encoding/json"
	"math"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// presetPair is a pair of fingerprints with the score another implementation,
// written plainly from the formulas, gave it.
type presetPair struct {
	Stored    engine.Fingerprint `json:"stored"`
	Candidate engine.Fingerprint `json:"candidate"`
	Scores    map[Name]float64   `json:"scores"`
}

func readPresetPairs(t *testing.T) []presetPair {
	t.Helper()
	f, err := os.Open("testdata/preset_pairs.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var pairs []presetPair
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p presetPair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func TestPresetsScoreAsTheOriginals(t *testing.T) {
	pairs := readPresetPairs(t)
	if len(pairs) < 50 {
		t.Fatalf("%d pairs, want at least 50", len(pairs))
	}
	for i, p := range pairs {
		for preset, want := range p.Scores {
			got, signals := preset.Score(p.Stored, p.Candidate)
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("pair %d: %s = %.12f, want %.12f\n%+v", i, preset, got, want, signals)
			}
		}
	}
}

func TestBoundariesOfTheSignals(t *testing.T) {
	box := func(x, y float64) *engine.BoundingBox { return &engine.BoundingBox{X: x, Y: y} }
	levenshtein := func(a, b string) float64 { return text.NewPattern([]rune(a)).Ratio([]rune(b)) }
	words := func(text string) []uint64 { return ShapeOf(&engine.Fingerprint{Text: text}).words }
	path := func(tags ...string) []uint64 { return ShapeOf(&engine.Fingerprint{DOMPath: tags}).path }
	lcs := func(a, b []uint64) float64 { s := newSequence(a); return s.ratio(b) }
	signal := func(f func(*Scorer, *Shape) (float64, bool), a, b engine.Fingerprint) float64 {
		c := ShapeOf(&b)
		v, _ := f(NewScorer(Docs, ShapeOf(&a)), &c)
		return v
	}
	distance := func(a, b *engine.BoundingBox) float64 {
		return signal(positionSignal, engine.Fingerprint{BBox: a}, engine.Fingerprint{BBox: b})
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"two empty texts are the same", levenshtein("", ""), 1},
		{"an empty text is like no other", levenshtein("", "a"), 0},
		{"one edit of six", levenshtein("kitten", "sitten"), 1 - 1./6},
		{"three edits of seven", levenshtein("kitten", "sitting"), 1 - 3./7},
		{"code points count, not bytes", levenshtein("größe", "grosse"), 1 - 3./6},
		{"two empty sets share nothing", jaccard(nil, nil), 0},
		{"repeated items count once", jaccard(words("a a b"), words("b c")), 1. / 3},
		{"two empty paths share nothing", lcs(nil, nil), 0},
		{"a path and its inner part", lcs(path("html", "body", "div", "a"), path("html", "div", "a")), 3. / 4},
		{"a missing box is nowhere", distance(nil, box(0, 0)), 0},
		{"the same place", distance(box(3, 4), box(3, 4)), 1},
		{"halfway", distance(box(0, 0), box(150, 200)), .5},
		{"500 px and further", distance(box(0, 0), box(0, 900)), 0},
		{"same tag", signal(tagSignal, engine.Fingerprint{Tag: "a"}, engine.Fingerprint{Tag: "a"}), 1},
		{"another tag", signal(tagSignal, engine.Fingerprint{Tag: "a"}, engine.Fingerprint{Tag: "b"}), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestBitParallelSignalsEqualThePlainOnes(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	random := func(n int) []uint64 {
		list := make([]uint64, rnd.Intn(n))
		for i := range list {
			list[i] = uint64(rnd.Intn(9))
		}
		return list
	}
	for i := 0; i < 3000; i++ {
		n := []int{10, 70, 200}[i%3]
		x, y := random(n), random(n)
		s := newSequence(x)
		if got, want := s.ratio(y), lcsRatio(x, y); math.Abs(got-want) > 1e-12 {
			t.Fatalf("ratio(%v, %v) = %v, want %v", x, y, got, want)
		}
	}
}

func TestParsePreset(t *testing.T) {
	if p, err := Parse(""); p != Default || err != nil {
		t.Errorf("empty name: %v, %v", p, err)
	}
	if p, err := Parse("breadcrumb"); p != Docs || err != nil {
		t.Errorf("the seed's name: %v, %v", p, err)
	}
	if _, err := Parse("nope"); err == nil || err.Error() != `unknown preset "nope": want one of default, breadcrumb-docs, breadcrumb-py, selfmend` {
		t.Errorf("unknown name: %v", err)
	}
}

func TestSymmetricSignals(t *testing.T) {
	of := func(text string) engine.Fingerprint {
		x := float64(len(text))
		return engine.Fingerprint{Tag: text, Text: text, DOMPath: strings.Split(text, " "), Siblings: strings.Split(text, ""),
			Attributes: engine.Attributes{{Name: "id", Value: text}, {Name: "class", Value: text}, {Name: "title", Value: text}},
			BBox:       &engine.BoundingBox{X: x, Y: 2 * x, Width: 3 + x, Height: 4}}
	}
	texts := []string{"", "a", "Sign in", "sign  IN", "größe 漢字", strings.Repeat("long text ", 60), "\xff\xfe", "e\u0301", "😀"}
	for _, p := range []Name{Docs, Py} {
		for _, a := range texts {
			for _, b := range texts {
				_, one := p.Score(of(a), of(b))
				if _, other := p.Score(of(b), of(a)); !slices.Equal(one, other) {
					t.Errorf("%s: %.20q and %.20q: %v, the other way round %v", p, a, b, one, other)
				}
			}
		}
	}
}
