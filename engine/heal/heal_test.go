package heal

import (
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/preset"
)

// changed returns the shop with the sign-in link's id renamed and its class and
// address changed, and the basket's buttons as they were.
func changed() []Element {
	page := shop()
	page[3].Attributes = engine.Attributes{{Name: "class", Value: "nav-item"}, {Name: "href", Value: "/account/login"}, {Name: "id", Value: "sign-in-link"}}
	return page
}

// without returns a page without one element and what is in it.
func without(page []Element, gone int) []Element {
	var kept []Element
	to := map[int]int{-1: -1}
	for i, e := range page {
		parent, ok := to[e.Parent]
		if i == gone || !ok {
			continue
		}
		e.Parent = parent
		to[i] = len(kept)
		kept = append(kept, e)
	}
	return kept
}

func TestHealFindsARenamedElement(t *testing.T) {
	c := Compare(NewPage(shop()), NewPage(changed()))
	d := c.Heal(3, Options{})
	if d.Outcome != engine.OutcomeHealed || d.Best.Index != 3 {
		t.Fatalf("got %+v, best %+v", d, d.Best)
	}
	for _, want := range []string{"same text, accessible name", "unique on page", "id, link and class changed"} {
		if !strings.Contains(d.Because, want) {
			t.Errorf("because %q does not say %q", d.Because, want)
		}
	}
}

func TestHealRefusesWhatIsGone(t *testing.T) {
	for i := 2; i < len(shop()); i++ {
		c := Compare(NewPage(shop()), NewPage(without(changed(), i)))
		if d := c.Heal(i, Options{}); d.Outcome != engine.OutcomeRefused {
			t.Errorf("element %d is gone, yet healed to %d with %.4f: %s", i, d.Best.Index, d.Best.Confidence, d.Because)
		}
	}
}

