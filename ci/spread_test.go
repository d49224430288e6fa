package ci_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store/sqlite"
)

// links is a suite of four tests whose page lost #targetUrl.
const links = `import { test, expect } from '@playwright/test';
test('adds', async ({ page }) => {
  await page.fill('#targetUrl', 'https://example.com');
  await page.press('#targetUrl', 'Enter');
});
test('edits', async ({ page }) => {
  await page.locator('#rows a').click();
  await page.locator('#targetUrl').fill('x');
});
test('searches', async ({ page }) => {
  await page.locator('#targetUrl').fill('x');
});
test('counts', async ({ page }) => {
  await expect(page.locator('#rows a')).toHaveCount(3);
});
`

// spreadRun is a run of links in which "adds" was healed and other tests failed.
type spreadRun struct {
	dir string
	cfg ci.Config
}

// newSpreadRun writes the suite, what an earlier run learned of it and the reports.
// "searches" looks for another page's element.
func newSpreadRun(t *testing.T, failed ...string) spreadRun {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "repo", "links.spec.ts"), links)
	element := func(test string, occurrence, line int, page string) engine.Fingerprint {
		return engine.Fingerprint{Tag: "input", Name: "Target", Page: page, PageAddress: page, TestID: engine.TestID("links.spec.ts › " + test),
			Locator: engine.StoredLocator("#targetUrl", occurrence), Site: &engine.Site{File: "links.spec.ts", Line: line},
			Attributes: engine.Attributes{{Name: "id", Value: "targetUrl"}}, DOMPath: []string{"html", "body", "form", "input"}}
	}
	known := []engine.Fingerprint{element("adds", 0, 3, "/links"), element("adds", 1, 4, "/links"), element("edits", 0, 8, "/links"), element("searches", 0, 11, "/search")}
	db := filepath.Join(dir, ".breadcrumb.db")
	saveElements(t, db, known)
	h := engine.HealEvent{TestID: "links.spec.ts › adds", Locator: "#targetUrl", HealedLocator: "#target-url", API: "fill", Action: "fill", Confidence: 0.95,
		Outcome: engine.OutcomeHealed, Original: known[0], Healed: engine.Fingerprint{Tag: "input", Name: "Target"}, Site: known[0].Site, Timestamp: 1772359200}
	event, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "heals.ndjson"), string(event)+"\n")
	var xml strings.Builder
	for _, name := range []string{"adds", "edits", "searches", "counts"} {
		fmt.Fprintf(&xml, `<testcase name="%s" classname="links.spec.ts" file="links.spec.ts" time="1">`, name)
		if slices.Contains(failed, name) {
			xml.WriteString(`<failure message="Timeout 5000ms exceeded">no element</failure>`)
		}
		xml.WriteString("</testcase>")
	}
	writeFile(t, filepath.Join(dir, "junit.xml"), `<testsuite name="all" timestamp="2026-03-01T10:00:00Z">`+xml.String()+`</testsuite>`)
	return spreadRun{dir, ci.Config{
		JUnit: []string{filepath.Join(dir, "junit.xml")}, HealEvents: []string{filepath.Join(dir, "heals.ndjson")}, DB: db, Repo: filepath.Join(dir, "repo"),
		Policy: flaky.PolicySeed, Missing: ci.MissingAuto, CommentKey: "default", Patch: filepath.Join(dir, "edits.patch"),
	}}
}

// places returns where the offered edits of a run stand, with the line of the heal that
// leads their bundle.
func (s spreadRun) places(t *testing.T) []string {
	t.Helper()
	result, err := ci.Run(t.Context(), s.cfg, deps())
	if err != nil {
		t.Fatal(err)
	}
	lead := map[string]int{}
	for _, e := range result.Outcome.Edits {
		lead[e.ID] = e.Edit.Line
	}
	var places []string
	for _, e := range result.Outcome.Edits {
		place := fmt.Sprint(e.Edit.Line)
		if e.Changed != "" {
			place += ", only suggested: " + e.Changed
		}
		if e.Bundle != "" {
			place += fmt.Sprintf(" with %d", lead[e.Bundle])
		}
		places = append(places, place)
	}
	return places
}

