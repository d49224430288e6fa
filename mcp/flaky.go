package mcp

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// historyWindow is how many executions of a test are looked at, the longest that
// any of its figures looks back on.
const historyWindow = 20

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
				histories, _, err := db.HistoriesSince(ctx, historyWindow, time.Unix(0, 0))
				if err != nil {
					return err
				}
				entries, err := db.Quarantine(ctx)
				if err == nil {
					out = newFlakyAnswer(histories, entries, in.Limit)
				}
				return err
			})
			return out, err
		},
	})
}

func newFlakyAnswer(histories []flaky.History, entries []flaky.Entry, limit int) flakyAnswer {
	standings := flaky.Evaluate(histories, nil, flaky.PolicyEvidence).TestHealths
	slices.SortStableFunc(standings, func(a, b flaky.TestHealth) int {
		return cmp.Or(cmp.Compare(b.FlipRate, a.FlipRate), cmp.Compare(b.EWMA, a.EWMA), cmp.Compare(a.TestID, b.TestID))
	})
	out := flakyAnswer{Classifications: map[string]string{}, Total: len(standings), Truncated: truncated{}}
	for _, s := range cut(out.Truncated, "classifications", standings, limit, len(standings)) {
		out.Classifications[s.TestID] = string(s.Tier)
	}
	for _, e := range cut(out.Truncated, "quarantined", entries, limit, len(entries)) {
		out.Quarantined = append(out.Quarantined, e.TestID)
	}
	return out
}

// standingOf returns how a test stands by its last executions, and how the last
// of them ended.
func standingOf(ctx context.Context, db Database, id string) (s flaky.TestHealth, last engine.Status, err error) {
	histories, err := db.HistoriesOf(ctx, []string{id}, historyWindow, engine.RunInfo{})
	if err != nil {
		return s, "", err
	}
	for _, h := range histories {
		if n := len(h.Statuses); n > 0 {
			last = h.Statuses[n-1]
		}
	}
	if all := flaky.Evaluate(histories, nil, flaky.PolicyEvidence).TestHealths; len(all) > 0 {
		s = all[0]
	}
	return s, last, nil
}
