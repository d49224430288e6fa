package ci

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// overrides are the globs of tests that the configuration always or never
// quarantines, and where it says so. Never wins.
type overrides struct {
	always, never         []string
	alwaysFrom, neverFrom string
}

// neverReason says in words that the configuration never quarantines the test, ""
// where it does not say so.
func (o overrides) neverReason(id engine.TestID) string {
	if glob, ok := matchTest(o.never, id); ok {
		return overrideReason("never", glob, o.neverFrom)
	}
	return ""
}

func overrideReason(word, glob, from string) string {
	if from != "" {
		from = " (" + from + ")"
	}
	return "the configuration says " + word + ": " + glob + from
}

// apply returns the entries without those of tests that are never quarantined and
// with one for each result that always is.
func (o overrides) apply(entries []flaky.Entry, results []engine.TestResult) []flaky.Entry {
	var kept []flaky.Entry
	in := map[engine.TestID]bool{}
	for _, e := range entries {
		if o.neverReason(e.TestID) == "" {
			kept = append(kept, e)
			in[e.TestID] = true
		}
	}
	for _, r := range results {
		glob, yes := matchTest(o.always, r.ID)
		if yes && !in[r.ID] && o.neverReason(r.ID) == "" {
			kept = append(kept, flaky.Entry{TestID: r.ID, Reason: overrideReason("always", glob, o.alwaysFrom), Configured: true})
			in[r.ID] = true
		}
	}
	return kept
}

// matchTest returns the first glob that matches a test's id or its file. An id
// stands for itself, also where it ends in [chromium], a class in a glob.
func matchTest(globs []string, id engine.TestID) (string, bool) {
	file, _, _ := strings.Cut(string(id), " › ")
	file, _, _ = strings.Cut(file, "::")
	for _, glob := range globs {
		if glob == string(id) || doublestar.MatchUnvalidated(glob, string(id)) || doublestar.MatchUnvalidated(glob, file) {
			return glob, true
		}
	}
	return "", false
}

// unmatched returns the globs that match none of the tests.
func unmatched(globs []string, tests []engine.TestID) (without []string) {
	for _, glob := range globs {
		if !slices.ContainsFunc(tests, func(id engine.TestID) bool { _, ok := matchTest([]string{glob}, id); return ok }) {
			without = append(without, glob)
		}
	}
	return without
}
