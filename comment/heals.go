package comment

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// healSections returns the lost locators that stop no test: the healed and the suggested
// ones, a line each, the boxes, and below them a folded diff for each edit.
func (p page) healSections() []section {
	healed := p.lostOf(engine.OutcomeHealed)
	kind := "healed"
	if slices.ContainsFunc(healed, func(l outcome.LostLocator) bool { return l.Event.Trace != "" }) {
		kind = "new"
	}
	redesigns := p.run.Redesigns()
	rows := newSection("redesign", "redesigns", "\n#### Redesigned pages\n\n", redesigns, p.redesignLine).folded()
	rows = append(rows, newSection(kind+" locator", kind+" locators", "\n#### "+p.run.HealsTitle()+"\n\n", healed, p.lostEntry).folded()...)
	rows = append(rows, newSection("locator found ahead", "locators found ahead", aheadIntro, p.lostOf(outcomeAhead), p.lostEntry).folded()...)
	rows = append(rows, newSection("suggested locator", "suggested locators", suggestedIntro, p.lostOf(engine.OutcomeSuggested), p.lostEntry).folded()...)
	rows = append(rows, p.certaintySection())
	rows = append(rows, p.boxSections()...)
	return append(rows, p.diffSections()...)
}

// certaintySection explains the two certainties that the lines of edits have.
func (p page) certaintySection() section {
	n := 0
	if slices.ContainsFunc(p.run.Proposals, func(q patch.Proposal) bool { return q.Edit != nil }) {
		n = 1
	}
	return section{one: "explanation", many: "explanations", n: n,
		entry: func(int) string { return "\n*Match: it is the right element. Place: it is the right line.*\n" }}
}

const suggestedIntro = "\n#### Suggested locators\n\nNothing was done with these elements, so the tests fail with their own errors. Take an edit only if the element is the right one.\n\n"

const aheadIntro = "\n#### Found ahead\n\nTheir pages changed and no longer have these locators. They were looked for there, whether or not their tests came to them.\n\n"

// outcomeAhead stands for what was found ahead, whatever its outcome.
const outcomeAhead engine.HealOutcome = "ahead"

