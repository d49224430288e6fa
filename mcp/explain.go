package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/preset"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store"
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
	Heals         []healDetail  `json:"heals" jsonschema:"healed, suggested and refused locators, the newest first"`
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
	Items      []evidenceItem `json:"pieces" jsonschema:"the newest first"`
	Executions int            `json:"executions" jsonschema:"that the evidence was found in"`
	Rate       float64        `json:"rate" jsonschema:"ratio in [0,1]: how often the test gives evidence"`
	Clean      int            `json:"clean_runs" jsonschema:"executions since the last evidence"`
	Release    int            `json:"release_runs" jsonschema:"how many clean executions let it out, 0 when it is not in by evidence"`
	PullsOnly  bool           `json:"pulls_only" jsonschema:"only pull requests have shown it"`
}

type evidenceItem struct {
	Kind   string   `json:"kind" jsonschema:"same-commit: failed and passed on one commit; lone-main and lone-pull: red alone and green at the next run of the default branch or push of a pull request; shared: failed and passed on one commit together with others"`
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
	addQuery(s, tool[explainQuestion, explainAnswer]{
		name: "breadcrumb_explain", title: "Explain a test",
		description: "Why a test is in quarantine or not, what would release it, what it did in the last runs, and why its locators were healed so or refused: signals, confidence, runner-up, threshold and margin.",
	}, func(ctx context.Context, db Reading, in explainQuestion) (explainAnswer, error) {
		id, err := resolveTest(ctx, db, in.TestID)
		if err != nil {
			return explainAnswer{}, err
		}
		e := explanation{db: db, id: id, in: in, out: explainAnswer{TestID: string(id), Truncated: truncated{}}}
		return e.buildAnswer(ctx)
	})
}

// explanation collects what is known about one test.
type explanation struct {
	db  Database
	id  engine.TestID
	in  explainQuestion
	out explainAnswer
}

func (e *explanation) buildAnswer(ctx context.Context) (explainAnswer, error) {
	for _, step := range []func(context.Context) error{e.addQuarantine, e.addHealth, e.addHistory, e.addHeals, e.addLog} {
		if err := step(ctx); err != nil {
			return explainAnswer{}, err
		}
	}
	known, err := e.db.HasTest(ctx, e.id)
	if err != nil {
		return explainAnswer{}, err
	}
	if !known && e.out.Quarantine == nil && len(e.out.Heals) == 0 {
		return explainAnswer{}, Problem(fmt.Sprintf("no test is called %q; breadcrumb_flaky_tests lists the tests", cmp.Or(answerText(e.in.TestID), e.in.TestID)))
	}
	e.out.Summary = e.summarize()
	return e.out, nil
}

func (e *explanation) addQuarantine(ctx context.Context) error {
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
	for _, p := range limitList(e.out.Truncated, "evidence.pieces", pieces, e.in.Limit, len(pieces)) {
		var errors []string
		for _, signature := range p.Signatures {
			errors = append(errors, flaky.Readable(signature))
		}
		e.out.Evidence.Items = append(e.out.Evidence.Items, evidenceItem{kindNames[p.Kind], p.Points(), p.Commit, errors, p.Place})
	}
	return nil
}

var kindNames = map[flaky.Kind]string{
	flaky.KindSameCommit: "same-commit", flaky.KindLoneMain: "lone-main", flaky.KindLonePull: "lone-pull",
	flaky.KindShared: "shared",
}

func (e *explanation) addHealth(ctx context.Context) error {
	t, err := health.LoadTest(ctx, e.db, e.id)
	e.out.Standing = testHealth{string(t.Tier), t.FlipRate, t.EWMA, t.Runs, string(t.Last)}
	return err
}

var cellNames = map[outcome.Cell]string{
	outcome.CellSkipped: "skipped", outcome.CellPassed: "passed", outcome.CellHealed: "healed",
	outcome.CellFlaky: "flaky", outcome.CellFailed: "failed",
}

func (e *explanation) addHistory(ctx context.Context) error {
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
			Started: formatTime(r.Started), Result: cellNames[test.Cells[i]], DurationMS: float64(test.DurationMS[i]),
			Commit: r.Commit, Branch: r.Branch, RunID: r.RunID, RunAttempt: r.Attempt,
		})
	}
	return nil
}

func (e *explanation) addLog(ctx context.Context) error {
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
		lines = append(lines, logLine{formatTime(l.At), action, l.Who, l.Change.Reason})
	}
	e.out.QuarantineLog = limitList(e.out.Truncated, "quarantine_log", lines, e.in.Limit, len(lines))
	return nil
}

// summarize says in words why the test is in quarantine or not.
func (e *explanation) summarize() string {
	phrase := "Not in quarantine."
	if n := len(e.out.Evidence.Items) + e.out.Truncated["evidence.pieces"]; n > 0 {
		phrase = "Not in quarantine, with " + text.Count(n, "piece", "pieces") + " of evidence so far."
	}
	if q := e.out.Quarantine; q != nil {
		phrase = fmt.Sprintf("In quarantine since %s: %s. Way out: %s.", q.Since, q.Reason, q.WayOut)
	}
	if s := e.out.Standing; s.Tier != "" {
		phrase += fmt.Sprintf(" Flip rate %s over %s, the last one %s.", text.Percent(s.FlipRate), text.Count(s.Executions, "execution", "executions"), engine.Status(s.LastStatus).Word())
	}
	if len(e.out.Heals) > 0 {
		phrase += " Newest heal: " + e.out.Heals[0].Why
	}
	return phrase
}

