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
// quarantines, and where it says so. Never wins.
type overrides struct {
	always, never         []string
	alwaysFrom, neverFrom string
}

func overridesOf(cfg Config) overrides {
	return overrides{cfg.Always, cfg.Never, cfg.Origins[SettingAlways].Place, cfg.Origins[SettingNever].Place}
}

func (o overrides) isNever(id string) bool { return o.neverSays(id) != "" }

// neverSays returns in words that the configuration says never, "" when it does
// not.
func (o overrides) neverSays(id string) string {
	glob, yes := matchTest(o.never, id)
	if !yes {
		return ""
	}
	return says("never", glob, o.neverFrom)
}

func says(word, glob, from string) string {
	if from == "" {
		return fmt.Sprintf("the configuration says %s: %s", word, glob)
	}
	return fmt.Sprintf("the configuration says %s: %s (%s)", word, glob, from)
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
			kept = append(kept, flaky.Entry{TestID: id, Reason: says("always", glob, o.alwaysFrom), Configured: true})
			in[id] = true
		}
	}
	return kept
}

// matchTest returns the first glob that matches a test's id or its file. An id
// stands for itself, also where it ends in [chromium], a class in a glob.
func matchTest(globs []string, id string) (string, bool) {
	file, _, _ := strings.Cut(id, " › ")
	file, _, _ = strings.Cut(file, "::")
	for _, glob := range globs {
		if glob == id || doublestar.MatchUnvalidated(glob, id) || doublestar.MatchUnvalidated(glob, file) {
			return glob, true
		}
	}
	return "", false
}
