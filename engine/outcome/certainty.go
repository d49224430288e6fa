package outcome

import (
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

// Certainty says how sure a proposal is: "match 99 % · place 85 %", that it is the right
// element and, of an edit, that it is in the right place.
func Certainty(p patch.Proposal) string {
	s := "match " + text.Percent(p.Match())
	if p.Edit != nil && p.Place > 0 {
		s += " · place " + text.Percent(p.Place)
	}
	return s
}

// Match says how sure it is that the element of an event is the right one.
func Match(h engine.HealEvent) string { return "match " + text.Percent(h.Confidence) }

// LeastCertainty says how sure an edit has to be to be offered. Of one that is made by its
// id only, the place alone counts: a person judges the match.
func LeastCertainty(p patch.Proposal) string {
	what := "match times place"
	if p.Suggested() && !p.WouldHeal() {
		what = "place"
	}
	return what + " has to reach " + text.Percent(patch.SureFrom)
}

// NotSure says why an edit is only shown.
func NotSure(p patch.Proposal) string {
	return "not sure enough: " + Certainty(p) + ", and " + LeastCertainty(p)
}

// OfferOf returns the edit that is offered for proposal i, false for none.
func (r Run) OfferOf(i int) (OfferedEdit, bool) {
	first := i
	if same := r.Proposals[i].SameAs; same > 0 && same <= i {
		first = same - 1
	}
	at := slices.IndexFunc(r.Edits, func(o OfferedEdit) bool { return o.Proposal == first })
	if at < 0 {
		return OfferedEdit{}, false
	}
	return r.Edits[at], true
}

// MissingFrom says where the edit of proposal i is not offered, and why: "" for one that
// `breadcrumb apply`, the patch, boxes and the assistant's diff have, and for none.
func (r Run) MissingFrom(i int) string {
	p := r.Proposals[i]
	if p.Edit == nil {
		return ""
	}
	o, offered := r.OfferOf(i)
	byID := "by its id only, breadcrumb apply " + o.ID
	if r.Info.PullRequest > 0 {
		byID = "by its id " + o.ID + " or its box only"
	}
	switch {
	case !offered && !p.Sure():
		return "not offered: " + LeastCertainty(p)
	case !offered:
		return "not offered: its file has changed meanwhile"
	case o.Changed != "" && p.Doubt != "":
		return byID + ": " + p.Doubt
	case o.Changed != "":
		return byID
	case o.Unproven != "":
		return "by no box: " + o.Unproven
	}
	return ""
}
