package mcp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/report"
)

type explainQuestion struct {
	ofDatabase
	TestID string `json:"test_id" jsonschema:"the test, as the other tools name it"`
	Runs   int    `json:"runs,omitempty" jsonschema:"the newest so many runs of its history" bounds:"1 300 30"`
	Limit  int    `json:"limit,omitempty" jsonschema:"the newest so many heals, pieces of evidence and changes of quarantine" bounds:"1 100 10"`
}

type explainAnswer struct {
	TestID        string        `json:"test_id"`
	Summary       string        `json:"summary" jsonschema:"why, in words"`
	Quarantine    *report.Entry `json:"quarantine" jsonschema:"null when the test is not in quarantine; way_out says what would release it"`
	Standing      testHealth    `json:"standing"`
	Evidence      evidence      `json:"evidence" jsonschema:"what quarantine rests on"`
	History       []execution   `json:"history" jsonschema:"the newest run first"`
	Heals         []healDetail  `json:"heals" jsonschema:"healed and refused locators, the newest first"`
	QuarantineLog []logLine     `json:"quarantine_log" jsonschema:"the newest change first"`
	Truncated     truncated     `json:"truncated"`
}

type testHealth struct {
	Tier       string  `json:"classification" jsonschema:"Stable, Intermittent, Flaky, Chronic, or empty for a test that never ran"`
	FlipRate   float64 `json:"flip_rate" jsonschema:"ratio in [0,1] over the last 10 executions"`
	EWMA       float64 `json:"ewma_flip_rate" jsonschema:"ratio in [0,1] over the last 20"`
	Executions int     `json:"executions" jsonschema:"the flip rate was taken over"`
	LastStatus string  `json:"last_status"`
}

type evidence struct {
	Pieces     []piece `json:"pieces" jsonschema:"the newest first"`
	Executions int     `json:"executions" jsonschema:"that the evidence was found in"`
	Rate       float64 `json:"rate" jsonschema:"ratio in [0,1]: how often the test gives evidence"`
	Clean      int     `json:"clean_runs" jsonschema:"executions since the last evidence"`
	Release    int     `json:"release_runs" jsonschema:"how many clean executions let it out, 0 when it is not in by evidence"`
	PullsOnly  bool    `json:"pulls_only" jsonschema:"only pull requests have shown it"`
}

type piece struct {
	Kind   string   `json:"kind" jsonschema:"same-commit: failed and passed on one commit; lone-main and lone-pull: red alone and green at the next run of the default branch or push of a pull request"`
	Points int      `json:"points" jsonschema:"its weight, 1 to 3"`
	Commit string   `json:"commit"`
	Errors []string `json:"errors"`
	Place  string   `json:"place" jsonschema:"file:line of the failure"`
}

type execution struct {
	Started    string  `json:"started_at" jsonschema:"RFC 3339 in UTC"`
	Result     string  `json:"result" jsonschema:"passed, healed, flaky, failed or skipped"`
	DurationMS float64 `json:"duration_ms"`
	Commit     string  `json:"commit"`
	Branch     string  `json:"branch"`
	RunID      int64   `json:"run_id"`
	RunAttempt int     `json:"run_attempt"`
}

type logLine struct {
	At     string `json:"at" jsonschema:"RFC 3339 in UTC"`
	Action string `json:"action" jsonschema:"add or release"`
	Who    string `json:"who"`
	Reason string `json:"reason"`
}

func (s *Server) addExplain() {
	add(s, tool[explainQuestion, explainAnswer]{
		name: "breadcrumb_explain", title: "Explain a test",
		description: "Why a test is in quarantine or not, what would release it, what it did in the last runs, and why its locators were healed so or refused: signals, confidence, runner-up, threshold and margin.",
		answer: func(ctx context.Context, in explainQuestion) (out explainAnswer, err error) {
			err = s.with(ctx, in.DBPath, func(ctx context.Context, db Reading) error {
				id, err := resolve(ctx, db, in.TestID)
				if err != nil {
					return err
				}
				e := explanation{db: db, id: id, in: in, out: explainAnswer{TestID: id, Truncated: truncated{}}}
				out, err = e.answer(ctx)
				return err
			})
			return out, err
		},
	})
}

// explanation gathers what is known of one test.
type explanation struct {
	db  Database
	id  string
	in  explainQuestion
	out explainAnswer
}

