package heal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestWasOtherData(t *testing.T) {
	t.Parallel()
	at := &engine.Site{File: "a.spec.ts", Line: 7}
	learned := engine.Fingerprint{Tag: "button", TestID: "a", Site: at, Locator: "#row-41 #2"}
	for name, c := range map[string]struct {
		f    engine.Fingerprint
		test engine.TestID
		site *engine.Site
		lost string
		want bool
	}{
		"the same place with other data": {learned, "a", &engine.Site{File: "a.spec.ts", Line: 7}, "#row-42", true},
		"another line":                   {learned, "a", &engine.Site{File: "a.spec.ts", Line: 8}, "#row-42", false},
		"another test":                   {learned, "b", at, "#row-42", false},
		"no place":                       {learned, "a", nil, "#row-42", false},
		"the same locator":               {learned, "a", at, "#row-41", false},
		"another locator":                {learned, "a", at, "#row-42 .menu", false},
		"never learned":                  {engine.Fingerprint{TestID: "a", Site: at, Locator: "#row-41"}, "a", at, "#row-42", false},
	} {
		if got := WasOtherData(c.f, c.test, c.site, c.lost); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestWithDataOf(t *testing.T) {
	t.Parallel()
	learned := Learned{State: []byte("page"), Corrections: Corrections{Vetoed: []string{"x"}}, Fingerprint: engine.Fingerprint{
		Tag: "button", Text: "Delete Ada", Name: "delete ada", Heading: "ADA's projects", Around: "Adam and Ada", Neighbours: []string{"Ada", "Canada"},
		Attributes: engine.Attributes{{Name: "id", Value: "delete-ada"}}, Locator: `internal:role=button[name="Delete Ada"i] #3`,
	}}
	got := learned.WithDataOf(`internal:role=button[name="Delete Bob Ross"i]`)
	want := Learned{Corrections: Corrections{Vetoed: []string{"x"}}, Fingerprint: engine.Fingerprint{
		Tag: "button", Text: "Delete Bob Ross", Name: "delete Bob Ross", Heading: "Bob Ross's projects", Around: "Adam and Bob Ross", Neighbours: []string{"Bob Ross", "Canada"},
		Attributes: engine.Attributes{{Name: "id", Value: "delete-Bob Ross"}}, Locator: `internal:role=button[name="Delete Bob Ross"i]`,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if learned.Fingerprint.Attributes[0].Value != "delete-ada" || learned.Fingerprint.Neighbours[0] != "Ada" {
		t.Error("what was learned is changed itself")
	}
}