func TestARunEditsEveryUseOfAHealedElement(t *testing.T) {
	for name, c := range map[string]struct {
		failed []string
		want   []string
	}{
		"what failed with the old locator":                 {[]string{"edits", "searches"}, []string{"3 with 3", "4 with 3", "8 with 3"}},
		"a test that passes with it on the page":           {[]string{"searches"}, []string{"3"}},
		"a test that passes with it on another page":       {[]string{"edits"}, []string{"3 with 3", "4 with 3", "8 with 3"}},
		"the healed test failed, so all is only suggested": {[]string{"adds", "edits"}, []string{"3, " + doubted + " with 3", "4, " + doubted + " with 3", "8, " + doubted + " with 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpreadRun(t, c.failed...)
			if diff := cmp.Diff(c.want, s.places(t)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A person decides once whether #targetUrl became #target-url, wherever it stands.
func TestSuggestionsThatAskOneQuestionAreOneBundle(t *testing.T) {
	for name, c := range map[string]struct {
		page, healed string // of the second event
		want         []string
	}{
		"on one page":    {"/links", "#target-url", []string{"3, " + doubted + " with 3", "4, " + doubted + " with 3", "8, " + doubted + " with 3"}},
		"on no page":     {"", "#target-url", []string{"3, " + doubted + " with 3", "4, " + doubted + " with 3", "8, " + doubted}},
		"on two pages":   {"/more", "#target-url", []string{"3, " + doubted + " with 3", "4, " + doubted + " with 3", "8, " + doubted}},
		"what it became": {"/links", "#url", []string{"3, " + doubted, "8, " + doubted}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpreadRun(t, "adds", "edits", "searches")
			text, err := os.ReadFile(s.cfg.HealEvents[0])
			if err != nil {
				t.Fatal(err)
			}
			var first, second engine.HealEvent
			if err := json.Unmarshal(text, &first); err != nil {
				t.Fatal(err)
			}
			if first.PageURL = "/links"; c.page == "" {
				first.PageURL = ""
			}
			second = first
			second.TestID, second.HealedLocator, second.PageURL, second.Site = "links.spec.ts › edits", c.healed, c.page, &engine.Site{File: "links.spec.ts", Line: 8}
			var lines []string
			for _, h := range []engine.HealEvent{first, second} {
				line, err := json.Marshal(h)
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, string(line))
			}
			writeFile(t, s.cfg.HealEvents[0], strings.Join(lines, "\n")+"\n")
			if diff := cmp.Diff(c.want, s.places(t)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

const doubted = "only suggested: its test failed all the same"

func TestThePatchOfARunHoldsItsBundles(t *testing.T) {
	s := newSpreadRun(t, "edits", "searches")
	s.places(t)
	diff, err := os.ReadFile(s.cfg.Patch)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(diff), "\n+  await page"); n != 3 {
		t.Errorf("%d lines are changed, want 3:\n%s", n, diff)
	}
}

// apply makes a bundle as a whole, whichever of its edits is named.
func TestAnEditIsAppliedWithItsBundle(t *testing.T) {
	for line := range 3 {
		s := newSpreadRun(t, "edits", "searches")
		all, err := ci.Apply(t.Context(), ci.Config{JUnit: s.cfg.JUnit, HealEvents: s.cfg.HealEvents, DB: s.cfg.DB, Repo: s.cfg.Repo, DryRun: true}, ci.Deps{Now: time.Now}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Edits) != 3 {
			t.Fatalf("%d edits, want 3: %+v", len(all.Edits), all)
		}
		if _, err := ci.Apply(t.Context(), ci.Config{JUnit: s.cfg.JUnit, HealEvents: s.cfg.HealEvents, DB: s.cfg.DB, Repo: s.cfg.Repo}, ci.Deps{Now: time.Now}, []string{all.Edits[line].ID}, nil); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(s.cfg.Repo, "links.spec.ts"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "'#target-url'"); n != 3 || strings.Count(string(text), "'#targetUrl'") != 1 {
			t.Errorf("edit %d was made with %d others:\n%s", line, n-1, text)
		}
	}
}

// saveElements writes what tests learned into a new database file.
func saveElements(t *testing.T, file string, learned []engine.Fingerprint) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), file, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.SaveFingerprints(t.Context(), learned, nil, time.Unix(1772359000, 0)), db.Save(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
}
