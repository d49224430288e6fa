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
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
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
	if err := errors.Join(v.addPictures(o.Elements), page.Execute(out, v)); err != nil {
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
)

// view is the report as the template shows it. Every text in it is clean.
type view struct {
	Policy string
	Style  template.CSS
	Script template.JS

	Headline, Generated string
	Numbers             []number
	Trends              bool // some of the numbers have a trend
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
	PicturesAgain       int // that are shown with another locator already
	PicturesLeftOut     int // for maxBytes
	Tests               []testRow
	Notices             []string

	healed, suggested []outcome.LostLocator // those that are shown
}

// runNote is what the script shows about a run.
type runNote struct {
	When   string `json:"when"`
	Commit string `json:"commit"`
	Branch string `json:"branch"`
	URL    string `json:"url,omitempty"`
}

// causeRow is one thing that tests fail for now.
type causeRow struct {
	Kind, In, Error, Locator, Becomes, Why string
	Tests                                  []string
	More                                   int // tests left out
}

type entryRow struct{ ID, Age, Reason, WayOut, Owner string }

type slowRow struct {
	ID, Took, Before, Drift, Class string
	pace                           pace
}

// lostRow is a locator that was lost, with its newest event.
type lostRow struct {
	Test, More, Old, New, Day, Match, Calls string
	Pair                                    *pair // nil for no picture
}

type healRow struct {
	lostRow
	RunnerUp string
	Signals  []signalBar
}

// suggestedRow is a locator that was not healed, and why.
type suggestedRow struct {
	lostRow
	Why string
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
		Charts: newCharts(t), Runs: runNotes(t.Runs, newLinks(o.ServerURL)), Errors: errors,
		Causes: causeRows(s.Causes), Tests: rows,
		healed: s.HealedLocators(), suggested: s.SuggestedLocators(),
	}
	v.HealsLeftOut, v.SuggestedLeftOut = max(0, len(v.healed)-maxHeals), max(0, len(v.suggested)-maxHeals)
	v.Numbers = headlineNumbers(s, t, len(v.healed))
	v.Trends = slices.ContainsFunc(v.Numbers, func(n number) bool { return n.Trend != "" })
	v.Slowest, v.Slower = slowTests(t)
	markSlow(rows, v.Slowest, v.Slower)
	for _, e := range s.Quarantine {
		v.Quarantine = append(v.Quarantine, entryRow{text.Line(string(e.TestID)), s.Age(e), text.Line(e.Reason), e.ExitCriteria(), text.Line(e.Owner)})
	}
	v.healed, v.suggested = v.healed[:min(len(v.healed), maxHeals)], v.suggested[:min(len(v.suggested), maxHeals)]
	for _, l := range v.healed {
		v.Heals = append(v.Heals, newHealRow(l))
	}
	for _, l := range v.suggested {
		v.Suggested = append(v.Suggested, suggestedRow{lostRow: newLostRow(l), Why: text.Line(outcome.DescribeSuggestion(l.Event, outcome.Quote))})
	}
	for _, n := range s.Notices {
		v.Notices = append(v.Notices, noticeLine(n))
	}
	return v
}

// addPictures adds pictures of the elements that are shown, the newest first, as long as
// there is room in the report.
func (v *view) addPictures(e Elements) error {
	pictured := func(l outcome.LostLocator) bool { return l.Event.Pictures != nil }
	if e == nil || !slices.ContainsFunc(v.healed, pictured) && !slices.ContainsFunc(v.suggested, pictured) {
		return nil
	}
	a := album{Elements: e, shown: map[engine.Pictures]bool{}}
	if err := page.Execute(&a.size, v); err != nil {
		return err
	}
	for i := range v.Heals {
		v.Heals[i].Pair = a.add(v.healed[i].Event)
	}
	for i := range v.Suggested {
		v.Suggested[i].Pair = a.add(v.suggested[i].Event)
	}
	v.PicturesAgain, v.PicturesLeftOut = a.again, a.left
	return nil
}

func headlineNumbers(s outcome.Survey, t outcome.Timeline, healed int) []number {
	older, newer := t.Runs[:len(t.Runs)/2], t.Runs[len(t.Runs)/2:]
	if len(older) < minDrift {
		older = nil // a run more or less would turn the trend
	}
	all := []number{
		{Name: "tests", Value: text.Thousands(s.Counts.Total)},
		greenRuns(t.Runs, older, newer),
		resultShare("flaky results", older, newer, t.Runs, func(r outcome.TimelineRun) int { return r.Flaky }),
		{Name: "failing now", Value: text.Thousands(s.Counts.Failing)},
		{Name: "in quarantine", Value: text.Thousands(len(s.Quarantine))},
		{Name: "healed locators", Value: text.Thousands(healed)},
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
			Locator: text.Line(c.Locator), Becomes: text.Line(c.Becomes), Why: text.Line(c.Why), More: max(0, len(c.Tests)-maxStopped)}
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

func newLostRow(l outcome.LostLocator) lostRow {
	h := l.Event
	row := lostRow{
		Test: text.Line(string(h.TestID)), Old: text.Line(outcome.Lost(h)), New: text.Line(outcome.HealedTo(h)),
		Day: outcome.HealedOn(h), Match: text.Percent(h.Confidence), Calls: l.Often(),
	}
	if more := len(l.Tests) - 1; more > 0 {
		row.More = text.Count(more, "more test", "more tests")
	}
	return row
}

func newHealRow(l outcome.LostLocator) healRow {
	h, row := l.Event, healRow{lostRow: newLostRow(l)}
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
