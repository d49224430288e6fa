package mcp

import (
	"context"

	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/report"
)

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
	add(s, tool[reportQuestion, reportAnswer]{
		name: "breadcrumb_report", title: "Report of a period",
		description: "What the runs of the last days say of the suite: how many tests are stable, healed, flaky and failing, the newest heals, the flakiest tests, the locators healed most often, and the quarantine with reasons and what lets each test out.",
		answer: func(ctx context.Context, in reportQuestion) (out reportAnswer, err error) {
			err = s.with(ctx, in.DBPath, func(ctx context.Context, db Reading) error {
				survey, err := health.LoadSurvey(ctx, db, health.Period{Days: in.Days, Now: s.opts.Now()})
				if err == nil {
					out = newReportAnswer(report.NewSurveyDocument(survey), in.Limit)
				}
				return err
			})
			return out, err
		},
	})
}

func newReportAnswer(d report.SurveyDocument, limit int) reportAnswer {
	t := truncated{}
	d.Heals = cut(t, "healing_events", d.Heals, limit, len(d.Heals))
	d.Flaky = cut(t, "flaky_tests", d.Flaky, limit, len(d.Flaky))
	d.Locators = cut(t, "top_locators", d.Locators, limit, len(d.Locators))
	d.Failing = cut(t, "failing_tests", d.Failing, limit, len(d.Failing))
	d.Quarantine = cut(t, "quarantine", d.Quarantine, limit, len(d.Quarantine))
	d.Notices = cut(t, "notices", d.Notices, limit, len(d.Notices))
	return reportAnswer{d, t}
}
