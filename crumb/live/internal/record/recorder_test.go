package record

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

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

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
	r := New(Files{Database: filepath.Join(folder, "crumbs.db"), Baseline: filepath.Join(folder, "baseline.json")}, func(text string) { t.Error(text) })
	log := slog.New(slog.DiscardHandler)
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			for n := range perTest {
				id := fmt.Sprintf("%s-%d", name, i)
				f := engine.Fingerprint{TestID: engine.TestID(id), Locator: fmt.Sprintf("#n%d", n), Tag: "p", Text: strings.Repeat("x", 200)}
				e := engine.HealEvent{TestID: engine.TestID(id), Locator: f.Locator, Outcome: engine.OutcomeHealed, Confidence: 1, Original: f, Healed: f, Timestamp: 1.7e9}
				r.Learn(heal.Learned{Fingerprint: f})
				r.Heal(e)
				line, err := AppendEvent(filepath.Join(folder, "heals.ndjson"), e)
				if err != nil {
					t.Error(err)
				}
				e.Count = n + 2
				if _, err := RewriteEvent(filepath.Join(folder, "heals.ndjson"), line, e); err != nil {
					t.Error(err)
				}
				if n%10 == 0 {
					r.Flush(time.Now(), log)
				}
			}
			r.Flush(time.Now(), log)
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
	told, notices := engine.ReadHeals("heals.ndjson", bytes.NewReader(text))
	if len(told) != want || len(notices) != 1 {
		t.Errorf("%d events in the file, want %d; %v, want the one of the killed process", len(told), want, notices)
	}
	for _, h := range told {
		if h.Locator != fmt.Sprintf("#n%d", h.Count-2) {
			t.Errorf("%s of %s has count %d", h.Locator, h.TestID, h.Count)
		}
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
	baseline, err := baselineFile{path: filepath.Join(folder, "baseline.json")}.read()
	if err != nil {
		t.Fatal(err)
	}
	for i := range writers {
		for j := range 2 {
			for n := range perTest {
				id, locator := fmt.Sprintf("p%d-%d", i, j), fmt.Sprintf("#n%d", n)
				if _, _, ok, err := db.LoadFingerprint(context.Background(), engine.TestID(id), locator); !ok || err != nil {
					t.Fatalf("%s %s is not in the database: %v", id, locator, err)
				}
				if _, ok := baseline.Fingerprint(id, locator); !ok {
					t.Fatalf("%s %s is not in the baseline", id, locator)
				}
			}
		}
	}
}

// What cannot be saved now is saved with the next flush, and reported.
func TestWhatCannotBeSavedWaits(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "taken")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var problems []string
	r := New(Files{Database: filepath.Join(path, "crumbs.db")}, func(text string) { problems = append(problems, text) })
	log := slog.New(slog.DiscardHandler)
	r.Learn(heal.Learned{Fingerprint: engine.Fingerprint{TestID: "T", Locator: "#a", Tag: "p"}})
	r.Flush(time.Now(), log)
	if len(problems) != 1 {
		t.Errorf("reported %q", problems)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.Flush(time.Now(), log)
	if known := r.Load("T", []string{"#a", "#a #2"}); len(known) != 1 || known[0].Fingerprint.Tag != "p" {
		t.Errorf("loaded %+v, reported %q", known, problems)
	}
}

// What is forgotten goes from what waits and from both files, in whichever form it is
// named, and nothing else does.
func TestWhatIsMeantIsForgottenInEveryFile(t *testing.T) {
	folder := t.TempDir()
	files := Files{Database: filepath.Join(folder, "crumbs.db"), Baseline: filepath.Join(folder, "baseline.json")}
	pay := `internal:role=button[name="Pay"i]`
	for name, c := range map[string]struct {
		what   Meant
		forgot int
		left   string
	}{
		"a selector":        {Meant{TestID: "one", Locator: "#a"}, 2, "one pay, two #a"},
		"a call":            {Meant{TestID: "one", Locator: `page.getByRole('button', { name: 'Pay' })`}, 1, "one #a, one #a #2, two #a"},
		"everything":        {Meant{}, 4, ""},
		"an unknown one":    {Meant{TestID: "two", Locator: "#b"}, 0, "one #a, one #a #2, one pay, two #a"},
		"in another test's": {Meant{TestID: "on", Locator: "#a"}, 0, "one #a, one #a #2, one pay, two #a"},
	} {
		for _, saved := range []bool{true, false} {
			r := New(files, func(text string) { t.Error(text) })
			if _, err := r.Forget(Meant{}, time.Now()); err != nil {
				t.Fatal(err)
			}
			for _, of := range [][2]string{{"one", "#a"}, {"one", "#a #2"}, {"one", pay}, {"two", "#a"}} {
				r.Learn(heal.Learned{Fingerprint: engine.Fingerprint{TestID: engine.NewTestID(of[0]), Locator: of[1], Tag: "button"}})
			}
			if saved {
				r.Flush(time.Now(), slog.New(slog.DiscardHandler))
			}
			n, err := r.Forget(c.what, time.Now())
			if err != nil || n != c.forgot {
				t.Errorf("%s, saved %v: %d forgotten, %v; want %d", name, saved, n, err, c.forgot)
			}
			r.Flush(time.Now(), slog.New(slog.DiscardHandler))
			for i, q := range r.queues {
				var left []string
				for _, of := range [][2]string{{"one", "#a"}, {"one", "#a #2"}, {"one", pay}, {"two", "#a"}} {
					known, err := q.backend.load(t.Context(), engine.NewTestID(of[0]), []string{of[1]})
					if err != nil {
						t.Fatal(err)
					}
					if len(known) > 0 {
						left = append(left, of[0]+" "+strings.Replace(of[1], pay, "pay", 1))
					}
				}
				if got := strings.Join(left, ", "); got != c.left {
					t.Errorf("%s, saved %v: file %d knows %q, want %q", name, saved, i, got, c.left)
				}
			}
		}
	}
}
