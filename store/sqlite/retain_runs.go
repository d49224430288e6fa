package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/packed"
	"github.com/breadcrumb/action/store/record"
)

// retainRuns keeps the newest runs of each workflow, job and leg, and of them the newest
// executions of every test: of trusted runs and of the others so many each. It goes
// through the runs from the one that goes first, which mostly goes whole, until no test
// has more than is kept. It returns the runs that lost some of their results.
func retainRuns(ctx context.Context, tx *sql.Tx, keep store.Retention) (thinned []int64, err error) {
	r := retention{tx: tx, over: map[ledgerTest]int{}, runs: map[int64]retainedRun{}, dated: map[ledgerTest][]datedResult{}, chosen: map[int64]map[packed.Key]bool{}}
	if err := r.readRuns(ctx, keep); err != nil {
		return nil, err
	}
	if err := r.dropRunsBehind(ctx, keep.Runs); err != nil {
		return nil, err
	}
	if err := r.countOver(ctx, keep.Runs); err != nil || len(r.over) == 0 {
		return nil, err
	}
	if err := r.chooseDated(ctx); err != nil {
		return nil, err
	}
	for _, run := range r.order {
		if len(r.over)+len(r.chosen) == 0 {
			return r.thinned, nil
		}
		if err := r.dropFrom(ctx, run); err != nil {
			return nil, err
		}
	}
	return r.thinned, nil
}

// retention deletes the results of each test that are more than is kept.
type retention struct {
	tx    *sql.Tx
	order []int64 // all runs, the one that goes first before the others
	runs  map[int64]retainedRun
	moved runMoves

	thinned []int64 // runs that lost some of their results

	// over is how many results of each test go that have no time of their own, and
	// dated the others of such a test; chosen are those of them that go, by run.
	over   map[ledgerTest]int
	dated  map[ledgerTest][]datedResult
	chosen map[int64]map[packed.Key]bool
}

// retainedRun is what decides when the results of a run go.
type retainedRun struct {
	place   int // in order
	trusted bool
	ahead   bool // it is of a clock that was wrong
	started float64
	variant string // its workflow, job and leg; "" where it has none
}

// ledgerTest is a test under the name that its results were recorded for, in the ledger
// of trusted runs or that of all others.
type ledgerTest struct {
	test    int64
	trusted bool
}

// datedResult is a result of a test of which some have times of their own.
type datedResult struct {
	run           int64
	place         int
	ahead         bool
	at            float64
	now, recorded packed.Key
}

func (r *retention) readRuns(ctx context.Context, keep store.Retention) (err error) {
	var id int64
	var run retainedRun
	var key record.RunKey
	err = forEachRow(ctx, r.tx, []any{&id, &run.trusted, &run.ahead, &run.started, &key.Workflow, &key.Job, &key.Leg}, func() error {
		run.place, run.variant = len(r.order), ""
		if key != (record.RunKey{}) {
			run.variant = key.WorkflowFile() + "\n" + key.Job + "\n" + key.Leg
		}
		r.order, r.runs[id] = append(r.order, id), run
		return nil
	}, `SELECT id, origin IN `+store.TrustedOrigins+`, started_at > ?1, started_at, workflow, job, leg FROM runs
		ORDER BY started_at > ?1 DESC, `+oldestFirst, store.UnixOrLatest(keep.Now)+store.RunLife.Seconds())
	if err != nil {
		return err
	}
	r.moved, err = readMoves(ctx, r.tx, nil)
	return err
}

// dropRunsBehind deletes the results of the runs that have as many newer ones of their
// workflow, job and leg as are kept: tests that are gone or have another name since would
// keep them for ever.
func (r *retention) dropRunsBehind(ctx context.Context, keep int) error {
	type series struct {
		trusted bool
		variant string
	}
	newer := map[series]int{}
	for _, id := range slices.Backward(r.order) {
		run := r.runs[id]
		if run.variant == "" {
			continue
		}
		of := series{run.trusted, run.variant}
		if newer[of]++; newer[of] <= keep {
			continue
		}
		if err := writeMoves(ctx, r.tx, id, nil); err != nil {
			return err
		}
		if err := writePacked(ctx, r.tx, id, &packed.Writer{}); err != nil {
			return err
		}
		delete(r.moved, id)
	}
	return nil
}

