package outcome

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// Redesign is what a run offers for a page that was seen changed: the edits of every
// element of it that is proven the same, those that a test lost and those that were found
// ahead of the tests.
type Redesign struct {
	Page  string        // engine.PageName of it, or its path. Hostile.
	Edits []OfferedEdit // in the order of Run.Edits; none of a suggestion

	locators map[string]bool
	tests    map[engine.TestID]bool
}

// Redesigns returns the pages for which something was found ahead, sorted.
func (r Run) Redesigns() []Redesign {
	pages := map[string]*Redesign{}
	for _, p := range r.Proposals {
		if page := pageOf(p.Heal); p.Heal.Ahead && page != "" && pages[page] == nil {
			pages[page] = &Redesign{Page: page, locators: map[string]bool{}, tests: map[engine.TestID]bool{}}
		}
	}
	led := map[string]string{} // the page of each bundle
	for _, e := range r.Edits {
		if e.Bundle == e.ID {
			led[e.Bundle] = pageOf(r.Proposals[e.Proposal].Heal)
		}
	}
	for _, e := range r.Edits {
		h := r.Proposals[e.Proposal].Heal
		d := pages[cmp.Or(led[e.Bundle], pageOf(h))]
		if d == nil || e.Changed != "" {
			continue
		}
		d.Edits = append(d.Edits, e)
		d.locators[h.Locator] = true
		for _, id := range e.Tests {
			d.tests[id] = true
		}
	}
	var all []Redesign
	for _, d := range pages {
		if len(d.Edits) > 1 {
			all = append(all, *d)
		}
	}
	slices.SortFunc(all, func(a, b Redesign) int { return cmp.Compare(a.Page, b.Page) })
	return all
}

// pageOf returns the page of a lost element, "" where it is not known.
func pageOf(h engine.HealEvent) string { return cmp.Or(h.Original.Page, h.PageURL) }

// Locators returns how many locators a redesign's edits are for.
func (d Redesign) Locators() int { return len(d.locators) }

// Tests returns how many tests look for its elements, as far as that is known.
func (d Redesign) Tests() int { return len(d.tests) }

// Reach says how much a redesign's edits change.
func (d Redesign) Reach() string {
	return text.Count(d.Locators(), "locator", "locators") + ", " + text.Count(d.Tests(), "test", "tests") + ", 1 commit"
}

// IDs returns the ids that name all of its edits: each bundle has one.
func (d Redesign) IDs() []string {
	var ids []string
	for _, e := range d.Edits {
		if e.Bundle == "" || e.Bundle == e.ID {
			ids = append(ids, e.ID)
		}
	}
	return ids
}
