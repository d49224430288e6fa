package ci

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
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

func (l learned) Vetoes(_ context.Context, id engine.TestID) ([]store.Veto, error) {
	return []store.Veto{
		{TestID: id, Locator: "#new", Signature: "of the first use"},
		{Locator: engine.StoredLocator("#new", 1), Signature: "of the second use"},
		{Locator: "#other", Signature: "of another locator"},
	}, nil
}

func (l learned) Lessons(context.Context) ([]store.Lesson, error) {
	return []store.Lesson{{Was: "sign", Now: "log"}}, nil
}

func TestWhatPeopleSaidOfALocatorCountsForItsTraces(t *testing.T) {
	for occurrence, want := range []string{"of the first use", "of the second use"} {
		got, err := (&traces{db: learned{}}).corrections(t.Context(), "test", &trace.Call{Selector: "#new", Occurrence: occurrence})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(heal.Options{Corrections: heal.Corrections{Vetoed: []string{want}, Synonyms: []heal.Synonym{{Was: "sign", Now: "log"}}}}, got); diff != "" {
			t.Errorf("use %d (-want +got):\n%s", occurrence, diff)
		}
	}
}

func TestOnlyWhatAPersonSeesOfASuggestionTeaches(t *testing.T) {
	for name, c := range map[string]struct {
		changed  []engine.Change
		was, now string
	}{
		"other words":        {[]engine.Change{{What: "name", Was: "Sign in", Now: "Log in"}}, "sign", "log"},
		"words that came":    {[]engine.Change{{What: "name", Was: "Save", Now: "Save all"}}, "", ""},
		"another row":        {[]engine.Change{{What: "row", Was: "Alice", Now: "Bob"}}, "", ""},
		"another icon":       {[]engine.Change{{What: "icon", Was: "trash", Now: "share"}}, "", ""},
		"what is cut":        {[]engine.Change{{What: "name", Was: "Sign in", Now: "Log in" + strings.Repeat(" now", 20)}}, "", ""},
		"nothing is known":   {nil, "", ""},
		"a row, then a name": {[]engine.Change{{What: "row", Was: "Alice", Now: "Bob"}, {What: "name", Was: "Sign in", Now: "Log in"}}, "", ""},
	} {
		if was, now := lessonOf(engine.HealEvent{Changed: c.changed}); was != c.was || now != c.now {
			t.Errorf("%s: taught %q for %q, want %q for %q", name, now, was, c.now, c.was)
		}
	}
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