// countOver counts how many results of each test are more than is kept.
func (r *retention) countOver(ctx context.Context, keep int) error {
	type ledger struct {
		tests  testNumbers
		counts []int // results, by number
	}
	var trusted, others ledger
	err := r.each(ctx, nil, func(_ int64, run retainedRun, row *packed.Row, was packed.Key) error {
		of := &others
		if run.trusted {
			of = &trusted
		}
		n := of.tests.find(was.Test)
		if n == len(of.counts) {
			of.counts = append(of.counts, 0)
		}
		of.counts[n]++
		if row.At.Known && row.At.Value != run.started {
			r.dated[ledgerTest{was.Test, run.trusted}] = nil
		}
		return nil
	})
	for _, of := range []*ledger{&trusted, &others} {
		for n, count := range of.counts {
			test := ledgerTest{of.tests.ids[n], of == &trusted}
			if count > keep {
				r.over[test] = count - keep
			} else {
				delete(r.dated, test)
			}
		}
	}
	return err
}

// each calls fn with every result of runs, nil for all, and the key that it was recorded
// under.
func (r *retention) each(ctx context.Context, runs []int64, fn func(id int64, run retainedRun, row *packed.Row, was packed.Key) error) error {
	last, run, moved := int64(-1), retainedRun{}, packed.Moves(nil)
	return eachResult(ctx, r.tx, runs, func(id int64, row *packed.Row) error {
		if id != last || last < 0 {
			var err error
			last, run = id, r.runs[id]
			if moved, err = r.moved.of(id); err != nil {
				return err
			}
		}
		return fn(id, run, row, moved.Recorded(row.Key()))
	})
}

// chooseDated chooses the results that go of tests of which some have times of their own:
// those of the seed, which are in runs as we grouped them.
func (r *retention) chooseDated(ctx context.Context) error {
	if len(r.dated) == 0 {
		return nil
	}
	err := r.each(ctx, nil, func(id int64, run retainedRun, row *packed.Row, was packed.Key) error {
		test := ledgerTest{was.Test, run.trusted}
		if list, dated := r.dated[test]; dated {
			at := run.started
			if row.At.Known {
				at = row.At.Value
			}
			r.dated[test] = append(list, datedResult{id, run.place, run.ahead, at, row.Key(), was})
		}
		return nil
	})
	for test, list := range r.dated {
		slices.SortFunc(list, func(a, b datedResult) int {
			if a.ahead != b.ahead {
				return map[bool]int{true: -1, false: 1}[a.ahead]
			}
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.place, b.place), cmp.Compare(a.recorded.Attempt, b.recorded.Attempt))
		})
		for _, d := range list[:min(r.over[test], len(list))] {
			if r.chosen[d.run] == nil {
				r.chosen[d.run] = map[packed.Key]bool{}
			}
			r.chosen[d.run][d.now] = true
		}
		delete(r.over, test)
	}
	r.dated = nil
	return err
}

// dropFrom deletes the results of a run that are more than is kept.
func (r *retention) dropFrom(ctx context.Context, id int64) error {
	var kept packed.Writer
	all, left := 0, packed.Moves(nil)
	err := r.each(ctx, []int64{id}, func(_ int64, run retainedRun, row *packed.Row, was packed.Key) error {
		all++
		test := ledgerTest{was.Test, run.trusted}
		if n := r.over[test]; n > 1 {
			r.over[test] = n - 1
			return nil
		} else if n == 1 {
			delete(r.over, test)
			return nil
		}
		if r.chosen[id][row.Key()] {
			return nil
		}
		if was != row.Key() {
			left = append(left, packed.Move{Now: row.Key(), Was: was})
		}
		return kept.Add(row)
	})
	delete(r.chosen, id)
	if err != nil || kept.Len() == all {
		return err
	}
	if kept.Len() > 0 {
		r.thinned = append(r.thinned, id)
	}
	if err := writeMoves(ctx, r.tx, id, left); err != nil {
		return err
	}
	return writePacked(ctx, r.tx, id, &kept)
}