func (e *explanation) answer(ctx context.Context) (explainAnswer, error) {
	for _, step := range []func(context.Context) error{e.quarantine, e.health, e.history, e.heals, e.log} {
		if err := step(ctx); err != nil {
			return explainAnswer{}, err
		}
	}
	known, err := e.db.HasTest(ctx, e.id)
	if err != nil {
		return explainAnswer{}, err
	}
	if !known && e.out.Quarantine == nil && len(e.out.Heals) == 0 {
		return explainAnswer{}, unknownTest(ctx, e.db, e.in.TestID)
	}
	e.out.Summary = e.summary()
	return e.out, nil
}

func (e *explanation) quarantine(ctx context.Context) error {
	quarantine, err := health.LoadQuarantine(ctx, e.db)
	if err != nil {
		return err
	}
	for _, entry := range quarantine.Entries() {
		if entry.TestID == e.id {
			shown := report.NewEntry(entry)
			e.out.Quarantine = &shown
		}
	}
	f, known := quarantine.Evidence(e.id)
	if !known {
		return nil
	}
	e.out.Evidence = evidence{Executions: f.Executions, Rate: f.Rate, Clean: f.Clean, Release: f.Release, PullsOnly: f.PullsOnly}
	pieces := slices.Clone(f.Evidence)
	slices.Reverse(pieces)
	for _, p := range cut(e.out.Truncated, "evidence.pieces", pieces, e.in.Limit, len(pieces)) {
		e.out.Evidence.Pieces = append(e.out.Evidence.Pieces, piece{kindNames[p.Kind], p.Points(), p.Commit, p.Signatures, p.Place})
	}
	return nil
}

var kindNames = map[flaky.Kind]string{
	flaky.KindSameCommit: "same-commit", flaky.KindLoneMain: "lone-main", flaky.KindLonePull: "lone-pull",
}

func (e *explanation) health(ctx context.Context) error {
	t, err := health.LoadTest(ctx, e.db, e.id)
	e.out.Standing = testHealth{string(t.Tier), t.FlipRate, t.EWMA, t.Runs, string(t.Last)}
	return err
}

var cellNames = map[outcome.Cell]string{
	outcome.CellSkipped: "skipped", outcome.CellPassed: "passed", outcome.CellHealed: "healed",
	outcome.CellFlaky: "flaky", outcome.CellFailed: "failed",
}

func (e *explanation) history(ctx context.Context) error {
	line, err := e.db.Timeline(ctx, e.in.Runs, time.Unix(0, 0))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(line.Tests, func(t outcome.TimelineTest) bool { return t.TestID == e.id })
	if at < 0 {
		return nil
	}
	test := line.Tests[at]
	for i, r := range slices.Backward(line.Runs) {
		if test.Cells[i] == outcome.CellNone {
			continue
		}
		e.out.History = append(e.out.History, execution{
			Started: instant(r.Started), Result: cellNames[test.Cells[i]], DurationMS: float64(test.DurationMS[i]),
			Commit: r.Commit, Branch: r.Branch, RunID: r.RunID, RunAttempt: r.Attempt,
		})
	}
	return nil
}

func (e *explanation) log(ctx context.Context) error {
	log, err := e.db.QuarantineLog(ctx)
	if err != nil {
		return err
	}
	var lines []logLine
	for _, l := range slices.Backward(log) {
		if l.Setting || l.Change.TestID != e.id {
			continue
		}
		action := "add"
		if l.Change.Released {
			action = "release"
		}
		lines = append(lines, logLine{instant(l.At), action, l.Who, l.Change.Reason})
	}
	e.out.QuarantineLog = cut(e.out.Truncated, "quarantine_log", lines, e.in.Limit, len(lines))
	return nil
}

// summary says in words why the test is where it is.
func (e *explanation) summary() string {
	phrase := "Not in quarantine."
	if n := len(e.out.Evidence.Pieces) + e.out.Truncated["evidence.pieces"]; n > 0 {
		phrase = "Not in quarantine, with " + text.Count(n, "piece", "pieces") + " of evidence so far."
	}
	if q := e.out.Quarantine; q != nil {
		phrase = fmt.Sprintf("In quarantine since %s: %s. Way out: %s.", q.Since, q.Reason, q.WayOut)
	}
	if s := e.out.Standing; s.Tier != "" {
		phrase += fmt.Sprintf(" %s, flip rate %.2f over the last %d executions, the last one %s.", s.Tier, s.FlipRate, s.Executions, s.LastStatus)
	}
	if len(e.out.Heals) > 0 {
		phrase += " Newest heal: " + e.out.Heals[0].Why
	}
	return phrase
}

// instant is a time as answers hold it, "" for one that is not known.
func instant(t time.Time) string {
	if t.Unix() <= 0 {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
