package mcp

import (
	"cmp"
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
				heals, err := healsOf(ctx, db, in.TestID, false)
				if err == nil {
					out = newHealsAnswer(heals, in.Limit)
				}
				return err
			})
			return out, err
		},
	})
}

func newHealsAnswer(heals []engine.HealEvent, limit int) healsAnswer {
	out := healsAnswer{Total: len(heals), Truncated: truncated{}}
	for _, h := range cut(out.Truncated, "healing_events", heals, limit, len(heals)) {
		out.Heals = append(out.Heals, healLine{h.TestID, h.Locator, outcome.HealedTo(h), h.Confidence, h.Timestamp})
	}
	return out
}

// healsOf returns the heals, or the refusals, of a test or for "" of all, the
// newest first.
func healsOf(ctx context.Context, db Database, testID string, refused bool) ([]engine.HealEvent, error) {
	heals, _, err := db.Heals(ctx, store.HealQuery{Refused: refused})
	if err != nil {
		return nil, err
	}
	if testID != "" {
		heals = slices.DeleteFunc(heals, func(h engine.HealEvent) bool { return !isTest(testID, h.TestID) })
	}
	slices.SortStableFunc(heals, func(a, b engine.HealEvent) int { return cmp.Compare(b.Timestamp, a.Timestamp) })
	return heals, nil
}

// isTest reports whether an argument names a test: by its identity or as an
// answer shows that.
func isTest(asked, id string) bool { return id == store.CleanID(asked) || shown(id) == asked }
