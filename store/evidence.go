package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// evidenceRuns is how many runs, the newest, evidence is looked for in. Older
// ones go in steps, so that for many runs the window begins at the same one.
const (
	evidenceRuns = 3000
	evidenceStep = 500
)

// Evidence is the past of a repository as flaky.Judge takes it in.
type Evidence struct {
	Tests []string // test ids by the numbers that Runs use; of a Hearing "" until asked for
	Runs  []EvidenceRun

	ids []int64 // row ids of the tests, by their numbers
}

// EvidenceRun is one run of the past.
type EvidenceRun struct {
	ID      int64 // row id of the run
	Attempt int
	flaky.Run
}

// Evidence returns the newest runs of info's repository, oldest first, on every
// branch. Tests that never failed and never healed a locator are left out: they
// passed wherever they ran.
func (db *DB) Evidence(ctx context.Context, info engine.RunInfo) (Evidence, error) {
	return evidence(ctx, db, info)
}

// annals is what of a store the evidence is read from.
type annals interface {
	runAnnals
	resultAnnals
	nameAnnals
}

// runAnnals tells which runs there are.
type runAnnals interface {
	// evidenceRuns fills in the runs of info's repository, oldest first.
	evidenceRuns(ctx context.Context, info engine.RunInfo, g *gathering) error
	// evidenceMoves sums up which results belong to another test than they were
	// recorded for.
	evidenceMoves(ctx context.Context, g *gathering) error
	// derived returns what was kept under a name, nil when nothing was.
	derived(ctx context.Context, name string) ([]byte, error)
}

// resultAnnals tells what happened in runs.
type resultAnnals interface {
	// failing returns the row ids, rising, of the tests that failed or healed a
	// locator in the runs, or with nil in any run.
	failing(ctx context.Context, runs []int64) ([]int64, error)
	// evidenceResults takes in the results of tests in the runs, or with nil in
	// all runs.
	evidenceResults(ctx context.Context, g *gathering, tests, runs []int64) error
	// executions counts in which of the heard runs the tests were executed.
	executions(ctx context.Context, g *gathering, tests []int64) error
}

// nameAnnals tells the identities of tests.
type nameAnnals interface {
	// testNames returns the identities of tests by their row ids.
	testNames(ctx context.Context, ids []int64) (map[int64]string, error)
	// testsNamed is the inverse of testNames.
	testsNamed(ctx context.Context, names []string) (map[int64]string, error)
}

func evidence(ctx context.Context, a annals, info engine.RunInfo) (Evidence, error) {
	g := newGathering()
	if err := a.evidenceRuns(ctx, info, g); err != nil {
		return Evidence{}, fmt.Errorf("read runs: %w", err)
	}
	if err := g.gatherAll(ctx, a); err != nil {
		return Evidence{}, err
	}
	g.finish()
	return g.Evidence, name(ctx, a, &g.Evidence, g.ids)
}

// gatherAll takes in the past of every test that failed or healed once. Tests
// are numbered in the order of their row ids, so that what follows from the
// order follows every time.
func (g *gathering) gatherAll(ctx context.Context, a annals) error {
	tests, err := a.failing(ctx, nil)
	if err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	g.add(tests)
	if err := a.evidenceResults(ctx, g, tests, nil); err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	return nil
}

// name fills in the identities of tests given by their row ids.
func name(ctx context.Context, a nameAnnals, e *Evidence, ids []int64) error {
	names, err := a.testNames(ctx, ids)
	if err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	e.take(names)
	return nil
}

// take fills in identities by row ids.
func (e *Evidence) take(names map[int64]string) {
	for t, id := range e.ids {
		if name, told := names[id]; told {
			e.Tests[t] = name
		}
	}
}

// Progress returns the entries with how far those by evidence are on their way
// out, as judge, who heard this past, knows it.
func (e Evidence) Progress(judge *flaky.Judge, entries []flaky.Entry) []flaky.Entry {
	number := e.Numbers()
	out := slices.Clone(entries)
	for i := range out {
		test, known := number[out[i].TestID]
		if !known || !out[i].ByEvidence() || !judge.Main.Held(test) {
			continue
		}
		facts, _ := judge.Main.Facts(test)
		out[i].Clean, out[i].Release = facts.Clean, facts.Release
	}
	return out
}

