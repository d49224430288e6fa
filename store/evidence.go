package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// EvidenceRuns is how many runs, the newest, evidence is looked for in. Older
// ones go in steps, so that for many runs the window begins at the same one.
const (
	EvidenceRuns = 3000
	evidenceStep = 500
)

// Evidence is the past of a repository as flaky.Judge takes it in.
type Evidence struct {
	Tests []string // test ids by the numbers that Runs use; of a Hearing "" until asked for
	Runs  []EvidenceRun

	IDs []int64 // row ids of the tests, by their numbers
}

// EvidenceRun is one run of the past.
type EvidenceRun struct {
	ID      int64 // row id of the run
	Attempt int
	flaky.Run
}

// EvidenceSource is what of a store the evidence is read from.
type EvidenceSource interface {
	RunSource
	ResultSource
	NameSource
}

// RunSource tells which runs there are.
type RunSource interface {
	// Runs fills in the runs of info's repository, oldest first.
	Runs(ctx context.Context, info engine.RunInfo, g *EvidenceBuilder) error
	// Moves sums up which results belong to another test than they were
	// recorded for.
	Moves(ctx context.Context) (string, error)
	// Derived returns what was kept under a name, nil when nothing was.
	Derived(ctx context.Context, name string) ([]byte, error)
}

// ResultSource tells what happened in runs.
type ResultSource interface {
	// Failing returns the row ids, rising, of the tests that failed or healed a
	// locator in the runs, or with nil in any run.
	Failing(ctx context.Context, runs []int64) ([]int64, error)
	// Results takes in the results of tests in the runs, or with nil in
	// all runs.
	Results(ctx context.Context, g *EvidenceBuilder, tests, runs []int64) error
	// Executions counts in which of the heard runs the tests were executed.
	Executions(ctx context.Context, g *EvidenceBuilder, tests []int64) error
}

// NameSource tells the identities of tests.
type NameSource interface {
	// TestNames returns the identities of tests by their row ids.
	TestNames(ctx context.Context, ids []int64) (map[int64]string, error)
	// TestsNamed is the inverse of testNames.
	TestsNamed(ctx context.Context, names []string) (map[int64]string, error)
}

func LoadEvidence(ctx context.Context, a EvidenceSource, info engine.RunInfo) (Evidence, error) {
	g := newEvidenceBuilder()
	if err := a.Runs(ctx, info, g); err != nil {
		return Evidence{}, fmt.Errorf("read runs: %w", err)
	}
	if err := g.gatherAll(ctx, a); err != nil {
		return Evidence{}, err
	}
	g.finish()
	return g.Evidence, fillNames(ctx, a, &g.Evidence, g.IDs)
}

// gatherAll takes in the past of every test that failed or healed once. Tests
// are numbered in the order of their row ids, so that what follows from the
// order follows every time.
func (g *EvidenceBuilder) gatherAll(ctx context.Context, a EvidenceSource) error {
	tests, err := a.Failing(ctx, nil)
	if err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	g.add(tests)
	if err := a.Results(ctx, g, tests, nil); err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	return nil
}

// fillNames fills in the identities of tests given by their row ids.
func fillNames(ctx context.Context, a NameSource, e *Evidence, ids []int64) error {
	names, err := a.TestNames(ctx, ids)
	if err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	e.take(names)
	return nil
}

// take fills in identities by row ids.
func (e *Evidence) take(names map[int64]string) {
	for t, id := range e.IDs {
		if name, told := names[id]; told {
			e.Tests[t] = name
		}
	}
}

// Progress returns the entries with how far those by evidence are on their way
// out, as judge, who heard this past, knows it.
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

// EvidenceWindow returns how many of all runs, the newest, evidence is looked for in.
func EvidenceWindow(runs int) int {
	over := max(0, runs-EvidenceRuns)
	return runs - (over+evidenceStep-1)/evidenceStep*evidenceStep
}

// AddRun adds a run, the oldest first, and what tells its results from others.
func (g *EvidenceBuilder) AddRun(r EvidenceRun, payload []byte) {
	g.Runs, g.payloads, g.results = append(g.Runs, r), append(g.payloads, slices.Clone(payload)), append(g.results, int64(r.Run.Tests))
}

// Reverse turns the runs around, for a source that lists the newest first.
func (g *EvidenceBuilder) Reverse() {
	slices.Reverse(g.Runs)
	slices.Reverse(g.payloads)
	slices.Reverse(g.results)
}

// KeepNewest drops all but the newest n runs and numbers those, which are in
// order.
func (g *EvidenceBuilder) KeepNewest(n int) {
	start := len(g.Runs) - n
	g.Runs, g.payloads, g.results = g.Runs[start:], g.payloads[start:], g.results[start:]
	for i, r := range g.Runs {
		g.ranks[r.ID] = i
	}
	g.ran, g.failed = make([]bits, len(g.Runs)), make([]bits, len(g.Runs))
}

// SourceOf names who a run testifies for, "" for those everybody trusts.
func SourceOf(from Origin, branch string, pr int) string {
	switch from {
	case FromPullRequest:
		return "pr-" + strconv.Itoa(pr)
	case FromBranch:
		return "branch " + branch
	}
	return ""
}