func TestHealOfAFingerprintAlone(t *testing.T) {
	lost := NewPage(shop()).Fingerprint(3)
	if d := Heal(lost, NewPage(changed()), Options{}); d.Best == nil || d.Best.Index != 3 {
		t.Errorf("got %+v", d)
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	page := NewPage(shop())
	empty := NewPage([]Element{{Parent: -1, Tag: "body", Visible: true}})
	twins := append(shop(), shop()[9])
	for _, c := range []struct {
		name string
		got  Decision
		want string
	}{
		{"no fingerprint", Heal(engine.Fingerprint{}, page, Options{}), engine.ReasonNoFingerprint},
		{"an index outside the page", Compare(page, page).Heal(99, Options{}), engine.ReasonNoFingerprint},
		{"nothing on the page", Heal(page.Fingerprint(3), empty, Options{}), engine.ReasonNoCandidates},
		{"nothing on the page, preset", Heal(page.Fingerprint(3), empty, Options{Preset: preset.Py}), engine.ReasonNoCandidates},
		{"nothing of the tag, selfmend", Heal(engine.Fingerprint{Tag: "canvas", Text: "zzz"}, page, Options{Preset: preset.Selfmend}), engine.ReasonNoCandidates},
		{"nothing alike", Heal(engine.Fingerprint{Tag: "button", Text: "zzz"}, page, Options{Preset: preset.Selfmend}), engine.ReasonBelowThreshold},
		{"two alike", Heal(page.Fingerprint(9), NewPage(twins), Options{Preset: preset.Selfmend, Margin: 0.2}), engine.ReasonAmbiguous},
	} {
		if c.got.Outcome != engine.OutcomeRefused || c.got.Reason != c.want {
			t.Errorf("%s: %s %q, want %q", c.name, c.got.Outcome, c.got.Reason, c.want)
		}
	}
}

func TestBothGatesAreInclusiveAndTheFloorComesFirst(t *testing.T) {
	for _, c := range []struct {
		name              string
		best, second      float64
		threshold, margin float64
		want              string
	}{
		{"at the threshold", .9, .1, .9, .05, ""},
		{"a rounding error below", .9 - 1e-10, .1, .9, .05, ""},
		{"below", .8999, .1, .9, .05, engine.ReasonBelowThreshold},
		{"at the margin", .95, .90, .9, .05, ""},
		{"inside the margin", .95, .91, .9, .05, engine.ReasonAmbiguous},
		{"inside the margin and below", .85, .84, .9, .05, engine.ReasonBelowThreshold},
	} {
		d := Decision{Best: &Candidate{Confidence: c.best}, RunnerUp: &Candidate{Confidence: c.second}}
		d.gate(c.threshold, c.margin)
		if d.Reason != c.want || (d.Outcome == engine.OutcomeHealed) != (c.want == "") {
			t.Errorf("%s: %s %q, want %q", c.name, d.Outcome, d.Reason, c.want)
		}
	}
}

func TestOrderOfCandidatesChangesNothing(t *testing.T) {
	old, now := NewPage(shop()), NewPage(changed())
	var candidates []engine.Fingerprint
	for i := 1; i < now.Len(); i++ {
		candidates = append(candidates, now.Fingerprint(i))
	}
	rnd := rand.New(rand.NewSource(1))
	for _, preset := range preset.Names() {
		for i := 2; i < old.Len(); i++ {
			lost := old.Fingerprint(i)
			want := Heal(lost, NewCandidates(candidates), Options{Preset: preset})
			for range 5 {
				mixed := append([]engine.Fingerprint(nil), candidates...)
				rnd.Shuffle(len(mixed), func(a, b int) { mixed[a], mixed[b] = mixed[b], mixed[a] })
				got := Heal(lost, NewCandidates(mixed), Options{Preset: preset})
				if got.Outcome != want.Outcome || got.Best.Confidence != want.Best.Confidence || got.Because != want.Because {
					t.Fatalf("%s, element %d: %+v, in another order %+v", preset, i, want.Best, got.Best)
				}
				if diff := cmp.Diff(candidates[want.Best.Index], mixed[got.Best.Index]); diff != "" {
					t.Fatalf("%s, element %d: another choice in another order: %s", preset, i, diff)
				}
			}
		}
	}
}

func TestAnIrrelevantElementIsNeverHealedTo(t *testing.T) {
	irrelevant := []Element{
		{Parent: 0, Tag: "hr", Visible: true},
		{Parent: 0, Tag: "p", Visible: true, Text: "© 2024 all rights reserved", OwnText: "© 2024 all rights reserved"},
		{Parent: 0, Tag: "img", Visible: true, Attributes: engine.Attributes{{Name: "src", Value: "/ad.png"}, {Name: "alt", Value: "advertisement"}}, Role: "image", Name: "advertisement"},
		{Parent: 0, Tag: "a", Visible: true, Text: "imprint", OwnText: "imprint", Role: "link", Name: "imprint", Attributes: engine.Attributes{{Name: "href", Value: "/imprint"}}},
	}
	for i := 2; i < len(shop()); i++ {
		for _, e := range irrelevant {
			page := append(without(changed(), i), e)
			d := Compare(NewPage(shop()), NewPage(page)).Heal(i, Options{})
			if d.Outcome == engine.OutcomeHealed && d.Best.Index == len(page)-1 {
				t.Errorf("element %d healed to <%s> with %.4f", i, e.Tag, d.Best.Confidence)
			}
		}
	}
}

func TestTrigramsAreSymmetric(t *testing.T) {
	texts := []string{"", "a", "Sign in", "sign  IN", "größe 漢字", strings.Repeat("long text ", 60), "\xff\xfe", "e\u0301", "😀"}
	for _, a := range texts {
		for _, b := range texts {
			p, q := newPhrase(a), newPhrase(b)
			if p.dice(&q) != q.dice(&p) {
				t.Errorf("trigrams of %.20q and %.20q", a, b)
			}
		}
	}
}

func TestHostilePagesAreCutAndSayIt(t *testing.T) {
	elements := make([]Element, MaxElements+5)
	huge := strings.Repeat("\xffA", 1<<19)
	for i := range elements {
		elements[i] = Element{Parent: i - 1, Tag: "div", Visible: true, Text: "x"}
	}
	elements[7] = Element{Parent: 12, Tag: huge, Text: huge, OwnText: huge, Name: huge, Visible: true,
		Attributes: engine.Attributes{{Name: "class", Value: huge}, {Name: "id", Value: huge}}, BBox: &engine.BoundingBox{X: math.NaN(), Y: math.Inf(1), Width: -1e300, Height: 1e300}}
	page := NewPage(elements)
	if page.Len() != MaxElements || len(page.Notes) != 2 || !strings.Contains(page.Notes[0], "only the first 100000") || !strings.Contains(page.Notes[1], "more than 1600 bytes or more than 64 attributes: 1;") {
		t.Fatalf("%d elements, notes %q", page.Len(), page.Notes)
	}
	d := Heal(page.Fingerprint(7), page, Options{})
	if d.Best == nil || math.IsNaN(d.Best.Confidence) || len(d.Notes) != 2 {
		t.Errorf("%+v", d)
	}
}

func FuzzHeal(f *testing.F) {
	f.Add("Sign in", "login", "nav-link", "Sign in", 12.0)
	f.Add("\xff\x00", strings.Repeat("e\u0301", 300), "a\u202eb", "漢", math.Inf(-1))
	f.Fuzz(func(t *testing.T, text, id, class, other string, x float64) {
		elements := shop()
		elements = append(elements, Element{Parent: len(id) % 12, Tag: "a", Visible: true, Text: text, OwnText: other, Name: text,
			Attributes: engine.Attributes{{Name: "id", Value: id}, {Name: "class", Value: class}, {Name: other, Value: text}}, BBox: &engine.BoundingBox{X: x, Y: x, Width: x, Height: x}})
		page := NewPage(elements)
		lost := page.Fingerprint(len(elements) - 1)
		for _, p := range preset.Names() {
			for _, d := range []Decision{
				Heal(lost, page, Options{Preset: p}),
				Compare(page, NewPage(shop())).Heal(len(elements)-1, Options{Preset: p}),
			} {
				c := d.Best
				if c == nil && p == preset.Selfmend && d.Reason == engine.ReasonNoCandidates {
					continue
				}
				if c == nil || c.Index < 0 || c.Index >= len(elements) || !(c.Confidence >= 0 && c.Confidence <= 1) {
					t.Fatalf("%s: %+v", p, c)
				}
			}
		}
	})
}

func TestAPageServesSeveralGoroutines(t *testing.T) {
	c := Compare(NewPage(site(300)), NewPage(site(300)))
	done := make(chan Decision)
	for i := range 8 {
		go func() { done <- c.Heal(1, Options{Preset: preset.Names()[i%4]}) }()
	}
	for range 8 {
		if d := <-done; d.Best == nil || d.Best.Index != 1 {
			t.Errorf("got %+v", d.Best)
		}
	}
}

// A candidate more must cost no allocation: what a heal allocates is for the
// likeliest few, whatever the page's size.
func TestHealAllocatesNothingPerCandidate(t *testing.T) {
	const few, many = 500, 4000
	for _, preset := range preset.Names() {
		var allocations [2]float64
		for k, n := range [...]int{few, many} {
			page, c := NewPage(site(n)), Compare(NewPage(site(n)), NewPage(site(n)))
			lost := page.Fingerprint(5)
			allocations[k] = testing.AllocsPerRun(3, func() {
				Heal(lost, page, Options{Preset: preset})
				c.align.competitors = competitors{}
				c.Heal(5, Options{Preset: preset})
			})
		}
		if more := allocations[1] - allocations[0]; more > 40 {
			t.Errorf("%s: %.0f allocations among %d, %.0f among %d", preset, allocations[0], few, allocations[1], many)
		}
	}
}

func TestWithoutOldPageAndBoxesAHealNeedsMore(t *testing.T) {
	boxless := func(elements []Element) *Page {
		flat := append([]Element(nil), elements...)
		for i := range flat {
			flat[i].BBox = nil
		}
		return NewPage(flat)
	}
	old, flat := NewPage(site(100)), boxless(site(100))
	for _, c := range []struct {
		name      string
		lost, now *Page
		alone     engine.HealOutcome
	}{
		{"boxes on both", old, old, engine.OutcomeHealed},
		{"none on the new page", old, flat, engine.OutcomeRefused},
		{"none of the lost element", flat, old, engine.OutcomeRefused},
		{"none at all", flat, flat, engine.OutcomeRefused},
	} {
		alone := func(o Options) Decision { return Heal(c.lost.Fingerprint(5), c.now, o) }
		paired := func(o Options) Decision { return Compare(c.lost, c.now).Heal(5, o) }
		if got := justPassed(alone, *modelAlone()); (got == engine.OutcomeHealed) != (c.alone == engine.OutcomeHealed) {
			t.Errorf("%s: %s", c.name, got)
		}
		if got := justPassed(paired, *modelPage()); got != engine.OutcomeHealed {
			t.Errorf("%s, with the old page: %s", c.name, got)
		}
		if d := alone(Options{Threshold: alone(Options{}).Best.Confidence - 1e-6, Margin: -1}); d.Outcome != engine.OutcomeHealed {
			t.Errorf("%s, asked for that threshold: %s", c.name, d.Outcome)
		}
	}
}

// justPassed returns the outcome of a heal whose best candidate is barely at
// its model's threshold.
func justPassed(heal func(Options) Decision, m Model) engine.HealOutcome {
	m.Margin = 0
	m.Threshold = heal(Options{Model: &m}).Best.Confidence - 1e-6
	return heal(Options{Model: &m}).Outcome
}

func TestPresetsOnAPageScoreAsPairs(t *testing.T) {
	elements := []Element{
		{Parent: -1, Tag: "body", Visible: true, Text: "Shop Sign in Save"},
		{Parent: 0, Tag: "nav", Visible: true, Text: "Shop Sign in"},
		{Parent: 1, Tag: "a", Visible: true, Text: "Shop", Attributes: engine.Attributes{{Name: "href", Value: "/shop"}, {Name: "class", Value: "link big"}}},
		{Parent: 1, Tag: "a", Visible: true, Text: "Sign in", Attributes: engine.Attributes{{Name: "href", Value: "/login"}, {Name: "id", Value: "login"}}, BBox: &engine.BoundingBox{X: 10, Y: 10, Width: 50, Height: 20}},
		{Parent: 0, Tag: "button", Visible: true, Text: "Save", Role: "button", Attributes: engine.Attributes{{Name: "data-testid", Value: "save"}, {Name: "type", Value: "submit"}}},
	}
	page := NewPage(elements)
	for _, preset := range []preset.Name{preset.Docs, preset.Py, preset.Selfmend} {
		lost := page.Fingerprint(3)
		d := Heal(lost, page, Options{Preset: preset})
		if d.Best == nil || d.Best.Index != 3 {
			t.Fatalf("%s: best %+v", preset, d.Best)
		}
		want, _ := preset.Score(lost, page.Fingerprint(3))
		if math.Abs(d.Best.Confidence-want) > 1e-12 {
			t.Errorf("%s: on the page %v, as a pair %v", preset, d.Best.Confidence, want)
		}
	}
}
