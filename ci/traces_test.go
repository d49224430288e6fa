package ci

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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

func (l learned) Recall(ctx context.Context, id engine.TestID, locator string) (engine.Fingerprint, []byte, bool, error) {
	return l.LoadFingerprint(ctx, id, locator)
}

func (l learned) Fingerprints(context.Context, engine.TestID, int) (store.Fingerprints, error) {
	return store.Fingerprints{}, nil
}

func (l learned) LocatorUses(context.Context, []string, int) (store.Fingerprints, error) {
	return store.Fingerprints{}, nil
}

func (l learned) Vetoes(_ context.Context, id engine.TestID) ([]store.Veto, error) {
	return []store.Veto{
		{TestID: id, Locator: "#new", Signature: "of the first use"},
		{Locator: engine.StoredLocator("#new", 1), Signature: "of the second use"},
		{Locator: "#other", Signature: "of another locator"},
	}, nil
}

func (l learned) Lessons(context.Context) ([]store.Lesson, error) {
	return []store.Lesson{{Was: "sign", Now: "log"}, {Was: `["aa","name","Sign in"]`, Now: `["bb","name","Log in"]`}, {Was: `["save"]`, Now: `["store"]`}}, nil
}

func TestWhatPeopleSaidOfALocatorCountsForItsTraces(t *testing.T) {
	for occurrence, want := range []string{"of the first use", "of the second use"} {
		got, err := (&traces{db: learned{}}).corrections(t.Context(), "test", engine.StoredLocator("#new", occurrence))
		if err != nil {
			t.Fatal(err)
		}
		lesson := heal.Lesson{Lost: "aa", Found: "bb", Changed: []engine.Change{{What: "name", Was: "Sign in", Now: "Log in"}}}
		if diff := cmp.Diff(heal.Options{Corrections: heal.Corrections{Vetoed: []string{want}, Lessons: []heal.Lesson{lesson}}}, got); diff != "" {
			t.Errorf("use %d (-want +got):\n%s", occurrence, diff)
		}
	}
}

func TestOnlyWhatAPersonSeesOfASuggestionTeaches(t *testing.T) {
	long := strings.Repeat(" now", 20)
	for name, c := range map[string]struct {
		changed []engine.Change
		teaches bool
	}{
		"other words":      {[]engine.Change{{What: "name", Was: "Sign in", Now: "Log in"}}, true},
		"another row":      {[]engine.Change{{What: "row", Was: "Alice", Now: "Bob"}}, true},
		"what is cut":      {[]engine.Change{{What: "name", Was: "Sign in", Now: "Log in" + long}}, false},
		"nothing is known": {nil, false},
		"too much":         {slices.Repeat([]engine.Change{{What: "name", Was: "Sign in", Now: "Log in"}}, 5), false},
	} {
		e := engine.HealEvent{Outcome: engine.OutcomeSuggested, Original: engine.Fingerprint{Tag: "a"}, Healed: engine.Fingerprint{Tag: "button"}, Changed: c.changed}
		was, now := lessonOf(e)
		lesson, ok := heal.ReadLesson(was, now)
		if ok != c.teaches || ok && !slices.Equal(lesson.Changed, c.changed) {
			t.Errorf("%s: taught %v %+v", name, ok, lesson)
		}
	}
	if was, now := lessonOf(engine.HealEvent{Outcome: engine.OutcomeSuggested, Changed: []engine.Change{{What: "name", Was: "Sign in", Now: "Log in"}}}); was != "" || now != "" {
		t.Errorf("elements that are not known taught %q, %q", was, now)
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

func TestWhatTracesLearnAgainKeepsWhatVaries(t *testing.T) {
	name := filepath.FromSlash("../trace/testdata/traces/1.60.0/v1/orders-exports-chromium.zip")
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	read, err := trace.Read(name, f, info.Size(), trace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	before := learned{}
	for _, c := range read.Calls {
		before[c.Selector] = engine.Fingerprint{Tag: "a", Page: "/another", PageAddress: "/another", Headline: "another"}
	}
	reader := traces{run: &run{}, db: before, known: map[testLocator]bool{}, pages: map[string][]engine.Fingerprint{}}
	reader.learnFrom(t.Context(), "orders", read)
	if reader.learned == 0 {
		t.Fatal("nothing was learned")
	}
	for _, list := range reader.pages {
		for _, f := range list {
			if f.Page != "/**" || !slices.Contains(f.Varies, "orders") {
				t.Errorf("%s: on %q, varies %q", f.Locator, f.Page, f.Varies)
			}
		}
	}
}
