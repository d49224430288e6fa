package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

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

// gathering collects the rows of tests that failed once.
type gathering struct {
	Evidence
	numbers  map[int64]int // of tests, by row id
	ranks    map[int64]int // of runs, by row id
	results  []int64       // by run: attempts
	payloads [][]byte      // by run: what tells its results from others
	ran      []bits        // by run: the tests that were part of it
	failed   []bits        // by run: the tests that failed for good
	heard    int           // runs that are not heard again
	moves    string        // see evidenceMoves
	since    time.Time     // day on which the first of the runs was recorded; servers alone

	// before and onMain are by test in how many runs it was executed, of all and
	// of the default branch, before those that finish has come to.
	before, onMain []int
}

func newGathering() *gathering {
	return &gathering{ranks: map[int64]int{}, numbers: map[int64]int{}}
}

// number returns the number of the test of a row id, -1 when it never failed.
func (g *gathering) number(id int64) int {
	if n, known := g.numbers[id]; known {
		return n
	}
	return -1
}

// add numbers the tests of row ids.
func (g *gathering) add(ids []int64) {
	for _, id := range ids {
		g.numbers[id] = len(g.ids)
		g.ids = append(g.ids, id)
	}
	g.before, g.onMain = make([]int, len(g.ids)), make([]int, len(g.ids))
}

// bits is a set of small numbers.
type bits []uint64

func (b bits) has(n int) bool { return n>>6 < len(b) && b[n>>6]>>(n&63)&1 == 1 }

func (b *bits) add(n int) {
	for n>>6 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[n>>6] |= 1 << (n & 63)
}

func (db *DB) evidenceRuns(ctx context.Context, info engine.RunInfo, g *gathering) error {
	rows, err := db.sql.QueryContext(ctx, `SELECT id, run_attempt, origin, commit_sha, branch, pull_request, result_count, payload_digest FROM runs
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
		if err := rows.Scan(&r.ID, &r.Attempt, &from, &r.Commit, &branch, &pr, &r.Run.Tests, &payload); err != nil {
			return err
		}
		r.Witness = witness(from, branch, pr)
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

// group is the attempts of one test in one run.
type group struct {
	g       *gathering
	labels  map[int64]string
	test    int
	run     int64
	rank    int // -1: of no run that counts
	o       flaky.Observation
	noted   bool // it failed or healed
	scratch []engine.Status
}

func (a *group) add(run, packed, signature, place int64) {
	if a.rank < 0 || run != a.run {
		a.finish()
		rank, counts := a.g.ranks[run]
		if !counts {
			return
		}
		a.run, a.rank = run, rank
		a.o = flaky.Observation{Test: a.test, Attempts: a.scratch[:0]}
	}
	status := statuses[packed/2%4]
	a.o.Attempts = append(a.o.Attempts, status)
	a.scratch = a.o.Attempts
	a.o.Healed = a.o.Healed || packed%2 == 1
	a.noted = a.noted || status.Failing() || a.o.Healed
	a.o.Place = cmp.Or(a.labels[place], a.o.Place)
	if label := a.labels[signature]; status.Failing() && label != "" && !slices.Contains(a.o.Signatures, label) {
		a.o.Signatures = append(a.o.Signatures, label)
	}
}

func (a *group) finish() {
	if a.rank < 0 {
		return
	}
	g, run := a.g, &a.g.Runs[a.rank]
	if slices.ContainsFunc(a.o.Attempts, func(s engine.Status) bool { return s != engine.StatusSkipped }) {
		g.ran[a.rank].add(a.o.Test)
	}
	if a.noted {
		run.Tests -= len(a.o.Attempts) - 1
		if a.o.Attempts[len(a.o.Attempts)-1].Failing() {
			g.failed[a.rank].add(a.o.Test)
		}
		a.o.Attempts = slices.Clone(a.o.Attempts)
		run.Observations = append(run.Observations, a.o)
	}
	a.rank, a.noted = -1, false
}

// finish fills in what follows from the runs before, for the runs still to be
// heard.
func (g *gathering) finish() {
	observed := g.observed()
	earlier := map[build][]int{}
	for i := range g.Runs {
		run := &g.Runs[i]
		key := buildOf(run.Run)
		if i >= g.heard {
			g.look(run, i, earlier[key])
			g.count(observed, i)
		}
		earlier[key] = append(earlier[key], i)
	}
	g.Runs = g.Runs[g.heard:]
	g.Tests = make([]string, len(g.ids))
}

// build is what is tested again by a rerun.
type build struct{ commit, witness string }

func buildOf(run flaky.Run) build { return build{run.Commit, run.Witness} }

// look fills in what run i saw of the runs before it; again are those of the same
// build.
func (g *gathering) look(run *EvidenceRun, i int, again []int) {
	run.Ran = g.ran[i].has
	for j := range run.Observations {
		o := &run.Observations[j]
		o.Before, o.BeforeMain = g.before[o.Test], g.onMain[o.Test]
		o.PassedBefore = run.Commit != "" && slices.ContainsFunc(again, func(k int) bool {
			return g.ran[k].has(o.Test) && !g.failed[k].has(o.Test)
		})
	}
}

// count counts the executions of the tests in run i.
func (g *gathering) count(tests []int, i int) {
	for _, test := range tests {
		if !g.ran[i].has(test) {
			continue
		}
		g.before[test]++
		if g.Runs[i].Witness == "" {
			g.onMain[test]++
		}
	}
}

// observed returns the tests that failed or healed in a run still to be heard.
func (g *gathering) observed() []int {
	in := make([]bool, len(g.ids))
	var tests []int
	for _, run := range g.Runs[g.heard:] {
		for _, o := range run.Observations {
			if !in[o.Test] {
				in[o.Test] = true
				tests = append(tests, o.Test)
			}
		}
	}
	return tests
}

// heardRuns returns the row ids of the heard runs, of all and of the default
// branch.
func (g *gathering) heardRuns() (all, onMain []int64) {
	for _, run := range g.Runs[:g.heard] {
		all = append(all, run.ID)
		if run.Witness == "" {
			onMain = append(onMain, run.ID)
		}
	}
	return all, onMain
}

// runIDs returns the row ids of the runs that are not heard yet, and of the heard
// ones that tested the same build.
func (g *gathering) runIDs() (unheard, again []int64) {
	unheard, again = []int64{}, []int64{} // nil would be all
	builds := map[build]bool{}
	for _, run := range g.Runs[g.heard:] {
		unheard = append(unheard, run.ID)
		builds[buildOf(run.Run)] = run.Commit != ""
	}
	for _, run := range g.Runs[:g.heard] {
		if builds[buildOf(run.Run)] {
			again = append(again, run.ID)
		}
	}
	return unheard, again
}
