package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/packed"
)

// rename is one rename of a test.
type rename struct {
	to engine.TestID
	at float64
}

// renames holds the renames of every test, oldest first.
type renames map[engine.TestID][]rename

// followRenames returns the present name of a result that was recorded under a name
// in a run that started at a time, and since when it has that name. Every step goes
// forward in time, so that a circle of renames ends.
func (r renames) followRenames(name engine.TestID, at float64) (present engine.TestID, since float64) {
	for {
		list := r[name]
		i := slices.IndexFunc(list, func(next rename) bool { return next.at > at })
		if i < 0 {
			return name, at
		}
		name, at = list[i].to, list[i].at
	}
}

func readRenames(ctx context.Context, tx *sql.Tx) (renames, error) {
	all := renames{}
	var old engine.TestID
	var r rename
	err := forEachRow(ctx, tx, []any{&old, &r.to, &r.at}, func() error {
		all[old] = append(all[old], r)
		return nil
	}, `SELECT old, new, at FROM renames ORDER BY at, new`)
	return all, err
}

// renamedResults is the results of one test in one run.
type renamedResults struct {
	test  int64
	name  engine.TestID
	to    engine.TestID
	since float64 // time of the rename to to
}

// applyRenames gives the results of runs, nil for all, to the tests that they were
// renamed to. The outcome depends only on the results and renames that are there, not on
// the order in which they came. In a run that has results of the new name already,
// the old name stays; only a run of the seed's rows, which were grouped by us,
// holds both.
func applyRenames(ctx context.Context, tx *sql.Tx, runs []int64) error {
	a := renaming{tx: tx, tests: map[int64]engine.TestID{}, w: newWriter(tx)}
	var err error
	if a.all, err = readRenames(ctx, tx); err != nil || len(a.all) == 0 {
		return err
	}
	var id int64
	var name engine.TestID
	if err := forEachRow(ctx, tx, []any{&id, &name}, func() error {
		a.tests[id] = name
		return nil
	}, `SELECT id, name FROM tests WHERE name IN (SELECT old FROM renames)`); err != nil {
		return err
	}
	if a.moved, err = readMoves(ctx, tx, runs); err != nil {
		return err
	}
	due, err := a.dueRuns(ctx, runs)
	if err != nil {
		return err
	}
	for _, run := range due {
		if err := a.renameRun(ctx, run); err != nil {
			return store.Wrap(err, "rename the results of a run")
		}
	}
	return nil
}

// renaming applies renames to the results of one run after the other.
type renaming struct {
	tx    *sql.Tx
	w     *writer
	all   renames
	tests map[int64]engine.TestID // those that were ever renamed, by row id
	moved runMoves

	have, rows []packed.Row // of a run, before and after; reused
}

// dueRuns returns which of the runs have results of tests that were renamed.
func (a *renaming) dueRuns(ctx context.Context, runs []int64) (due []int64, err error) {
	err = eachRun(ctx, a.tx, runs, func(run int64, results []byte) error {
		if a.moved[run] != nil {
			due = append(due, run)
			return nil
		}
		found := false
		err := ofRun(run, results, packed.EachHead, func(r *packed.Row) error {
			found = found || a.tests[r.Test] != ""
			return nil
		})
		if found {
			due = append(due, run)
		}
		return err
	})
	return due, err
}

// renameRun gives the results of a run to the tests that they were renamed to.
func (a *renaming) renameRun(ctx context.Context, run int64) error {
	a.have = a.have[:0]
	if err := eachResult(ctx, a.tx, []int64{run}, func(_ int64, r *packed.Row) error {
		a.have = append(a.have, *r)
		return nil
	}); err != nil {
		return err
	}
	var started float64
	var from int
	if err := a.tx.QueryRowContext(ctx, `SELECT started_at, origin FROM runs WHERE id = ?`, run).Scan(&started, &from); err != nil {
		return err
	}
	before, err := a.moved.of(run)
	if err != nil {
		return err
	}
	a.rows = undoMoves(before, append(a.rows[:0], a.have...))
	due, moved := orderMoves(a.dueMoves(a.rows, started)), map[packed.Key]packed.Key{}
	to := make([]int64, len(due))
	for i := range due {
		if to[i], err = a.w.tests.numberName(ctx, string(due[i].to)); err != nil {
			return err
		}
	}
	places := placesOf(a.rows, due, to)
	for i := range due {
		due[i].moveResults(a.rows, places, to[i], store.Origin(from) == store.FromSeed, moved)
	}
	sortResults(a.rows)
	after := movesOf(moved)
	if slices.Equal(after, before) && slices.Equal(a.rows, a.have) {
		return nil
	}
	if err := writeMoves(ctx, a.tx, run, after); err != nil {
		return err
	}
	return writeResults(ctx, a.tx, run, a.rows)
}

// placesOf returns where the rows of the tests are that results move from and to.
func placesOf(rows []packed.Row, due []renamedResults, to []int64) map[int64][]int {
	places := make(map[int64][]int, 2*len(due))
	for i := range due {
		places[due[i].test], places[to[i]] = nil, nil
	}
	for i := range rows {
		if at, asked := places[rows[i].Test]; asked {
			places[rows[i].Test] = append(at, i)
		}
	}
	return places
}

// orderMoves returns the moves of a run so that a name that another test of the run takes
// is given on first. Of several that take one name the first to be renamed comes first.
func orderMoves(due []renamedResults) []renamedResults {
	slices.SortFunc(due, func(a, b renamedResults) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.name, b.name))
	})
	waiting := make(map[engine.TestID][]renamedResults, len(due))
	for _, b := range due {
		waiting[b.name] = append(waiting[b.name], b)
	}
	ordered := make([]renamedResults, 0, len(due))
	var add func(name engine.TestID)
	add = func(name engine.TestID) {
		moves := waiting[name]
		delete(waiting, name)
		for _, b := range moves {
			add(b.to)
		}
		ordered = append(ordered, moves...)
	}
	for _, b := range due {
		add(b.name)
	}
	return ordered
}

// moveResults gives the results of a test in a run to another test, and notes which keys
// they had.
func (b renamedResults) moveResults(rows []packed.Row, places map[int64][]int, to int64, seed bool, moved map[packed.Key]packed.Key) {
	taken := int64(0)
	for _, i := range places[to] {
		taken = max(taken, rows[i].Attempt)
	}
	if taken > 0 && !seed {
		return
	}
	if seed { // the seed's rows are all attempt 1: renamed ones get higher numbers
		taken = max(taken, 1)
	}
	var stay []int
	for _, i := range places[b.test] {
		r := &rows[i]
		if seed && r.Attempt != 1 {
			stay = append(stay, i)
			continue
		}
		was, again := moved[r.Key()]
		if !again {
			was = r.Key()
		}
		delete(moved, r.Key())
		r.Test, r.Attempt = to, r.Attempt+taken
		moved[r.Key()] = was
		places[to] = append(places[to], i)
	}
	places[b.test] = stay
}

// dueMoves lists the results of a run whose test was renamed.
func (a *renaming) dueMoves(rows []packed.Row, started float64) []renamedResults {
	due := map[renamedResults]bool{}
	for i := range rows {
		name, renamed := a.tests[rows[i].Test]
		if !renamed {
			continue
		}
		at := started
		if rows[i].At.Known {
			at = rows[i].At.Value
		}
		if to, since := a.all.followRenames(name, at); to != name {
			due[renamedResults{rows[i].Test, name, to, since}] = true
		}
	}
	return slices.Collect(maps.Keys(due))
}
