package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
)

// Timeline returns what every test did in the last runs, at most limit of them,
// that everybody may trust and that began at since or later. Runs of one
// attempt of a workflow run are one, whatever their jobs and legs.
func (db *DB) Timeline(ctx context.Context, limit int, since time.Time) (outcome.Timeline, error) {
	w := newWeaving(limit)
	if err := db.timelineRuns(ctx, w, since); err != nil {
		return outcome.Timeline{}, fmt.Errorf("read runs: %w", err)
	}
	names, err := db.names(ctx, `SELECT id, name FROM tests`)
	if err != nil {
		return outcome.Timeline{}, fmt.Errorf("read tests: %w", err)
	}
	if err := db.timelineResults(ctx, w); err != nil {
		return outcome.Timeline{}, fmt.Errorf("read results: %w", err)
	}
	return w.timeline(names), nil
}

func (db *DB) timelineRuns(ctx context.Context, w *weaving, since time.Time) error {
	counted := scope(engine.RunInfo{}).and(`started_at >= ?`, unix(bounded(since)))
	rows, err := db.sql.QueryContext(ctx, `SELECT id, repository_id, run_id, run_attempt, workflow, started_at, repository, commit_sha, branch
		FROM runs`+counted.where()+` ORDER BY `+runOrder("DESC"), counted.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var k columnKey
		var r outcome.TimelineRun
		var started float64
		if err := rows.Scan(&id, &k.repository, &k.run, &k.attempt, &k.workflow, &started, &r.Repository, &r.Commit, &r.Branch); err != nil {
			return err
		}
		r.Started = fromUnix(started)
		w.addRun(id, k, r)
	}
	return rows.Err()
}

func (db *DB) timelineResults(ctx context.Context, w *weaving) error {
	list, err := json.Marshal(slices.Collect(maps.Keys(w.columns)))
	if err != nil {
		return err
	}
	rows, err := db.sql.QueryContext(ctx, `SELECT test, run, (attempt * 4 + status) * 2 + (healed <> 0), coalesce(duration_ms, 0) FROM results
		WHERE run IN (SELECT value FROM json_each(?)) ORDER BY test, run, attempt`, string(list))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var test, run, packed int64
		var ms float64
		if err := rows.Scan(&test, &run, &packed, &ms); err != nil {
			return err
		}
		w.addAttempt(test, run, statuses[packed/2%4], packed%2 == 1, ms)
	}
	return rows.Err()
}

// columnKey is what the rows of one column of a timeline share; of a local run,
// which has no run id, the row's own id.
type columnKey struct {
	repository, run int64
	attempt         int
	workflow        string
	row             int64
}

// weaving puts a timeline together from rows of runs, the newest first, and
// rows of attempts, sorted by test, run and attempt.
type weaving struct {
	limit   int
	keys    map[columnKey]int
	columns map[int64]int // by row id of the run; counted from the newest
	runs    []outcome.TimelineRun
	tests   []woven

	// Of the test and run that attempts are being added to.
	run      int64
	attempts []engine.Status
	healed   bool
	ms       float64
}

type woven struct {
	test int64
	outcome.TimelineTest
}

func newWeaving(limit int) *weaving {
	return &weaving{limit: limit, keys: map[columnKey]int{}, columns: map[int64]int{}}
}

func (w *weaving) addRun(id int64, k columnKey, r outcome.TimelineRun) {
	if k.run == 0 {
		k.row = id
	}
	column, known := w.keys[k]
	if !known {
		if len(w.runs) >= w.limit {
			return
		}
		column = len(w.runs)
		w.keys[k] = column
		r.RunID, r.Attempt = k.run, k.attempt
		w.runs = append(w.runs, r)
	}
	w.columns[id] = column
}

func (w *weaving) addAttempt(test, run int64, status engine.Status, healed bool, ms float64) {
	if len(w.tests) == 0 || w.tests[len(w.tests)-1].test != test || w.run != run {
		w.finishRun()
		w.run = run
	}
	if len(w.tests) == 0 || w.tests[len(w.tests)-1].test != test {
		w.tests = append(w.tests, woven{test, outcome.TimelineTest{
			Cells: make([]outcome.Cell, len(w.runs)), DurationMS: make([]float32, len(w.runs)),
		}})
	}
	w.attempts, w.healed, w.ms = append(w.attempts, status), w.healed || healed, ms
}

func (w *weaving) finishRun() {
	if len(w.attempts) == 0 {
		return
	}
	t := w.tests[len(w.tests)-1]
	at := len(w.runs) - 1 - w.columns[w.run]
	if c := outcome.CellOf(w.attempts, w.healed); c > t.Cells[at] {
		t.Cells[at], t.DurationMS[at] = c, float32(w.ms)
	}
	w.attempts, w.healed = w.attempts[:0], false
}

func (w *weaving) timeline(names map[int64]string) outcome.Timeline {
	w.finishRun()
	slices.Reverse(w.runs)
	line := outcome.Timeline{Runs: w.runs}
	for _, t := range w.tests {
		if t.TestID = names[t.test]; t.TestID != "" {
			line.Tests = append(line.Tests, t.TimelineTest)
		}
	}
	slices.SortFunc(line.Tests, func(a, b outcome.TimelineTest) int { return cmp.Compare(a.TestID, b.TestID) })
	line.Tally()
	return line
}
