package ci

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
)

// maxSkipped bounds the skipped tests whose history is looked at.
const maxSkipped = 5000

// suiteKey names the tests of one file or class in one environment.
type suiteKey struct{ container, environment string }

// noteSkippedSuites warns of suites, and of projects, of which every test was skipped and
// some test ran in its last executions: an address or a secret may not be set. It is no more
// than a warning, because a suite may be skipped on purpose, in the code that is reviewed.
func (r *run) noteSkippedSuites(ctx context.Context) error {
	skipped, ran := skippedSuites(r.collected.results)
	if len(skipped) == 0 || len(ran) == 0 { // a run in which all was skipped does not pass
		return nil
	}
	var tests []engine.TestID
	for _, ids := range skipped {
		tests = append(tests, ids...)
	}
	slices.Sort(tests)
	histories, err := r.session.DB.HistoriesOf(ctx, tests[:min(len(tests), maxSkipped)], flaky.HistoryWindow, r.cfg.Info)
	if err != nil {
		return fmt.Errorf("read histories of skipped tests: %w", err)
	}
	before := map[engine.TestID]bool{}
	for _, h := range histories {
		before[h.TestID] = slices.ContainsFunc(h.Statuses, func(s engine.Status) bool { return s != engine.StatusSkipped })
	}
	var sentences []string
	for name, ids := range nameSuites(skipped, ran) {
		n := len(ids)
		if ids = slices.DeleteFunc(ids, func(id engine.TestID) bool { return !before[id] }); len(ids) > 0 {
			sentences = append(sentences, fmt.Sprintf("every test of %s was skipped (%s), and %s ran before: nothing shows that they pass",
				name, text.Thousands(n), text.Thousands(len(ids))))
		}
	}
	slices.Sort(sentences)
	for _, sentence := range sentences[:min(len(sentences), maxVanished)] {
		r.warn("%s", sentence)
	}
	if more := len(sentences) - maxVanished; more > 0 {
		r.warn("%s more of which every test was skipped and some ran before", text.Count(more, "suite", "suites"))
	}
	return nil
}

// skippedSuites returns the tests of the suites of which every test was skipped, and how
// many suites of each environment had a test that ran.
func skippedSuites(results []engine.TestResult) (skipped map[suiteKey][]engine.TestID, ran map[string]int) {
	skipped, ran = map[suiteKey][]engine.TestID{}, map[string]int{}
	running := map[suiteKey]bool{}
	for _, r := range results {
		container, title := splitID(r.ID)
		_, environment := r.ID.CutEnvironment()
		key := suiteKey{container, environment}
		switch {
		case r.Final().Status != engine.StatusSkipped:
			if !running[key] {
				running[key] = true
				ran[environment]++
			}
			delete(skipped, key)
		case !running[key] && container != title:
			skipped[key] = append(skipped[key], r.ID)
		}
	}
	return skipped, ran
}

// nameSuites gathers skipped suites under the names that people know: a project of which
// nothing ran is one.
func nameSuites(skipped map[suiteKey][]engine.TestID, ran map[string]int) map[string][]engine.TestID {
	named := map[string][]engine.TestID{}
	for key, ids := range skipped {
		name, project := fmt.Sprintf("%q", key.container), strings.Trim(key.environment, " []")
		switch {
		case project != "" && ran[key.environment] == 0:
			name = fmt.Sprintf("project %q", project)
		case project != "":
			name += fmt.Sprintf(" in project %q", project)
		}
		named[name] = append(named[name], ids...)
	}
	return named
}
