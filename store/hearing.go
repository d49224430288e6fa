package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
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
	g := newGathering()
	if err := db.evidenceRuns(ctx, info, g); err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	if err := db.evidenceTests(ctx, g); err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	if err := db.evidenceMoves(ctx, g); err != nil {
		return nil, fmt.Errorf("read moved results: %w", err)
	}
	h := &Hearing{key: fmt.Sprintf("judge of %d at %g", info.RepositoryID, share), digest: g.digest(len(g.Runs))}
	if h.Judge = db.kept(ctx, h.key, g, run); h.Judge == nil {
		h.Judge = flaky.NewJudge(share)
	}
	if err := db.gather(ctx, g, h.Judge.Known()); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	g.finish()
	h.Evidence = g.Evidence
	return h, nil
}

// Keep keeps what the judge knows, for the next Hear. The judge must have heard
// every run of h.
func (db *DB) Keep(ctx context.Context, h *Hearing) error {
	kept := append(slices.Clone(h.digest), h.Judge.Keep(func(test int) int64 { return h.ids[test] })...)
	if len(kept) > maxDerived {
		return nil
	}
	if _, err := db.sql.ExecContext(ctx, `INSERT OR REPLACE INTO derived (name, value) VALUES (?, ?)`, h.key, kept); err != nil {
		return fmt.Errorf("keep what was judged: %w", err)
	}
	return nil
}

// digestBytes is the length of a gathering's digest.
const digestBytes = 8 + sha256.Size

// kept returns the judge that was kept and has not heard run, nil when there is
// none that can be used. It notes in g how many runs the judge has heard.
func (db *DB) kept(ctx context.Context, key string, g *gathering, run int64) *flaky.Judge {
	var kept []byte
	err := db.sql.QueryRowContext(ctx, `SELECT value FROM derived WHERE name = ?`, key).Scan(&kept)
	if err != nil || len(kept) < digestBytes {
		return nil
	}
	at, known := g.ranks[run]
	if !known {
		at = len(g.Runs)
	}
	heard := binary.BigEndian.Uint64(kept)
	if heard > uint64(at) || !bytes.Equal(kept[:digestBytes], g.digest(int(heard))) {
		return nil
	}
	judge, err := flaky.ReadJudge(kept[digestBytes:], g.number)
	if err != nil {
		return nil
	}
	g.heard = int(heard)
	return judge
}

// digest identifies the first n runs: how many they are and a sum over them and
// over the results that renames moved.
func (g *gathering) digest(n int) []byte {
	sum := sha256.New()
	hashText(sum, g.moves)
	for i, r := range g.Runs[:n] {
		hashInt(sum, r.ID)
		hashText(sum, r.Commit)
		hashText(sum, r.Witness)
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

// gather reads the rows that the runs still to be heard rest on: of tests that
// failed in them all of the past, of others that the judge knows whether they
// ran.
func (db *DB) gather(ctx context.Context, g *gathering, known []int) error {
	if g.heard == 0 {
		return db.evidenceResults(ctx, g, everFailed)
	}
	unheard := make([]int64, 0, len(g.Runs)-g.heard)
	for _, r := range g.Runs[g.heard:] {
		unheard = append(unheard, r.ID)
	}
	runs, err := json.Marshal(unheard)
	if err != nil {
		return err
	}
	const failedNow = `test IN (SELECT test FROM results INDEXED BY results_failing
		WHERE (status >= 2 OR healed <> 0) AND run IN (SELECT value FROM json_each(?)))`
	if err := db.evidenceResults(ctx, g, condition{failedNow, []any{string(runs)}}); err != nil {
		return err
	}
	others, err := json.Marshal(g.unread(known))
	if err != nil {
		return err
	}
	ran := condition{`test IN (SELECT value FROM json_each(?)) AND run IN (SELECT value FROM json_each(?))`, []any{string(others), string(runs)}}
	return db.evidenceResults(ctx, g, ran)
}

// unread returns the row ids of those tests that have no observation.
func (g *gathering) unread(tests []int) []int64 {
	observed := map[int]bool{}
	for _, test := range g.observed() {
		observed[test] = true
	}
	ids := make([]int64, 0, len(tests))
	for _, test := range tests {
		if !observed[test] {
			ids = append(ids, g.ids[test])
		}
	}
	return ids
}

// NameTests fills in the identities of the tests given by their numbers.
func (db *DB) NameTests(ctx context.Context, e *Evidence, tests []int) error {
	at := map[int64]int{}
	ids := make([]int64, 0, len(tests))
	for _, t := range tests {
		ids, at[e.ids[t]] = append(ids, e.ids[t]), t
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return fmt.Errorf("list tests: %w", err)
	}
	names, err := db.names(ctx, `SELECT id, name FROM tests WHERE id IN (SELECT value FROM json_each(?))`, string(list))
	if err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	for id, name := range names {
		e.Tests[at[id]] = name
	}
	return nil
}

func (db *DB) nameAll(ctx context.Context, e *Evidence) error {
	names, err := db.names(ctx, `SELECT id, name FROM tests`)
	if err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	for t, id := range e.ids {
		e.Tests[t] = names[id]
	}
	return nil
}

// FindTests fills in the identities of those of the named tests that are in e.
func (db *DB) FindTests(ctx context.Context, e *Evidence, names []string) error {
	list, err := json.Marshal(names)
	if err != nil {
		return fmt.Errorf("list tests: %w", err)
	}
	found, err := db.names(ctx, `SELECT id, name FROM tests WHERE name IN (SELECT value FROM json_each(?))`, string(list))
	if err != nil {
		return fmt.Errorf("look up tests: %w", err)
	}
	for t, id := range e.ids {
		if name, wanted := found[id]; wanted {
			e.Tests[t] = name
		}
	}
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
