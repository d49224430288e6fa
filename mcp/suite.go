package mcp

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/report"
)

type statsAnswer struct {
	Fingerprints  int `json:"fingerprints" jsonschema:"elements that tests use, as they were last seen"`
	HealingEvents int `json:"healing_events" jsonschema:"locators that were healed"`
	Refusals      int `json:"refusals" jsonschema:"broken locators that were not healed"`
	Tests         int `json:"tests"`
	Runs          int `json:"runs"`
	TestRuns      int `json:"test_runs" jsonschema:"executions of tests, every attempt one"`
	Quarantined   int `json:"quarantined_tests"`
}

func (s *Server) addStats() {
	addQuery(s, tool[ofDatabase, statsAnswer]{
		name: "breadcrumb_stats", title: "Counts",
		description: "How much the history holds: fingerprints, heal events, tests, runs, quarantined tests.",
	}, func(ctx context.Context, db Reading, _ ofDatabase) (statsAnswer, error) {
		facts, err := db.Facts(ctx)
		n := facts.Rows
		return statsAnswer{
			Fingerprints: n.Fingerprints, HealingEvents: n.Heals, Refusals: n.Refusals,
			Tests: n.Tests, Runs: n.Runs, TestRuns: n.Results, Quarantined: n.Quarantined,
		}, err
	})
}

type reportQuestion struct {
	ofDatabase
	Days  int `json:"days,omitempty" jsonschema:"look back on so many days; 0 is everything there is" bounds:"0 36525 30"`
	Limit int `json:"limit,omitempty" jsonschema:"entries of each list" bounds:"1 200 50"`
}

type reportAnswer struct {
	report.SurveyDocument
	Truncated truncated `json:"truncated" jsonschema:"entries that a list lacks because of limit, by its key"`
}

func (s *Server) addReport() {
	addQuery(s, tool[reportQuestion, reportAnswer]{
		name: "breadcrumb_report", title: "Report of a period",
		description: "What the runs of the last days say of the suite: how many tests are stable, healed, flaky and failing, what those that fail now fail for (a cause once, with all its tests), the newest heals, the flakiest tests, the locators healed most often, and the quarantine with reasons and what lets each test out.",
	}, s.loadReport)
}

func (s *Server) loadReport(ctx context.Context, db Reading, in reportQuestion) (reportAnswer, error) {
	survey, err := health.LoadSurvey(ctx, db, health.Period{Days: in.Days, Now: s.opts.Now()})
	d, t := report.NewSurveyDocument(survey), truncated{}
	d.Heals = limitList(t, "healing_events", d.Heals, in.Limit, len(d.Heals))
	d.Healed = limitList(t, "healed_locators", d.Healed, in.Limit, len(d.Healed))
	d.Suggested = limitList(t, "suggested", d.Suggested, in.Limit, len(d.Suggested))
	d.Flaky = limitList(t, "flaky_tests", d.Flaky, in.Limit, len(d.Flaky))
	d.Locators = limitList(t, "top_locators", d.Locators, in.Limit, len(d.Locators))
	d.Causes = limitList(t, "causes", d.Causes, in.Limit, len(d.Causes))
	for i := range d.Causes {
		d.Causes[i].Tests = limitList(t, fmt.Sprintf("causes.%d.tests", i), d.Causes[i].Tests, in.Limit, len(d.Causes[i].Tests))
	}
	d.Removed = limitList(t, "removed_tests", d.Removed, in.Limit, len(d.Removed))
	d.Failing = limitList(t, "failing_tests", d.Failing, in.Limit, len(d.Failing))
	d.Quarantine = limitList(t, "quarantine", d.Quarantine, in.Limit, len(d.Quarantine))
	d.Notices = limitList(t, "notices", d.Notices, in.Limit, len(d.Notices))
	return reportAnswer{d, t}, err
}

// The states of a database, which are the seed's words.
const (
	statusOK      = "OK"
	statusWarning = "WARNING"
	statusMissing = "NOT FOUND"
)

