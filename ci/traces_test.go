package ci

import (
	"context"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/trace"
)

// learned is what was learned, by the name a locator is stored under.
type learned map[string]engine.Fingerprint

func (l learned) SaveFingerprints(context.Context, []engine.Fingerprint, []byte, time.Time) error {
	return nil
}

func (l learned) LoadFingerprint(_ context.Context, _ engine.TestID, locator string) (engine.Fingerprint, []byte, bool, error) {
	f, ok := l[locator]
	return f, nil, ok, nil
}

func TestALocatorIsRecalledByItsPlaceThenByItsNumber(t *testing.T) {
	at := func(line int) *engine.Site { return &engine.Site{File: "a.spec.ts", Line: line} }
	known := learned{
		// the first place asked whether it is visible: nothing to learn
		engine.StoredLocator("#new", 1): {Tag: "button", Site: at(8)},
		engine.StoredLocator("#new", 3): {Tag: "a", Site: at(12)},
	}
	cases := map[string]struct {
		call trace.Call
		want string // tag
	}{
		"behind a place that taught nothing": {trace.Call{Occurrence: 1, Site: at(8)}, "button"},
		"behind two":                         {trace.Call{Occurrence: 3, Site: at(12)}, "a"},
		"by number, the test having grown":   {trace.Call{Occurrence: 1, Site: at(9)}, "button"},
		"by place, the number having gone":   {trace.Call{Occurrence: 2, Site: at(12)}, "a"},
		"nothing was learned there":          {trace.Call{Occurrence: 0, Site: at(4)}, ""},
	}
	for name, c := range cases {
		c.call.Selector = "#new"
		got, err := (&traces{db: known}).recall(t.Context(), "test", &c.call)
		if err != nil {
			t.Fatal(err)
		}
		tag := ""
		if got != nil {
			tag = got.Fingerprint.Tag
		}
		if tag != c.want {
			t.Errorf("%s: %q, want %q", name, tag, c.want)
		}
	}
}
