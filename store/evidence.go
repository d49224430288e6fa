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

// evidenceRuns is how many runs, the newest, evidence is looked for in.
const evidenceRuns = 3000

// Evidence is the past of a repository as flaky.Judge takes it in.
type Evidence struct {
	Tests []string // test ids by the numbers that Runs use
	Runs  []EvidenceRun
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
	g := gathering{ranks: map[int64]int{}}
	if err := db.evidenceRuns(ctx, info, &g); err != nil {
		return Evidence{}, fmt.Errorf("read runs: %w", err)
	}
	if err := db.evidenceResults(ctx, &g); err != nil {
		return Evidence{}, fmt.Errorf("read results: %w", err)
	}
	g.finish()
	return g.Evidence, nil
}

// Progress returns the entries with how far those by evidence are on their way
// out, as judge, who heard this past, knows it.
func (e Evidence) Progress(judge *flaky.Judge, entries []flaky.Entry) []flaky.Entry {
	number := make(map[string]int, len(e.Tests))
	for i, id := range e.Tests {
		number[id] = i
	}
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
	ranks  map[int64]int
	ran    []bits // by run: the tests that were part of it
	failed []bits // by run: the tests that failed for good
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
	rows, err := db.sql.QueryContext(ctx, `SELECT id, run_attempt, origin, commit_sha, branch, pull_request, result_count FROM runs
		WHERE ? = 0 OR repository_id IN (0, ?) ORDER BY `+runOrder("DESC")+` LIMIT ?`, info.RepositoryID, info.RepositoryID, evidenceRuns)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r EvidenceRun
		var from origin
		var branch string
		var pr int
		if err := rows.Scan(&r.ID, &r.Attempt, &from, &r.Commit, &branch, &pr, &r.Run.Tests); err != nil {
			return err
		}
		r.Witness = witness(from, branch, pr)
		g.Runs = append(g.Runs, r)
	}
	g.number()
	return rows.Err()
}

// number orders the runs, which come newest first.
func (g *gathering) number() {
	slices.Reverse(g.Runs)
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

// evidenceResults reads every row of the tests that failed once, in the order
// of the key.
func (db *DB) evidenceResults(ctx context.Context, g *gathering) error {
	labels, err := db.names(ctx, `SELECT id, name FROM labels`)
	if err != nil {
		return err
	}
	names, err := db.names(ctx, `SELECT id, name FROM tests`)
	if err != nil {
		return err
	}
	rows, err := db.sql.QueryContext(ctx, `SELECT test, run, attempt * 8 + status * 2 + (healed <> 0), coalesce(signature, 0), coalesce(place, 0)
		FROM results WHERE test IN (SELECT DISTINCT test FROM results INDEXED BY results_failing WHERE status >= 2 OR healed <> 0)
		ORDER BY test, run, attempt`)
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
			g.Tests = append(g.Tests, names[test])
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
		a.o = flaky.Observation{Test: len(a.g.Tests) - 1, Attempts: a.scratch[:0]}
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
	run.Tests -= len(a.o.Attempts) - 1
	if slices.ContainsFunc(a.o.Attempts, func(s engine.Status) bool { return s != engine.StatusSkipped }) {
		g.ran[a.rank].add(a.o.Test)
	}
	if a.noted {
		if a.o.Attempts[len(a.o.Attempts)-1].Failing() {
			g.failed[a.rank].add(a.o.Test)
		}
		a.o.Attempts = slices.Clone(a.o.Attempts)
		run.Observations = append(run.Observations, a.o)
	}
	a.rank, a.noted = -1, false
}

// finish fills in what follows from the runs before.
func (g *gathering) finish() {
	before, onMain := make([]int, len(g.Tests)), make([]int, len(g.Tests))
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
		for test := range g.Tests {
			if ran.has(test) {
				before[test]++
				if run.Witness == "" {
					onMain[test]++
				}
			}
		}
	}
}
