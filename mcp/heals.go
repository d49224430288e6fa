package mcp

import (
	"context"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store"
)

type healsQuestion struct {
	ofDatabase
	TestID string `json:"test_id,omitempty" jsonschema:"only of this test"`
	Limit  int    `json:"limit,omitempty" jsonschema:"the newest so many" bounds:"1 500 50"`
}

type healsAnswer struct {
	Heals     []healLine      `json:"healing_events" jsonschema:"the newest first"`
	Total     int             `json:"total"`
	Suggested []suggestedLine `json:"suggested" jsonschema:"locators that were not healed, because what is likely their element means something else now; their tests failed; the newest first"`
	Truncated truncated       `json:"truncated"`
}

type suggestedLine struct {
	healLine
	Reason  string           `json:"reason" jsonschema:"why it was not healed"`
	Why     string           `json:"why" jsonschema:"in words: what the element was and what it is"`
	Changed []report.Meaning `json:"changed" jsonschema:"what the element means otherwise"`
}

type healLine struct {
	TestID     string  `json:"test_id"`
	Locator    string  `json:"locator" jsonschema:"as it was"`
	Healed     string  `json:"healed" jsonschema:"as it became, or the element"`
	Confidence float64 `json:"confidence" jsonschema:"ratio in [0,1]"`
	Timestamp  float64 `json:"timestamp" jsonschema:"Unix seconds"`
}

func (s *Server) addHeals() {
	addQuery(s, tool[healsQuestion, healsAnswer]{
		name: "breadcrumb_healing_events", title: "Healed locators",
		description: "The locators that were healed or have a suggestion, the newest first, of all tests or of one.",
	}, func(ctx context.Context, db Reading, in healsQuestion) (healsAnswer, error) {
		id, err := resolveTest(ctx, db, in.TestID)
		if err != nil {
			return healsAnswer{}, err
		}
		q := store.HealQuery{Test: id, Newest: in.Limit}
		heals, err := newestHeals(ctx, db, q)
		if err != nil {
			return healsAnswer{}, err
		}
		total, err := db.CountHeals(ctx, q)
		out := healsAnswer{Total: total, Truncated: truncated{}}
		for _, h := range limitList(out.Truncated, "healing_events", heals, in.Limit, total) {
			out.Heals = append(out.Heals, newHealLine(h))
		}
		if err != nil {
			return out, err
		}
		q.Refused, q.Suggested = true, true
		suggested, err := newestHeals(ctx, db, q)
		if err != nil {
			return out, err
		}
		total, err = db.CountHeals(ctx, q)
		for _, h := range limitList(out.Truncated, "suggested", suggested, in.Limit, total) {
			out.Suggested = append(out.Suggested, suggestedLine{newHealLine(h), h.Reason, outcome.DescribeSuggestion(h, outcome.Quote), report.NewMeanings(h.Changed)})
		}
		return out, err
	})
}

func newHealLine(h engine.HealEvent) healLine {
	return healLine{string(h.TestID), h.Locator, outcome.HealedTo(h), h.Confidence, h.Timestamp}
}

// newestHeals returns the heals that a query selects, the newest first.
func newestHeals(ctx context.Context, db Database, q store.HealQuery) ([]engine.HealEvent, error) {
	heals, _, err := db.Heals(ctx, q)
	slices.Reverse(heals)
	return heals, err
}

// maxParts bounds the attributes and ancestors of one fingerprint.
const maxParts = 64

type fingerprintsQuestion struct {
	ofDatabase
	TestID string `json:"test_id,omitempty" jsonschema:"only of this test"`
	Limit  int    `json:"limit,omitempty" jsonschema:"the first so many" bounds:"1 500 50"`
}

type fingerprintsAnswer struct {
	Fingerprints []fingerprint   `json:"fingerprints" jsonschema:"sorted by test and locator"`
	Total        int             `json:"total"`
	Truncated    truncated       `json:"truncated"`
	Notices      []report.Notice `json:"notices" jsonschema:"what could not be read"`
}

type fingerprint struct {
	TestID     string      `json:"test_id"`
	Locator    string      `json:"locator"`
	Tag        string      `json:"tag"`
	Text       string      `json:"text"`
	DOMPath    []string    `json:"dom_path" jsonschema:"tags from the root to the element"`
	Attributes [][2]string `json:"attributes" jsonschema:"pairs of name and value"`
}

func (s *Server) addFingerprints() {
	addQuery(s, tool[fingerprintsQuestion, fingerprintsAnswer]{
		name: "breadcrumb_list_fingerprints", title: "Known elements",
		description: "The elements that tests use, as they were last seen: what a broken locator is healed by.",
	}, func(ctx context.Context, db Reading, in fingerprintsQuestion) (fingerprintsAnswer, error) {
		id, err := resolveTest(ctx, db, in.TestID)
		if err != nil {
			return fingerprintsAnswer{}, err
		}
		found, err := db.Fingerprints(ctx, id, in.Limit)
		out := fingerprintsAnswer{Total: found.Total, Truncated: truncated{}}
		for _, f := range limitList(out.Truncated, "fingerprints", found.List, in.Limit, found.Total-len(found.Notices)) {
			out.Fingerprints = append(out.Fingerprints, newFingerprint(f))
		}
		for _, n := range found.Notices[:min(len(found.Notices), maxParts)] {
			out.Notices = append(out.Notices, report.NewNotice(n))
		}
		return out, err
	})
}

func newFingerprint(f engine.Fingerprint) fingerprint {
	out := fingerprint{TestID: string(f.TestID), Locator: f.Locator, Tag: f.Tag, Text: f.Text, DOMPath: f.DOMPath[:min(len(f.DOMPath), maxParts)]}
	for _, a := range f.Attributes[:min(len(f.Attributes), maxParts)] {
		out.Attributes = append(out.Attributes, [2]string{a.Name, a.Value})
	}
	return out
}
