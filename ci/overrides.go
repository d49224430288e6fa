package ci

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// overrides are the globs of tests that the configuration always or never
// quarantines. Never wins.
type overrides struct{ always, never []string }

func (o overrides) isNever(id string) bool {
	_, yes := matchTest(o.never, id)
	return yes
}

// apply returns the entries without those that are never to be and with one for
// each result that is always in quarantine.
func (o overrides) apply(entries []flaky.Entry, results []engine.TestResult) []flaky.Entry {
	var kept []flaky.Entry
	in := map[string]bool{}
	for _, e := range entries {
		if !o.isNever(e.TestID) {
			kept = append(kept, e)
			in[e.TestID] = true
		}
	}
	for _, r := range results {
		id := store.CleanID(r.ID)
		glob, yes := matchTest(o.always, id)
		if yes && !in[id] && !o.isNever(id) {
			kept = append(kept, flaky.Entry{TestID: id, Reason: fmt.Sprintf("the configuration says always (%s)", glob)})
			in[id] = true
		}
	}
	return kept
}

// matchTest returns the first glob that matches a test's id or its file.
func matchTest(globs []string, id string) (string, bool) {
	file, _, _ := strings.Cut(id, " › ")
	file, _, _ = strings.Cut(file, "::")
	for _, glob := range globs {
		if doublestar.MatchUnvalidated(glob, id) || doublestar.MatchUnvalidated(glob, file) {
			return glob, true
		}
	}
	return "", false
}
