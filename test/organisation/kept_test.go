package organisation

import (
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
)

// kept is what the database of a run holds after it.
type kept struct {
	runs    map[string]int  // rows by run id and attempt
	trusted map[string]int  // those of them that count as the default branch's
	entries map[string]bool // the quarantine: whether the test is there automatically
}

func rowOf(run int64, attempt int) string { return fmt.Sprintf("%d/%d", run, attempt) }

// The same question to both databases.
const (
	runsOf       = `SELECT run_id, run_attempt, origin = 1 FROM %sruns`
	quarantineOf = `SELECT test_id, auto_unquarantine FROM %squarantine`
)

// readKept reads the database that a run left.
func (o *organisation) readKept(database string) kept {
	k := kept{map[string]int{}, map[string]int{}, map[string]bool{}}
	addRun := func(scan func(...any) error) error {
		var run int64
		var attempt int
		var trusted bool
		err := scan(&run, &attempt, &trusted)
		k.runs[rowOf(run, attempt)]++
		if trusted {
			k.trusted[rowOf(run, attempt)]++
		}
		return err
	}
	addEntry := func(scan func(...any) error) error {
		var test string
		var automatic bool
		err := scan(&test, &automatic)
		k.entries[nameOf(test)] = automatic
		return err
	}
	each := o.eachInFile
	prefix := ""
	if o.setting.place == placePostgres {
		each, prefix = o.eachOnServer, "breadcrumb_"
	}
	if err := each(database, fmt.Sprintf(runsOf, prefix), addRun); err != nil {
		panic(err)
	}
	if err := each(database, fmt.Sprintf(quarantineOf, prefix), addEntry); err != nil {
		panic(err)
	}
	return k
}

