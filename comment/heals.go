package comment

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

const (
	cellWidth = 56  // characters of a name or locator in a table
	codeWidth = 500 // characters of a line of code in a diff
	diffLines = 20
	openDiffs = 5 // more go under one fold
)

// heals returns the healed locators: a table, and below it a folded diff for
// each edit.
func (p page) heals() []section {
	proposals := p.run.Proposals
	kind := "healed"
	if p.run.Healed() < len(proposals) {
		kind = "new"
	}
	rows := section{
		one: kind + " locator", many: kind + " locators",
		open: "\n#### " + p.run.Proposed() + "\n\n" + healHeader,
		n:    len(proposals),
		entry: func(i int) string {
			return p.healRow(proposals[i])
		},
	}.folding()
	if len(rows) == 2 {
		rows[1].open += healHeader
	}
	rows = append(rows, p.boxes()...)
	return append(rows, p.diffs(proposals)...)
}

const healHeader = "| Test | Old locator | New locator | Confidence |\n| :-- | :-- | :-- | --: |\n"

// healRow returns one row of the table.
func (p page) healRow(q patch.Proposal) string {
	test := code(healedTest(q.Heal), cellWidth)
	if file, line := healedAt(q); file != "" {
		test += "<br>" + link(code(text.Place(path.Base(file), line), cellWidth), p.links.file(p.run.Path(file), line))
	}
	if q.Heal.Trace != "" {
		test += "<br>suggested from its trace"
	}
	confidence := q.Confidence
	if q.Edit == nil && confidence == 0 {
		confidence = q.Heal.Confidence
	}
	cells := []string{test, code(q.Old(), cellWidth), code(q.New(), cellWidth), text.Percent(confidence)}
	for i := range cells {
		cells[i] = cell(cells[i])
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// fileForm is a file's path or name, not a class or package.
var fileForm = regexp.MustCompile(`(^|/)[^/]+\.[a-z]{1,5}$`)

// healedTest returns the test's name without its file: the row shows where the
// locator stands.
func healedTest(h engine.HealEvent) string {
	if first, rest := splitID(h.TestID); rest != "" && fileForm.MatchString(first) {
		return rest
	}
	return h.TestID
}

// healedAt returns the place of the locator in the source, "" when unknown.
func healedAt(q patch.Proposal) (file string, line int) {
	switch {
	case q.Edit != nil:
		return q.Edit.File, q.Edit.Line
	case q.Heal.Site != nil:
		return q.Heal.Site.File, q.Heal.Site.Line
	}
	return "", 0
}

// diffs returns a fold for each edit, and for each heal without one. Proposals
// of the same edit share it. Many of them go under one fold.
func (p page) diffs(proposals []patch.Proposal) []section {
	var own []int
	sharers := make([]int, len(proposals))
	for i, q := range proposals {
		if first := q.SameAs - 1; first >= 0 && first < i {
			sharers[first]++
			continue
		}
		if !p.needless(i) {
			own = append(own, i)
		}
	}
	s := section{
		one: "diff", many: "diffs",
		n:     len(own),
		entry: func(i int) string { return p.diff(proposals[own[i]], sharers[own[i]]) },
	}
	if len(own) > openDiffs {
		s.open, s.close = foldOpen(text.Thousands(len(own))+" diffs"), foldClose
	}
	return []section{s}
}

// needless reports whether the diff of proposal i is not shown: it stands in a
// review, or nobody wants to see it.
func (p page) needless(i int) bool {
	if p.state == nil {
		return false
	}
	for _, o := range p.run.Suggestions {
		if o.Proposal == i {
			saved, offered := p.state.Find(o.ID)
			return offered && saved.InReview || slices.Contains(p.state.Ignored, o.ID)
		}
	}
	return false
}

// diff returns the folded diff of a proposal, or why there is none and the new
// locator to copy.
func (p page) diff(q patch.Proposal, sharers int) string {
	if q.Edit == nil {
		return noDiff(q)
	}
	edit := *q.Edit
	edit.File = p.run.Path(edit.File)
	summary := "Diff of " + htmlCode(text.Place(edit.File, edit.Line), placeWidth)
	if sharers > 0 {
		summary += ", shared by " + text.Count(sharers+1, "test", "tests")
	}
	if len(edit.Before)+len(edit.After) > 2*codeWidth { // a minified file: the literals alone
		edit.Before, edit.After = edit.Old, edit.New
	}
	body := fence("diff", block(patch.Diff(edit), diffLines, codeWidth))
	if q.Note != "" {
		body += "\nCheck before you take it: " + prose(q.Note, reasonWidth) + ".\n"
	}
	if q.Modern != "" {
		body += "\n" + modern(q) + "\n"
	}
	return fold(summary, body)
}

// modern tells the form that Playwright recommends.
func modern(q patch.Proposal) string { return "Playwright recommends: " + code(q.Modern, nameWidth) }

// noDiff returns the fold of a heal that was not turned into an edit.
func noDiff(q patch.Proposal) string {
	reason := prose(q.Reason, reasonWidth)
	if reason == "" {
		reason = "The place of the locator in the source is not known."
	}
	body := "No edit is offered: " + reason + "\n"
	if replacement := q.Code; replacement != "" {
		body += "\n" + fence("", block(replacement, 5, codeWidth))
	}
	return fold("No diff for "+htmlCode(q.Heal.Locator, nameWidth), body)
}
