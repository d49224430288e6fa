package outcome_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

func TestARedesignHoldsTheProvenEditsOfAPageThatWasLookedAhead(t *testing.T) {
	type edit struct {
		page, locator   string
		ahead           bool
		changed, bundle string // bundle is the id of its first edit
	}
	for name, tt := range map[string]struct {
		edits []edit
		want  []string // page, reach and ids
	}{
		"nothing":                 {},
		"one lost, one ahead":     {[]edit{{page: "/a", locator: "#x"}, {page: "/a", locator: "#y", ahead: true}}, []string{"/a: 2 locators, 2 tests, 1 commit [0 1]"}},
		"nothing found ahead":     {edits: []edit{{page: "/a", locator: "#x"}, {page: "/a", locator: "#y"}}},
		"ahead by itself":         {edits: []edit{{page: "/a", locator: "#x", ahead: true}}},
		"a suggestion is left":    {edits: []edit{{page: "/a", locator: "#x", ahead: true}, {page: "/a", locator: "#y", changed: "said"}}},
		"a page of no name":       {edits: []edit{{locator: "#x", ahead: true}, {locator: "#y", ahead: true}}},
		"a locator in two places": {[]edit{{page: "/a", locator: "#x"}, {page: "/a", locator: "#x", ahead: true}}, []string{"/a: 1 locator, 2 tests, 1 commit [0 1]"}},
		"pages are sorted": {[]edit{{page: "/b", locator: "#x", ahead: true}, {page: "/a", locator: "#y", ahead: true}, {page: "/b", locator: "#z"}, {page: "/a", locator: "#w"}},
			[]string{"/a: 2 locators, 2 tests, 1 commit [1 3]", "/b: 2 locators, 2 tests, 1 commit [0 2]"}},
		"a bundle is one id, on the page of its first": {[]edit{{page: "/a", locator: "#x", ahead: true, bundle: "0"}, {page: "/b", locator: "#x", bundle: "0"}},
			[]string{"/a: 1 locator, 2 tests, 1 commit [0]"}},
	} {
		t.Run(name, func(t *testing.T) {
			var run outcome.Run
			for i, e := range tt.edits {
				test := engine.TestID(fmt.Sprint("test ", i))
				h := engine.HealEvent{TestID: test, Locator: e.locator, PageURL: e.page, Ahead: e.ahead}
				run.Proposals = append(run.Proposals, patch.Proposal{Heal: h})
				run.Edits = append(run.Edits, outcome.OfferedEdit{ID: fmt.Sprint(i), Proposal: i, Changed: e.changed, Bundle: e.bundle, Tests: []engine.TestID{test}})
			}
			var got []string
			for _, d := range run.Redesigns() {
				got = append(got, fmt.Sprint(d.Page, ": ", d.Reach(), " ", d.IDs()))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("redesigns (-want +got):\n%s", diff)
			}
		})
	}
}
