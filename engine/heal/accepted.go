package heal

import (
	"cmp"

	"github.com/breadcrumb/action/engine"
)

// AcceptedElement returns what is known of the element that an event names, as it would
// be learned of a locator that a person accepts for it; locator is as the store knows
// it. Its page is not known, but for where it is: where the lost element was. It reports
// false where the event names no element.
func AcceptedElement(e engine.HealEvent, locator string) (engine.Fingerprint, bool) {
	if e.Outcome == engine.OutcomeRefused || e.Healed.Tag == "" || locator == "" {
		return engine.Fingerprint{}, false
	}
	f := e.Healed
	f.Text, f.Name, f.Label = normalizeCut(f.Text), normalizeCut(f.Name), normalizeCut(f.Label)
	f.TestID, f.Locator, f.Site = e.TestID, locator, e.Site
	f.Page, f.PageAddress = cmp.Or(f.Page, e.Original.Page), cmp.Or(f.PageAddress, e.Original.PageAddress)
	return f, true
}
