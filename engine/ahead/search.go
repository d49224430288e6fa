// Package ahead looks on a page that was seen changed for everything that tests learned of
// it: a test stops at the first locator that it lost, and what the others lost there would
// be shown by one red run after the other.
package ahead

import (
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// Page is a page on which a locator was lost, as it was then. An index is that of an
// element, -1 for none. Nothing is done on it.
type Page interface {
	// Address returns engine.PageAddress of the page.
	Address() string
	// Find returns the elements that a locator finds; known is false where that cannot be
	// told.
	Find(selector string) (found []int, known bool)
	// Fingerprint returns that of an element that Find returned.
	Fingerprint(i int) engine.Fingerprint
	// LookAhead looks for an element whose locator finds nothing, and returns an event that
	// is Ahead, or a refusal, and the element that is proposed. The event's TestID is the
	// caller's to set.
	LookAhead(known heal.Learned, options heal.Options) (engine.HealEvent, int)
}

// Suite is what earlier runs learned, and how long one may look.
type Suite struct {
	Learned []engine.Fingerprint // of all tests
	// Recall returns what is known of one of Learned, and what people said of it; known is
	// false where it is gone.
	Recall func(engine.Fingerprint) (l heal.Learned, options heal.Options, known bool, err error)
	// IsOver reports whether the time for all of it is up.
	IsOver   func() bool
	MaxLooks int // for an element
}

// Search is what was found on the changed pages of one run.
type Search struct {
	suite  Suite
	looks  int
	cut    bool
	here   map[pageLocator]bool // locators that a page still has
	events []engine.HealEvent
	seen   map[use]bool     // uses with an event
	by     map[string][]int // events by locator
}

// use is a locator of a test, by its stored name.
type use struct {
	test    engine.TestID
	locator string
}

// pageLocator is a locator on a page of engine.PageName's names.
type pageLocator struct{ page, locator string }

// New returns a search for what a suite learned.
func New(s Suite) *Search {
	return &Search{suite: s, here: map[pageLocator]bool{}, seen: map[use]bool{}, by: map[string][]int{}}
}

// Look looks on a page for every element that was learned of it and that its locator no
// longer finds. The error is that of Suite.Recall.
func (s *Search) Look(p Page) error {
	lost, claimed := s.missing(p)
	for _, f := range lost {
		if err := s.lookFor(p, f, claimed); err != nil {
			return err
		}
	}
	return nil
}

// IsCut reports whether something was left out for a bound.
func (s *Search) IsCut() bool { return s.cut }

// Events returns the events of locators that no page of the run still has.
func (s *Search) Events() []engine.HealEvent {
	return slices.DeleteFunc(s.events, func(e engine.HealEvent) bool { return s.here[pageLocator{e.Original.Page, e.Locator}] })
}

// missing returns what was learned of a page and is not found there, and what is found, by
// its element. Where the time is up nothing is missing: what is not asked for may be there.
func (s *Search) missing(p Page) (lost []engine.Fingerprint, claimed map[int][]engine.Fingerprint) {
	type answer struct {
		elements []int
		known    bool
	}
	answers := map[string]answer{}
	claimed = map[int][]engine.Fingerprint{}
	address := p.Address()
	for _, f := range s.suite.Learned {
		if f.Page == "" || f.Tag == "" || !f.OnPage(address) {
			continue
		}
		selector, _ := engine.SplitStored(f.Locator)
		got, asked := answers[selector]
		if !asked {
			if s.suite.IsOver() {
				s.cut = true
				return nil, nil
			}
			got.elements, got.known = p.Find(selector)
			answers[selector] = got
		}
		switch {
		case !got.known:
		case len(got.elements) == 0:
			lost = append(lost, f)
		default:
			s.here[pageLocator{f.Page, selector}] = true
			if i := got.elements[0]; len(got.elements) == 1 && heal.SignatureOf(p.Fingerprint(i)) == heal.SignatureOf(f) {
				claimed[i] = append(claimed[i], f)
			}
		}
	}
	return lost, claimed
}

// leastLike is the least confidence of what only resembles an element that no test had to
// lose. The page may be in a state in which that element is not there at all, as before the
// click that brings it, and then something else is always the likest: of a field of a
// condition it was one of the tags' dialog, at 0.59.
const leastLike = 0.75

// lookFor looks for one element. What another locator still finds as its own is none, and
// neither is what only resembles it on a page at another address.
func (s *Search) lookFor(p Page, f engine.Fingerprint, claimed map[int][]engine.Fingerprint) error {
	of := use{f.TestID, f.Locator}
	if s.seen[of] {
		return nil
	}
	// On the page of another order or user the element may never have been.
	elsewhere := f.PageAddress != p.Address()
	doubtful := func(e engine.HealEvent) bool {
		return e.Reason != engine.ReasonAhead && (elsewhere || e.Confidence < leastLike)
	}
	selector, occurrence := engine.SplitStored(f.Locator)
	for _, i := range s.by[selector] {
		if e := s.events[i]; heal.SameElement(e.Original, f) && !doubtful(e) { // found for another use
			e.TestID, e.Occurrence, e.Original, e.Site = f.TestID, occurrence, f, f.Site
			e.Original.Locator = selector
			s.add(e, of)
			return nil
		}
	}
	if s.looks == s.suite.MaxLooks || s.suite.IsOver() {
		s.cut = true
		return nil
	}
	s.looks++
	known, options, ok, err := s.suite.Recall(f)
	if err != nil || !ok {
		return err
	}
	e, i := p.LookAhead(known, options)
	other := func(by engine.Fingerprint) bool { return !heal.SameElement(by, f) }
	if e.Outcome == engine.OutcomeRefused || doubtful(e) || slices.ContainsFunc(claimed[i], other) {
		return nil
	}
	e.TestID = f.TestID
	s.add(e, of)
	return nil
}

func (s *Search) add(e engine.HealEvent, of use) {
	if e.Site != nil {
		e.Site = new(*e.Site) // each is made relative to the checkout
	}
	s.seen[of] = true
	s.by[e.Locator] = append(s.by[e.Locator], len(s.events))
	s.events = append(s.events, e)
}

// Propose makes the event of a decision about an element that no test had to lose one
// that is Ahead: what is proven the same is suggested with the reason engine.ReasonAhead.
func Propose(e *engine.HealEvent) {
	e.Ahead = true
	if e.Outcome == engine.OutcomeHealed {
		e.Outcome, e.Reason = engine.OutcomeSuggested, engine.ReasonAhead
	}
}
