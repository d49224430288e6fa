package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"

	"github.com/breadcrumb/action/store/packed"
	"github.com/breadcrumb/action/store/sqlstore"
)

// The statements that read results, which are packed: each names a function of
// resultQueries, which gives the rows that the statement of a server selects.
const (
	knownTests      = "results: known tests"
	hasTest         = "results: has test"
	allResults      = "results: all"
	resultsOf       = "results: of tests"
	failedLately    = "results: failed lately"
	timelineResults = "results: timeline"
	failing         = "results: failing"
	failingIn       = "results: failing in runs"
	evidence        = "results: evidence"
	evidenceIn      = "results: evidence in runs"
	executions      = "results: executions"
	countTests      = "results: count tests"
	namesIn         = "results: names in runs"
)

var resultQueries = map[string]func(resultQuery, context.Context) error{
	knownTests: resultQuery.knownTests, hasTest: resultQuery.hasTest, countTests: resultQuery.countTests, namesIn: resultQuery.namesIn,
	allResults: resultQuery.all, resultsOf: resultQuery.ofTests, timelineResults: resultQuery.timeline,
	failedLately: resultQuery.failedLately, failing: resultQuery.failing, failingIn: resultQuery.failing,
	evidence: resultQuery.evidence, evidenceIn: resultQuery.evidence, executions: resultQuery.executions,
}

// resultQuery is a question about results: row is called with columns set.
type resultQuery struct {
	q       queryer
	args    sqlstore.Args
	columns []any
	row     func() error
}

// runs returns the row ids of the runs that are asked for; nil stands for all.
func (r resultQuery) runs() []int64 {
	runs, _ := r.args["runs"].([]int64)
	return runs
}

// tests returns the row ids of the tests that are asked for.
func (r resultQuery) tests() map[int64]bool {
	ids, _ := r.args["tests"].([]int64)
	tests := make(map[int64]bool, len(ids))
	for _, id := range ids {
		tests[id] = true
	}
	return tests
}

// column returns a column's place for integers.
func (r resultQuery) column(i int) *int64 { return r.columns[i].(*int64) }

// setColumn sets a column of one number, which may be of another type of integer.
func (r resultQuery) setColumn(n int) error {
	switch c := r.columns[0].(type) {
	case *int:
		*c = n
	case *int64:
		*c = int64(n)
	case *bool:
		*c = n > 0
	}
	return r.row()
}

// selectNames gives the names of tests, ordered by an SQL term.
func (r resultQuery) selectNames(ctx context.Context, tests []int64, order string) error {
	return forEachRow(ctx, r.q, r.columns, r.row, `SELECT name FROM tests JOIN (SELECT value, key FROM json_each(?)) ON id = value ORDER BY `+order, idList(tests))
}

// testsIn returns the row ids of the tests with results in runs, ascending.
func testsIn(ctx context.Context, q queryer, runs []int64) ([]int64, error) {
	var tests testNumbers
	err := eachRun(ctx, q, runs, func(run int64, results []byte) error {
		return ofRun(run, results, packed.EachHead, func(row *packed.Row) error {
			tests.find(row.Test)
			return nil
		})
	})
	return slices.Sorted(slices.Values(tests.ids)), err
}

func (r resultQuery) knownTests(ctx context.Context) error {
	run, _ := r.args["run"].(int64)
	r.args = sqlstore.Args{"runs": []int64{run}}
	return r.namesIn(ctx)
}

func (r resultQuery) namesIn(ctx context.Context) error {
	tests, err := testsIn(ctx, r.q, append([]int64{}, r.runs()...))
	if err != nil {
		return err
	}
	return r.selectNames(ctx, tests, "name")
}

func (r resultQuery) countTests(ctx context.Context) error {
	tests, err := testsIn(ctx, r.q, r.runs())
	if err != nil {
		return err
	}
	return r.setColumn(len(tests))
}

func (r resultQuery) hasTest(ctx context.Context) error {
	ids, err := readColumn[int64](ctx, r.q, `SELECT id FROM tests WHERE name = @test`, sql.Named("test", r.args["test"]))
	if err != nil {
		return err
	}
	have := 0
	if len(ids) > 0 {
		if err := eachTestRun(ctx, r.q, func(test, _ int64) {
			if test == ids[0] {
				have++
			}
		}); err != nil {
			return err
		}
	}
	return r.setColumn(have)
}

// eachTestRun calls fn with every test of every run that it has results in, run by run.
func eachTestRun(ctx context.Context, q queryer, fn func(test, run int64)) error {
	return eachRun(ctx, q, nil, func(run int64, results []byte) error {
		var last int64
		first := true
		return ofRun(run, results, packed.EachHead, func(row *packed.Row) error {
			if first || row.Test != last {
				fn(row.Test, run)
			}
			last, first = row.Test, false
			return nil
		})
	})
}

// attempt is a result of which a question needs a part.
type attempt struct {
	test, run int64
	nth       int32
	ms        float32
	number    int64
}

