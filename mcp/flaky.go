package mcp

import (
	"context"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/health"
)

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
	add(s, tool[flakyQuestion, flakyAnswer]{
		name: "breadcrumb_flaky_tests", title: "Flaky tests",
		description: "How flaky every test is by its last executions, and which tests are in quarantine. Use breadcrumb_explain for one of them.",
		answer: func(ctx context.Context, in flakyQuestion) (out flakyAnswer, err error) {
			err = s.with(ctx, in.DBPath, func(ctx context.Context, db Reading) error {
				tests, err := health.LoadTests(ctx, db)
				if err != nil {
					return err
				}
				entries, err := db.Quarantine(ctx)
				if err == nil {
					out = newFlakyAnswer(tests, entries, in.Limit)
				}
				return err
			})
			return out, err
		},
	})
}

func newFlakyAnswer(tests []outcome.RatedTest, entries []flaky.Entry, limit int) flakyAnswer {
	out := flakyAnswer{Classifications: map[string]string{}, Total: len(tests), Truncated: truncated{}}
	for _, t := range cut(out.Truncated, "classifications", tests, limit, len(tests)) {
		out.Classifications[t.TestID] = string(t.Tier)
	}
	for _, e := range cut(out.Truncated, "quarantined", entries, limit, len(entries)) {
		out.Quarantined = append(out.Quarantined, e.TestID)
	}
	return out
}
