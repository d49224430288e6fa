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

// Checkpoint is a judge and the past it still has to hear. What a judge learnt is
// kept from run to run: hearing the whole past takes the longer the more past
// there is.
type Checkpoint struct {
	Evidence // Runs are those that Judge has not heard
	Judge    *flaky.Judge

	Name   string
	digest []byte // of all runs, those in Evidence included
}

func LoadCheckpoint(ctx context.Context, a EvidenceSource, info engine.RunInfo, share float64, run int64) (*Checkpoint, error) {
	g := newEvidenceBuilder()
	if err := a.Runs(ctx, info, g); err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	var err error
	if g.moves, err = a.Moves(ctx); err != nil {
		return nil, fmt.Errorf("read moved results: %w", err)
	}
	h := &Checkpoint{Name: fmt.Sprintf("judge of %d at %g", info.RepositoryID, share), digest: g.digest(len(g.Runs))}
	kept, err := a.Derived(ctx, h.Name)
	if err != nil {
		return nil, fmt.Errorf("read what was judged: %w", err)
	}
	if h.Judge, err = g.resume(ctx, a, kept, run); err != nil {
		return nil, err
	}
	if h.Judge == nil {
		h.Judge = flaky.NewJudge(share)
		if err := g.gatherAll(ctx, a); err != nil {
			return nil, err
		}
	}
	g.finish()
	h.Evidence = g.Evidence
	return h, nil
}

// Encode returns what to keep, nil when that is too much.
func (h *Checkpoint) Encode() []byte {
	kept := append(slices.Clone(h.digest), h.Judge.Encode(func(test int) int64 { return h.IDs[test] })...)
	if len(kept) > MaxDerived {
		return nil
	}
	return kept
}

// digestBytes is the length of a gathering's digest.
const digestBytes = 8 + sha256.Size

// resume takes in what the runs still to be heard rest on and returns the judge
// that was kept, nil when there is none that can be used or it has heard run.
func (g *EvidenceBuilder) resume(ctx context.Context, a EvidenceSource, kept []byte, run int64) (*flaky.Judge, error) {
	if !g.fits(kept, run) {
		return nil, nil
	}
	kept = kept[digestBytes:]
	known, err := knownTests(ctx, a, kept)
	if err != nil || known == nil {
		g.observed = 0
		return nil, err
	}
	unheard, again := g.runIDs()
	failed, err := a.Failing(ctx, unheard)
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	tests := slices.Concat(known, failed)
	slices.Sort(tests)
	tests = slices.Compact(tests)
	g.add(tests)
	judge, err := flaky.DecodeJudge(kept, g.number)
	if err != nil {
		return nil, err // it was read just now
	}
	if err := a.Results(ctx, g, tests, unheard); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	if len(unheard) == 1 {
		run := g.Runs[g.observed].Run
		if run.Ran = g.ran[g.observed].has; judge.Burst(run) {
			return judge, nil // nobody asks what was before a burst
		}
	}
	if err := errors.Join(a.Results(ctx, g, failed, again), a.Executions(ctx, g, failed)); err != nil {
		return nil, fmt.Errorf("read earlier results: %w", err)
	}
	return judge, nil
}

// fits reports whether what was kept is of the first of these runs, run not
// among them, and notes how many those are.
func (g *EvidenceBuilder) fits(kept []byte, run int64) bool {
	if len(kept) < digestBytes {
		return false
	}
	at, known := g.ranks[run]
	if !known {
		at = len(g.Runs)
	}
	heard := binary.BigEndian.Uint64(kept)
	if heard > uint64(at) || !bytes.Equal(kept[:digestBytes], g.digest(int(heard))) {
		return false
	}
	g.observed = int(heard)
	return true
}

// knownTests returns the row ids of the tests that a kept judge knows, nil when
// it cannot be read or knows tests that are not there.
func knownTests(ctx context.Context, a NameSource, kept []byte) ([]int64, error) {
	known := testsOf(kept)
	if known == nil {
		return nil, nil
	}
	names, err := a.TestNames(ctx, known)
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	if len(names) < len(known) {
		return nil, nil
	}
	return known, nil
}

// testsOf returns the row ids, rising, in a kept judge, nil when it cannot be
// read.
func testsOf(kept []byte) []int64 {
	known := []int64{}
	if _, err := flaky.DecodeJudge(kept, func(id int64) int {
		known = append(known, id)
		return 0
	}); err != nil {
		return nil
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// digest identifies the first n runs: how many they are and a sum over them and
// over the results that renames moved.
func (g *EvidenceBuilder) digest(n int) []byte {
	sum := sha256.New()
	addText(sum, g.moves)
	for i, r := range g.Runs[:n] {
		addNumber(sum, r.ID)
		addText(sum, r.Commit)
		addText(sum, r.Source)
		addNumber(sum, g.results[i])
		sum.Write(g.payloads[i])
	}
	return sum.Sum(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

func addText(h hash.Hash, s string) {
	addNumber(h, int64(len(s)))
	h.Write([]byte(s))
}

func addNumber(h hash.Hash, n int64) { h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

// NameTests fills in the identities of the tests given by their numbers.
func NameTests(ctx context.Context, a NameSource, e *Evidence, tests []int) error {
	ids := make([]int64, len(tests))
	for i, t := range tests {
		ids[i] = e.IDs[t]
	}
	return fillNames(ctx, a, e, ids)
}

func FindTests(ctx context.Context, a NameSource, e *Evidence, names []string) error {
	found, err := a.TestsNamed(ctx, names)
	if err != nil {
		return fmt.Errorf("look up tests: %w", err)
	}
	e.take(found)
	return nil
}

// Numbers returns the numbers of the tests whose identities are filled in.
func (e Evidence) Numbers() map[string]int {
	numbers := map[string]int{}
	for t, name := range e.Tests {
		if name != "" {
			numbers[name] = t
		}
	}
	return numbers
}

// runIDs returns the row ids of the runs that are not heard yet, and of the heard
// ones that tested the same build.
func (g *EvidenceBuilder) runIDs() (unheard, again []int64) {
	unheard, again = []int64{}, []int64{} // nil would be all
	builds := map[build]bool{}
	for _, run := range g.Runs[g.observed:] {
		unheard = append(unheard, run.ID)
		builds[buildOf(run.Run)] = run.Commit != ""
	}
	for _, run := range g.Runs[:g.observed] {
		if builds[buildOf(run.Run)] {
			again = append(again, run.ID)
		}
	}
	return unheard, again
}
