package mcp

import "context"

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
	add(s, tool[ofDatabase, statsAnswer]{
		name: "breadcrumb_stats", title: "Counts",
		description: "How much the history holds: fingerprints, heal events, tests, runs, quarantined tests.",
		answer: func(ctx context.Context, in ofDatabase) (out statsAnswer, err error) {
			err = s.with(ctx, in.DBPath, func(ctx context.Context, db Reading) error {
				facts, err := db.Facts(ctx)
				n := facts.Rows
				out = statsAnswer{
					Fingerprints: n.Fingerprints, HealingEvents: n.Heals, Refusals: n.Refusals,
					Tests: n.Tests, Runs: n.Runs, TestRuns: n.Results, Quarantined: n.Quarantined,
				}
				return err
			})
			return out, err
		},
	})
}
