// Package htmlreport writes a survey of a suite as one HTML file: no request
// leaves it, nothing in it runs but its own script, and without scripts it
// still shows everything but how healed and stable tests ended in each run.
package htmlreport

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Options say what the report may link to.
type Options struct {
	// ServerURL is where runs are looked at, "https://github.com"; without it
	// nothing is linked.
	ServerURL string
	// Elements has pictures of healed and suggested elements; nil for none.
	Elements Elements
}

//go:embed page.gohtml
var pageText string

//go:embed page.css
var style string

//go:embed page.js
var script string

var page = template.Must(template.New("page").Parse(pageText))

// policy lets the page's own style and script work and nothing else, whatever
// a test's name turns out to be (Content Security Policy Level 3, W3C).
var policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'", hashOf(style), hashOf(script))

// Write writes the report: one self-contained HTML document in UTF-8. It
// returns the first error of w.
func Write(w io.Writer, s outcome.Survey, t outcome.Timeline, o Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	v := newView(s, t, o)
	if err := errors.Join(v.addPictures(s, o.Elements), page.Execute(out, v)); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write HTML report: %w", err)
	}
	return nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// What is shown of long lists; the list of all tests is whole.
const (
	maxCauses  = 200
	maxStopped = 50 // tests of one cause
	maxSlowest = 25
	maxHeals   = 200
	maxBadRuns = 8 // newest runs of a test that were not green
)

// view is the report as the template shows it. Every text in it is clean.
type view struct {
	Policy string
	Style  template.CSS
	Script template.JS

	Headline, Generated string
	Numbers             []number
	Charts              []chart
	Runs                []runNote
	Errors              []string // that plain tests failed with, for the script
	Causes              []causeRow
	Quarantine          []entryRow
	Slowest, Slower     []slowRow
	Heals               []healRow
	HealsLeftOut        int
	Suggested           []suggestedRow
	SuggestedLeftOut    int
	PicturesAgain       int // that are shown with a newer event already
	PicturesLeftOut     int // for maxBytes
	Tests               []testRow
	Notices             []string
}

// runNote is what the script shows about a run.
type runNote struct {
	When   string `json:"when"`
	Commit string `json:"commit"`
	Branch string `json:"branch"`
	URL    string `json:"url,omitempty"`
}

