package comment

import (
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

const (
	codeWidth = 500 // characters of a line of code in a diff
	diffLines = 20
	openDiffs = 5 // more of them share one fold
)

// diffSections returns a fold for each edit, and for each heal without one. Proposals
// of the same edit share it. Many of them go under one fold.
func (p page) diffSections(proposals []patch.Proposal) []section {
	var own []int
	sharers := make([]int, len(proposals))
	for i, q := range proposals {
		if first := q.SameAs - 1; first >= 0 && first < i {
			sharers[first]++
			continue
		}
		if !q.Follows() && !p.isDiffHidden(i) {
			own = append(own, i)
		}
	}
	s := newSection("diff", "diffs", "", own, func(i int) string { return p.diffBlock(proposals[i], sharers[i]) })
	if len(own) > openDiffs {
		s.open, s.close = foldOpen(diffsTitle(proposals, own)), foldClose
	}
	return []section{s}
}

// diffsTitle names the fold of many diffs, and how many of its entries have none.
func diffsTitle(proposals []patch.Proposal, own []int) string {
	without := 0
	for _, i := range own {
		if proposals[i].Edit == nil {
			without++
		}
	}
	diffs := text.Count(len(own)-without, "diff", "diffs")
	switch without {
	case 0:
		return diffs
	case len(own):
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

// diffBlock returns the folded diff of a proposal and of the other uses of its element,
// or why there is none and the new locator to copy.
func (p page) diffBlock(q patch.Proposal, sharers int) string {
	if q.Edit == nil {
		return missingDiff(q)
	}
	summary := "Diff of " + htmlCode(text.Place(p.run.Path(q.Edit.File), q.Edit.Line), placeWidth)
	uses := p.run.Uses(q)
	if len(uses) > 0 {
		summary += " and " + text.Count(len(uses), "more place", "more places")
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
	for _, use := range append([]patch.Proposal{q}, uses...) {
		edit := *use.Edit
		edit.File = p.run.Path(edit.File)
		if len(edit.Before)+len(edit.After) > 2*codeWidth { // a minified file: show the literals alone
			edit.Before, edit.After = edit.Old, edit.New
		}
		edits = append(edits, edit)
	}
	body := fencedBlock("diff", clipLines(patch.Diff(edits...), diffLines, codeWidth))
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
