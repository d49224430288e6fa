package ahead

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// fakePage finds by tables.
type fakePage struct {
	address string
	finds   map[string][]int // by selector; one that is not there finds nothing
	unknown string           // selector of which nothing can be told
	stands  []engine.Fingerprint
	takes   map[string]int // the element that is proposed for a lost selector; none is a refusal
	like    float64        // how much what is proposed only resembles what was lost; 0 is the same
}

func (p fakePage) Address() string { return p.address }

func (p fakePage) Find(selector string) ([]int, bool) {
	return p.finds[selector], selector != p.unknown
}

func (p fakePage) Fingerprint(i int) engine.Fingerprint { return p.stands[i] }

func (p fakePage) LookAhead(known heal.Learned, _ heal.Options) (engine.HealEvent, int) {
	f := known.Fingerprint
	selector, occurrence := engine.SplitStored(f.Locator)
	e := engine.HealEvent{Locator: selector, Occurrence: occurrence, Original: f, Site: f.Site, Outcome: engine.OutcomeRefused}
	i, ok := p.takes[selector]
	if ok {
		e.Outcome, e.HealedLocator = engine.OutcomeHealed, "#new-"+f.Text
		if Propose(&e); p.like > 0 {
			e.Reason, e.Confidence = engine.ReasonOtherMeaning, p.like
		}
		return e, i
	}
	return e, -1
}

// at returns an element as it was learned at an address.
func at(f engine.Fingerprint, address string) engine.Fingerprint {
	f.PageAddress = address
	return f
}

const account, cart = "https://shop.example/account", "https://shop.example/cart"

func learned(test, locator, text, page string) engine.Fingerprint {
	return engine.Fingerprint{TestID: engine.NewTestID(test), Locator: locator, Tag: "button", Text: text, Page: page, Site: &engine.Site{File: test + ".spec.ts", Line: 3}}
}

func TestAChangedPageIsLookedAtForAllThatWasLearnedOfIt(t *testing.T) {
	save, close := learned("saves", "#save", "Save", account), learned("closes", "#close", "Close", account)
	saveToo := learned("saves twice", "#save", "Save", account)
	pay := learned("pays", "#pay", "Pay", cart)
	failed := errors.New("the database is gone")
	for _, c := range []struct {
		name    string
		learned []engine.Fingerprint
		pages   []fakePage
		looks   int // most that may be had
		over    int // questions of the time after which it is up; 0 is never
		recall  error
		want    []string // tests with what is proposed
		cut     bool
	}{
		{name: "lost", learned: []engine.Fingerprint{save}, pages: []fakePage{{address: account, takes: map[string]int{"#save": 0}}}, want: []string{"saves #new-Save"}},
		{name: "lost by two tests", learned: []engine.Fingerprint{save, saveToo}, looks: 1, pages: []fakePage{{address: account, takes: map[string]int{"#save": 0}}},
			want: []string{"saves #new-Save", "saves twice #new-Save"}},
		{name: "still there", learned: []engine.Fingerprint{save}, pages: []fakePage{{address: account, finds: map[string][]int{"#save": {0}}, stands: []engine.Fingerprint{save}}}},
		{name: "of another page", learned: []engine.Fingerprint{pay}, pages: []fakePage{{address: account, takes: map[string]int{"#pay": 0}}}},
		{name: "on the page of another order", learned: []engine.Fingerprint{at(learned("pays", "#pay", "Pay", "/orders/*"), "/orders/17")},
			pages: []fakePage{{address: "/orders/18", takes: map[string]int{"#pay": 0}}}, want: []string{"pays #new-Pay"}},
		{name: "what is like it on its own page", learned: []engine.Fingerprint{at(learned("pays", "#pay", "Pay", "/orders/*"), "/orders/17")},
			pages: []fakePage{{address: "/orders/17", takes: map[string]int{"#pay": 0}, like: 0.9}}, want: []string{"pays #new-Pay"}},
		{name: "what is like it on the page of another order", learned: []engine.Fingerprint{at(learned("pays", "#pay", "Pay", "/orders/*"), "/orders/17")},
			pages: []fakePage{{address: "/orders/18", takes: map[string]int{"#pay": 0}, like: 0.9}}},
		{name: "what is hardly like it, where it may not be yet", learned: []engine.Fingerprint{save}, pages: []fakePage{{address: account, takes: map[string]int{"#save": 0}, like: 0.59}}},
		{name: "nothing takes its place", learned: []engine.Fingerprint{save}, pages: []fakePage{{address: account}}},
		{name: "cannot be told", learned: []engine.Fingerprint{save}, pages: []fakePage{{address: account, unknown: "#save", takes: map[string]int{"#save": 0}}}},
		{name: "there when the page is seen again", learned: []engine.Fingerprint{save}, pages: []fakePage{
			{address: account, takes: map[string]int{"#save": 0}},
			{address: account, finds: map[string][]int{"#save": {0}}, stands: []engine.Fingerprint{save}}}},
		{name: "another locator's own element", learned: []engine.Fingerprint{save, close}, pages: []fakePage{
			{address: account, finds: map[string][]int{"#close": {0}}, stands: []engine.Fingerprint{close}, takes: map[string]int{"#save": 0}}}},
		{name: "more than may be looked for", learned: []engine.Fingerprint{save, close}, looks: 1, pages: []fakePage{
			{address: account, takes: map[string]int{"#save": 0, "#close": 1}}}, want: []string{"saves #new-Save"}, cut: true},
		{name: "no time to ask for all", learned: []engine.Fingerprint{save, close}, over: 1, pages: []fakePage{
			{address: account, takes: map[string]int{"#save": 0, "#close": 1}}}, cut: true},
		{name: "what is known cannot be read", learned: []engine.Fingerprint{save}, recall: failed, pages: []fakePage{{address: account, takes: map[string]int{"#save": 0}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked, looks := 0, c.looks
			if looks == 0 {
				looks = 10
			}
			s := New(Suite{Learned: c.learned, MaxLooks: looks,
				Recall: func(f engine.Fingerprint) (heal.Learned, heal.Options, bool, error) {
					return heal.Learned{Fingerprint: f}, heal.Options{}, true, c.recall
				},
				IsOver: func() bool { asked++; return c.over > 0 && asked > c.over }})
			var err error
			for _, p := range c.pages {
				err = errors.Join(err, s.Look(p))
			}
			if !errors.Is(err, c.recall) || s.IsCut() != c.cut {
				t.Errorf("error %v, cut %v", err, s.IsCut())
			}
			var got []string
			for _, e := range s.Events() {
				if !e.Ahead || e.Site.File != string(e.TestID)+".spec.ts" {
					t.Errorf("event %+v", e)
				}
				got = append(got, string(e.TestID)+" "+e.HealedLocator)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("proposed (-want +got):\n%s", diff)
			}
		})
	}
}
