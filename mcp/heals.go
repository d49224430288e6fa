package mcp

import (
	"context"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
)

type healsQuestion struct {
	ofDatabase
	TestID string `json:"test_id,omitempty" jsonschema:"only of this test"`
	Limit  int    `json:"limit,omitempty" jsonschema:"the newest so many" bounds:"1 500 50"`
}

type healsAnswer struct {
	Heals     []healLine `json:"healing_events" jsonschema:"the newest first"`
	Total     int        `json:"total"`
	Truncated truncated  `json:"truncated"`
}

type healLine struct {
	TestID     string  `json:"test_id"`
	Locator    string  `json:"locator" jsonschema:"as it was"`
	Healed     string  `json:"healed" jsonschema:"as it became, or the element"`
	Confidence float64 `json:"confidence" jsonschema:"ratio in [0,1]"`
	Timestamp  float64 `json:"timestamp" jsonschema:"Unix seconds"`
}

func (s *Server) addHeals() {
	add(s, tool[healsQuestion, healsAnswer]{
		name: "breadcrumb_healing_events", title: "Healed locators",
		description: "The locators that were healed, the newest first, of all tests or of one.",
		answer: func(ctx context.Context, in healsQuestion) (out healsAnswer, err error) {
			err = s.with(ctx, in.DBPath, func(ctx context.Context, db Reading) error {
				id, err := resolve(ctx, db, in.TestID)
				if err != nil {
					return err
				}
				q := store.HealQuery{Test: id, Newest: in.Limit}
				heals, err := newestHeals(ctx, db, q)
				if err != nil {
					return err
				}
				total, err := db.CountHeals(ctx, q)
				if err == nil {
					out = newHealsAnswer(heals, in.Limit, total)
				}
				return err
			})
			return out, err
		},
	})
}

func newHealsAnswer(heals []engine.HealEvent, limit, total int) healsAnswer {
	out := healsAnswer{Total: total, Truncated: truncated{}}
	for _, h := range cut(out.Truncated, "healing_events", heals, limit, total) {
		out.Heals = append(out.Heals, healLine{h.TestID, h.Locator, outcome.HealedTo(h), h.Confidence, h.Timestamp})
	}
	return out
}

// newestHeals returns the heals that a query selects, the newest first.
func newestHeals(ctx context.Context, db Database, q store.HealQuery) ([]engine.HealEvent, error) {
	heals, _, err := db.Heals(ctx, q)
	slices.Reverse(heals)
	return heals, err
}
