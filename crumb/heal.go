package crumb

import (
	"encoding/json"
	"fmt"
	"net/url"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	selectors "github.com/breadcrumb/action/engine/locator"
)

// The reason of a refusal that the engine does not know.
const reasonReplayFailed = "replay-failed"

// healing is one attempt to find a lost element again.
type healing struct {
	*subject
	test   *test
	key    key
	action string
	lost   recollection
	now    *snapshot
	back   bool // the locator finds something after all
	event  engine.HealEvent
}

// healAction is called when an action timed out. It returns what the action returned
// on the healed element. When there is no heal it returns value and cause, the
// original error; when the healed element failed as well, both errors.
func healAction[T any](s *subject, k key, recall func() recollection, action string, value T, cause error, replay func(playwright.Locator) (T, error)) (T, error) {
	h := &healing{subject: s, test: s.page.test, key: k, action: action}
	at, index := h.find(recall)
	defer func() { go h.now.dispose() }()
	if at == nil {
		return value, cause
	}
	healed, err := replay(at)
	if err != nil {
		h.refuse(reasonReplayFailed)
		return value, fmt.Errorf("%w\nhealed to %s, which failed too: %w", cause, selectorOf(at), err)
	}
	h.succeed(index)
	return healed, nil
}

// matches reports whether the locator finds something, or cannot be asked: then
// it is not lost.
func (h *healing) matches() bool {
	n, err := h.raw.Count()
	return err != nil || n > 0
}

// find returns a locator of the lost element and its index among the page's.
// It is nil when the element is not lost, and when healing was refused, which
// it reports.
func (h *healing) find(recall func() recollection) (playwright.Locator, int) {
	h.prepare(recall)
	if h.back {
		return nil, -1
	}
	h.begin()
	if !h.lost.known {
		h.refuse(engine.ReasonNoFingerprint)
		return nil, -1
	}
	h.event.Original = h.lost.fingerprint
	h.event.Original.Locator = h.key.locator
	if !h.test.lessons.healed(h.key) && !engine.SamePage(h.lost.fingerprint.Page, h.page.pageName()) {
		h.refuse(engine.ReasonOtherPage)
		return nil, -1
	}
	decision := h.decide()
	if decision.Best != nil {
		h.event.Confidence = ratio(decision.Best.Confidence)
		h.event.Healed = h.now.page.Written(decision.Best.Index)
	}
	if decision.RunnerUp != nil {
		h.event.RunnerUp = ratio(decision.RunnerUp.Confidence)
	}
	if decision.Outcome != engine.OutcomeHealed {
		h.refuse(decision.Reason)
		return nil, -1
	}
	at := h.address(decision.Best.Index)
	switch {
	case h.back: // it came after all: the failure was a slow page
		return nil, -1
	case at == nil:
		h.refuse(reasonReplayFailed)
		return nil, -1
	}
	return at, decision.Best.Index
}

// prepare does at once what needs no other's answer: it asks whether the locator
// finds something, has the browser describe the page, and recalls what was lost.
func (h *healing) prepare(recall func() recollection) {
	var all sync.WaitGroup
	all.Go(func() { h.back = h.matches() })
	all.Go(func() { h.now = h.test.snapshot(h.subject) })
	h.lost = recall()
	all.Wait()
}

// decide asks the engine, with the page that was learned where it is known.
// Another frame than the one it was looked for in may hold the lost element only
// if it is known that this was not there before.
func (h *healing) decide() heal.Decision {
	d, elsewhere := h.compare()
	if d.Outcome == engine.OutcomeHealed && !elsewhere && h.now.foreign(d.Best.Index) {
		d.Outcome, d.Reason = engine.OutcomeRefused, engine.ReasonAmbiguous
	}
	return d
}

// compare also reports whether all frames of the learned page are known.
func (h *healing) compare() (d heal.Decision, complete bool) {
	if old := h.lost.page; old != nil {
		return heal.Compare(old, h.now.page).Heal(h.lost.index, h.test.scorer), allAnswered(old)
	}
	return heal.Heal(h.lost.fingerprint, h.now.page, h.test.scorer), false
}

func allAnswered(page *heal.Page) bool {
	for i := range page.Len() {
		if page.Element(i).Tag == unansweredTag {
			return false
		}
	}
	return true
}

// begin fills in what is known before the element is looked for.
func (h *healing) begin() {
	e := &h.event
	*e = engine.HealEvent{TestID: h.test.options.TestID, Locator: h.key.locator, Action: h.action,
		Site: h.site.in(h.test.root), Occurrence: h.key.occurrence}
	if s, err := selectors.Parse(h.key.locator); err == nil && len(s.Parts) == 1 && s.Parts[0].Kind == selectors.KindCSS {
		e.API = "locator"
	}
	if u, err := url.Parse(h.page.URL()); err == nil {
		e.PageURL = u.Path
	}
}

func (h *healing) refuse(reason string) {
	h.event.Outcome, h.event.Reason = engine.OutcomeRefused, reason
	h.finish()
}

func (h *healing) succeed(index int) {
	h.event.Outcome = engine.OutcomeHealed
	h.test.lessons.heals(h.key)
	if name := h.now.foreignFrame(index); name != "" {
		if text, err := json.Marshal(name); err == nil {
			h.event.Extra = map[string]json.RawMessage{"frame": text}
		}
	}
	h.finish()
	if h.test.options.UpdateOnHeal && !h.test.options.Frozen {
		learned := h.test.lessons.lesson(h.now.elements, index, h.now.sum)
		learned.fingerprint.Page = h.page.pageName()
		h.test.keep(h.key, h.site.in(h.test.root), learned)
		h.test.lessons.took(h.key, true)
	}
}

func (h *healing) finish() {
	h.event.Timestamp = float64(h.test.options.Now().UnixMicro()) / 1e6
	h.test.report(h.event)
}

// ratio keeps a confidence in [0,1].
func ratio(x float64) float64 { return min(1, max(0, x)) }
