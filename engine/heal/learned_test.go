package heal

import (
	"bytes"
	"slices"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestAnAttributeThatDifferedOnceStaysUnsteady(t *testing.T) {
	load := func(id, label string) engine.Fingerprint {
		return engine.Fingerprint{Tag: "input", Attributes: engine.Attributes{{Name: "id", Value: id}, {Name: "aria-label", Value: label}, {Name: "value", Value: id}}}
	}
	known := Learned{Fingerprint: load("one", "Task")}
	for i, step := range []struct {
		now  engine.Fingerprint
		want []string
	}{
		{load("one", "Task"), nil},
		{load("two", "Task"), []string{"id"}},
		{load("two", "Task"), []string{"id"}},
		{load("two", "Todo"), []string{"id", "aria-label"}},
	} {
		now := Learned{Fingerprint: step.now}
		now.KeepVarying(known.Fingerprint)
		if !slices.Equal(now.Fingerprint.Unsteady, step.want) {
			t.Errorf("load %d: %q, want %q", i, now.Fingerprint.Unsteady, step.want)
		}
		known = now
	}
}

// What a test learned live says where each element of the page was shown, a trace does not.
func TestWhatWasLaidOutStaysUntilTheElementChanges(t *testing.T) {
	learn := func(laidOut bool, change func([]Element)) Learned {
		elements := shop()
		if change != nil {
			change(elements)
		}
		for i := range elements {
			if !laidOut {
				elements[i].BBox = nil
			}
		}
		l := LearnPage(NewPage(elements)).Learn(6)
		l.Fingerprint.Locator, l.Fingerprint.TestID = "#add", "adds"
		l.SetPage("/shop")
		return l
	}
	says := func(i int, text string) func([]Element) {
		return func(e []Element) { e[i].Text, e[i].OwnText, e[i].Name = text, text, text }
	}
	for name, c := range map[string]struct {
		before, now Learned
		stays       bool
	}{
		"the same":                    {learn(true, nil), learn(false, nil), true},
		"it says something else":      {learn(true, nil), learn(false, says(6, "Buy")), false},
		"what is beside it does":      {learn(true, nil), learn(false, says(7, "Take out")), false},
		"the new page is laid out":    {learn(true, says(3, "Log in")), learn(true, says(3, "Sign up")), false},
		"neither page is laid out":    {learn(false, says(3, "Log in")), learn(false, nil), false},
		"the old page is not known":   {Learned{Fingerprint: learn(true, nil).Fingerprint}, learn(false, nil), false},
		"it was on another address":   {func() Learned { l := learn(true, nil); l.SetPage("/sale"); return l }(), learn(false, nil), false},
		"the page is elsewhere other": {learn(true, says(3, "Log in")), learn(false, nil), true},
	} {
		was, now := bytes.Clone(c.before.State), bytes.Clone(c.now.State)
		c.now.Fingerprint.Site = &engine.Site{File: "shop.spec.ts", Line: 7}
		c.now.Fingerprint.Varies = []string{"basket"}
		c.before.State = JoinPictures(c.before.State, map[string][]byte{"a": []byte("picture")})
		c.now.KeepLayout(c.before)
		want := now
		if c.stays {
			want = was
		}
		f := c.now.Fingerprint
		if !bytes.Equal(c.now.State, want) || f.Site == nil || f.Site.Line != 7 || len(f.Varies) != 1 {
			t.Errorf("%s: the old page stays %v, want %v; %+v", name, bytes.Equal(c.now.State, was), c.stays, f)
		}
		if c.stays && c.now.Unpack().Page == nil {
			t.Errorf("%s: the element is not found on the page that stays", name)
		}
	}
}
