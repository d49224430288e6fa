package flaky

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// Failure is a failing test of this run.
type Failure struct {
	Result engine.TestResult
	Excuse string // why it does not block; empty in Verdict.Blocking
	Guard  string // why it blocks although its test is in quarantine
	Triage string // since when it fails and where else, see Judge.Triage; "" when unknown
	Order  string // which other test it was shown to fail after; "" when none
}

// Verdict decides the job. It passes only when nothing blocks.
type Verdict struct {
	Blocking []Failure       // failures that fail the job
	Excused  []Failure       // failures of quarantined tests
	Missing  []engine.TestID // tests that should have run and are not there
	Notices  []engine.Notice // blocking notices: reports that prove nothing
}

// Pass reports whether the job may pass.
func (v Verdict) Pass() bool {
	return len(v.Blocking) == 0 && len(v.Missing) == 0 && len(v.Notices) == 0
}

// DecideInput is everything a verdict rests on.
type DecideInput struct {
	Results       []engine.TestResult
	Before, After []Entry         // quarantine as this run found and as it leaves it
	Missing       []engine.TestID // tests that should have run and are not there
	MissingBlocks bool            // false: the verdict leaves Missing out
	Notices       []engine.Notice // all of the run's; those that are no warning block

	// Guards says by test ID why a failure blocks although its test is in
	// quarantine.
	Guards map[engine.TestID]string
	// Triage says by test ID since when a failing test fails and where else.
	Triage map[engine.TestID]string
	// Order says by test ID which other test a failing test fails after. It decides nothing; see Guards.
	Order map[engine.TestID]string
}

// Decide returns the verdict. A failing test is excused only while it was in
// quarantine before this run and still is after it: a test that this very run
// puts there must not excuse its own regression, and a released one is trusted
// again. A guard keeps a failure that does not look like the test's flakes
// from being excused. A result that is neither passed, skipped, failed nor an
// error blocks, quarantined or not, and so does a run without results. Everything in the
// verdict is sorted, so the order of the input does not matter.
func Decide(in DecideInput) Verdict {
	v := Verdict{Notices: filterBlocking(in.Notices)}
	if in.MissingBlocks {
		v.Missing = slices.Compact(slices.Sorted(slices.Values(in.Missing)))
	}
	before, after := indexEntries(in.Before), indexEntries(in.After)
	failing := filterNotGreen(in.Results)
	v.Blocking = slices.Grow(v.Blocking, len(failing))
	for _, r := range failing {
		entry, held := before.find(*r)
		_, stillHeld := after.find(*r)
		failure := Failure{Result: *r, Triage: in.Triage[r.ID], Order: in.Order[r.ID]}
		if r.Final().Status.Failing() && held && stillHeld {
			if failure.Guard = in.Guards[r.ID]; failure.Guard == "" {
				failure.Excuse = describeExcuse(entry)
				v.Excused = append(v.Excused, failure)
				continue
			}
		}
		v.Blocking = append(v.Blocking, failure)
	}
	if len(v.Blocking) == 0 {
		v.Blocking = nil
	}
	if len(in.Results) == 0 {
		v.Notices = append(v.Notices, engine.Notice{
			Severity: engine.SeverityBlocking,
			Reason:   "there is not one test result, so nothing shows that the tests pass",
		})
	}
	return v
}

// entryIndex is the quarantine by test and environment.
type entryIndex map[entryKey]Entry

type entryKey struct {
	testID      engine.TestID
	environment string
}

// indexEntries indexes entries, the oldest where there are several. An entry without
// a test ID would excuse every unnamed test, so it counts for none.
func indexEntries(entries []Entry) entryIndex {
	r := make(entryIndex, len(entries))
	for _, e := range entries {
		key := entryKey{e.TestID, e.Environment}
		have, several := r[key]
		if e.TestID != "" && (!several || compareEntries(e, have) < 0) {
			r[key] = e
		}
	}
	return r
}

// find returns the entry that holds for a result: one of its own environment,
// or one that names none. The ID itself must be the same to the byte.
func (r entryIndex) find(result engine.TestResult) (Entry, bool) {
	if e, ok := r[entryKey{result.ID, result.Environment}]; ok {
		return e, true
	}
	e, ok := r[entryKey{result.ID, ""}]
	return e, ok
}

func compareEntries(a, b Entry) int {
	return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Reason, b.Reason))
}

func describeExcuse(e Entry) string {
	since, why := "in quarantine", "no reason was given"
	if !e.Since.IsZero() {
		since += " since " + e.Since.UTC().Format("2006-01-02")
	}
	if e.Reason != "" {
		why = e.Reason
	}
	return fmt.Sprintf("%s: %s; %s", since, why, e.ExitCriteria())
}

// filterBlocking returns the notices that block, sorted. A severity this version does
// not know blocks: it must not pass for harmless.
func filterBlocking(notices []engine.Notice) []engine.Notice {
	var out []engine.Notice
	for _, n := range notices {
		if n.Severity != engine.SeverityWarning {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b engine.Notice) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// filterNotGreen returns the results that neither passed nor were skipped, sorted.
func filterNotGreen(results []engine.TestResult) []*engine.TestResult {
	var out []*engine.TestResult
	for i := range results {
		if s := results[i].Final().Status; s != engine.StatusPassed && s != engine.StatusSkipped {
			out = append(out, &results[i])
		}
	}
	slices.SortStableFunc(out, compareResults)
	return out
}

// compareResults orders results by what tells them apart, whatever order they
// were reported in.
func compareResults(a, b *engine.TestResult) int {
	x, y := a.Final(), b.Final()
	return cmp.Or(
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Environment, b.Environment),
		cmp.Compare(a.Report, b.Report),
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Suite, b.Suite),
		cmp.Compare(a.Class, b.Class),
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(len(a.Attempts), len(b.Attempts)),
		cmp.Compare(x.Status, y.Status),
		cmp.Compare(x.ErrorType, y.ErrorType),
		cmp.Compare(x.Message, y.Message),
		cmp.Compare(x.Text, y.Text),
	)
}
