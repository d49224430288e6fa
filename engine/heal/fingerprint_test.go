package heal

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestFingerprintKeepsTheSeedsForm(t *testing.T) {
	f := NewPage(shop()).Fingerprint(3)
	f.Locator, f.TestID = "#login", "test_login"
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var seed struct {
		Tag        string             `json:"tag"`
		Text       string             `json:"text"`
		Attributes [][2]string        `json:"attributes"`
		DOMPath    []string           `json:"dom_path"`
		Siblings   []string           `json:"siblings"`
		BBox       map[string]float64 `json:"bbox"`
		Locator    string             `json:"locator"`
		TestID     string             `json:"test_id"`
	}
	if err := json.Unmarshal(b, &seed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"html", "body", "nav", "a"}, seed.DOMPath); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][2]string{{"href", "/login"}, {"id", "login"}}, seed.Attributes); diff != "" {
		t.Error(diff)
	}
	if seed.Tag != "a" || seed.Text != "sign in" || seed.BBox["width"] != 60 || seed.Locator != "#login" || len(seed.Siblings) != 1 {
		t.Errorf("%+v", seed)
	}
}

func TestAFingerprintAloneScoresAsItsElement(t *testing.T) {
	page := NewPage(shop())
	for i := 1; i < page.Len(); i++ {
		lone := NewCandidates([]engine.Fingerprint{page.Fingerprint(i)})
		a, b := &page.nodes[i], &lone.nodes[0]
		if tokens(page, a.tokens) != tokens(lone, b.tokens) || tokens(page, a.context) != tokens(lone, b.context) {
			t.Errorf("element %d: other tokens", i)
		}
		if a.depth != b.depth || a.pathHash != b.pathHash || a.sameName != b.sameName || a.nameKey != b.nameKey || a.siblings != b.siblings {
			t.Errorf("element %d: %+v\nalone %+v", i, a, b)
		}
		for _, pair := range [][2]int32{{a.prev, b.prev}, {a.next, b.next}, {a.heading, b.heading}, {a.called, b.called}, {a.around, b.around}} {
			if page.phrases[pair[0]].text != lone.phrases[pair[1]].text {
				t.Errorf("element %d: %q, alone %q", i, page.phrases[pair[0]].text, lone.phrases[pair[1]].text)
			}
		}
	}
}

// tokens returns a sum that tells token sets apart.
func tokens(p *Page, ids []uint32) uint64 {
	var sum uint64
	for _, id := range ids {
		sum += p.token[id] * 31
	}
	return sum
}

func TestFindLocatesTheElementOfAFingerprint(t *testing.T) {
	page := NewPage(shop())
	for i := range page.nodes {
		if j, ok := page.Find(page.Fingerprint(i)); !ok || j != i {
			t.Errorf("element %d found at %d (%v)", i, j, ok)
		}
	}
	if _, ok := page.Find(engine.Fingerprint{Tag: "nope"}); ok {
		t.Error("found what is not there")
	}
}

func TestReadElementsNamesTheBadRecord(t *testing.T) {
	elements, err := ReadElements([]byte(`[{"p":-1,"t":"body","v":1},{"p":0,"t":"a","a":{"href":"/"},"x":"Home","b":[1,2,3,4],"v":1,"r":"link","n":"Home"}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := Element{Parent: 0, Tag: "a", Attributes: engine.Attributes{{Name: "href", Value: "/"}}, Text: "Home", BBox: &engine.BoundingBox{X: 1, Y: 2, Width: 3, Height: 4}, Visible: true, Role: "link", Name: "Home"}
	if diff := cmp.Diff(want, elements[1]); diff != "" {
		t.Error(diff)
	}
	_, err = ReadElements([]byte(`[{"t":"a"},{"x":"no tag"}]`))
	if err == nil || err.Error() != `page element 1: element record has no tag ("t")` {
		t.Errorf("got %v", err)
	}
}