func (db *DB) evidenceRuns(ctx context.Context, info engine.RunInfo, g *gathering) error {
	rows, err := db.sql.QueryContext(ctx, `SELECT id, run_attempt, workflow, job, leg, origin, commit_sha, branch, pull_request, result_count, payload_digest FROM runs
		WHERE ? = 0 OR repository_id IN (0, ?) ORDER BY `+runOrder("ASC"),
		info.RepositoryID, info.RepositoryID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r EvidenceRun
		var from origin
		var branch string
		var pr int
		var payload []byte
		var key runKey
		if err := rows.Scan(&r.ID, &r.Attempt, &key.workflow, &key.job, &key.leg, &from, &r.Commit, &branch, &pr, &r.Run.Tests, &payload); err != nil {
			return err
		}
		r.Source, r.Variant = witness(from, branch, pr), key.lane()
		g.Runs, g.payloads, g.results = append(g.Runs, r), append(g.payloads, payload), append(g.results, int64(r.Run.Tests))
	}
	start := len(g.Runs) - windowOf(len(g.Runs))
	g.Runs, g.payloads, g.results = g.Runs[start:], g.payloads[start:], g.results[start:]
	g.rank()
	return rows.Err()
}

// windowOf returns how many of all runs, the newest, evidence is looked for in.
func windowOf(runs int) int {
	over := max(0, runs-evidenceRuns)
	return runs - (over+evidenceStep-1)/evidenceStep*evidenceStep
}

// rank numbers the runs, which are in order.
func (g *gathering) rank() {
	for i, r := range g.Runs {
		g.ranks[r.ID] = i
	}
	g.ran, g.failed = make([]bits, len(g.Runs)), make([]bits, len(g.Runs))
}

// witness names who a run testifies for, "" for those everybody trusts.
func witness(from origin, branch string, pr int) string {
	switch from {
	case fromPullRequest:
		return "pr-" + strconv.Itoa(pr)
	case fromBranch:
		return "branch " + branch
	}
	return ""
}

// failing returns the tests that failed or healed a locator, by an index of just
// such attempts.
func (db *DB) failing(ctx context.Context, runs []int64) ([]int64, error) {
	in := condition{`(status >= 2 OR healed <> 0)`, nil}
	if runs != nil {
		in = in.and(`run IN (SELECT value FROM json_each(?))`, jsonList(runs))
	}
	rows, err := db.sql.QueryContext(ctx, `SELECT DISTINCT test FROM results INDEXED BY results_failing`+in.where()+` ORDER BY test`, in.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var tests []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		tests = append(tests, id)
	}
	return tests, rows.Err()
}

// evidenceResults reads rows in the order of the key.
func (db *DB) evidenceResults(ctx context.Context, g *gathering, tests, runs []int64) error {
	labels, err := db.names(ctx, `SELECT id, name FROM labels`)
	if err != nil {
		return err
	}
	which := condition{`test IN (SELECT value FROM json_each(?))`, []any{jsonList(tests)}}
	if runs != nil {
		which = which.and(`run IN (SELECT value FROM json_each(?))`, jsonList(runs))
	}
	rows, err := db.sql.QueryContext(ctx, `SELECT test, run, attempt * 8 + status * 2 + (healed <> 0), coalesce(signature, 0), coalesce(place, 0)
		FROM results`+which.where()+` ORDER BY test, run, attempt`, which.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	group := group{g: g, labels: labels, rank: -1}
	last := int64(-1)
	for rows.Next() {
		var test, run, packed, signature, place int64
		if err := rows.Scan(&test, &run, &packed, &signature, &place); err != nil {
			return err
		}
		if test != last {
			group.finish()
			last = test
			group.test = g.number(test)
		}
		group.add(run, packed, signature, place)
	}
	group.finish()
	return rows.Err()
}

// executions counts without looking at more than the key and the status: in a
// run of many failures these are most of the rows.
func (db *DB) executions(ctx context.Context, g *gathering, tests []int64) error {
	all, onMain := g.heardRuns()
	rows, err := db.sql.QueryContext(ctx, `SELECT test, count(*), total(run IN (SELECT value FROM json_each(?)))
		FROM (SELECT DISTINCT test, run FROM results WHERE test IN (SELECT value FROM json_each(?)) AND status <> 1
			AND run IN (SELECT value FROM json_each(?))) GROUP BY test`, jsonList(onMain), jsonList(tests), jsonList(all))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var test int64
		var before, onMain float64
		if err := rows.Scan(&test, &before, &onMain); err != nil {
			return err
		}
		n := g.number(test)
		g.before[n], g.onMain[n] = int(before), int(onMain)
	}
	return rows.Err()
}

// jsonList writes numbers or texts as json_each reads them.
func jsonList[T int64 | string](list []T) string {
	text, _ := json.Marshal(list) // neither can fail
	return string(text)
}
