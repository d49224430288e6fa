package ci

import (
	"bytes"
	"context"
	"maps"
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
	"github.com/breadcrumb/action/store/sqlite"
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

func (l learned) Fingerprints(_ context.Context, id engine.TestID, _ int) (store.Fingerprints, error) {
	var of store.Fingerprints
	for _, locator := range slices.Sorted(maps.Keys(l)) {
		if l[locator].TestID == id {
			of.List = append(of.List, l[locator])
		}
	}
	return of, nil
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

// A page that a run learned live says where its elements were shown; that of a trace does not.
func TestATraceRecallsWhatWasLearnedWithOtherData(t *testing.T) {
	line := &engine.Site{File: "a.spec.ts", Line: 7}
	db := learned{
		"#row-41":      {Tag: "tr", Text: "Order 41", TestID: "a", Locator: "#row-41", Site: line},
		"#row-42":      {Tag: "tr", Text: "Order 42", TestID: "b", Locator: "#row-42", Site: line},
		"#row-43":      {Tag: "tr", Text: "Order 43", TestID: "a", Locator: "#row-43", Site: &engine.Site{File: "a.spec.ts", Line: 9}},
		"#row-44 .pay": {Tag: "td", Text: "Pay", TestID: "a", Locator: "#row-44 .pay", Site: line},
	}
	got, err := (&traces{db: db}).recallOtherData(t.Context(), "a", &trace.Call{Selector: "#row-99", Site: line})
	if err != nil || got == nil || got.Fingerprint.Text != "Order 99" || got.Fingerprint.Locator != "#row-99" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := (&traces{db: db}).recallOtherData(t.Context(), "a", &trace.Call{Selector: "#row-99"}); got != nil || err != nil {
		t.Errorf("without a line: %+v, %v", got, err)
	}
}

func TestATraceLeavesTheRicherPageOfTheSameElement(t *testing.T) {
	name := filepath.FromSlash("../trace/testdata/traces/1.60.0/v1/orders-exports-chromium.zip")
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	read, err := trace.Read(name, bytes.NewReader(content), int64(len(content)), trace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "learned.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	laidOut := map[string]string{} // the live page of each locator
	for _, c := range read.Calls {
		lesson, ok := c.Target()
		if !ok || c.Failed {
			continue
		}
		page, err := heal.ReadState(lesson.State)
		if err != nil {
			t.Fatal(err)
		}
		var elements []heal.Element
		at := -1
		for i := range page.Len() {
			e := page.Element(i)
			e.BBox = &engine.BoundingBox{X: 10, Y: float64(20 * i), Width: 100, Height: 20}
			if elements = append(elements, e); page.Fingerprint(i).Place.Path == lesson.Fingerprint.Place.Path {
				at = i
			}
		}
		live := heal.LearnPage(heal.NewPage(elements)).Learn(at)
		live.Fingerprint.TestID, live.Fingerprint.Locator = "orders", lesson.Fingerprint.Locator
		live.Fingerprint.PageAddress, live.Fingerprint.Page = lesson.Fingerprint.PageAddress, lesson.Fingerprint.Page
		if err := db.SaveFingerprints(t.Context(), []engine.Fingerprint{live.Fingerprint}, live.State, time.Unix(1772359200, 0)); err != nil {
			t.Fatal(err)
		}
		laidOut[live.Fingerprint.Locator] = string(live.State)
	}
	reader := traces{run: &run{cfg: Config{NoPictures: true}}, db: db, known: map[testLocator]bool{}, pages: map[string][]engine.Fingerprint{}}
	reader.learnFrom(t.Context(), "orders", read)
	if reader.learned == 0 {
		t.Fatal("nothing was learned")
	}
	for state, list := range reader.pages {
		for _, f := range list {
			if state != laidOut[f.Locator] {
				t.Errorf("the live page of %s was replaced by that of a trace", f.Locator)
			}
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

// What a trace proves is no heal in the history, since nothing was done with the element.
func TestTheHistoryKeepsWhatTracesSuggest(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	at := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	r := run{session: &StateSession{DB: db}}
	if r.recorded, err = db.RecordRun(t.Context(), store.Run{Results: []engine.TestResult{{ID: "pays", Attempts: []engine.Attempt{{Status: engine.StatusFailed}}}}, Now: at}); err != nil {
		t.Fatal(err)
	}
	of := func(locator, trace string, o engine.HealOutcome, reason string, ahead bool) engine.HealEvent {
		return engine.HealEvent{TestID: "pays", Locator: locator, Trace: trace, Outcome: o, Reason: reason, Ahead: ahead, Healed: engine.Fingerprint{Tag: "button"},
			Pictures: &engine.Pictures{Lost: strings.Repeat("a", 32) + ".jpg"}}
	}
	r.heals = []engine.HealEvent{
		of("#proven", "trace.zip", engine.OutcomeHealed, "", false), of("#other", "trace.zip", engine.OutcomeSuggested, engine.ReasonOtherMeaning, false),
		of("#none", "trace.zip", engine.OutcomeRefused, engine.ReasonNoCandidates, false), of("#ahead", "trace.zip", engine.OutcomeSuggested, engine.ReasonAhead, true),
		of("#live", "", engine.OutcomeHealed, "", false),
	}
	for range 2 { // the same reports are judged again
		if err := r.keepTraced(t.Context()); err != nil || len(r.notices) > 0 {
			t.Fatal(err, r.notices)
		}
	}
	healed, _, err := db.Heals(t.Context(), store.HealQuery{})
	suggested, _, err2 := db.Heals(t.Context(), store.HealQuery{Refused: true, Run: r.recorded.RunID})
	var got []string
	for _, h := range suggested {
		got = append(got, strings.Join([]string{h.Locator, string(h.Outcome), h.Reason, h.Pictures.Lost[:1], time.Unix(int64(h.Timestamp), 0).UTC().Format(time.DateOnly)}, " "))
	}
	if diff := cmp.Diff([]string{"#proven suggested unverified a 2026-11-20", "#other suggested other-meaning a 2026-11-20"}, got); diff != "" || len(healed) > 0 || err != nil || err2 != nil {
		t.Errorf("%d healed, %v, %v, suggested (-want +got):\n%s", len(healed), err, err2, diff)
	}
	r.heals = slices.Repeat(r.heals[:1], maxKeptTraced+1)
	if err := r.keepTraced(t.Context()); err != nil || len(r.notices) != 1 {
		t.Errorf("too many: %v, notices %v", err, r.notices)
	}
}

// The picture of a found element is that of the event which counts.
func TestOneEventOfALossCounts(t *testing.T) {
	of := func(o engine.HealOutcome, occurrence int) engine.HealEvent {
		return engine.HealEvent{TestID: "pays", Locator: "#pay", Occurrence: occurrence, Outcome: o}
	}
	var ts traces
	for i, c := range []struct {
		event engine.HealEvent
		kept  bool
	}{
		{of(engine.OutcomeSuggested, 0), true}, {of(engine.OutcomeRefused, 0), false}, {of(engine.OutcomeSuggested, 0), false},
		{of(engine.OutcomeHealed, 0), true}, {of(engine.OutcomeSuggested, 0), false}, {of(engine.OutcomeRefused, 1), true},
	} {
		if kept := ts.addEvent(c.event); kept != c.kept {
			t.Errorf("event %d: kept is %v", i, kept)
		}
	}
	if len(ts.events) != 2 || ts.events[0].Outcome != engine.OutcomeHealed {
		t.Errorf("events %+v", ts.events)
	}
}
