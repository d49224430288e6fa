package store

import (
	"cmp"
	"context"
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
	g := newGathering()
	if err := db.evidenceRuns(ctx, info, g); err != nil {
		return Evidence{}, fmt.Errorf("read runs: %w", err)
	}
	if err := db.evidenceTests(ctx, g); err != nil {
		return Evidence{}, fmt.Errorf("read tests: %w", err)
	}
	if err := db.evidenceResults(ctx, g, everFailed); err != nil {
		return Evidence{}, fmt.Errorf("read results: %w", err)
	}
	g.finish()
	if err := db.nameAll(ctx, &g.Evidence); err != nil {
		return Evidence{}, err
	}
	return g.Evidence, nil
}

// everFailed holds for the results of tests that failed or healed once.
var everFailed = condition{text: `test IN (SELECT DISTINCT test FROM results INDEXED BY results_failing WHERE status >= 2 OR healed <> 0)`}

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

// evidenceTests numbers the tests that failed or healed once, in the order of
// their row ids, so that what follows from the order follows every time.
func (db *DB) evidenceTests(ctx context.Context, g *gathering) error {
	rows, err := db.sql.QueryContext(ctx, `SELECT DISTINCT test FROM results INDEXED BY results_failing WHERE status >= 2 OR healed <> 0 ORDER BY test`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		g.add(id)
	}
	return rows.Err()
}

// add numbers the test of a row id.
func (g *gathering) add(id int64) {
	g.numbers[id] = len(g.ids)
	g.ids = append(g.ids, id)
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
	if over := len(g.Runs) - evidenceRuns; over > 0 {
		start := (over + evidenceStep - 1) / evidenceStep * evidenceStep
		g.Runs, g.payloads, g.results = g.Runs[start:], g.payloads[start:], g.results[start:]
	}
	g.rank()
	return rows.Err()
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

// evidenceResults reads the rows that which selects, in the order of the key,
// but none of a test that was read before.
func (db *DB) evidenceResults(ctx context.Context, g *gathering, which condition) error {
	labels, err := db.names(ctx, `SELECT id, name FROM labels`)
	if err != nil {
		return err
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
	before, onMain := make([]int, len(g.ids)), make([]int, len(g.ids))
	type build struct{ commit, witness string }
	earlier := map[build][]int{}
	for i := range g.Runs {
		run := &g.Runs[i]
		ran := g.ran[i]
		run.Ran = ran.has
		key := build{run.Commit, run.Witness}
		for j := range run.Observations {
			o := &run.Observations[j]
			o.Before, o.BeforeMain = before[o.Test], onMain[o.Test]
			o.PassedBefore = run.Commit != "" && slices.ContainsFunc(earlier[key], func(k int) bool {
				return g.ran[k].has(o.Test) && !g.failed[k].has(o.Test)
			})
		}
		earlier[key] = append(earlier[key], i)
		for _, test := range observed {
			if ran.has(test) {
				before[test]++
				if run.Witness == "" {
					onMain[test]++
				}
			}
		}
	}
	g.Runs = g.Runs[g.heard:]
	g.Tests = make([]string, len(g.ids))
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
