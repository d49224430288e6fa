package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// maxDerived bounds what is kept of one thing that was worked out, in bytes.
const maxDerived = 8 << 20

// Hearing is a judge and the past it still has to hear. What a judge learnt is
// kept from run to run: hearing the whole past takes the longer the more past
// there is.
type Hearing struct {
	Evidence // Runs are those that Judge has not heard
	Judge    *flaky.Judge

	key    string
	digest []byte // of all runs, those in Evidence included
}

// Hear returns a judge and the runs it has not heard yet, in order; the run of
// row id run is always among them. share is as in flaky.NewJudge. Where what was
// kept does not fit the runs there are, because one came late, was merged in or
// is told again, the judge is a new one that has heard nothing.
func (db *DB) Hear(ctx context.Context, info engine.RunInfo, share float64, run int64) (*Hearing, error) {
	return hear(ctx, db, info, share, run)
}

func hear(ctx context.Context, a annals, info engine.RunInfo, share float64, run int64) (*Hearing, error) {
	g := newGathering()
	if err := a.evidenceRuns(ctx, info, g); err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	if err := a.evidenceMoves(ctx, g); err != nil {
		return nil, fmt.Errorf("read moved results: %w", err)
	}
	h := &Hearing{key: fmt.Sprintf("judge of %d at %g", info.RepositoryID, share), digest: g.digest(len(g.Runs))}
	kept, err := a.derived(ctx, h.key)
	if err != nil {
		return nil, fmt.Errorf("read what was judged: %w", err)
	}
	if h.Judge, err = g.goOn(ctx, a, kept, run); err != nil {
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

// Keep keeps what the judge knows, for the next Hear. The judge must have heard
// every run of h.
func (db *DB) Keep(ctx context.Context, h *Hearing) error {
	kept := h.kept()
	if kept == nil {
		return nil
	}
	if _, err := db.sql.ExecContext(ctx, `INSERT OR REPLACE INTO derived (name, value) VALUES (?, ?)`, h.key, kept); err != nil {
		return fmt.Errorf("keep what was judged: %w", err)
	}
	return nil
}

// kept returns what to keep, nil when that is too much.
func (h *Hearing) kept() []byte {
	kept := append(slices.Clone(h.digest), h.Judge.Encode(func(test int) int64 { return h.ids[test] })...)
	if len(kept) > maxDerived {
		return nil
	}
	return kept
}

// digestBytes is the length of a gathering's digest.
const digestBytes = 8 + sha256.Size

// goOn takes in what the runs still to be heard rest on and returns the judge
// that was kept, nil when there is none that can be used or it has heard run.
func (g *gathering) goOn(ctx context.Context, a annals, kept []byte, run int64) (*flaky.Judge, error) {
	if !g.fits(kept, run) {
		return nil, nil
	}
	kept = kept[digestBytes:]
	known, err := knownTests(ctx, a, kept)
	if err != nil || known == nil {
		g.heard = 0
		return nil, err
	}
	unheard, again := g.runIDs()
	failed, err := a.failing(ctx, unheard)
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
	if err := a.evidenceResults(ctx, g, tests, unheard); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	if len(unheard) == 1 {
		run := g.Runs[g.heard].Run
		if run.Ran = g.ran[g.heard].has; judge.Burst(run) {
			return judge, nil // nobody asks what was before a burst
		}
	}
	if err := errors.Join(a.evidenceResults(ctx, g, failed, again), a.executions(ctx, g, failed)); err != nil {
		return nil, fmt.Errorf("read earlier results: %w", err)
	}
	return judge, nil
}

// fits reports whether what was kept is of the first of these runs, run not
// among them, and notes how many those are.
func (g *gathering) fits(kept []byte, run int64) bool {
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
	g.heard = int(heard)
	return true
}

// knownTests returns the row ids of the tests that a kept judge knows, nil when
// it cannot be read or knows tests that are not there.
func knownTests(ctx context.Context, a nameAnnals, kept []byte) ([]int64, error) {
	known := testsOf(kept)
	if known == nil {
		return nil, nil
	}
	names, err := a.testNames(ctx, known)
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

// derived returns what was kept under a name.
func (db *DB) derived(ctx context.Context, name string) (value []byte, err error) {
	err = db.sql.QueryRowContext(ctx, `SELECT value FROM derived WHERE name = ?`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return value, err
}

// digest identifies the first n runs: how many they are and a sum over them and
// over the results that renames moved.
func (g *gathering) digest(n int) []byte {
	sum := sha256.New()
	hashText(sum, g.moves)
	for i, r := range g.Runs[:n] {
		hashInt(sum, r.ID)
		hashText(sum, r.Commit)
		hashText(sum, r.Source)
		hashInt(sum, g.results[i])
		sum.Write(g.payloads[i])
	}
	return sum.Sum(binary.BigEndian.AppendUint64(nil, uint64(n)))
}

// evidenceMoves sums up which results belong to another test than they were
// recorded for.
func (db *DB) evidenceMoves(ctx context.Context, g *gathering) error {
	return db.sql.QueryRowContext(ctx, `SELECT count(*) || ' ' || total((test * 31 + run * 1009 + attempt * 7 + was * 100003 + nth) % 1000003)
		FROM moved`).Scan(&g.moves)
}

func hashText(h hash.Hash, s string) {
	hashInt(h, int64(len(s)))
	h.Write([]byte(s))
}

// NameTests fills in the identities of the tests given by their numbers.
func (db *DB) NameTests(ctx context.Context, e *Evidence, tests []int) error {
	return name(ctx, db, e, e.idsOf(tests))
}

// idsOf returns the row ids of tests.
func (e *Evidence) idsOf(tests []int) []int64 {
	ids := make([]int64, len(tests))
	for i, t := range tests {
		ids[i] = e.ids[t]
	}
	return ids
}

// FindTests fills in the identities of those of the named tests that are in e.
func (db *DB) FindTests(ctx context.Context, e *Evidence, names []string) error {
	return find(ctx, db, e, names)
}

func find(ctx context.Context, a nameAnnals, e *Evidence, names []string) error {
	found, err := a.testsNamed(ctx, names)
	if err != nil {
		return fmt.Errorf("look up tests: %w", err)
	}
	e.take(found)
	return nil
}

func (db *DB) testNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return db.names(ctx, `SELECT id, name FROM tests WHERE id IN (SELECT value FROM json_each(?))`, jsonList(ids))
}

func (db *DB) testsNamed(ctx context.Context, names []string) (map[int64]string, error) {
	return db.names(ctx, `SELECT id, name FROM tests WHERE name IN (SELECT value FROM json_each(?))`, jsonList(names))
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
