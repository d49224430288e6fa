package ci

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/junit/identity"
)

// failsAfter returns by test id, of the failing tests of this run, the test after which
// `breadcrumb run` showed that one to fail.
func (r *run) failsAfter() map[engine.TestID]engine.TestResult {
	var index *identity.Index
	after := map[engine.TestID]engine.TestResult{}
	for _, again := range r.collected.reruns {
		if again.FailsAfter == "" || again.New || !r.isOfThisRun(again) {
			continue
		}
		if index == nil {
			index = identity.NewIndex(r.collected.results)
		}
		test, found := index.Find(again.TestID)
		other, known := index.Find(again.FailsAfter)
		if _, told := after[test.ID]; found && known && !told && test.ID != other.ID && test.Final().Status.Failing() {
			after[test.ID] = other
		}
	}
	return after
}

// describeOrder says in words which tests fail after which others, and where the pull
// request changes the other one's file. That excuses nothing.
func describeOrder(after map[engine.TestID]engine.TestResult, changed changedFiles, where *testFiles) map[engine.TestID]string {
	order := make(map[engine.TestID]string, len(after))
	for id, other := range after {
		order[id] = outcome.DescribeOrder(other.ID)
		if file, _ := changed.find(other, where); file != "" {
			order[id] += "; this pull request changes " + file + ": take it as a regression of one of the two"
		}
	}
	return order
}
