package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// Checkpoint is the judge that an earlier run saved and the runs that it has not
// observed yet. Saving it spares every run from reading the whole history.
type Checkpoint struct {
	Evidence // Runs are those that Judge has not observed
	Judge    *flaky.Judge

	Name   string // under which the database saves it
	digest []byte // of all runs, those in Evidence included
}

// LoadCheckpoint returns a judge and, in order, the runs that it has not observed
// yet; the run with row id run is always among them. share is as in
// flaky.NewJudge. The judge is a new one when the saved one does not fit the
// runs, because one came late, was merged in or is recorded again.
func LoadCheckpoint(ctx context.Context, source EvidenceSource, info engine.RunInfo, share float64, run int64) (*Checkpoint, error) {
	b := newEvidenceBuilder()
	if err := source.Runs(ctx, info, b); err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	var err error
	if b.moves, err = source.Moves(ctx); err != nil {
		return nil, fmt.Errorf("read moved results: %w", err)
	}
	c := &Checkpoint{Name: fmt.Sprintf("judge of %d at %g", info.RepositoryID, share), digest: b.digestRuns(len(b.Runs))}
	saved, err := source.Derived(ctx, c.Name)
	if err != nil {
		return nil, fmt.Errorf("read what was judged: %w", err)
	}
	if c.Judge, err = b.resumeJudge(ctx, source, saved, run); err != nil {
		return nil, err
	}
	if c.Judge == nil {
		c.Judge = flaky.NewJudge(share)
		if err := b.addAllResults(ctx, source); err != nil {
			return nil, err
		}
	}
	b.finishRuns()
	c.Evidence = b.Evidence
	return c, nil
}

// Encode returns the bytes to save, nil when they are too many. The judge must
// have observed every run of the checkpoint.
func (c *Checkpoint) Encode() []byte {
	saved := append(slices.Clone(c.digest), c.Judge.Encode(func(test int) int64 { return c.IDs[test] })...)
	if len(saved) > MaxDerived {
		return nil
	}
	return saved
}

// digestBytes is the length of EvidenceBuilder.digestRuns.
const digestBytes = 8 + sha256.Size

// resumeJudge decodes the saved judge and adds the results that the runs it has not
// observed need. It returns nil when there is no judge, it does not fit, or it
// has observed run.
func (b *EvidenceBuilder) resumeJudge(ctx context.Context, source EvidenceSource, saved []byte, run int64) (*flaky.Judge, error) {
	if !b.fitsJudge(saved, run) {
		return nil, nil
	}
	saved = saved[digestBytes:]
	known, err := knownTests(ctx, source, saved)
	if err != nil || known == nil {
		b.observed = 0
		return nil, err
	}
	fresh, again := b.splitRunIDs()
	failed, err := source.Failing(ctx, fresh)
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	tests := slices.Concat(known, failed)
	slices.Sort(tests)
	tests = slices.Compact(tests)
	b.addTests(tests)
	judge, err := flaky.DecodeJudge(saved, b.testNumber)
	if err != nil {
		return nil, err // knownTests decoded it already
	}
	if err := source.Results(ctx, b, tests, fresh); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	if len(fresh) == 1 {
		run := b.Runs[b.observed].Run
		if run.Ran = b.ran[b.observed].has; judge.Burst(run) {
			return judge, nil // a burst needs nothing of earlier runs
		}
	}
	err = errors.Join(source.Results(ctx, b, failed, again), source.Executions(ctx, b, failed))
	return judge, Wrap(err, "read earlier results")
}

// fitsJudge reports whether the saved judge observed the first of these runs, without
// run, and notes how many those are.
func (b *EvidenceBuilder) fitsJudge(saved []byte, run int64) bool {
	if len(saved) < digestBytes {
		return false
	}
	at, known := b.ranks[run]
	if !known {
		at = len(b.Runs)
	}
	observed := binary.BigEndian.Uint64(saved)
	if observed > uint64(at) || !bytes.Equal(saved[:digestBytes], b.digestRuns(int(observed))) {
		return false
	}
	b.observed = int(observed)
	return true
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

// digestRuns identifies the first n runs: their number and a hash of them and of the
// results that renames moved.
func (b *EvidenceBuilder) digestRuns(n int) []byte {
	sum := sha256.New()
	addText(sum, b.moves)
	for i, r := range b.Runs[:n] {
		addNumber(sum, r.ID)
		addText(sum, r.Commit)
		addText(sum, r.Source)
		addText(sum, r.Variant)
		addNumber(sum, b.results[i])
		sum.Write(b.payloads[i])
	}
	return sum.Sum(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

func addText(h hash.Hash, s string) {
	addNumber(h, int64(len(s)))
	h.Write([]byte(s))
}

func addNumber(h hash.Hash, n int64) { h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

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

// splitRunIDs returns the row ids of the runs that are not observed yet, and of the
// observed ones that tested the same build.
func (b *EvidenceBuilder) splitRunIDs() (fresh, again []int64) {
	fresh, again = []int64{}, []int64{} // nil would mean all
	builds := map[build]bool{}
	for _, run := range b.Runs[b.observed:] {
		fresh = append(fresh, run.ID)
		builds[buildOf(run.Run)] = run.Commit != ""
	}
	for _, run := range b.Runs[:b.observed] {
		if builds[buildOf(run.Run)] {
			again = append(again, run.ID)
		}
	}
	return fresh, again
}
