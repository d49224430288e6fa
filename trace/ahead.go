package trace

import (
	"net/url"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/ahead"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
)

// LostPage is the page on which a call found nothing, as it was last. What else was
// learned of that page can be looked for on it, before a test comes to it.
type LostPage struct {
	call    *Call
	page    *page
	address string // engine.PageAddress of it
	path    string
}

// LostPage returns the page of a lost call, false where the trace does not show it or not
// where it is.
func (c *Call) LostPage() (*LostPage, bool) {
	phase := c.lastPhase()
	for _, s := range slices.Backward(c.snapshots) {
		if !s.main || s.phase != phase || s.readTree() == nil {
			continue
		}
		p, address := c.trace.page(s), c.pageAddress(phase)
		u, err := url.Parse(s.url)
		if p == nil || address == "" || err != nil {
			return nil, false
		}
		return &LostPage{c, p, address, u.Path}, true
	}
	return nil, false
}

// Address returns engine.PageAddress of the page.
func (p *LostPage) Address() string { return p.address }

// Find returns the elements that a locator finds. known is false where only a browser can
// tell, and for a locator that looks into frames.
func (p *LostPage) Find(selector string) (found []int, known bool) {
	s, err := locator.Parse(selector)
	if err != nil || len(s.Frames()) > 0 {
		return nil, false
	}
	found, err = p.page.find(s.Parts, p.call.trace.testID)
	return found, err == nil
}

// Fingerprint returns that of an element that Find returned.
func (p *LostPage) Fingerprint(i int) engine.Fingerprint { return p.page.preparePage().Fingerprint(i) }

// LookAhead looks for an element by a locator that finds nothing, as Heal does, for
// [ahead.Page]. TestID and Timestamp of the event are the caller's to set.
func (p *LostPage) LookAhead(known heal.Learned, options heal.Options) (engine.HealEvent, int) {
	lost := *p.call
	lost.Method, lost.Site = "", known.Fingerprint.Site
	lost.Selector, lost.Occurrence = engine.SplitStored(known.Fingerprint.Locator)
	h := healing{Call: &lost, page: p.page}
	h.describeLost(&known)
	h.out.Event.PageURL = p.path
	chosen := h.decideAndCount(known, options, p.page.preparePage(), h.findInDocument)
	ahead.Propose(&h.out.Event)
	return h.out.Event, chosen
}
