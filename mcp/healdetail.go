package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/preset"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
)

type healDetail struct {
	Outcome    string   `json:"outcome" jsonschema:"healed or refused"`
	Reason     string   `json:"reason" jsonschema:"of a refusal"`
	Why        string   `json:"why" jsonschema:"in words"`
	Locator    string   `json:"locator" jsonschema:"as it was"`
	Healed     string   `json:"healed" jsonschema:"as it became, or the element; empty for a refusal"`
	Action     string   `json:"action"`
	PageURL    string   `json:"page_url"`
	Site       string   `json:"site" jsonschema:"file:line of the call"`
	Timestamp  float64  `json:"timestamp" jsonschema:"Unix seconds"`
	Confidence float64  `json:"confidence" jsonschema:"ratio in [0,1]; of a refusal the best candidate's"`
	RunnerUp   float64  `json:"runner_up" jsonschema:"confidence of the second best candidate, 0 when it is not known"`
	Lead       float64  `json:"lead" jsonschema:"confidence without that of the runner-up"`
	Threshold  float64  `json:"threshold" jsonschema:"the least confidence of a heal by the default scorer; the run may have set another"`
	Margin     float64  `json:"margin" jsonschema:"the least lead by the default scorer; the run may have set another"`
	Signals    []signal `json:"signals" jsonschema:"how alike the old and the new element are, by the signals of preset breadcrumb-docs"`
	SignalsSay string   `json:"signals_say" jsonschema:"what of the element stayed and what changed"`
}

type signal struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value" jsonschema:"ratio in [0,1]"`
	Weight float64 `json:"weight" jsonschema:"0 when the signal took no part"`
}

func (e *explanation) heals(ctx context.Context) error {
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
	for _, h := range cut(e.out.Truncated, "heals", all, e.in.Limit, total) {
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
	if h.Outcome == engine.OutcomeHealed {
		out.Healed = outcome.HealedTo(h)
	}
	out.Why = out.words()
	// What the event's own scorer saw is not in it; the seed's signals of the two
	// fingerprints say the same to people.
	found := heal.Heal(h.Original, heal.NewCandidates([]engine.Fingerprint{h.Healed}), heal.Options{Preset: preset.Docs})
	if found.Best == nil {
		return out
	}
	out.SignalsSay = found.Because
	for _, s := range found.Best.Signals {
		out.Signals = append(out.Signals, signal(s))
	}
	return out
}

// words says why the heal came out as it did.
func (d healDetail) words() string {
	scores := fmt.Sprintf("confidence %.3f against %.3f of the runner-up", d.Confidence, d.RunnerUp)
	if d.Healed != "" {
		return fmt.Sprintf("%s became %s, %s.", d.Locator, d.Healed, scores)
	}
	why, known := map[string]string{
		engine.ReasonNoFingerprint:  "the element was never seen before, so there is nothing to compare with",
		engine.ReasonNoCandidates:   "the page had no element that could be it",
		engine.ReasonBelowThreshold: "no element was like enough",
		engine.ReasonAmbiguous:      "two elements were too much alike",
	}[d.Reason]
	if !known {
		why = cmp.Or(d.Reason, "no reason was recorded")
	}
	return fmt.Sprintf("%s was not healed: %s; %s.", d.Locator, why, scores)
}
