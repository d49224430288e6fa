package patch

import (
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Cause names the use of an element whose heal proves the edits of its other uses.
// The zero value names none.
type Cause struct {
	Test       engine.TestID
	Locator    string
	Occurrence int
}

// CauseOf returns the name of the use that an event is of.
func CauseOf(h engine.HealEvent) Cause { return Cause{h.TestID, h.Locator, h.Occurrence} }

// Follows reports whether p is no heal of its own, but the edit of another use of the
// element that p.Cause names.
func (p Proposal) Follows() bool { return p.Cause != Cause{} }

// Suite is what a run knows of its suite beside the proposals: it decides which other
// uses of a healed element are edited with it.
type Suite struct {
	Heals   []engine.HealEvent   // all events of the run, refusals too
	Learned []engine.Fingerprint // of all tests, by the names that the store keeps them under
	// Result returns the result of a test in the run, nil when it has none.
	Result func(engine.TestID) *engine.TestResult
	// Failed reports whether a test failed in the run, and Editable whether a file of the
	// checkout may be edited.
	Failed   func(engine.TestID) bool
	Editable func(file string) bool
	// Known returns Learned for some locators, once it is known which; nil where Learned
	// is all that there is.
	Known func(locators []string) ([]engine.Fingerprint, error)
	// Same reports whether two fingerprints are of one element of one page for certain.
	Same func(a, b engine.Fingerprint) bool
}

// Spread returns the edits of the other uses of every element that has a sure edit in
// ps: those that were learned of the same locator, page and element, and those on the
// same page in the code around a use. A use of a test that passed is not edited, and
// none is while a test passes with the old locator on that page.
//
// SetPassed comes first. Resolve must get the result together with ps.
func (p *Proposer) Spread(ps []Proposal, suite Suite) []Proposal {
	s := p.newSpreader(ps, suite)
	for _, doubted := range []bool{false, true} { // an edit that another heal proves has no doubt
		for _, q := range ps {
			if q.leads() && (q.Doubt != "") == doubted {
				s.spread(q)
			}
		}
	}
	return s.agreeing()
}

// leads reports whether the edits of other uses follow from this one.
func (p Proposal) leads() bool { return p.Edit != nil && p.Sure() }

// LocatorsOf returns the locators whose other uses Spread looks for: those with a sure
// edit, each once, sorted.
func LocatorsOf(ps []Proposal) []string {
	var list []string
	for _, p := range ps {
		if p.leads() {
			list = append(list, p.Heal.Locator)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// spreader finds the other uses of the elements of one run.
type spreader struct {
	*Proposer
	suite  Suite
	lost   map[Cause]engine.HealEvent // the run's events
	passed map[engine.TestID][]string // the tests that passed, with the locators found broken in them
	edits  map[string][]Edit          // that heals have, by file
	found  []Proposal
}

func (p *Proposer) newSpreader(ps []Proposal, suite Suite) *spreader {
	s := &spreader{Proposer: p, suite: suite, lost: map[Cause]engine.HealEvent{}, passed: map[engine.TestID][]string{}, edits: map[string][]Edit{}}
	for _, h := range suite.Heals {
		if !h.Ahead {
			s.lost[s.causeOf(h)] = h
		}
	}
	for _, t := range p.passed {
		s.passed[t.Test.ID] = t.brokenLocators()
	}
	for _, q := range ps {
		if q.Edit != nil {
			s.edits[q.Edit.File] = append(s.edits[q.Edit.File], *q.Edit)
		}
	}
	return s
}

// causeOf is CauseOf with the test's name in the run.
func (s *spreader) causeOf(h engine.HealEvent) Cause {
	c := CauseOf(h)
	if r := s.suite.Result(h.TestID); r != nil {
		c.Test = r.ID
	}
	return c
}

// spread adds the edits of the other uses of the element of q.
func (s *spreader) spread(q Proposal) {
	uses, ok := s.usesOf(q.Heal)
	if !ok {
		return
	}
	s.addBeside(q, q)
	for _, h := range uses {
		s.addUse(q, h)
	}
}

// addUse proposes the edit for one use, given as the event that it would have raised,
// and for those beside it.
func (s *spreader) addUse(cause Proposal, h engine.HealEvent) {
	found := s.propose(cause, h)
	if found.Edit == nil || !found.Sure() {
		return
	}
	if s.add(found) {
		s.addBeside(cause, found)
	}
}

func (s *spreader) propose(cause Proposal, h engine.HealEvent) Proposal {
	found := s.Propose(h, s.suite.Result(h.TestID))
	found.Cause, found.Doubt = CauseOf(cause.Heal), cause.Doubt
	return found
}

// add keeps an edit, and reports false for one that is kept already. An edit that a
// heal has all the same is kept for its test.
func (s *spreader) add(found Proposal) bool {
	again := func(p Proposal) bool { return p.Heal.TestID == found.Heal.TestID && sameEdit(*p.Edit, *found.Edit) }
	if slices.ContainsFunc(s.found, again) {
		return false
	}
	s.found = append(s.found, found)
	return true
}

// agreeing returns the edits that contradict neither a heal's nor each other.
func (s *spreader) agreeing() []Proposal {
	for _, p := range s.found {
		s.edits[p.Edit.File] = append(s.edits[p.Edit.File], *p.Edit)
	}
	return slices.DeleteFunc(s.found, func(p Proposal) bool {
		return slices.ContainsFunc(s.edits[p.Edit.File], func(e Edit) bool {
			return e.Start < p.Edit.End && p.Edit.Start < e.End && !sameEdit(e, *p.Edit)
		})
	})
}

// usesOf returns the other uses of the element that an event healed, each as the event
// that it would have raised. It reports false when the old locator still finds the
// element in a test that passed: then it is not lost everywhere.
func (s *spreader) usesOf(cause engine.HealEvent) ([]engine.HealEvent, bool) {
	own := s.causeOf(cause)
	element, known := s.elementOf(cause, own)
	if !known {
		return nil, true
	}
	var uses []engine.HealEvent
	for _, f := range s.suite.Learned {
		occurrence, ok := occurrenceOf(f.Locator, cause.Locator)
		if !ok || !s.suite.Same(element, f) {
			continue
		}
		h := cause
		h.TestID, h.Occurrence, h.Original, h.Site, h.Count = f.TestID, occurrence, f, f.Site, 0
		h.Original.Locator = cause.Locator
		at := s.causeOf(h)
		healed, passed := s.passed[at.Test]
		if passed && !slices.Contains(healed, cause.Locator) {
			return nil, false
		}
		event, has := s.lost[at]
		switch {
		case at == own, passed, has && !mayFollow(event) && !healedAlike(cause, event):
			continue
		case has && event.Site != nil:
			h.Site = event.Site
		default:
			h.Site = s.currentSite(cause, h)
		}
		if h.Site != nil || s.allSame(element, h) {
			uses = append(uses, h)
		}
	}
	return uses, true
}

// elementOf returns what was learned of the element of an event.
func (s *spreader) elementOf(h engine.HealEvent, own Cause) (engine.Fingerprint, bool) {
	if h.Original.Tag != "" && h.Original.Page != "" {
		return h.Original, true
	}
	name := engine.StoredLocator(h.Locator, h.Occurrence)
	for _, f := range s.suite.Learned {
		if f.Locator == name && (f.TestID == h.TestID || f.TestID == own.Test) {
			return f, true
		}
	}
	return engine.Fingerprint{}, false
}

// occurrenceOf returns which use of a locator a stored name is of, false for a name of
// another locator.
func occurrenceOf(stored, of string) (int, bool) {
	if locator, n := engine.SplitStored(stored); locator == of {
		return n, true
	}
	return 0, stored == of
}

// mayFollow reports whether a use with an event of its own can be known by another
// one's heal: nobody looked for its element, because only an assertion lost it or the
// trace lacks what is needed. What was looked for and not found is no other's to say.
func mayFollow(h engine.HealEvent) bool {
	switch h.Reason {
	case engine.ReasonNoCandidates, engine.ReasonBelowThreshold, engine.ReasonAmbiguous, engine.ReasonOtherPage, engine.ReasonOtherMeaning,
		engine.ReasonNotToldApart, engine.ReasonVetoed, engine.ReasonSuggestOnly, engine.ReasonOtherData, engine.ReasonDrifted, "replay-failed", "":
		return false
	}
	return h.Outcome == engine.OutcomeRefused
}

// healedAlike reports whether the event of another use of an element found it again for
// certain, as a heal did whose test passed: its own test failed all the same, or it is an
// assertion, which never heals.
func healedAlike(cause, event engine.HealEvent) bool {
	certain := event.Outcome == engine.OutcomeHealed || event.Outcome == engine.OutcomeSuggested && event.Reason == engine.ReasonSuggestOnly
	return certain && !event.Ahead && cause.Outcome == engine.OutcomeHealed && cause.HealedLocator != "" && event.HealedLocator == cause.HealedLocator
}

// allSame reports whether every use of the locator that was learned of a test is of
// one element: then it does not matter which of them a literal is.
func (s *spreader) allSame(element engine.Fingerprint, h engine.HealEvent) bool {
	for _, f := range s.suite.Learned {
		if _, ok := occurrenceOf(f.Locator, h.Locator); ok && f.TestID == h.TestID && !s.suite.Same(element, f) {
			return false
		}
	}
	return true
}

// currentSite returns where a learned use stands now, nil when that is not known. The
// lines that were learned count while every use of the locator in that file still
// stands at its line, or all moved as far as the lost one did.
func (s *spreader) currentSite(cause, use engine.HealEvent) *engine.Site {
	if use.Site == nil || use.Site.Line < 1 {
		return nil
	}
	src, hits := s.hitsIn(use.Site.File, cause)
	if src == nil {
		return nil
	}
	shifts := []int{0}
	if was := cause.Original.Site; was != nil && cause.Site != nil && was.File == cause.Site.File && was.File == use.Site.File && was.Line != cause.Site.Line {
		shifts = []int{cause.Site.Line - was.Line}
	}
	for _, shift := range shifts {
		moved := *use.Site
		moved.Line += shift
		if len(hitsOnSite(src, hits, moved)) == 1 && s.holds(src, hits, cause.Locator, use.Site.File, shift) {
			return &moved
		}
	}
	return nil
}

// hitsIn returns a file and the places in it that the change of an event could be made
// at; nil when it cannot be read.
func (s *spreader) hitsIn(name string, h engine.HealEvent) (*source.File, []hit) {
	s.Proposer.suite.Trim()
	file, err := s.tree.Find(name)
	if err != nil {
		return nil, nil
	}
	src, err := s.tree.Load(file)
	if err != nil {
		return nil, nil
	}
	next, _ := locator.Replacement(h)
	c, err := changeOf(h, next)
	if getter, ok := s.chainGetter(h); ok && err != nil {
		if old, unread := locator.Of(h); unread == nil {
			c, err = chainChange(old, getter), nil
		}
	}
	if err != nil {
		return nil, nil
	}
	hits, _ := findHits(src, s.tree, c)
	return src, hits
}

// holds reports whether each learned use of a locator in a file stands where it was
// learned, so many lines further down.
func (s *spreader) holds(src *source.File, hits []hit, old, file string, shift int) bool {
	for _, f := range s.suite.Learned {
		if _, ok := occurrenceOf(f.Locator, old); !ok || f.Site == nil || f.Site.File != file {
			continue
		}
		moved := *f.Site
		moved.Line += shift
		if len(hitsOnSite(src, hits, moved)) != 1 {
			return false
		}
	}
	return true
}

// addBeside adds the edits of the uses that stand beside an edited one on the same
// page.
func (s *spreader) addBeside(cause, at Proposal) {
	src, hits := s.hitsIn(at.Edit.File, at.Heal)
	edited := func(x hit) bool {
		return x.constant == "" && x.offset() < at.Edit.End && at.Edit.Start < src.Tokens[x.literal].End
	}
	if src != nil && !slices.ContainsFunc(hits, edited) {
		hits = s.composedAlike(src, at.Heal, edited)
	}
	i := slices.IndexFunc(hits, edited)
	if i < 0 {
		return
	}
	for _, x := range usesBeside(src, hits, i) {
		h := at.Heal
		h.Site = &engine.Site{File: at.Edit.File, Line: x.line(), Column: x.offset() - src.Lines[x.line()-1] + 1}
		h.Count = 0
		if s.isDecided(h) {
			continue
		}
		if found := s.propose(cause, h); found.Edit != nil && found.Sure() && !sameEdit(*found.Edit, *cause.Edit) {
			s.add(found)
		}
	}
}

// isDecided reports whether the run looked for the element of a use and did not find
// it, going by the use's line.
func (s *spreader) isDecided(use engine.HealEvent) bool {
	return slices.ContainsFunc(s.suite.Heals, func(h engine.HealEvent) bool {
		return h.Locator == use.Locator && h.Site != nil && h.Site.File == use.Site.File && h.Site.Line == use.Site.Line &&
			h.Outcome == engine.OutcomeRefused && !mayFollow(h)
	})
}