// testRow is one test with its strip.
type testRow struct {
	ID       string
	State    string // failing, quarantined, flaky, healed or stable
	Also     string // all of these words that apply, for the filter
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

// causeRow is one thing that tests fail for now.
type causeRow struct {
	Kind, In, Error, Locator, Becomes string
	Tests                             []string
	More                              int // tests left out
}

type entryRow struct{ ID, Age, Reason, WayOut, Owner string }

type slowRow struct {
	ID, Took, Before, Drift, Class string
	pace                           pace
}

type healRow struct {
	Test, Old, New, Day, Match, RunnerUp, Calls string
	Signals                                     []signalBar
	Pair                                        *pair // nil for no picture
}

// suggestedRow is a locator that was not healed, and why.
type suggestedRow struct {
	Test, Old, New, Day, Match, Why, Calls string
	Pair                                   *pair
}

// signalBar is how alike the old and the new element are by one signal.
type signalBar struct {
	Name  string
	Width int // of 100
	Value string
}

func newView(s outcome.Survey, t outcome.Timeline, o Options) view {
	rows, errors := testRows(s, t, newLinks(o.ServerURL))
	v := view{
		Policy: policy, Style: template.CSS(style), Script: template.JS(script), //nolint:gosec // our own files, not from a test run
		Headline: s.Headline(), Generated: s.Generated.UTC().Format("2006-01-02 15:04 UTC"),
		Numbers: headlineNumbers(s, t), Charts: newCharts(t), Runs: runNotes(t.Runs, newLinks(o.ServerURL)), Errors: errors,
		Causes: causeRows(s.Causes), Tests: rows,
		HealsLeftOut: max(0, len(s.Heals)-maxHeals), SuggestedLeftOut: max(0, len(s.Suggested)-maxHeals),
	}
	v.Slowest, v.Slower = slowTests(t)
	markSlow(rows, v.Slowest, v.Slower)
	for _, e := range s.Quarantine {
		v.Quarantine = append(v.Quarantine, entryRow{text.Line(string(e.TestID)), s.Age(e), text.Line(e.Reason), e.ExitCriteria(), text.Line(e.Owner)})
	}
	for _, h := range s.Heals[:min(len(s.Heals), maxHeals)] {
		v.Heals = append(v.Heals, newHealRow(h))
	}
	for _, h := range s.Suggested[:min(len(s.Suggested), maxHeals)] {
		v.Suggested = append(v.Suggested, suggestedRow{Test: text.Line(string(h.TestID)), Old: text.Line(outcome.Lost(h)), New: text.Line(outcome.HealedTo(h)),
			Day: outcome.HealedOn(h), Match: text.Percent(h.Confidence), Why: text.Line(outcome.DescribeSuggestion(h, outcome.Quote)), Calls: outcome.Calls(h)})
	}
	for _, n := range s.Notices {
		v.Notices = append(v.Notices, noticeLine(n))
	}
	return v
}

// addPictures adds pictures of the elements that are shown, the newest first, as long as
// there is room in the report.
func (v *view) addPictures(s outcome.Survey, e Elements) error {
	pictured := func(h engine.HealEvent) bool { return h.Pictures != nil }
	if e == nil || !slices.ContainsFunc(s.Heals, pictured) && !slices.ContainsFunc(s.Suggested, pictured) {
		return nil
	}
	a := album{Elements: e, shown: map[string]bool{}}
	if err := page.Execute(&a.size, v); err != nil {
		return err
	}
	for i := range v.Heals {
		v.Heals[i].Pair = a.add(s.Heals[i])
	}
	for i := range v.Suggested {
		v.Suggested[i].Pair = a.add(s.Suggested[i])
	}
	v.PicturesAgain, v.PicturesLeftOut = a.again, a.left
	return nil
}

func headlineNumbers(s outcome.Survey, t outcome.Timeline) []number {
	older, newer := t.Runs[:len(t.Runs)/2], t.Runs[len(t.Runs)/2:]
	all := []number{
		{Name: "tests", Value: text.Thousands(s.Counts.Total)},
		greenRuns(t.Runs, older, newer),
		resultShare("flaky results", older, newer, t.Runs, func(r outcome.TimelineRun) int { return r.Flaky }),
		{Name: "failing now", Value: text.Thousands(s.Counts.Failing)},
		{Name: "in quarantine", Value: text.Thousands(len(s.Quarantine))},
		{Name: "healed locators", Value: text.Thousands(len(s.Heals))},
		testTime(t.Runs, older, newer),
	}
	return all
}

// noticeLine says what is wrong and, where that is known, in which file.
func noticeLine(n engine.Notice) string {
	s := text.Line(n.Reason)
	if where := text.Line(text.Place(n.File, n.Line)); where != "" {
		s = where + ": " + s
	}
	return s
}

func runNotes(runs []outcome.TimelineRun, l links) []runNote {
	notes := make([]runNote, len(runs))
	for i, r := range runs {
		notes[i] = runNote{formatTime(r.Started), shortCommit(r.Commit), text.Line(r.Branch), l.run(r)}
	}
	return notes
}

// testRows returns the row of every test, those that matter most first, and the errors
// that the plain ones among them name by number.
func testRows(s outcome.Survey, t outcome.Timeline, l links) (rows []testRow, errors []string) {
	unstable := map[engine.TestID]outcome.RatedTest{}
	for _, u := range s.Unstable {
		unstable[u.TestID] = u
	}
	held, healed, owner := map[engine.TestID]bool{}, map[engine.TestID]bool{}, map[engine.TestID]string{}
	for _, e := range s.Quarantine {
		held[e.TestID], owner[e.TestID] = true, text.Line(e.Owner)
	}
	for _, h := range s.Heals {
		healed[h.TestID] = true
	}
	rows = make([]testRow, len(t.Tests))
	table := errorTable{at: map[string]int{}}
	for i, test := range t.Tests {
		u := unstable[test.TestID]
		row := testRow{ID: text.Line(string(test.TestID)), Owner: owner[test.TestID], FlipRate: math.Round(u.FlipRate*1000) / 1000, Strip: newStrip(test.Cells)}
		row.Rank, row.State, row.Also = testState(lastCell(test.Cells), held[test.TestID], u.Tier, healed[test.TestID])
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

// markSlow adds the word slow to the states of the tests that are listed as slow.
func markSlow(rows []testRow, lists ...[]slowRow) {
	slow := map[string]bool{}
	for _, r := range slices.Concat(lists...) {
		slow[r.ID] = true
	}
	for i := range rows {
		if slow[rows[i].ID] {
			rows[i].Also += " slow"
		}
	}
}

// causeRows returns the causes of what fails now, those of most tests first.
func causeRows(causes []outcome.SurveyCause) []causeRow {
	var rows []causeRow
	for _, c := range causes[:min(len(causes), maxCauses)] {
		row := causeRow{Kind: c.Kind.Title(), In: text.Count(len(c.Tests), "test", "tests"), Error: cmp.Or(text.Line(c.Error), "no error is recorded"),
			Locator: text.Line(c.Locator), Becomes: text.Line(c.Becomes), More: max(0, len(c.Tests)-maxStopped)}
		for _, id := range c.Tests[:min(len(c.Tests), maxStopped)] {
			row.Tests = append(row.Tests, text.Line(string(id)))
		}
		rows = append(rows, row)
	}
	return rows
}

// slowTests returns the tests that take longest, and those that got slower by a
// tenth or more, the one that costs most time first.
func slowTests(t outcome.Timeline) (slowest, slower []slowRow) {
	var rows []slowRow
	for _, test := range t.Tests {
		p, known := measurePace(test)
		if !known {
			continue
		}
		row := slowRow{ID: text.Line(string(test.TestID)), pace: p, Took: text.Duration(p.Median), Before: text.Duration(p.Before)}
		if drift, known := p.Drift(); known {
			row.Drift = percentChange(drift)
			if drift >= minChange || drift <= -minChange {
				row.Class = trendClass(drift < 0)
			}
			if drift >= minChange {
				slower = append(slower, row)
			}
		}
		rows = append(rows, row)
	}
	return longestRows(rows, func(p pace) float64 { return p.Median }), longestRows(slower, func(p pace) float64 { return p.Median - p.Before })
}

// longestRows returns the rows with the most milliseconds of a kind.
func longestRows(rows []slowRow, ms func(pace) float64) []slowRow {
	slices.SortStableFunc(rows, func(a, b slowRow) int {
		return cmp.Or(cmp.Compare(ms(b.pace), ms(a.pace)), cmp.Compare(a.ID, b.ID))
	})
	return rows[:min(len(rows), maxSlowest)]
}

func newHealRow(h engine.HealEvent) healRow {
	row := healRow{
		Test: text.Line(string(h.TestID)), Old: text.Line(outcome.Lost(h)), New: text.Line(outcome.HealedTo(h)),
		Day: outcome.HealedOn(h), Match: text.Percent(h.Confidence), Calls: outcome.Calls(h),
	}
	if h.RunnerUp > 0 {
		row.RunnerUp = text.Percent(h.RunnerUp)
	}
	signals, _ := heal.CompareHealed(h)
	for _, s := range signals {
		width := int(max(0, min(1, s.Value)) * 100)
		row.Signals = append(row.Signals, signalBar{s.Name, width, fmt.Sprintf("%.2f", s.Value)})
	}
	return row
}

func formatTime(t time.Time) string {
	if t.Unix() <= 0 {
		return "at an unknown time"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func shortCommit(sha string) string {
	letters := []rune(text.Line(sha))
	return string(letters[:min(len(letters), 7)])
}

// links are the addresses of runs.
type links struct{ server string }

var (
	serverForm     = lazyregexp.New(`^https?://[A-Za-z0-9.:-]+$`)
	repositoryForm = lazyregexp.New(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
)

func newLinks(server string) links {
	if !serverForm.MatchString(server) {
		return links{}
	}
	return links{server}
}

// run returns the address of a run, "" where there is none.
func (l links) run(r outcome.TimelineRun) string {
	if l.server == "" || r.RunID <= 0 || !repositoryForm.MatchString(r.Repository) {
		return ""
	}
	address := fmt.Sprintf("%s/%s/actions/runs/%d", l.server, r.Repository, r.RunID)
	if r.Attempt > 1 {
		address += fmt.Sprintf("/attempts/%d", r.Attempt)
	}
	return address
}
