package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// Checkpoint is a judge that an earlier run saved and the commits that it has not
// observed yet. Saving it spares every run from reading the whole history.
type Checkpoint struct {
	Evidence // Runs are those that Judge has not observed
	Judge    *flaky.Judge

	// Suite holds the row ids of the runs whose tests are the suite: the newest
	// complete run of each workflow, job and leg on the default branch.
	Suite []int64
	// Newest holds the same of all commits, however long ago.
	Newest []int64
	Name   string // under which the database saves the judge

	commits  []flaky.Commit // of Runs
	observed int            // of commits
	first    int            // number of the first of commits, the oldest of all being 0
	digests  []snapshot     // of every commit that may be saved, without a judge
	saved    []snapshot     // judges to save again, oldest first
}

// LoadCheckpoint returns a judge and, in order, the commits that it has not observed
// yet; the commit of the run with row id run is always among them. The judge is the
// newest saved one that observed none but the first of the commits as they are now:
// legs and reruns that came late, merged and renamed runs are so always gathered with
// their commit before it counts. Where none fits the judge is a new one.
func LoadCheckpoint(ctx context.Context, source EvidenceSource, info engine.RunInfo, run int64) (*Checkpoint, error) {
	b := newEvidenceBuilder()
	if err := source.Runs(ctx, info, b); err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	b.orderRuns()
	var err error
	if b.moves, err = source.Moves(ctx); err != nil {
		return nil, fmt.Errorf("read moved results: %w", err)
	}
	c := &Checkpoint{Name: fmt.Sprintf("commits judged of %d", info.RepositoryID), Suite: newestRuns(b.Runs, suiteCommits), Newest: newestRuns(b.Runs, len(b.Runs))}
	saved, err := source.Derived(ctx, c.Name)
	if err != nil {
		return nil, fmt.Errorf("read what was judged: %w", err)
	}
	c.digests = b.digestCommits()
	c.saved = fittingSnapshots(saved, c.digests, b.commitOf(run))
	if c.Judge, err = b.resumeJudge(ctx, source, c.saved); err != nil {
		return nil, err
	}
	if c.Judge == nil {
		c.saved, c.Judge, b.observed = nil, flaky.NewJudge(), 0
		if err := b.addAllResults(ctx, source); err != nil {
			return nil, err
		}
	} else {
		c.first = c.saved[len(c.saved)-1].commits
	}
	b.finishRuns()
	c.Evidence = b.Evidence
	c.commits = c.Evidence.Commits()
	return c, nil
}

// ObserveBefore lets the judge observe the commits before that of the run with a row
// id and returns this run. Where it is not there, the judge observes all and the
// result is nil.
func (c *Checkpoint) ObserveBefore(run int64) *flaky.Run {
	i := slices.IndexFunc(c.Runs, func(r EvidenceRun) bool { return r.ID == run })
	if i < 0 {
		c.ObserveRest()
		return nil
	}
	for runs := len(c.commits[c.observed]); runs <= i; runs += len(c.commits[c.observed]) {
		c.observeNext()
	}
	return &c.Runs[i].Run
}

// Earlier returns the runs of the same commit before the run with a row id.
func (c *Checkpoint) Earlier(run int64) []flaky.Run {
	var earlier []flaky.Run
	for i, r := range c.Runs {
		if i > 0 && !sameCommit(c.Runs[i-1].Run, r.Run) {
			earlier = nil
		}
		if r.ID == run {
			return earlier
		}
		earlier = append(earlier, r.Run)
	}
	return nil
}

// ObserveRest lets the judge observe all commits that it has not observed yet.
func (c *Checkpoint) ObserveRest() {
	for c.observed < len(c.commits) {
		c.observeNext()
	}
}

// observeNext lets the judge observe a commit. What it knows before the newest ones
// is kept, for runs that join them later.
func (c *Checkpoint) observeNext() {
	if at := c.first + c.observed; c.observed > 0 && isKept(at, c.first+len(c.commits)) {
		c.keepJudge(at)
	}
	c.Judge.Observe(c.commits[c.observed])
	c.observed++
}

// keepJudge keeps what the judge knows after the first n commits.
func (c *Checkpoint) keepJudge(n int) {
	i := slices.IndexFunc(c.digests, func(s snapshot) bool { return s.commits == n })
	kept := c.digests[i]
	kept.judge = c.Judge.Encode(func(test int) int64 { return c.IDs[test] })
	c.saved = append(c.saved, kept)
}

// Encode returns the bytes to save, nil when they are too many. The judge must
// have observed every commit of the checkpoint.
func (c *Checkpoint) Encode() []byte {
	all := c.first + len(c.commits)
	if n := len(c.saved); all > 0 && (n == 0 || c.saved[n-1].commits < all) {
		c.keepJudge(all)
	}
	c.saved = slices.DeleteFunc(c.saved, func(s snapshot) bool { return !isKept(s.commits, all) })
	return packSnapshots(c.saved)
}