// collect gives the attempts of tests, nil for all, sorted by test, run and attempt: in
// columns of test, run and a number, and of the duration where a fourth is asked for.
func (r resultQuery) collect(ctx context.Context, runs []int64, tests map[int64]bool, number func(*packed.Row) int64) error {
	var all []attempt
	err := eachResult(ctx, r.q, runs, func(run int64, row *packed.Row) error {
		if tests == nil || tests[row.Test] {
			all = append(all, attempt{row.Test, run, int32(min(row.Attempt, 1<<31-1)), float32(row.Duration.Value), number(row)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b attempt) int {
		return cmp.Or(cmp.Compare(a.test, b.test), cmp.Compare(a.run, b.run), cmp.Compare(a.nth, b.nth))
	})
	for _, a := range all {
		*r.column(0), *r.column(1), *r.column(2) = a.test, a.run, a.number
		if len(r.columns) > 3 {
			*r.columns[3].(*float64) = float64(a.ms)
		}
		if err := r.row(); err != nil {
			return err
		}
	}
	return nil
}

func attemptAndStatus(row *packed.Row) int64 { return row.Attempt*4 + int64(row.Status) }

func (r resultQuery) all(ctx context.Context) error {
	return r.collect(ctx, nil, nil, attemptAndStatus)
}

func (r resultQuery) ofTests(ctx context.Context) error {
	names, _ := r.args["names"].([]string)
	list, err := json.Marshal(names)
	if err != nil {
		return err
	}
	ids, err := readColumn[int64](ctx, r.q, `SELECT id FROM tests WHERE name IN (SELECT value FROM json_each(?))`, string(list))
	if err != nil || len(ids) == 0 {
		return err
	}
	r.args = sqlstore.Args{"tests": ids}
	return r.collect(ctx, nil, r.tests(), attemptAndStatus)
}

func (r resultQuery) timeline(ctx context.Context) error {
	return r.collect(ctx, append([]int64{}, r.runs()...), nil, func(row *packed.Row) int64 { return row.Signature*8 + int64(row.Status*2+healedBit(row)) })
}

func healedBit(row *packed.Row) int {
	if row.Healed {
		return 1
	}
	return 0
}

// isNoted reports whether an attempt failed or healed a locator.
func isNoted(row *packed.Row) bool { return row.Status >= 2 || row.Healed }

func (r resultQuery) failing(ctx context.Context) error {
	tests := map[int64]bool{}
	err := eachRun(ctx, r.q, r.runs(), func(run int64, results []byte) error {
		return ofRun(run, results, packed.EachHead, func(row *packed.Row) error {
			if isNoted(row) {
				tests[row.Test] = true
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	for _, test := range slices.Sorted(maps.Keys(tests)) {
		*r.column(0) = test
		if err := r.row(); err != nil {
			return err
		}
	}
	return nil
}

// evidence gives the results run by run.
func (r resultQuery) evidence(ctx context.Context) error {
	ids, _ := r.args["tests"].([]int64)
	tests := slices.Sorted(slices.Values(ids))
	test, of, number, signature, place := r.column(0), r.column(1), r.column(2), r.column(3), r.column(4)
	return eachRun(ctx, r.q, r.runs(), func(run int64, results []byte) error {
		at := 0 // the tests come in this order in each run
		return ofRun(run, results, packed.Each, func(row *packed.Row) error {
			for at < len(tests) && tests[at] < row.Test {
				at++
			}
			if at == len(tests) || tests[at] != row.Test {
				return nil
			}
			*test, *of, *signature, *place = row.Test, run, row.Signature, row.Place
			*number = row.Attempt*8 + int64(row.Status*2+healedBit(row))
			return r.row()
		})
	})
}

func (r resultQuery) executions(ctx context.Context) error {
	type execution struct{ test, run int64 }
	var all []execution
	if tests := r.tests(); len(tests) > 0 {
		err := eachResult(ctx, r.q, r.runs(), func(run int64, row *packed.Row) error {
			if tests[row.Test] && row.Status != 1 {
				all = append(all, execution{row.Test, run})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(all, func(a, b execution) int { return cmp.Or(cmp.Compare(a.test, b.test), cmp.Compare(a.run, b.run)) })
	for _, e := range slices.Compact(all) {
		*r.column(0), *r.column(1) = e.test, e.run
		if err := r.row(); err != nil {
			return err
		}
	}
	return nil
}

// failedLately gives the names of the tests that failed most often in the newest runs.
func (r resultQuery) failedLately(ctx context.Context) error {
	runs, err := readColumn[int64](ctx, r.q, `SELECT id`+counted+` ORDER BY started_at DESC, id DESC LIMIT @runs`, namedArgs(r.args)...)
	if err != nil {
		return err
	}
	count := map[int64]int{}
	err = eachResult(ctx, r.q, append([]int64{}, runs...), func(_ int64, row *packed.Row) error {
		if isNoted(row) {
			count[row.Test]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	tests := slices.SortedFunc(maps.Keys(count), func(a, b int64) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	limit, _ := r.args["limit"].(int)
	return r.selectNames(ctx, tests[:min(limit, len(tests))], "key")
}
