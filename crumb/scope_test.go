package crumb_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// A page that serves many tests learns and heals for each what is that test's, also by a
// locator that was made before. A retry begins anew. OnHeal is told as the file of events
// is, and its faults end no test.
func TestAPageServesManyTests(t *testing.T) {
	t.Parallel()
	browsertest.Browser(t)
	round := 0
	patiently(t, func(patient patience) string {
		round++
		first, second, third := fmt.Sprint(t.Name(), "/first ", round), fmt.Sprint(t.Name(), "/second ", round), fmt.Sprint(t.Name(), "/third ", round)
		s := newSite(t, map[string]string{"/": counter})
		folder := t.TempDir()
		var told sync.Map
		options := crumb.Options{TestID: "suite", DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime,
			OnHeal: func(e crumb.Event) {
				told.Store(e.Timestamp, string(e.TestID))
				panic("a fault of the suite's")
			}}
		page := wrapped(t, options, s.URL)
		add := page.Locator("#add")
		for _, test := range []string{first, second} {
			must(t, page.Scope(test))
			must(t, add.Click())
		}
		must(t, page.Close())
		if diff := cmp.Diff([]string{first + " #add", second + " #add"}, learnedNames(t, options.DB)); diff != "" {
			t.Errorf("learned (-want +got):\n%s", diff)
		}
		s.set("/", strings.Replace(counter, `"add"`, `"plus"`, 1))
		options.Timeout = patient.timeout()
		page = wrapped(t, options, s.URL)
		add = page.Locator("#add")
		for _, test := range []string{first, second, second, third} {
			if err := page.Scope(test); err != nil {
				return err.Error()
			}
			_ = add.Click()
			page.ResetScope()
		}
		must(t, page.Close())
		want := []string{first + " healed ", second + " healed ", second + " healed ", third + " refused no-fingerprint"}
		var inFile, inProcess []string
		for _, e := range events(t, options.Events) {
			inFile = append(inFile, fmt.Sprint(e.TestID, " ", e.Outcome, " ", e.Reason))
			if id, ok := told.Load(e.Timestamp); !ok || id != string(e.TestID) {
				t.Errorf("OnHeal was not told of %s", e.TestID)
			}
		}
		for _, e := range crumb.Events() {
			if text := fmt.Sprint(e.TestID, " ", e.Outcome, " ", e.Reason); slices.Contains(want, text) {
				inProcess = append(inProcess, text)
			}
		}
		inDatabase := healsIn(t, options.DB)
		if !slices.Equal(inFile, want) || !slices.Equal(inProcess, want) || inDatabase != 3 {
			return fmt.Sprintf("events %q, told %q, want %q; %d heals in the database", inFile, inProcess, want, inDatabase)
		}
		return ""
	})
}

func TestAScopeNeedsAName(t *testing.T) {
	t.Parallel()
	page := wrapped(t, crumb.Options{DB: crumb.None}, "about:blank")
	if err := page.Scope(""); err == nil {
		t.Error("a page serves a test without a name")
	}
}

// learnedNames returns test and locator of everything that was learned, sorted.
func learnedNames(t *testing.T, file string) (names []string) {
	t.Helper()
	db, err := sqlite.OpenReading(context.Background(), file, sqlite.Options{})
	must(t, err)
	defer db.Close()
	known, err := db.Fingerprints(context.Background(), "", 100)
	must(t, err)
	for _, f := range known.List {
		names = append(names, string(f.TestID)+" "+f.Locator)
	}
	slices.Sort(names)
	return names
}

func healsIn(t *testing.T, file string) int {
	t.Helper()
	db, err := sqlite.OpenReading(context.Background(), file, sqlite.Options{})
	must(t, err)
	defer db.Close()
	heals, _, err := db.Heals(context.Background(), store.HealQuery{})
	must(t, err)
	return len(heals)
}