// formatTime is a time as answers hold it, "" for one that is not known.
func formatTime(t time.Time) string {
	if t.Unix() <= 0 {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

type healDetail struct {
	Outcome    string           `json:"outcome" jsonschema:"healed; suggested: what is likely the element means something else now, nothing was done with it and the test failed; or refused"`
	Reason     string           `json:"reason" jsonschema:"of a refusal or a suggestion"`
	Changed    []report.Meaning `json:"changed" jsonschema:"of a suggestion: what the element means otherwise"`
	Why        string           `json:"why" jsonschema:"in words"`
	Locator    string           `json:"locator" jsonschema:"as it was"`
	Healed     string           `json:"healed" jsonschema:"as it became, or would become by a suggestion, or the element; empty for a refusal"`
	Action     string           `json:"action"`
	PageURL    string           `json:"page_url"`
	Site       string           `json:"site" jsonschema:"file:line of the call"`
	Timestamp  float64          `json:"timestamp" jsonschema:"Unix seconds"`
	Confidence float64          `json:"confidence" jsonschema:"ratio in [0,1]; of a refusal the best candidate's"`
	RunnerUp   float64          `json:"runner_up" jsonschema:"confidence of the second best candidate, 0 when it is not known"`
	Lead       float64          `json:"lead" jsonschema:"confidence without that of the runner-up"`
	Threshold  float64          `json:"threshold" jsonschema:"the least confidence of a heal by the default scorer; the run may have set another"`
	Margin     float64          `json:"margin" jsonschema:"the least lead by the default scorer; the run may have set another"`
	Signals    []signal         `json:"signals" jsonschema:"how alike the old and the new element are, by the signals of preset breadcrumb-docs"`
	SignalsSay string           `json:"signals_say" jsonschema:"what of the element stayed and what changed"`
}

type signal struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value" jsonschema:"ratio in [0,1]"`
	Weight float64 `json:"weight" jsonschema:"0 when the signal took no part"`
}

func (e *explanation) addHeals(ctx context.Context) error {
	var all []engine.HealEvent
	total := 0
	for _, refused := range []bool{false, true} {
		q := store.HealQuery{Test: e.id, Refused: refused, Newest: e.in.Limit}
		some, err := newestHeals(ctx, e.db, q)
		if err != nil {
			return err
		}
		n, err := e.db.CountHeals(ctx, q)
		if err != nil {
			return err
		}
		all, total = append(all, some...), total+n
	}
	slices.SortStableFunc(all, func(a, b engine.HealEvent) int { return cmp.Compare(b.Timestamp, a.Timestamp) })
	for _, h := range limitList(e.out.Truncated, "heals", all, e.in.Limit, total) {
		e.out.Heals = append(e.out.Heals, newHealDetail(h))
	}
	return nil
}

func newHealDetail(h engine.HealEvent) healDetail {
	threshold, margin := heal.Gates(preset.Default)
	out := healDetail{
		Outcome: string(h.Outcome), Reason: h.Reason, Locator: h.Locator, Action: h.Action, PageURL: h.PageURL, Timestamp: h.Timestamp,
		Confidence: h.Confidence, RunnerUp: h.RunnerUp, Lead: h.Confidence - h.RunnerUp, Threshold: threshold, Margin: margin,
	}
	if h.Site != nil {
		out.Site = fmt.Sprintf("%s:%d", h.Site.File, h.Site.Line)
	}
	switch h.Outcome {
	case engine.OutcomeHealed:
		out.Healed = outcome.HealedTo(h)
	case engine.OutcomeSuggested:
		out.Healed, out.Changed = outcome.HealedTo(h), report.NewMeanings(h.Changed)
	}
	out.Why = explainOutcome(h)
	signals, because := heal.CompareHealed(h)
	out.SignalsSay = because
	for _, s := range signals {
		out.Signals = append(out.Signals, signal(s))
	}
	return out
}

// explainOutcome says why the locator was healed, suggested or refused.
func explainOutcome(h engine.HealEvent) string {
	scores := fmt.Sprintf("confidence %.3f against %.3f of the runner-up", h.Confidence, h.RunnerUp)
	switch h.Outcome {
	case engine.OutcomeHealed:
		return fmt.Sprintf("%s became %s, %s.", outcome.Lost(h), outcome.HealedTo(h), scores)
	case engine.OutcomeSuggested:
		return fmt.Sprintf("%s was not healed, and %s is only suggested: %s; %s.", outcome.Lost(h), outcome.HealedTo(h), outcome.DescribeSuggestion(h, outcome.Quote), scores)
	}
	return fmt.Sprintf("%s was not healed: %s; %s.", outcome.Lost(h), outcome.Refusal(h), scores)
}
