package crumb

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/preset"
	"github.com/breadcrumb/action/internal/golden"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

func TestBaselineBytesAreStable(t *testing.T) {
	want, err := os.ReadFile("testdata/baseline.json")
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := ReadBaseline(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	for range 5 { // maps have no order
		var got bytes.Buffer
		if err := baseline.Write(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Fatalf("written back (-want +got):\n%s", diff)
		}
	}
}

func TestBaselineKeepsFingerprints(t *testing.T) {
	f := engine.Fingerprint{TestID: "TestPay", Locator: "#pay #2", Tag: "button", Text: "pay", DOMPath: []string{"form", "button"},
		Attributes: engine.Attributes{{Name: "data-testid", Value: "pay"}, {Name: "type", Value: "submit"}},
		Place:      &engine.Place{Ordinal: 3, Before: "label", After: "p"}}
	var b Baseline
	if err := b.Put(f); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := b.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := ReadBaseline(&file)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := read.Fingerprint("TestPay", "#pay #2")
	if diff := cmp.Diff(f, got); !ok || diff != "" {
		t.Errorf("found %v (-want +got):\n%s", ok, diff)
	}
	if _, ok := read.Fingerprint("TestPay", "#pay"); ok {
		t.Error("another occurrence was found")
	}
}

func TestBadBaselinesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":         "x",
		"another version": `{"version":2,"entries":{}}`,
		"raw markup":      `{"version":1,"entries":{"k":{"tag":"p","innerHTML":"<b>"}}}`,
		"no tag":          `{"version":1,"entries":{"k":{"text":"x"}}}`,
	} {
		if _, err := ReadBaseline(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func FuzzReadBaseline(f *testing.F) {
	golden, err := os.ReadFile("testdata/baseline.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := ReadBaseline(bytes.NewReader(data))
		if err != nil {
			return
		}
		var once, twice bytes.Buffer
		if err := first.Write(&once); err != nil {
			t.Fatal(err)
		}
		second, err := ReadBaseline(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%s", err, once.Bytes())
		}
		if err := second.Write(&twice); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("not stable:\n%s\n%s", once.Bytes(), twice.Bytes())
		}
	})
}

// A page answers what it wants.
func FuzzReadView(f *testing.F) {
	f.Add(`{"target":1}` + "\n" + `[{"p":-1,"t":"body","a":[["id","x"]],"v":1},{"p":0,"t":"p","a":[],"x":"hi","b":[0,0,10,10],"v":1}]`)
	f.Add(`{"target":9}` + "\n" + `[{"p":7,"t":"a"}]`)
	f.Add(unanswered)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := readView(text)
		if err != nil {
			return
		}
		if v.target >= len(v.elements) {
			t.Fatalf("target %d of %d", v.target, len(v.elements))
		}
		if v.target >= 0 && len(v.elements) < 1000 {
			newLessons().lesson(join([]view{v, v}), v.target, sumOf([]string{text}))
		}
	})
}

const (
	writers = 4
	perTest = 25
)

// TestWriteAsAnotherProcess is what TestProcessesLoseNothing starts.
func TestWriteAsAnotherProcess(t *testing.T) {
	folder, name := os.Getenv("CRUMB_TEST_FOLDER"), os.Getenv("CRUMB_TEST_NAME")
	if folder == "" {
		t.Skip("started by another test")
	}
	k := newKeeper(files{filepath.Join(folder, "crumbs.db"), filepath.Join(folder, "baseline.json")}, func(text string) { t.Error(text) })
	o := Options{Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			for n := range perTest {
				id := fmt.Sprintf("%s-%d", name, i)
				f := engine.Fingerprint{TestID: id, Locator: fmt.Sprintf("#n%d", n), Tag: "p", Text: strings.Repeat("x", 200)}
				e := engine.HealEvent{TestID: id, Locator: f.Locator, Outcome: engine.OutcomeHealed, Confidence: 1, Original: f, Healed: f, Timestamp: 1.7e9}
				k.learn(lesson{fingerprint: f})
				k.record(e)
				if err := appendEvent(filepath.Join(folder, "heals.ndjson"), e); err != nil {
					t.Error(err)
				}
				if n%10 == 0 {
					k.flush(o)
				}
			}
			k.flush(o)
		})
	}
	all.Wait()
}

