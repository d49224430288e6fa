package comment

import (
	"slices"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

const (
	codeWidth = 500 // characters of a line of code in a diff
	diffLines = 20
	maxShared = 5 // times as many of a name that several locators have
	openDiffs = 5 // more of them share one fold
)

// diffOf is the proposals whose edits are one diff; first is the index of the first.
type diffOf struct {
	proposals []patch.Proposal
	first     int
}

// diffSections returns a fold for each edit, and for each heal without one. Proposals
// of the same edit share it, and so do those of a name that is the same in several
// locators. Many of them go under one fold.
func (p page) diffSections() []section {
	var diffs []diffOf
	sharers := make([]int, len(p.run.Proposals))
	names, at := p.renamings(), map[int]int{} // the diff of each name
	for i, q := range p.run.Proposals {
		if first := q.SameAs - 1; first >= 0 && first < i {
			sharers[first]++
			continue
		}
		if q.Follows() || p.isDiffHidden(i) {
			continue
		}
		name, several := names[i]
		if d, known := at[name]; several && known {
			diffs[d].proposals = append(diffs[d].proposals, q)
			continue
		}
		if several {
			at[name] = len(diffs)
		}
		diffs = append(diffs, diffOf{[]patch.Proposal{q}, i})
	}
	s := newSection("diff", "diffs", "", diffs, func(d diffOf) string { return p.diffBlock(d.proposals, sharers[d.first]) })
	if len(diffs) > openDiffs {
		s.open, s.close = foldOpen(diffsTitle(diffs)), foldClose
	}
	return []section{s}
}

// renamings returns, for proposals whose edits need no word of their own, which name of
// several locators they change.
func (p page) renamings() map[int]int {
	of := map[int]int{}
	for n, l := range p.run.LostLocators() {
		if l.Locators < 2 {
			continue
		}
		for _, i := range l.Proposals {
			if q := p.run.Proposals[i]; q.Edit != nil && q.Sure() && !q.ByIDOnly() && q.Note == "" && q.Modern == "" {
				of[i] = n
			}
		}
	}
	return of
}

// diffsTitle names the fold of many diffs, and how many of its entries have none.
func diffsTitle(all []diffOf) string {
	without := 0
	for _, d := range all {
		if d.proposals[0].Edit == nil {
			without++
		}
	}
	diffs := text.Count(len(all)-without, "diff", "diffs")
	switch without {
	case 0:
		return diffs
	case len(all):
		return text.Thousands(without) + " locators without a diff"
	}
	return diffs + ", " + text.Thousands(without) + " without one"
}

// isDiffHidden reports whether the diff of proposal i is not shown, because it is
// in a review or ignored.
func (p page) isDiffHidden(i int) bool {
	if p.state == nil {
		return false
	}
	for _, o := range p.run.Edits {
		if o.Proposal == i {
			saved, found := p.state.Find(o.ID)
			return found && saved.InReview && p.restOf(saved) == 0 || o.IsAmong(p.state.Ignored)
		}
	}
	return false
}

// diffBlock returns the folded diff of proposals and of the other uses of their elements,
// or why there is none and the new locator to copy.
func (p page) diffBlock(proposals []patch.Proposal, sharers int) string {
	q := proposals[0]
	if q.Edit == nil {
		return missingDiff(q)
	}
	all := slices.Clone(proposals)
	for _, q := range proposals {
		all = append(all, p.run.Uses(q)...)
	}
	summary := "Diff of " + htmlCode(text.Place(p.run.Path(q.Edit.File), q.Edit.Line), placeWidth)
	if more := len(all) - 1; more > 0 {
		summary += " and " + text.Count(more, "more place", "more places")
	}
	if sharers > 0 {
		summary += ", shared by " + text.Count(sharers+1, "test", "tests")
	}
	if q.ByIDOnly() {
		summary += ", only suggested"
	}
	if !q.Sure() {
		summary += ", not offered"
	}
	var edits []patch.Edit
	for _, use := range all {
		edit := *use.Edit
		edit.File = p.run.Path(edit.File)
		if len(edit.Before)+len(edit.After) > 2*codeWidth { // a minified file: show the literals alone
			edit.Before, edit.After = edit.Old, edit.New
		}
		edits = append(edits, edit)
	}
	body := fencedBlock("diff", clipLines(patch.Diff(edits...), diffLines*min(len(proposals), maxShared), codeWidth))
	if !q.Sure() {
		body += "\nNot offered: " + outcome.LeastCertainty(q) + ".\n"
	}
	if q.Note != "" {
		body += "\nCheck before you take it (" + prose(q.Note, reasonWidth) + ").\n"
	}
	if q.Modern != "" {
		body += "\n" + modernNote(q) + "\n"
	}
	return foldedBlock(summary, body)
}

// modernNote names the form that Playwright recommends.
func modernNote(q patch.Proposal) string {
	return "Playwright recommends: " + codeSpan(q.Modern, nameWidth)
}

// missingDiff returns the fold of a heal that was not turned into an edit.
func missingDiff(q patch.Proposal) string {
	reason := prose(q.Reason, reasonWidth)
	if reason == "" {
		reason = "The place of the locator in the source is not known."
	}
	body := "No edit is offered: " + reason + "\n"
	if replacement := q.Code; replacement != "" {
		body += "\n" + fencedBlock("", clipLines(replacement, 5, codeWidth))
	}
	return foldedBlock("No diff for "+htmlCode(outcome.Lost(q.Heal), nameWidth), body)
}