type doctorAnswer struct {
	DBPath       string          `json:"db_path"`
	Schema       string          `json:"schema_version" jsonschema:"of the file; empty when there is none"`
	Fingerprints int             `json:"fingerprints"`
	Stale        int             `json:"stale_fingerprints" jsonschema:"not seen for 30 days"`
	Heals        int             `json:"healing_events"`
	TestRuns     int             `json:"test_runs" jsonschema:"executions of tests, every attempt one"`
	Quarantined  int             `json:"quarantined_tests"`
	Status       string          `json:"status" jsonschema:"OK, WARNING when a finding should be looked at, or NOT FOUND"`
	Message      string          `json:"message" jsonschema:"what to do where status is NOT FOUND"`
	Findings     []doctorFinding `json:"findings"`
}

type doctorFinding struct {
	Bad  bool   `json:"bad" jsonschema:"should be looked at"`
	Name string `json:"name"`
	Text string `json:"text"`
}

func (s *Server) addDoctor() {
	addTool(s, tool[ofDatabase, doctorAnswer]{
		name: "breadcrumb_doctor", title: "Check-up",
		description: "How the database is doing: schema, integrity, stale fingerprints, room in quarantine, leftovers of a program that was killed.",
		answer: func(ctx context.Context, in ofDatabase) (out doctorAnswer, err error) {
			err = s.withReading(ctx, in.DBPath, func(ctx context.Context, db Reading) error {
				h := health.Checkup{Name: s.opts.Archive.Name(), Now: s.opts.Now(), Size: db.Size, Leftover: db.Leftover}
				err := h.Read(ctx, db)
				if err == nil {
					out = newDoctorAnswer(h)
				}
				return err
			})
			if none := missingDatabase(""); errors.As(err, &none) {
				return doctorAnswer{DBPath: s.opts.Archive.Name(), Status: statusMissing, Message: none.Error()}, nil
			}
			return out, err
		},
	})
}

func newDoctorAnswer(h health.Checkup) doctorAnswer {
	n := h.Facts.Rows
	out := doctorAnswer{
		DBPath: h.Name, Schema: strconv.Itoa(h.Schema), Fingerprints: n.Fingerprints, Stale: h.Stale, Heals: n.Heals,
		TestRuns: n.Results, Quarantined: n.Quarantined, Status: statusOK,
	}
	for _, f := range h.Findings() {
		out.Findings = append(out.Findings, doctorFinding(f))
		if f.Bad {
			out.Status = statusWarning
		}
	}
	return out
}

type flakyQuestion struct {
	ofDatabase
	Limit int `json:"limit,omitempty" jsonschema:"entries of each list" bounds:"1 1000 200"`
}

type flakyAnswer struct {
	Classifications map[string]string `json:"classifications" jsonschema:"Stable, Intermittent, Flaky or Chronic by test id; the worst tests where limit cuts"`
	Quarantined     []string          `json:"quarantined" jsonschema:"test ids, sorted"`
	Total           int               `json:"total" jsonschema:"tests that ever ran"`
	Truncated       truncated         `json:"truncated"`
}

func (s *Server) addFlaky() {
	addQuery(s, tool[flakyQuestion, flakyAnswer]{
		name: "breadcrumb_flaky_tests", title: "Flaky tests",
		description: "How flaky every test is by its last executions, and which tests are in quarantine. Use breadcrumb_explain for one of them.",
	}, func(ctx context.Context, db Reading, in flakyQuestion) (flakyAnswer, error) {
		tests, err := health.LoadTests(ctx, db)
		if err != nil {
			return flakyAnswer{}, err
		}
		entries, err := db.Quarantine(ctx)
		out := flakyAnswer{Classifications: map[string]string{}, Total: len(tests), Truncated: truncated{}}
		for _, t := range limitList(out.Truncated, "classifications", tests, in.Limit, len(tests)) {
			out.Classifications[string(t.TestID)] = string(t.Tier)
		}
		for _, e := range limitList(out.Truncated, "quarantined", entries, in.Limit, len(entries)) {
			out.Quarantined = append(out.Quarantined, string(e.TestID))
		}
		return out, err
	})
}
