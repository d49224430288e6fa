package sqlite

import (
	"context"
	"database/sql"
	"hash/fnv"
	"slices"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/packed"
	"github.com/breadcrumb/action/store/record"
)

// retainRuns keeps the newest runs of each workflow, job and leg, and of them the newest
// executions of every test: of trusted runs and of the others so many each, and those up
// to the next boundary (see keptPart). An execution is a run, or a row that the seed wrote.
// It returns the runs that lost results, and of those the ones that have others still.
func retainRuns(ctx context.Context, tx *sql.Tx, keep store.Retention) (lost, thinned []int64, err error) {
	r := retention{tx: tx, keep: keep.Runs, runs: map[int64]retainedRun{}, dated: map[ledgerTest][]datedResult{}, chosen: map[int64][]bool{}}
	if err := r.readRuns(ctx, keep); err != nil {
		return nil, nil, err
	}
	if err := r.dropRunsBehind(ctx); err != nil {
		return nil, nil, err
	}
	if r.mayHoldMore() {
		if err := r.chooseResults(ctx); err != nil {
			return nil, nil, err
		}
		if err := r.chooseDated(ctx); err != nil {
			return nil, nil, err
		}
		for _, run := range r.order {
			if err := r.dropFrom(ctx, run); err != nil {
				return nil, nil, err
			}
		}
	}
	return r.lost, r.thinned, nil
}

// retention deletes the results of each test that are more than is kept.
type retention struct {
	tx    *sql.Tx
	keep  int
	order []int64 // the runs with results, the one that goes first before the others
	runs  map[int64]retainedRun
	moved runMoves

	lost, thinned []int64 // runs that lost results: all, and those that have others still

	dated  map[ledgerTest][]datedResult // results of tests of which some have times of their own
	chosen map[int64][]bool             // by run, and by the number of the result in it: whether it goes
}

// retainedRun is what decides when the results of a run go.
type retainedRun struct {
	place    int // in order
	trusted  bool
	seed     bool // we made it of rows that the seed wrote
	ahead    bool // it is of a clock that was wrong
	boundary bool
	started  float64
	variant  string // its workflow, job and leg; "" where it has none
}

// keptPart follows runs or executions of one kind, the newest first, and tells which go:
// those behind the first boundary that comes after as many as are kept. One commit in so
// many is a boundary, whatever else there is, so that what stays depends only on what is
// there, begins at the same commit for many runs, and a judge that was saved stays of use.
type keptPart struct {
	newer int // how many there were, the last one among them
	over  bool
}

// goes reports whether the next one goes. At most half as many again stay.
func (p *keptPart) goes(keep int, boundary bool) bool {
	p.newer++
	goes := p.over || p.newer > keep+keep/2
	p.over = goes || p.newer >= keep && boundary
	return goes
}

// isBoundary reports whether what a text identifies is one: one in so many as are a tenth
// of what is kept.
func isBoundary(keep int, text string) bool {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()%uint32(max(1, keep/10)) == 0
}

// ledgerTest is a test under the name that its results were recorded for, in the ledger
// of trusted runs or that of all others.
type ledgerTest struct {
	test    int64
	trusted bool
}

func (r *retention) readRuns(ctx context.Context, keep store.Retention) (err error) {
	var id int64
	var run retainedRun
	var key record.RunKey
	var commit string
	err = forEachRow(ctx, r.tx, []any{&id, &run.trusted, &run.seed, &run.ahead, &run.started, &key.Workflow, &key.Job, &key.Leg, &commit}, func() error {
		run.place, run.variant, run.boundary = len(r.order), "", isBoundary(keep.Runs, commit)
		if key != (record.RunKey{}) {
			run.variant = key.WorkflowFile() + "\n" + key.Job + "\n" + key.Leg
		}
		r.order, r.runs[id] = append(r.order, id), run
		return nil
	}, `SELECT id, origin IN `+store.TrustedOrigins+`, origin = ?2, started_at > ?1, started_at, workflow, job, leg, coalesce(nullif(commit_sha, ''), report_digest)
		FROM runs WHERE id IN (SELECT run FROM packed_runs) ORDER BY started_at > ?1 DESC, `+oldestFirst, store.UnixOrLatest(keep.Now)+store.RunLife.Seconds(), int(store.FromSeed))
	if err != nil {
		return err
	}
	r.moved, err = readMoves(ctx, r.tx, nil)
	return err
}