// resumeJudge decodes the newest of the saved judges and adds the results that the
// runs it has not observed need. It returns nil when there is none or it does not
// fit.
func (b *EvidenceBuilder) resumeJudge(ctx context.Context, source EvidenceSource, saved []snapshot) (*flaky.Judge, error) {
	if len(saved) == 0 {
		return nil, nil
	}
	newest := saved[len(saved)-1]
	known, err := knownTests(ctx, source, newest.judge)
	if err != nil || known == nil {
		return nil, err
	}
	b.observed = newest.runs
	fresh := make([]int64, 0, len(b.Runs)-b.observed) // nil would mean all
	for _, run := range b.Runs[b.observed:] {
		fresh = append(fresh, run.ID)
	}
	failed, err := source.Failing(ctx, fresh)
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	tests := slices.Concat(known, failed)
	slices.Sort(tests)
	tests = slices.Compact(tests)
	b.addTests(tests)
	judge, err := flaky.DecodeJudge(newest.judge, b.testNumber)
	if err != nil {
		return nil, err // knownTests decoded it already
	}
	if err := source.Results(ctx, b, tests, fresh); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	if b.isOneBurst(judge) {
		return judge, nil // a burst needs nothing of earlier runs
	}
	if b.isOneCommit() { // of several, one can make the judge forget a test that the next needs
		failed = slices.DeleteFunc(failed, func(test int64) bool { return judge.Knows(b.testNumber(test)) })
	}
	return judge, Wrap(source.Executions(ctx, b, failed), "read earlier results")
}

// isOneCommit reports whether the judge has observed all but one commit.
func (b *EvidenceBuilder) isOneCommit() bool {
	return b.observed < len(b.Runs) && b.endOfCommit(b.observed) == len(b.Runs)
}

// isOneBurst reports whether that commit proves nothing.
func (b *EvidenceBuilder) isOneBurst(judge *flaky.Judge) bool {
	if !b.isOneCommit() {
		return false
	}
	for i := b.observed; i < len(b.Runs); i++ {
		run := b.Runs[i].Run
		if run.Ran = b.ran[i].has; !judge.Burst(run) {
			return false
		}
	}
	return true
}

// commitOf returns the number of the commit of the run with a row id, that of the
// next commit when the run does not count.
func (b *EvidenceBuilder) commitOf(run int64) int {
	if rank, known := b.ranks[run]; known {
		return b.commits[rank]
	}
	if len(b.commits) == 0 {
		return 0
	}
	return b.commits[len(b.commits)-1] + 1
}

// suiteCommits is in how many commits of the default branch, the newest, runs are
// looked for whose tests are the suite.
const suiteCommits = 20

// newestRuns returns the row ids of the newest complete run of each variant on the newest
// so many commits of the default branch or, before it ran, of any.
func newestRuns(runs []EvidenceRun, most int) []int64 {
	onMain := slices.ContainsFunc(runs, func(r EvidenceRun) bool { return len(r.Sources) == 0 })
	ids := []int64{}
	seen := map[string]bool{}
	commits := 0
	var last flaky.Run
	for _, r := range slices.Backward(runs) {
		if onMain && len(r.Sources) > 0 {
			continue
		}
		if commits == 0 || !sameCommit(last, r.Run) {
			commits++
			last = r.Run
		}
		if commits > most {
			break
		}
		if !r.Incomplete && !seen[r.Variant] {
			seen[r.Variant] = true
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// knownTests returns the row ids of the tests that a saved judge knows, nil when
// it cannot be decoded or knows tests that are not there.
func knownTests(ctx context.Context, source NameSource, saved []byte) ([]int64, error) {
	known := judgedTests(saved)
	if known == nil {
		return nil, nil
	}
	names, err := source.TestNames(ctx, known)
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	if len(names) < len(known) {
		return nil, nil
	}
	return known, nil
}

// judgedTests returns the row ids, ascending, in a saved judge, nil when it cannot
// be decoded.
func judgedTests(saved []byte) []int64 {
	known := []int64{}
	if _, err := flaky.DecodeJudge(saved, func(id int64) int {
		known = append(known, id)
		return 0
	}); err != nil {
		return nil
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// NameTests fills in the ids of the tests with these numbers.
func NameTests(ctx context.Context, source NameSource, e *Evidence, tests []int) error {
	ids := make([]int64, len(tests))
	for i, t := range tests {
		ids[i] = e.IDs[t]
	}
	return fillNames(ctx, source, e, ids)
}

// FindTests fills in the ids of those of the named tests that are in e.
func FindTests(ctx context.Context, source NameSource, e *Evidence, names []engine.TestID) error {
	found, err := source.TestsNamed(ctx, names)
	if err != nil {
		return fmt.Errorf("look up tests: %w", err)
	}
	e.setNames(found)
	return nil
}

// Numbers returns the numbers of the tests whose ids are filled in.
func (e Evidence) Numbers() map[engine.TestID]int {
	numbers := map[engine.TestID]int{}
	for t, name := range e.Tests {
		if name != "" {
			numbers[name] = t
		}
	}
	return numbers
}