func (o *organisation) eachInFile(file, query string, row func(scan func(...any) error) error) error {
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.QueryContext(o.ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (o *organisation) eachOnServer(url, query string, row func(scan func(...any) error) error) error {
	conn, err := pgx.Connect(o.ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(o.ctx)
	rows, err := conn.Query(o.ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// checkKept looks whether a run of the default branch holds what runs before it
// recorded and persons before it decided, unless it says that it does not.
func (o *organisation) checkKept(r *record) {
	if slices.ContainsFunc(r.result.Outcome.Notices, func(n engine.Notice) bool { return strings.Contains(n.Reason, "theirs is not taken over") }) {
		for _, w := range o.workflows {
			if o.shares(w, r.run.workflow) {
				w.since, w.anew = r.known, r.run.names
			}
		}
	}
	// A run of before a rename knows the default branch by its old name.
	if !r.run.trusted() || r.run.defaultBranch != o.main.name || o.toldOfGap(r) {
		return
	}
	k, still := o.readKept(r.database), o.stillKept(r, r.run.workflow.since)
	for _, row := range o.due(still) {
		if k.runs[row.id] < row.count || k.trusted[row.id] < row.trusted {
			o.fail(ruleHistory, "%s of %s holds %d rows of run %s, %d as the default branch's, want %d and %d, and does not say so",
				r.spec.name(), r.run, k.runs[row.id], row.id, k.trusted[row.id], row.count, row.trusted)
		}
	}
	o.checkRoom(r, k)
	o.checkHeld(r, k, still)
	for test, d := range o.model.decisions {
		if d.known > r.known || d.known < r.run.workflow.since || d.at.After(r.began) || !o.shares(d.run.workflow, r.run.workflow) || o.isOtherName(d.run, r) || !o.reached(d, r) {
			continue
		}
		automatic, in := k.entries[test]
		switch {
		case d.hold && (!in || automatic):
			o.fail(rulePerson, "%s of %s: %q was held by hand, and is there: %t, automatically: %t", r.spec.name(), r.run, test, in, automatic)
		case !d.hold && in && !automatic:
			o.fail(rulePerson, "%s of %s: %q was released by hand and is still held by hand", r.spec.name(), r.run, test)
		case !d.hold && in && !o.failedSince(test, d.known, r):
			o.fail(ruleReturn, "%s of %s: %q was released by hand, never failed since and is in quarantine", r.spec.name(), r.run, test)
		}
	}
}

// reached reports whether a run can know what a person decided. Where caches keep the
// history a run on a comment may not write them: it leaves an artifact, which the next
// run of its own workflow folds, and only what was folded do other workflows know. Where
// another workflow's run began before that one ended and saves after it, its snapshot is the
// newest and has nothing of the decision: the next run of the own workflow folds it again.
func (o *organisation) reached(d decision, r *record) bool {
	if o.setting.place != placeCache {
		return true
	}
	folds := func(by *record) bool {
		return by.run.trusted() && by.run.workflow == d.run.workflow && by.run.names == d.run.names && by.run.defaultBranch == d.run.defaultBranch && !d.at.After(by.began)
	}
	folded := func(by *record) bool {
		return folds(by) && !slices.ContainsFunc(o.model.records[by.before+1:], func(later *record) bool { return later.known <= by.before })
	}
	return r.run.defaultBranch == d.run.defaultBranch && (folds(r) || slices.ContainsFunc(o.model.records[d.known:r.known], folded))
}

// failedSince reports whether a test failed on the default branch since a record.
func (o *organisation) failedSince(test string, known int, by *record) bool {
	return slices.ContainsFunc(o.commits(test, by, known), func(c *tested) bool { return c.failed })
}

// shares reports whether two workflows have one history: where GitHub says who saved
// what, each has its own.
func (o *organisation) shares(a, b *workflow) bool {
	return a == b || o.setting.place != placeArtifact
}

// dueRows are the rows of an attempt of a run that a database must hold.
type dueRows struct {
	id             string
	count, trusted int
}

// due returns the rows of the records that must still be kept.
func (o *organisation) due(kept []*record) []dueRows {
	rows := map[string]dueRows{}
	for _, r := range kept {
		id := rowOf(r.run.id, r.attempt)
		row := dueRows{id, rows[id].count + 1, rows[id].trusted}
		if o.isFollowed(r) {
			row.trusted++
		}
		rows[id] = row
	}
	out := slices.Collect(maps.Values(rows))
	slices.SortFunc(out, func(a, b dueRows) int { return strings.Compare(a.id, b.id) })
	return out
}

// stillKept are the records of the default branch from one on that must still be kept
// when a run ends: those whose job and tests have not run so often since that the settings
// let them go. Where tests are named, those are meant that hold a row of one of them: the
// rows of a test that ran often go before the run does.
func (o *organisation) stillKept(by *record, from int, tests ...string) []*record {
	from = min(from, by.known)
	var all []*record
	for _, r := range o.model.records[from:] {
		if r.run.trusted() && o.shares(r.run.workflow, by.run.workflow) && !o.savedElsewhere(r, by) {
			all = append(all, r)
		}
	}
	slices.Reverse(all) // nearly sorted then
	slices.SortStableFunc(all, func(a, b *record) int { return b.compare(a) })
	since, runs := map[string]int{}, map[string]int{} // attempts by test, runs by job
	var kept []*record
	for len(all) > 0 {
		legs := 1 // of one run, of which none comes before another
		for legs < len(all) && all[legs].compare(all[0]) == 0 {
			legs++
		}
		for _, r := range all[:legs] {
			for test, tries := range r.results {
				since[test] += len(tries)
			}
			runs[r.key]++
		}
		for _, r := range all[:legs] {
			// What ended while the run ran makes others older, too, and so does what is
			// nowhere looked for and was read in time all the same.
			known := r.before < by.known
			if known && o.isKept(r, by, since, tests) && (o.setting.keepRuns == 0 || runs[r.key] <= o.setting.keepRuns) && !o.isForgotten(r, by) {
				kept = append(kept, r)
			}
		}
		all = all[legs:]
	}
	return kept
}

// isKept reports whether the settings keep a row of one of the tests of a record, any where
// none is named, after so many attempts at each.
func (o *organisation) isKept(r, by *record, since map[string]int, tests []string) bool {
	keep := o.setting.keepRuns == 0
	for test := range r.results {
		keep = keep || since[test] <= o.setting.keepRuns && (len(tests) == 0 || slices.Contains(tests, test))
	}
	return keep && !o.isTooOld(r, by)
}

// savedElsewhere reports whether a run saved where another does not look: caches
// belong to the name that the default branch had when the run began.
func (o *organisation) savedElsewhere(r, by *record) bool {
	return o.setting.place == placeCache && r.run.defaultBranch != by.run.defaultBranch || o.isOtherName(r.run, by)
}

// isOtherName reports whether a run saved under a name of the workflow's file that means
// another workflow to a later run: a name that the file had only afterwards, or before
// its history began anew.
func (o *organisation) isOtherName(r *workflowRun, by *record) bool {
	return o.setting.place == placeArtifact && r.workflow == by.run.workflow &&
		(r.names > by.run.names || r.names < r.workflow.anew && r.workflow.anew <= by.run.names)
}

// gap is how a run says that it did not read all of the history.
var gap = regexp.MustCompile(`history not read yet|history cannot be listed|set aside|not read on|is not read`)

func (o *organisation) toldOfGap(r *record) bool {
	return slices.ContainsFunc(r.result.Outcome.Notices, func(n engine.Notice) bool { return gap.MatchString(n.Reason) })
}