// dropRunsBehind deletes the results of the runs that have as many newer ones of their
// workflow, job and leg as are kept: tests that are gone or have another name since would
// keep them for ever.
func (r *retention) dropRunsBehind(ctx context.Context) error {
	type series struct {
		trusted bool
		variant string
	}
	parts := map[series]*keptPart{}
	left := r.order[:0:0]
	for _, id := range slices.Backward(r.order) {
		run := r.runs[id]
		of := series{run.trusted, run.variant}
		if parts[of] == nil {
			parts[of] = &keptPart{}
		}
		if run.variant == "" || !parts[of].goes(r.keep, run.boundary) {
			left = append(left, id)
			continue
		}
		if err := r.write(ctx, id, &packed.Writer{}, nil); err != nil {
			return err
		}
		delete(r.moved, id)
	}
	slices.Reverse(left)
	r.order = left
	return nil
}

// mayHoldMore reports whether a test may have more executions than are kept. It cannot
// where all runs of its ledger together are none too many.
func (r *retention) mayHoldMore() bool {
	parts := map[bool]*keptPart{true: {}, false: {}}
	for _, id := range slices.Backward(r.order) {
		if run := r.runs[id]; run.seed || parts[run.trusted].goes(r.keep, run.boundary) {
			return true
		}
	}
	return false
}

// chooseResults chooses the results that go of tests whose results have no time of their
// own, and finds the other tests.
func (r *retention) chooseResults(ctx context.Context) error {
	type execution struct {
		keptPart
		run     int64 // the last one
		goes    bool
		results int // as many as there are executions, at the least
	}
	type ledger struct {
		tests testNumbers
		last  []execution // by number
	}
	var trusted, others ledger
	newest := slices.Clone(r.order)
	slices.Reverse(newest)
	of, run := &others, retainedRun{}
	err := r.each(ctx, newest, func(id int64, i int, row *packed.Row, was packed.Key) error {
		if i == 0 {
			if of, run = &others, r.runs[id]; run.trusted {
				of = &trusted
			}
		}
		n := of.tests.find(was.Test)
		if n == len(of.last) {
			of.last = append(of.last, execution{run: -1})
		}
		if row.At.Known && row.At.Value != run.started {
			r.dated[ledgerTest{was.Test, run.trusted}] = nil
		}
		e := &of.last[n]
		if e.run != id {
			e.run, e.goes = id, e.keptPart.goes(r.keep, run.boundary)
		}
		if e.results++; e.goes {
			r.choose(id, i, true)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for test := range r.dated {
		of := &others
		if test.trusted {
			of = &trusted
		}
		if of.last[of.tests.find(test.test)].results <= r.keep {
			delete(r.dated, test)
		}
	}
	return nil
}

// choose says whether the nth result of a run goes.
func (r *retention) choose(run int64, n int, goes bool) {
	if missing := n + 1 - len(r.chosen[run]); missing > 0 && goes {
		r.chosen[run] = append(r.chosen[run], make([]bool, missing)...)
	}
	if n < len(r.chosen[run]) {
		r.chosen[run][n] = goes
	}
}

// each calls fn with every result of runs, in their order, with its number in the run and the
// key that it was recorded under.
func (r *retention) each(ctx context.Context, runs []int64, fn func(id int64, n int, row *packed.Row, was packed.Key) error) error {
	var id int64
	var results sql.RawBytes
	return forEachRow(ctx, r.tx, []any{&id, &results}, func() error {
		moved, err := r.moved.of(id)
		if err != nil {
			return err
		}
		n := -1
		return ofRun(id, results, packed.Each, func(row *packed.Row) error {
			n++
			return fn(id, n, row, moved.Recorded(row.Key()))
		})
	}, `SELECT run, packed FROM json_each(?) AS asked JOIN packed_runs ON run = asked.value ORDER BY asked.key`, idList(runs))
}

// dropFrom deletes the results of a run that were chosen.
func (r *retention) dropFrom(ctx context.Context, id int64) error {
	chosen := r.chosen[id]
	if !slices.Contains(chosen, true) {
		return nil
	}
	var kept packed.Writer
	var left packed.Moves
	err := r.each(ctx, []int64{id}, func(_ int64, n int, row *packed.Row, was packed.Key) error {
		if n < len(chosen) && chosen[n] {
			return nil
		}
		if was != row.Key() {
			left = append(left, packed.Move{Now: row.Key(), Was: was})
		}
		return kept.Add(row)
	})
	if err != nil {
		return err
	}
	if kept.Len() > 0 {
		r.thinned = append(r.thinned, id)
	}
	return r.write(ctx, id, &kept, left)
}

// write writes what is left of a run that loses results.
func (r *retention) write(ctx context.Context, id int64, kept *packed.Writer, left packed.Moves) error {
	r.lost = append(r.lost, id)
	if err := writeMoves(ctx, r.tx, id, left); err != nil {
		return err
	}
	return writePacked(ctx, r.tx, id, kept)
}
