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
	tree                  *sourceTree // the checkout, by which a glob can name a test's file
}

// neverReason says in words that the configuration never quarantines the test, ""
// where it does not say so.
func (o overrides) neverReason(id engine.TestID) string {
	if glob, ok := o.match(o.never, id, slices.ContainsFunc[[]string]); ok {
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
		glob, yes := o.match(o.always, r.ID, everyFile)
		if yes && !in[r.ID] && o.neverReason(r.ID) == "" {
			kept = append(kept, flaky.Entry{TestID: r.ID, Reason: overrideReason("always", glob, o.alwaysFrom), Configured: true})
			in[r.ID] = true
		}
	}
	return kept
}

// match returns the first glob that matches a test's id, its file as the id has it, or its
// file in the checkout. An id stands for itself, also where it ends in [chromium], a class
// in a glob. Where the checkout has several files that the id can mean, those decides.
func (o overrides) match(globs []string, id engine.TestID, those func(files []string, match func(string) bool) bool) (string, bool) {
	if len(globs) == 0 {
		return "", false
	}
	file, _, _ := strings.Cut(string(id), " › ")
	file, _, _ = strings.Cut(file, "::")
	rest := string(id)[len(file):]
	sources := o.tree.sourcesOf(file)
	for _, glob := range globs {
		matches := func(file string) bool {
			return doublestar.MatchUnvalidated(glob, file) || doublestar.MatchUnvalidated(glob, file+rest)
		}
		if glob == string(id) || matches(file) || len(sources) > 0 && those(sources, matches) {
			return glob, true
		}
	}
	return "", false
}

// everyFile reports whether all files match: a test that is always in quarantine must be
// the one that is meant.
func everyFile(files []string, match func(string) bool) bool {
	return !slices.ContainsFunc(files, func(file string) bool { return !match(file) })
}

// unmatched returns the globs that match none of the tests.
func (o overrides) unmatched(globs []string, tests []engine.TestID) (without []string) {
	for _, glob := range globs {
		if !slices.ContainsFunc(tests, func(id engine.TestID) bool {
			_, ok := o.match([]string{glob}, id, slices.ContainsFunc[[]string])
			return ok
		}) {
			without = append(without, glob)
		}
	}
	return without
}
