package trace

import (
	"cmp"
	"context"
	"net/url"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/match"
	"github.com/breadcrumb/action/engine/locator"
)

// The reasons of refusals that the engine does not know, in words.
const (
	ReasonAssertion = "an assertion's locator is not healed from a trace: what it looks for may be what is wrong"
	ReasonNoDetail  = "the trace does not hold what is needed: "

	reasonStillThere = ReasonNoDetail + "its last snapshot still has what the locator looks for"
)

// What a trace can lack, in words.
const (
	MissingLayout = "a trace holds no layout of the page"
	MissingAfter  = "only the page from before the call is known, since the test's own timeout ended it: what was shown later is not; set actionTimeout"
)

// Suggestion is what was found for a lost element: an event of outcome healed or
// suggested, which is a proposal only, since no action was done, or of a refusal.
type Suggestion struct {
	Event   engine.HealEvent
	Missing []string // what the trace lacks, in words
	// Picture is of the element that is proposed, outlined, in a browser that showed the
	// snapshot once more; nil where there was none, or the snapshot may show a secret.
	Picture []byte
}

// Lost reports whether the call failed because its locator found nothing.
func (c *Call) Lost() bool { return c.Failed && !c.Found && c.Awaited && len(c.snapshots) > 0 }

// Heal looks for the element of a lost call in its last snapshot. Known is what
// was learned of it, nil for nothing. TestID and Timestamp of the event are the
// caller's to set.
func (c *Call) Heal(known *heal.Learned, options heal.Options) Suggestion {
	s, _ := c.Replay(context.Background(), known, options, nil)
	return s
}

// Replay is Heal with a second look at the snapshot in a browser, nil for none:
// there it is seen what is hidden and where everything is, and Playwright itself
// counts what locators find. The error is that of the browser; what is returned
// with it is what Heal returns.
func (c *Call) Replay(ctx context.Context, known *heal.Learned, options heal.Options, browser Browser) (Suggestion, error) {
	h := healing{Call: c}
	h.describeLost(known)
	switch {
	case c.Asserts:
		h.refuseHeal(ReasonAssertion)
	case known == nil:
		h.refuseHeal(engine.ReasonNoFingerprint)
	case h.findLostPage(*known, options) && browser != nil:
		return h.replay(ctx, *known, options, browser)
	}
	return h.out, nil
}

// healing is one look for a lost element.
type healing struct {
	*Call
	out   Suggestion
	page  *page
	plain bool // the page certainly shows no secret
}

// describeLost fills in what is known before the element is looked for.
func (h *healing) describeLost(known *heal.Learned) {
	e := &h.out.Event
	*e = engine.HealEvent{Locator: h.Selector, Action: h.Method, Site: h.Site, Occurrence: h.Occurrence}
	if s, err := locator.Parse(h.Selector); err == nil && len(s.Parts) == 1 && s.Parts[0].Kind == locator.KindCSS {
		e.API = "locator"
	}
	if known != nil {
		e.Original = known.Fingerprint
		e.Original.Locator = h.Selector
	}
}

func (h *healing) refuseHeal(reason string) {
	h.out.Event.Outcome, h.out.Event.Reason = engine.OutcomeRefused, reason
}

// findLostPage reports whether there is a page that the element is lost on.
func (h *healing) findLostPage(known heal.Learned, options heal.Options) bool {
	phase := h.lastPhase()
	s, tail, err := h.document(phase)
	if err == nil {
		h.page, h.plain = h.trace.page(s), s.isPlain()
	}
	if h.page == nil {
		h.refuseHeal(ReasonNoDetail + cmp.Or(err, errNoSnapshot).Error())
		return false
	}
	if u, err := url.Parse(s.url); err == nil {
		h.out.Event.PageURL = u.Path
	}
	h.out.Missing = append(h.out.Missing, MissingLayout)
	if phase == phaseBefore {
		h.out.Missing = append(h.out.Missing, MissingAfter)
	}
	if found, err := h.page.find(tail, h.trace.testID); err == nil && len(found) > 0 {
		h.refuseHeal(reasonStillThere)
		return false
	}
	if !known.Fingerprint.OnPage(h.pageAddress(phase)) {
		h.out.Event.PageURL = h.pageAddress(phase)
		h.refuseHeal(engine.ReasonOtherPage)
		return false
	}
	h.decideAndCount(known, options, h.page.preparePage(), h.findInDocument)
	return true
}

// lastPhase returns the phase of the last snapshot that was taken of the call's page.
func (c *Call) lastPhase() string {
	last := ""
	for _, s := range c.snapshots {
		if s.main && (s.phase == phaseBefore || s.phase == phaseAction || s.phase == phaseAfter) {
			last = s.phase
		}
	}
	return last
}

// decide asks the engine, with the page that was learned where it is known. It
// returns the index of the element that is proposed, -1 for none.
func (h *healing) decide(known heal.Learned, options heal.Options, now *heal.Page) (chosen int) {
	e := &h.out.Event
	if s, err := locator.Parse(h.Selector); err == nil {
		options.Asked = s.AskedTexts()
	}
	d := known.Unpack().Heal(now, options)
	d.Describe(e, now)
	e.Outcome, e.Reason = d.Outcome, d.Reason
	if d.Outcome == engine.OutcomeRefused {
		return -1
	}
	return d.Best.Index
}

// decideAndCount is decide, and counts what locators of the proposed element find.
func (h *healing) decideAndCount(known heal.Learned, options heal.Options, now *heal.Page, find func(locator.Selector) ([]int, error)) (chosen int) {
	chosen = h.decide(known, options, now)
	if chosen >= 0 {
		match.Count(&h.out.Event, match.Proposed{Index: chosen, Above: now.Above(chosen, 0)}, h.trace.testID, find)
	}
	return chosen
}

// findInDocument returns the elements that a selector finds that looks in the call's
// document.
func (h *healing) findInDocument(s locator.Selector) ([]int, error) {
	return h.page.find(inDocument(s), h.trace.testID)
}

// inDocument returns the parts of a selector behind those that step into frames.
func inDocument(s locator.Selector) []locator.Part { return s.Parts[len(s.Frames()):] }
