package patch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/source"
)

const disagreement = "another heal or suggestion wants %q in the same place (%s, line %d)"

// Resolve sorts the proposals of a run, heals before suggestions, and makes their
// edits agree. Proposals with the same edit keep it, and all but the first are
// marked by SameAs. Different edits of one place are all removed, with the reason.
// The result does not depend on the order of ps, which is not changed.
func Resolve(ps []Proposal) []Proposal {
	out := slices.Clone(ps)
	slices.SortStableFunc(out, compareProposals)
	for i := range out {
		out[i].SameAs = 0
	}
	lost := make([]string, len(out))
	for i := range out {
		a := out[i].Edit
		for j := i + 1; j < len(out) && a != nil && out[j].Edit != nil; j++ {
			b := out[j].Edit
			if overlap := a.File == b.File && a.Start < b.End && b.Start < a.End; !overlap {
				break
			}
			if sameEdit(*a, *b) {
				continue
			}
			lost[i] = fmt.Sprintf(disagreement, source.Printable(out[j].Locator), source.Printable(a.File), a.Line)
			lost[j] = fmt.Sprintf(disagreement, source.Printable(out[i].Locator), source.Printable(a.File), a.Line)
		}
	}
	for i, why := range lost {
		if why != "" {
			out[i] = out[i].WithoutEdit(why)
		}
	}
	slices.SortStableFunc(out, compareProposals)
	markSame(out)
	return healsFirst(out)
}

// healsFirst moves the suggestions behind the heals, and the edits that follow from
// either behind both. Those that a trial proves are the first of their kind.
func healsFirst(ps []Proposal) []Proposal {
	var provenHeals, heals, provenSuggestions, suggestions, follow []int
	for i, p := range ps {
		lead := p // of the proposals with this edit, which stay behind it
		if p.SameAs > 0 {
			lead = ps[p.SameAs-1]
		}
		switch {
		case p.Follows():
			follow = append(follow, i)
		case p.Suggested() && lead.Proven():
			provenSuggestions = append(provenSuggestions, i)
		case p.Suggested():
			suggestions = append(suggestions, i)
		case lead.Proven():
			provenHeals = append(provenHeals, i)
		default:
			heals = append(heals, i)
		}
	}
	out := make([]Proposal, len(ps))
	moved := make([]int, len(ps)) // where each went
	for to, from := range slices.Concat(provenHeals, heals, provenSuggestions, suggestions, follow) {
		out[to], moved[from] = ps[from], to
	}
	for i := range out {
		if first := out[i].SameAs; first > 0 {
			out[i].SameAs = moved[first-1] + 1
		}
	}
	return out
}

// markSame sets SameAs of equal edits, which are next to each other.
func markSame(ps []Proposal) {
	for i := 1; i < len(ps); i++ {
		first := i - 1
		if ps[first].SameAs > 0 {
			first = ps[first].SameAs - 1
		}
		if ps[i].Edit != nil && ps[first].Edit != nil && sameEdit(*ps[i].Edit, *ps[first].Edit) {
			ps[i].SameAs = first + 1
		}
	}
}

// compareOutcomes sorts heals before what would have been healed, that before other
// suggestions and all before what follows from them, so that the best proven is the first
// of equal edits.
func compareOutcomes(a, b Proposal) int { return cmp.Compare(outcomeRank(a), outcomeRank(b)) }

func outcomeRank(p Proposal) int {
	switch {
	case p.Follows():
		return 3
	case p.ByIDOnly():
		return 2
	case p.WouldHeal():
		return 1
	}
	return 0
}

// compareProposals sorts edits by place, then proposals without one by test and locator.
func compareProposals(a, b Proposal) int {
	switch {
	case a.Edit != nil && b.Edit == nil:
		return -1
	case a.Edit == nil && b.Edit != nil:
		return 1
	case a.Edit != nil:
		c := cmp.Or(cmp.Compare(a.Edit.File, b.Edit.File), cmp.Compare(a.Edit.Start, b.Edit.Start),
			cmp.Compare(a.Edit.End, b.Edit.End), cmp.Compare(a.Edit.New, b.Edit.New))
		if c != 0 {
			return c
		}
	}
	return cmp.Or(compareOutcomes(a, b), -cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.Heal.TestID, b.Heal.TestID),
		cmp.Compare(a.Heal.Locator, b.Heal.Locator), cmp.Compare(a.Heal.Occurrence, b.Heal.Occurrence),
		cmp.Compare(a.Heal.Timestamp, b.Heal.Timestamp), cmp.Compare(a.Locator, b.Locator), cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(a.Cause.Test, b.Cause.Test), cmp.Compare(a.Cause.Locator, b.Cause.Locator), cmp.Compare(a.Cause.Occurrence, b.Cause.Occurrence))
}
