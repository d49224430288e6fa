package ci

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// findMissing compares the run with the last one of the same job and leg. Tests
// that are not there any more and should have run are missing.
func (r *run) findMissing(ctx context.Context) error {
	known, err := r.session.DB.KnownTests(ctx, r.cfg.Info, r.session.Self.ReportDigest)
	if err != nil {
		return fmt.Errorf("read the last run: %w", err)
	}
	missing, removed := missingTests(known, r.collected.results, r.source)
	for _, sentence := range vanishedSuites(missing, r.collected.results) {
		r.note(warning(sentence))
	}
	if len(removed) > 0 {
		r.warn("%s of the last run no longer in the source and not expected: %s", text.Count(len(removed), "test is", "tests are"), quoteSome(removed))
	}
	switch {
	case len(missing) == 0:
	case r.cfg.blocksMissing():
		r.missing = missing
		r.note(warning(`if the missing tests were removed on purpose, run once with the input or flag "missing: warn"`))
	default:
		r.warn("%s of the last run did not run: %s", text.Count(len(missing), "test", "tests"), quoteSome(missing))
	}
	return nil
}

// maxVanished bounds how many vanished suites are named.
const maxVanished = 10

// vanishedSuites says which files or classes of missing tests have no test at
// all in this run, a sentence each: a whole suite that did not run has another
// cause than one test that did not.
func vanishedSuites(missing []string, results []engine.TestResult) []string {
	here := map[string]bool{}
	for _, r := range results {
		container, _ := splitID(r.ID)
		here[container] = true
	}
	lost := map[string]int{}
	var order []string
	for _, id := range missing {
		container, title := splitID(id)
		if here[container] || container == title {
			continue
		}
		if lost[container]++; lost[container] == 1 {
			order = append(order, container)
		}
	}
	slices.Sort(order)
	var sentences []string
	for _, container := range order[:min(len(order), maxVanished)] {
		sentences = append(sentences, fmt.Sprintf("suite %q vanished: none of its %s of the last run ran", container, text.Count(lost[container], "test", "tests")))
	}
	if more := len(order) - len(sentences); more > 0 {
		sentences = append(sentences, fmt.Sprintf("%s more vanished", text.Count(more, "suite", "suites")))
	}
	return sentences
}

// missingTests splits the tests of the last run that this one lacks into those
// that should have run and those that were removed from the source. A test
// counts as removed only when its file is there and holds the titles of those of
// its tests that ran, but not this one's, or when its file is gone from a checkout
// that demonstrably holds the tests. When in doubt it should have run.
func missingTests(known []string, results []engine.TestResult, source fs.FS) (missing, removed []string) {
	here := make(map[string]bool, len(results))
	for _, r := range results {
		here[r.ID] = true
	}
	var tree *testSources
	for _, id := range known {
		if here[id] {
			continue
		}
		if tree == nil {
			tree = newTestSources(source, results)
		}
		if tree.lacksTest(id) {
			removed = append(removed, id)
		} else {
			missing = append(missing, id)
		}
	}
	return missing, removed
}

// quoteSome names the first few of a list.
func quoteSome(names []string) string {
	const shown = 5
	text := ""
	for i, name := range names[:min(len(names), shown)] {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%q", name)
	}
	if more := len(names) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
