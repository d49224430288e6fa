package ci

import (
	"context"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/trace"
)

// Bounds of what is looked for ahead in one run.
const (
	maxAhead      = 2_000            // looks for an element
	maxAheadPages = 100              // pages of lost calls
	aheadTime     = 30 * time.Second // that all of it takes
)

// ahead is what was learned of pages that were seen changed, and found on them before the
// tests that use it came there.
type ahead struct {
	db          elements
	corrections func(ctx context.Context, id engine.TestID, stored string) (heal.Options, error)
	now         time.Time
	ending      context.Context // of the run: when it is told to end

	learned []engine.Fingerprint // of all tests, read when it is first needed
	bound   context.Context      // ends with the time that all of it may take, nil before that
	release context.CancelFunc
	looks   int
	pages   int
	cut     bool                 // something was left out for a bound
	here    map[pageLocator]bool // locators that a page still has
	events  []engine.HealEvent
	seen    map[testLocator]bool // uses with an event
	by      map[string][]int     // events by locator
}

// testLocator is a locator of a test.
type testLocator struct {
	test    engine.TestID
	locator string
}

// pageLocator is a locator on a page of engine.PageName's names.
type pageLocator struct{ page, locator string }

// look looks on the page of a lost call for every other element that was learned of
// it and that its locator no longer finds.
func (a *ahead) look(ctx context.Context, file string, c *trace.Call) error {
	p, ok := c.LostPage()
	switch {
	case !ok:
		return nil
	case a.pages == maxAheadPages:
		a.cut = true
		return nil
	case a.bound == nil:
		var err error
		if a.learned, _, err = store.LearnedElements(ctx, a.db); err != nil {
			return err
		}
		a.here, a.seen, a.by = map[pageLocator]bool{}, map[testLocator]bool{}, map[string][]int{}
		a.bound, a.release = context.WithTimeout(a.ending, aheadTime)
	}
	a.pages++
	lost, claimed := a.missing(p)
	for _, f := range lost {
		if err := a.lookFor(ctx, file, p, f, claimed); err != nil {
			return err
		}
	}
	return nil
}

// missing returns what was learned of a page and is not found there, and what is found, by
// its element.
func (a *ahead) missing(p *trace.LostPage) (lost []engine.Fingerprint, claimed map[int][]engine.Fingerprint) {
	type answer struct {
		elements []int
		known    bool
	}
	answers := map[string]answer{}
	claimed = map[int][]engine.Fingerprint{}
	for _, f := range a.learned {
		if f.Page == "" || f.Tag == "" || !f.OnPage(p.Address()) {
			continue
		}
		selector, _ := engine.SplitStored(f.Locator)
		got, asked := answers[selector]
		if !asked {
			got.elements, got.known = p.Find(selector)
			answers[selector] = got
		}
		switch {
		case !got.known:
		case len(got.elements) == 0:
			lost = append(lost, f)
		default:
			a.here[pageLocator{f.Page, selector}] = true
			if i := got.elements[0]; len(got.elements) == 1 && heal.SignatureOf(p.Fingerprint(i)) == heal.SignatureOf(f) {
				claimed[i] = append(claimed[i], f)
			}
		}
	}
	return lost, claimed
}

// lookFor looks for one element. What another locator still finds as its own is none.
func (a *ahead) lookFor(ctx context.Context, file string, p *trace.LostPage, f engine.Fingerprint, claimed map[int][]engine.Fingerprint) error {
	use := testLocator{f.TestID, f.Locator}
	if a.seen[use] {
		return nil
	}
	selector, occurrence := engine.SplitStored(f.Locator)
	for _, i := range a.by[selector] {
		if e := a.events[i]; heal.SameElement(e.Original, f) { // found for another use
			e.TestID, e.Occurrence, e.Original, e.Site = f.TestID, occurrence, f, f.Site
			e.Original.Locator = selector
			a.add(e, use)
			return nil
		}
	}
	if a.looks == maxAhead || a.isOver() {
		a.cut = true
		return nil
	}
	a.looks++
	_, state, known, err := a.db.Recall(ctx, f.TestID, f.Locator)
	if err != nil || !known {
		return err
	}
	options, err := a.corrections(ctx, f.TestID, f.Locator)
	if err != nil {
		return err
	}
	e, i := p.LookAhead(heal.Learned{Fingerprint: f, State: state}, options)
	other := func(by engine.Fingerprint) bool { return !heal.SameElement(by, f) }
	if e.Outcome == engine.OutcomeRefused || slices.ContainsFunc(claimed[i], other) {
		return nil
	}
	e.TestID, e.Trace, e.Source = f.TestID, file, file
	e.Timestamp = float64(a.now.UnixMicro()) / 1e6
	a.add(e, use)
	return nil
}

func (a *ahead) isOver() bool { return a.bound.Err() != nil }

func (a *ahead) add(e engine.HealEvent, use testLocator) {
	if e.Site != nil {
		e.Site = new(*e.Site) // it is made relative to the checkout
	}
	a.seen[use] = true
	a.by[e.Locator] = append(a.by[e.Locator], len(a.events))
	a.events = append(a.events, e)
}

// end returns the events of locators that no page of the run still has.
func (a *ahead) end() []engine.HealEvent {
	if a.release != nil {
		a.release()
	}
	return slices.DeleteFunc(a.events, func(e engine.HealEvent) bool { return a.here[pageLocator{e.Original.Page, e.Locator}] })
}