// redesignLine says what is offered for a page that changed, and how all of it is taken.
func (p page) redesignLine(d outcome.Redesign) string {
	line := "- **Redesign of " + codeSpan(d.Page, placeWidth) + "**: " + d.Reach()
	if p.state == nil || p.state.Fork {
		return line + "\n"
	}
	var ids []string
	for _, id := range d.IDs() {
		if _, found := p.state.Find(id); found {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		line += ": `/breadcrumb apply " + strings.Join(ids, " ") + "`"
	}
	return line + "\n"
}

// lostOf returns the lost locators of one outcome that are no cause.
func (p page) lostOf(o engine.HealOutcome) []outcome.LostLocator {
	return slices.DeleteFunc(p.run.LostLocators(), func(l outcome.LostLocator) bool {
		is := engine.OutcomeHealed
		switch {
		case l.Event.Ahead:
			is = outcomeAhead
		case len(l.Proposals) == 0:
			is = engine.OutcomeRefused
		case l.Event.Outcome == engine.OutcomeSuggested:
			is = engine.OutcomeSuggested
		}
		return is != o || slices.ContainsFunc(p.causes, func(c outcome.Cause) bool { return c.Kind == outcome.CauseLocator && c.Lost.Is(l) })
	})
}

// lostEntry returns a lost locator with its tests on one line of a list.
func (p page) lostEntry(l outcome.LostLocator) string {
	if len(l.Tests) == 1 {
		return "- " + p.lostLine(l, codeSpan(healedTest(l.Event), nameWidth)) + "\n"
	}
	return "- " + p.lostLine(l, text.Count(len(l.Tests), "test", "tests")) + "\n"
}

// lostLine says on one line what a lost locator was and what became of it: the new one,
// whose it is, where, and how sure that is.
func (p page) lostLine(l outcome.LostLocator, tests string) string {
	h := l.Event
	facts := []string{codeSpan(l.Was, nameWidth), tests, p.lostPlace(l)}
	if len(l.Proposals) == 0 {
		facts = append(facts, prose(outcome.Refusal(h), reasonWidth), l.Often())
	} else {
		q := p.run.Proposals[l.Proposals[0]]
		facts[0] += " → " + codeSpan(cmp.Or(l.Now, outcome.HealedTo(h)), nameWidth)
		facts = append(facts, p.lostFacts(l, q)...)
	}
	return strings.Join(slices.DeleteFunc(facts, func(f string) bool { return f == "" }), " · ")
}

// lostFacts says of a locator with a proposal what else is known, "" for what is not.
func (p page) lostFacts(l outcome.LostLocator, q patch.Proposal) []string {
	facts := []string{outcome.DescribeSynonym(q.Heal, emphasize), outcome.Certainty(q), outcome.DescribeTrial(q)}
	if q.Suggested() {
		facts = slices.Insert(facts, 0, describeSuggestion(q.Heal))
		if q.Heal.Ahead { // it stands in one list with what is proven the same
			facts = slices.Insert(facts, 0, "**only suggested**")
		}
	}
	if q.Doubt != "" {
		facts = slices.Insert(facts, 0, "only suggested: "+q.Doubt)
	}
	if q.Heal.Trace != "" {
		facts = append(facts, "unverified")
	}
	if reach := p.run.Reach(q); reach != "" {
		facts = append(facts, "edits "+reach)
	}
	facts = append(facts, l.Often())
	if id := p.uneditedID(q); id != "" {
		facts = append(facts, "another element? `/breadcrumb wrong "+id+"`")
	}
	return facts
}

// lostPlace returns where a lost locator is edited, or where it stands, "" when unknown.
func (p page) lostPlace(l outcome.LostLocator) string {
	file, line, more := "", 0, 0
	if edits := p.run.EditsOf(l); len(edits) > 0 {
		file, line, more = edits[0].Edit.File, edits[0].Edit.Line, len(edits)-1
	} else if l.Event.Site != nil {
		file, line = l.Event.Site.File, l.Event.Site.Line
	}
	if file == "" {
		return ""
	}
	place := linkSpan(codeSpan(text.Place(path.Base(file), line), placeWidth), p.links.file(p.run.Path(file), line))
	if more > 0 {
		place += " and " + text.Count(more, "more place", "more places")
	}
	return place
}

// uneditedID returns the id of a suggestion without an offered edit, by which a person
// can say that it is wrong; "" for none.
func (p page) uneditedID(q patch.Proposal) string {
	if p.state == nil {
		return ""
	}
	for _, u := range p.run.Unedited {
		named := p.run.Proposals[u.Proposal].Heal
		if named.TestID == q.Heal.TestID && named.Locator == q.Heal.Locator && named.Occurrence == q.Heal.Occurrence &&
			slices.ContainsFunc(p.state.Unedited, func(e SavedElement) bool { return e.ID == u.ID }) {
			return u.ID
		}
	}
	return ""
}

// describeSuggestion says what a suggested element was and what it is.
func describeSuggestion(h engine.HealEvent) string {
	if len(h.Changed) == 0 {
		return prose(outcome.Refusal(h), reasonWidth)
	}
	return outcome.DescribeSuggestion(h, emphasize)
}

// emphasize returns a text of a page, of at most nameWidth characters, in italics.
func emphasize(s string) string {
	if s = prose(s, nameWidth); s == "" {
		return empty
	}
	return "*" + s + "*"
}

// fileForm is a file's path or name, not a class or package.
var fileForm = lazyregexp.New(`(^|/)[^/]+\.[a-z]{1,5}$`)

// healedTest returns the test's name without its file: the line shows the locator's
// place.
func healedTest(h engine.HealEvent) string {
	if first, rest, _ := h.TestID.CutFile(); rest != "" && fileForm.MatchString(first) {
		return rest
	}
	return string(h.TestID)
}

// boxSections returns what can be done about the offered edits: how many of them are
// in a review, how many are ignored, and a box for each of the others, those of
// suggestions apart. No box is ticked.
func (p page) boxSections() []section {
	if p.state == nil || len(p.run.Edits) == 0 {
		return nil
	}
	var open, changed []SavedEdit
	suggested := 0
	bundles := map[string]bool{} // that have a box
	for _, o := range p.state.Edits {
		switch {
		case o.InReview:
			suggested++
			continue
		case bundles[o.Bundle]:
			continue
		}
		bundles[o.Bundle] = o.Bundle != ""
		if o.Changed && !p.state.Fork {
			changed = append(changed, o)
		} else if !p.state.Fork {
			open = append(open, o)
		}
	}
	p.provenFirst(open)
	p.provenFirst(changed)
	ignored := 0
	for _, o := range p.run.Edits {
		if o.IsAmong(p.state.Ignored) {
			ignored++
		}
	}
	var note string
	if suggested > 0 {
		note += " " + text.Count(suggested, "edit is suggested", "edits are suggested") + " on the changed lines."
	}
	if ignored > 0 {
		note += " " + text.Count(ignored, "edit is ignored", "edits are ignored") + "."
	}
	status := section{one: "note on the edits", many: "notes on the edits", n: min(len(note), 1), entry: func(int) string { return "\n" + note[1:] + "\n" }}
	boxes := newSection("box", "boxes", "\nTick an edit to commit it, or comment `/breadcrumb apply all`:\n\n", open, p.boxLine)
	own := newSection("box of a suggestion", "boxes of suggestions", "\nTick a suggestion to commit it, or name its id; `apply all` leaves these out:\n\n", changed, p.boxLine)
	return slices.Concat([]section{status}, boxes.folded(), own.folded())
}

// provenFirst moves the edits that a trial proves to the front.
func (p page) provenFirst(edits []SavedEdit) {
	slices.SortStableFunc(edits, func(a, b SavedEdit) int {
		proven := func(e SavedEdit) bool { q, ok := p.proposalOf(e.ID); return ok && q.Proven() }
		switch inA, inB := proven(a), proven(b); {
		case inA && !inB:
			return -1
		case inB && !inA:
			return 1
		}
		return 0
	})
}

// proposalOf returns the first proposal with an edit that this run offers.
func (p page) proposalOf(id string) (patch.Proposal, bool) {
	i := slices.IndexFunc(p.run.Edits, func(o outcome.OfferedEdit) bool { return o.ID == id })
	if i < 0 {
		return patch.Proposal{}, false
	}
	return p.run.Proposals[p.run.Edits[i].Proposal], true
}

// restOf returns how many other edits are made with one.
func (p page) restOf(o SavedEdit) int {
	n := 0
	for _, e := range p.state.Edits {
		if o.Bundle != "" && e.Bundle == o.Bundle && e.ID != o.ID {
			n++
		}
	}
	return n
}

// boxLine returns the line of an edit that can be ticked.
func (p page) boxLine(o SavedEdit) string {
	line := "- [ ] apply `" + o.ID + "` · " + linkSpan(codeSpan(text.Place(o.Path, o.Line), placeWidth), p.links.file(o.Path, o.Line))
	if n := p.restOf(o); n > 0 {
		line += " and " + text.Count(n, "more place", "more places")
	}
	q, offered := p.proposalOf(o.ID)
	if offered && o.Changed {
		line += " · " + cmp.Or(q.Doubt, describeSuggestion(q.Heal))
	}
	if offered && q.Proven() {
		line += " · " + outcome.DescribeTrial(q)
	}
	return line + "\n"
}
