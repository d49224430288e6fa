package htmlreport

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// maxBadRuns bounds how many runs of a test, the newest, are listed that were not green.
const maxBadRuns = 8

// testRow is one test with its strip.
type testRow struct {
	ID       string
	State    string // failing, quarantined, flaky, healed or stable
	Also     string // all of these words that apply, broken and slow too, for the filter
	Broken   string // since when it always fails, "" for one that may be flaking
	Owner    string // of a quarantined test
	Rank     int    // of the state, the worst first
	FlipRate float64
	MS       int // median milliseconds
	Took     string
	Words    string
	Strip    strip
	Plain    bool   // healed or stable: its strip and its runs are the script's to show
	Failed   string // of a plain one, what it failed with; see errorTable
	Misses   []missGroup
	More     int // misses left out
}

// missGroup is runs in which a test was not green for the same error.
type missGroup struct {
	Error string // or in words that there is none
	In    string // how many runs had it, with those that are not listed
	Runs  []badRun
}

// badRun is a run in which a test was not green.
type badRun struct{ When, Commit, What, URL string }

// testRows returns the row of every test, those that matter most first, and the errors
// that the plain ones among them name by number.
func testRows(s outcome.Survey, t outcome.Timeline, l links) (rows []testRow, errors []string) {
	unstable := map[engine.TestID]outcome.RatedTest{}
	for _, u := range s.Unstable {
		unstable[u.TestID] = u
	}
	held, healed, owner, broken := map[engine.TestID]bool{}, map[engine.TestID]bool{}, map[engine.TestID]string{}, map[engine.TestID]string{}
	for _, e := range s.Quarantine {
		held[e.TestID], owner[e.TestID] = true, text.Line(e.Owner)
	}
	for _, h := range s.Heals {
		healed[h.TestID] = true
	}
	for _, f := range s.Failing {
		broken[f.TestID] = text.Line(f.Broken)
	}
	tests := slices.DeleteFunc(slices.Clone(t.Tests), func(test outcome.TimelineTest) bool { return slices.Contains(s.Removed, test.TestID) })
	rows = make([]testRow, len(tests))
	table := errorTable{at: map[string]int{}}
	for i, test := range tests {
		u := unstable[test.TestID]
		row := testRow{ID: text.Line(string(test.TestID)), Owner: owner[test.TestID], Broken: broken[test.TestID], FlipRate: math.Round(u.FlipRate*1000) / 1000, Strip: newStrip(test.Cells)}
		row.Rank, row.State, row.Also = testState(lastCell(test.Cells), held[test.TestID], u.Tier, healed[test.TestID])
		if row.Broken != "" {
			row.Also += " broken"
		}
		if p, known := measurePace(test); known {
			row.MS, row.Took = int(math.Ceil(p.Median)), text.Duration(p.Median)
		}
		if u.Tier != "" {
			row.Words = u.Words()
		}
		if held[test.TestID] && row.State != stateWords[1] {
			row.Words = strings.TrimPrefix(row.Words+", in quarantine", ", ")
		}
		if row.Plain = row.Rank >= plainRank; row.Plain {
			row.Failed = table.encode(test)
		} else {
			row.Misses, row.More = groupMisses(test, t.Runs, l)
		}
		rows[i] = row
	}
	slices.SortStableFunc(rows, func(a, b testRow) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(b.FlipRate, a.FlipRate), cmp.Compare(a.ID, b.ID))
	})
	return rows, table.errors
}

// plainRank is the rank from which on nothing is wrong with a test now.
const plainRank = 3

// stateWords are the states of a test, by rank.
var stateWords = []string{"failing", "quarantined", "flaky", "healed", "stable"}

// testState returns the first state that applies to a test, as the counts of a survey
// do, and in also all that apply.
func testState(last outcome.Cell, held bool, tier flaky.Tier, healed bool) (rank int, word, also string) {
	is := []bool{last == outcome.CellFailed, held, tier != "" && tier != flaky.TierStable, healed}
	rank = len(is)
	var all []string
	for i, yes := range is {
		if yes {
			rank = min(rank, i)
			all = append(all, stateWords[i])
		}
	}
	if len(all) == 0 {
		all = stateWords[rank:]
	}
	return rank, stateWords[rank], strings.Join(all, " ")
}

// lastCell is the cell of the newest run that a test was part of.
func lastCell(cells []outcome.Cell) outcome.Cell {
	for _, c := range slices.Backward(cells) {
		if c != outcome.CellNone {
			return c
		}
	}
	return outcome.CellNone
}

// isMiss reports whether a test was not green in a run.
func isMiss(c outcome.Cell) bool {
	return c == outcome.CellFailed || c == outcome.CellFlaky || c == outcome.CellHealed
}

// groupMisses lists the newest runs in which a test was not green by their errors, the
// error of the newest run first.
func groupMisses(t outcome.TimelineTest, runs []outcome.TimelineRun, l links) (groups []missGroup, more int) {
	at, often, listed := map[string]int{}, map[string]int{}, 0
	for i, c := range slices.Backward(t.Cells) {
		if !isMiss(c) {
			continue
		}
		said := cmp.Or(errorLine(t.Errors[i]), noError[c == outcome.CellHealed])
		if often[said]++; listed == maxBadRuns {
			more++
			continue
		}
		group, known := at[said]
		if !known {
			group = len(groups)
			at[said] = group
			groups = append(groups, missGroup{Error: said})
		}
		groups[group].Runs = append(groups[group].Runs, badRun{formatTime(runs[i].Started), shortCommit(runs[i].Commit), shapes[c].word, l.run(runs[i])})
		listed++
	}
	for i := range groups {
		groups[i].In = text.Count(often[groups[i].Error], "run", "runs")
	}
	return groups, more
}

// noError says of a run that was not green and has no error whether it healed.
var noError = map[bool]string{true: "passed with a healed locator", false: "no error is recorded"}

// maxErrorLine bounds the error of a run, in bytes.
const maxErrorLine = 250

// errorLine returns the error in a signature as the report shows it.
func errorLine(signature string) string {
	return text.Cut(text.Line(flaky.Readable(signature)), maxErrorLine)
}

// errorTable numbers errors, so that each is in the report once.
type errorTable struct {
	errors []string
	at     map[string]int
}

// encode returns the numbers of the errors in the runs in which a test was not green, the
// newest first, with how often each follows: "3x1 -x5". A dash stands for none. It is ""
// where no error is recorded.
func (e *errorTable) encode(t outcome.TimelineTest) string {
	if len(t.Errors) == 0 {
		return ""
	}
	var numbers []string
	for i, c := range slices.Backward(t.Cells) {
		if isMiss(c) {
			numbers = append(numbers, e.number(errorLine(t.Errors[i])))
		}
	}
	var words []string
	for at := 0; at < len(numbers); {
		from := at
		for at < len(numbers) && numbers[at] == numbers[from] {
			at++
		}
		words = append(words, numbers[from]+"x"+strconv.Itoa(at-from))
	}
	return strings.Join(words, " ")
}

func (e *errorTable) number(said string) string {
	if said == "" {
		return "-"
	}
	i, known := e.at[said]
	if !known {
		i = len(e.errors)
		e.at[said] = i
		e.errors = append(e.errors, said)
	}
	return strconv.Itoa(i)
}
