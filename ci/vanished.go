package ci

import (
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// vanishedMax bounds how many vanished suites are named.
const vanishedMax = 10

// vanished says which files or classes of missing tests have no test at all in
// this run, a sentence each: a whole suite that did not run has another cause
// than a test that did not.
func vanished(missing []string, results []engine.TestResult) []string {
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
	var said []string
	for _, container := range order[:min(len(order), vanishedMax)] {
		said = append(said, fmt.Sprintf("suite %q vanished: none of its %s of the last run ran", container, plural(lost[container], "test", "tests")))
	}
	if more := len(order) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("%s more vanished", plural(more, "suite", "suites")))
	}
	return said
}
