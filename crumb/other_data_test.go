package crumb_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
)

// projects is a page with a project for each name.
func projects(row, action string, names ...string) string {
	page := "<!doctype html><title>Projects</title><main><h1>Projects</h1><ul>"
	for i, name := range names {
		page += fmt.Sprintf(`<li class="%s" data-project="%s"><h2>%s</h2><p>Started %d days ago</p><button class="more">%s</button></li>`, row, name, name, i+2, action)
	}
	return page + "</ul></main>"
}

// A locator that holds a name which each run makes anew is known by its place in the test
// and all else that it says. What it became is suggested, and never done.
func TestALocatorWithOtherDataIsSuggested(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		locator string // with the name in the place of NAME
		after   string // the page of the second run, whose project is Zebra
		healed  string // what is suggested has; "" for nothing
		reason  string
	}{
		"the class of the row was renamed": {`.project >> internal:has-text="NAME"i >> .more`, projects("entry", "Edit", "Apple", "Zebra", "Cedar"), "Edit", engine.ReasonOtherData},
		"the attribute was renamed":        {`[data-project="NAME"] .more`, strings.ReplaceAll(projects("project", "Edit", "Apple", "Zebra", "Cedar"), "data-project", "data-entry"), "Edit", engine.ReasonOtherData},
		"the project is not there":         {`.project >> internal:has-text="NAME"i >> .more`, projects("entry", "Edit", "Apple", "Cedar"), "", ""},
		"the button is gone":               {`.project >> internal:has-text="NAME"i >> .more`, strings.ReplaceAll(projects("entry", "Edit", "Apple", "Zebra", "Cedar"), `<button class="more">Edit</button>`, ""), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{"/": projects("project", "Edit", "Apple", "Maple", "Cedar")})
			folder := t.TempDir()
			options := crumb.Options{TestID: "projects › edits", DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
			edit := func(of string) error {
				p := wrapped(t, options, s.URL)
				defer func() { must(t, p.Close()) }()
				return p.Locator(strings.Replace(c.locator, "NAME", of, 1)).Click()
			}
			must(t, edit("Maple"))
			s.set("/", c.after)
			options.Timeout = 500
			if err := edit("Zebra"); err == nil {
				t.Error("the test went on with an element that was learned with other data")
			}
			got := events(t, options.Events)
			if len(got) != 1 {
				t.Fatalf("%d events: %+v", len(got), got)
			}
			e := got[0]
			if c.healed == "" {
				if e.Outcome == engine.OutcomeHealed || e.Outcome == engine.OutcomeSuggested && !strings.Contains(e.Healed.Text, "Edit") {
					t.Errorf("%s: %s", e.Outcome, e.Healed.Text)
				}
				if e.Outcome == engine.OutcomeSuggested && e.Reason == engine.ReasonOtherData {
					t.Errorf("another project's button is suggested: %+v", e.Healed)
				}
				return
			}
			if e.Outcome != engine.OutcomeSuggested || e.Reason != c.reason || e.Healed.Text != c.healed || !strings.Contains(strings.ToLower(e.Healed.Around), "zebra") {
				t.Errorf("%s, %s: %q around %q (%.2f, runner-up %.2f)", e.Outcome, e.Reason, e.Healed.Text, e.Healed.Around, e.Confidence, e.RunnerUp)
			}
		})
	}
}
