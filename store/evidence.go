package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// Evidence is looked for in the newest EvidenceRuns runs of the default branch and in
// as many of all others, so that however often pull requests run, the default
// branch's evidence stays. The windows move in steps, so that they begin at the same
// run for many runs and a checkpoint stays of use.
const (
	EvidenceRuns = 6000
	evidenceStep = 500
)

// Evidence is the history of a repository as flaky.Judge observes it.
type Evidence struct {
	Tests []engine.TestID // test ids by the numbers that Runs use; of a Checkpoint "" until NameTests or FindTests
	Runs  []EvidenceRun

	IDs []int64 // row ids of the tests, by their numbers
}

// EvidenceRun is one recorded run. The runs of a commit follow upon each other.
type EvidenceRun struct {
	ID         int64   // row id of the run
	Started    float64 // Unix seconds by the forge
	RunID      int64   // the forge's, 0 locally
	Attempt    int
	Incomplete bool // tests were missing
	flaky.Run
}

// EvidenceSource is a database that evidence is read from.
type EvidenceSource interface {
	RunSource
	ResultSource
	NameSource
}

// RunSource reads which runs there are.
type RunSource interface {
	// Runs adds the newest runs of info's repository to b, in any order.
	Runs(ctx context.Context, info engine.RunInfo, b *EvidenceBuilder) error
	// Moves returns a checksum of the results that a rename gave to another test
	// than they were recorded for.
	Moves(ctx context.Context) (string, error)
	// Derived returns the value saved under a name, nil when there is none.
	Derived(ctx context.Context, name string) ([]byte, error)
}

// ResultSource reads what happened in runs.
type ResultSource interface {
	// Failing returns the row ids, ascending, of the tests that failed or healed
	// a locator in the runs; nil stands for all runs.
	Failing(ctx context.Context, runs []int64) ([]int64, error)
	// Results adds the results of the tests in the runs to b; nil stands for all
	// runs.
	Results(ctx context.Context, b *EvidenceBuilder, tests, runs []int64) error
	// Executions counts on how many of b's observed commits the tests were executed.
	Executions(ctx context.Context, b *EvidenceBuilder, tests []int64) error
}

// NameSource reads the ids of tests.
type NameSource interface {
	// TestNames returns the ids of tests by their row ids.
	TestNames(ctx context.Context, ids []int64) (map[int64]engine.TestID, error)
	// TestsNamed returns the ids, by row id, of those of the named tests that
	// are there.
	TestsNamed(ctx context.Context, names []engine.TestID) (map[int64]engine.TestID, error)
}

// LoadEvidence returns the newest runs of info's repository, by commit and oldest
// first, on every branch. Tests that never failed and never healed a locator are left out:
// they passed wherever they ran.
func LoadEvidence(ctx context.Context, source EvidenceSource, info engine.RunInfo) (Evidence, error) {
	b := newEvidenceBuilder()
	if err := source.Runs(ctx, info, b); err != nil {
		return Evidence{}, fmt.Errorf("read runs: %w", err)
	}
	b.orderRuns()
	if err := b.addAllResults(ctx, source); err != nil {
		return Evidence{}, err
	}
	b.finishRuns()
	return b.Evidence, fillNames(ctx, source, &b.Evidence, b.IDs)
}

// addAllResults adds the results of every test that ever failed or healed.
// Tests are numbered in the order of their row ids, so that the order is the
// same every time.
func (b *EvidenceBuilder) addAllResults(ctx context.Context, source EvidenceSource) error {
	tests, err := source.Failing(ctx, nil)
	if err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	b.addTests(tests)
	return Wrap(source.Results(ctx, b, tests, nil), "read results")
}

// fillNames fills in the ids of the tests with these row ids.
func fillNames(ctx context.Context, source NameSource, e *Evidence, ids []int64) error {
	names, err := source.TestNames(ctx, ids)
	if err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	e.setNames(names)
	return nil
}

// setNames fills in test ids by their row ids.
func (e *Evidence) setNames(names map[int64]engine.TestID) {
	for t, id := range e.IDs {
		if name, known := names[id]; known {
			e.Tests[t] = name
		}
	}
}

// Progress returns the entries and fills in, for those quarantined by evidence,
// how far they are from their release. The judge must have observed this
// evidence.
func (e Evidence) Progress(judge *flaky.Judge, entries []flaky.Entry) []flaky.Entry {
	number := e.Numbers()
	out := slices.Clone(entries)
	for i := range out {
		test, known := number[out[i].TestID]
		if !known || !out[i].ByEvidence() || !judge.Main.Held(test) {
			continue
		}
		facts, _ := judge.Main.Facts(test)
		out[i].Clean, out[i].Release = facts.Clean, facts.Release
	}
	return out
}

// EvidenceWindow returns how many of the runs of a ledger evidence is looked for in:
// the newest.
func EvidenceWindow(runs int) int {
	over := max(0, runs-EvidenceRuns)
	return runs - (over+evidenceStep-1)/evidenceStep*evidenceStep
}

// SourceOf names the sources of a run's evidence: the pull request, the pull requests
// of the merge group, or the branch that it counts for; none for a run that counts
// for everybody. A merge group's branch is never a source: each group has another
// one, and its pull requests would vouch for themselves under ever new names.
func SourceOf(from Origin, branch string, pr int, group []int) []string {
	switch {
	case from == FromPullRequest && len(group) > 0:
		sources := make([]string, len(group))
		for i, n := range group {
			sources[i] = pullSource(n)
		}
		return sources
	case from == FromPullRequest:
		return []string{pullSource(pr)}
	case from == FromBranch:
		return []string{"branch " + branch}
	}
	return nil
}

func pullSource(pr int) string { return "pr-" + strconv.Itoa(pr) }