// What is forgotten is forgotten in every file and in the running process, and is learned
// anew; the heals stay on record.
func TestWhatWasLearnedIsForgotten(t *testing.T) {
	t.Parallel()
	browsertest.Browser(t)
	s := newSite(t, map[string]string{"/": counter})
	folder := t.TempDir()
	options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Baseline: filepath.Join(folder, "baseline.json"), Timeout: learningTime}
	page := wrapped(t, options, s.URL)
	click := func() {
		must(t, page.Locator("#add").Click())
		must(t, page.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Done"}).Click())
	}
	forget := func(locator string, want bool) {
		t.Helper()
		if known, err := crumb.Forget(options, locator); err != nil || known != want {
			t.Errorf("%s was known: %v, %v, want %v", locator, known, err, want)
		}
	}
	click()
	forget("#add", true) // before anything was saved
	forget("#add", false)
	click()
	must(t, page.Close())
	if names := learnedNames(t, options.DB); len(names) != 2 {
		t.Fatalf("learned %q", names)
	}
	forget(`GetByRole("button", playwright.PageGetByRoleOptions{Name: "Done"})`, true)
	if diff := cmp.Diff([]string{t.Name() + " #add"}, learnedNames(t, options.DB)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if n, err := crumb.Clear(crumb.Options{DB: options.DB, Baseline: options.Baseline}); err != nil || n < 1 {
		t.Errorf("%d cleared, %v", n, err)
	}
	if names := learnedNames(t, options.DB); len(names) != 0 {
		t.Errorf("left %q", names)
	}
	forget("#add", false)
}

// What looks once does not wait for an element, so it never heals. Pages of On are
// Playwright's own, those of OnPopup are wrapped.
func TestWhatLooksOnceNeverHeals(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"/": counter})
	folder := t.TempDir()
	options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
	page := wrapped(t, options, s.URL)
	must(t, page.Locator("#add").Click())
	must(t, page.Close())
	s.set("/", strings.Replace(counter, `"add"`, `"plus"`, 1))
	page = wrapped(t, options, s.URL)
	one, err := page.QuerySelector("#add")
	if err != nil || one != nil {
		t.Errorf("QuerySelector: %v, %v", one, err)
	}
	all, err := page.QuerySelectorAll("#add")
	if err != nil || len(all) != 0 {
		t.Errorf("QuerySelectorAll: %v, %v", all, err)
	}
	if _, err := page.EvalOnSelector("#add", "e => e.click()", nil); err == nil {
		t.Error("EvalOnSelector found the lost element")
	}
	if n, err := page.EvalOnSelectorAll("#add", "all => all.length"); err != nil || fmt.Sprint(n) != "0" {
		t.Errorf("EvalOnSelectorAll: %v, %v", n, err)
	}
	pages := make(chan playwright.Page, 2)
	page.OnPopup(func(p playwright.Page) { pages <- p })
	_, err = page.Evaluate("() => { open('about:blank') }")
	must(t, err)
	if popup := <-pages; crumb.Unwrap(popup) == popup {
		t.Error("OnPopup gave Playwright's own page")
	}
	page.On("popup", func(p playwright.Page) { pages <- p })
	_, err = page.Evaluate("() => { open('about:blank') }")
	must(t, err)
	wrappedOnes := 0
	for range 2 {
		if popup := <-pages; crumb.Unwrap(popup) != popup {
			wrappedOnes++
		}
	}
	must(t, page.Close())
	if got := events(t, options.Events); wrappedOnes != 1 || len(got) != 0 {
		t.Errorf("%d wrapped popups; events %s", wrappedOnes, formatEvents(got))
	}
}

// Events that a suite collects itself are told as Summary tells them.
func TestCollectedEventsAreTold(t *testing.T) {
	var out bytes.Buffer
	must(t, crumb.SummaryOf(&out, []crumb.Event{{TestID: "checkout", API: "locator", Locator: "#pay", HealedLocator: "#pay-now", Outcome: "healed", Confidence: 0.98}}))
	if got := out.String(); !strings.Contains(got, "breadcrumb: 1 locator healed in 1 test") || !strings.Contains(got, "#pay -> #pay-now  match 98%") {
		t.Errorf("told\n%s", got)
	}
}