func TestProcessesLoseNothing(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "heals.ndjson"), []byte(`{"schema":"breadcrumb.heal/v1","test_id":"killed`), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			c := exec.Command(os.Args[0], "-test.run=^TestWriteAsAnotherProcess$")
			c.Env = append(os.Environ(), "CRUMB_TEST_FOLDER="+folder, fmt.Sprintf("CRUMB_TEST_NAME=p%d", i))
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	const want = writers * 2 * perTest

	text, err := os.ReadFile(filepath.Join(folder, "heals.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	if heals, notices := engine.ReadHeals("heals.ndjson", bytes.NewReader(text)); len(heals) != want || len(notices) != 1 {
		t.Errorf("%d events in the file, want %d; %v, want the one of the killed process", len(heals), want, notices)
	}
	db, err := sqlite.Open(context.Background(), filepath.Join(folder, "crumbs.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	heals, notices, err := db.Heals(context.Background(), store.HealQuery{})
	if err != nil || len(heals) != want || len(notices) > 0 {
		t.Errorf("%d heals in the database, want %d; %v %v", len(heals), want, notices, err)
	}
	baseline, err := baselineFile{filepath.Join(folder, "baseline.json")}.read()
	if err != nil {
		t.Fatal(err)
	}
	for i := range writers {
		for j := range 2 {
			for n := range perTest {
				id, locator := fmt.Sprintf("p%d-%d", i, j), fmt.Sprintf("#n%d", n)
				if _, _, ok, err := db.LoadFingerprint(context.Background(), id, locator); !ok || err != nil {
					t.Fatalf("%s %s is not in the database: %v", id, locator, err)
				}
				if _, ok := baseline.Fingerprint(id, locator); !ok {
					t.Fatalf("%s %s is not in the baseline", id, locator)
				}
			}
		}
	}
}

// What cannot be saved now is saved with the next flush, and told.
func TestUnsavedLessonsWait(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "taken")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var told []string
	k := newKeeper(files{db: filepath.Join(path, "crumbs.db")}, func(text string) { told = append(told, text) })
	o := Options{Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	k.learn(lesson{fingerprint: engine.Fingerprint{TestID: "T", Locator: "#a", Tag: "p"}})
	k.flush(o)
	if len(told) != 1 {
		t.Errorf("told %q", told)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	k.flush(o)
	if known := k.recall("T", []string{"#a", "#a #2"}); len(known) != 1 || known[0].fingerprint.Tag != "p" {
		t.Errorf("recalled %+v, told %q", known, told)
	}
}

func TestOccurrencesAreTheirPlacesInTheTest(t *testing.T) {
	l := newLessons()
	a, b := engine.Site{File: "a_test.go", Line: 3}, engine.Site{File: "a_test.go", Line: 9}
	for i, c := range []struct {
		locator string
		at      engine.Site
		want    int
	}{{"#ok", a, 0}, {"#ok", a, 0}, {"#ok", b, 1}, {"#no", b, 0}, {"#ok", a, 0}} {
		if got := l.occurrence(c.locator, c.at); got != c.want {
			t.Errorf("%d: occurrence %d, want %d", i, got, c.want)
		}
	}
	if got := (key{"#ok", 1}).stored(); got != "#ok #2" {
		t.Errorf("stored as %q", got)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	around := surroundings{root: "/repo", now: time.Now, env: func(name string) string {
		return map[string]string{"BREADCRUMB_DB": "db/x.db", "BREADCRUMB_LEARN": "off"}[name]
	}}
	for name, o := range map[string]Options{
		"preset":    {TestID: "T", Preset: "magic"},
		"threshold": {TestID: "T", Threshold: 1.5},
		"margin":    {TestID: "T", Margin: 2},
		"timeout":   {TestID: "T", Timeout: -1},
		"database":  {TestID: "T", DB: "postgres://db.example/crumbs"},
	} {
		if _, _, err := o.resolved(around); err == nil {
			t.Errorf("a bad %s was taken", name)
		}
	}
	o, scorer, err := Options{Preset: "selfmend", Events: "heals.ndjson"}.resolved(around)
	if err != nil || scorer.Preset != preset.Selfmend {
		t.Fatalf("%v %+v", err, scorer)
	}
	if o.TestID != t.Name() || o.DB != "/repo/db/x.db" || o.Events != "/repo/heals.ndjson" || o.Baseline != "" || !o.Frozen || o.Disabled || o.Timeout != 30_000 {
		t.Errorf("resolved to %+v", o)
	}
}

func TestSummary(t *testing.T) {
	events := []engine.HealEvent{
		{TestID: "checkout", API: "locator", Locator: ".btn-primary", HealedLocator: `[data-testid="submit-btn"]`, Confidence: 0.998, Outcome: engine.OutcomeHealed},
		{TestID: "a\x1b[31m::error::name", Locator: `internal:role=button[name="Pay"i]`, Outcome: engine.OutcomeHealed, Confidence: .9},
		{TestID: "delete", API: "locator", Locator: "#row", Confidence: 0.41, Outcome: engine.OutcomeRefused, Reason: "ambiguous"},
		{TestID: "new", API: "locator", Locator: "#never-seen", Outcome: engine.OutcomeRefused, Reason: "no-fingerprint"},
	}
	got := render(events, 3, []string{"lock database: it is in use"}) + render(nil, 0, nil)
	golden.Check(t, "testdata/summary.txt", got)
}
