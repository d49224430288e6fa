// Package patch turns a heal and the source text of a test into an edit of one
// string literal, or says why no edit is safe. It is pure: it reads sources from an
// fs.FS of the caller.
//
// Proposer finds the literal: scope searches the site and the files that the test
// reaches, constants are followed to their uses, and an edit that another place or
// another test contradicts is refused. The packages below read: source one file,
// checkout the tree and its imports, testcode the bodies of tests, calls the locator
// calls, callers the tests that run a literal's code, values what has a literal's value and
// where that is used.
package patch

import (
	"cmp"
	"math"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Template is a title with holes, the texts around them in order.
type Template = source.Template

// Edit replaces bytes [Start,End) of File with New.
type Edit struct {
	File  string // slash-separated, relative to the checkout
	Line  int    // 1-based line of Start
	Start int    // byte offset of the literal, quotes included
	End   int
	Old   string // source text of the literal
	New   string // source text that replaces it, same quote style

	Before string // the whole line before the edit, without its line ending
	After  string // the whole line after it
}

// Proposal is what Breadcrumb proposes for one healed or suggested locator: always
// the new locator as text, and either an edit or the reason why there is none.
type Proposal struct {
	Heal       engine.HealEvent
	Locator    string           // replacement in the author's own form, may be empty
	Code       string           // the replacement as the test's language writes it
	Modern     string           // the same as a getBy… call, "" when none is known or Code is one
	Edit       *Edit            // nil: see Reason
	Reason     string           // why there is no edit
	Note       string           // what a person should check before taking the edit
	Doubt      string           // why the edit is only suggested though its locator was healed, "" where it is not
	Confidence float64          // Match × Place, ratio in [0,1]
	Place      float64          // that the edit changes the right place, ratio in [0,1]; 0 without an edit
	SameAs     int              // 1 + index of an earlier proposal with the same edit, 0 for none
	Cause      Cause            // the use whose heal proves this edit of another one; zero for a heal of its own
	Language   locator.Language // of the test's file, "" when it is not known
}

// SureFrom is the confidence from which an edit is offered for one click.
const SureFrom = 0.75

// Sure reports whether the edit is sure enough for one click. Otherwise it is
// shown as a diff. Of one that a person decides on only the place has to be sure:
// whether the element is right is for the person to say.
func (p Proposal) Sure() bool {
	least := SureFrom
	if p.Suggested() && !p.WouldHeal() {
		least *= clampRatio(p.Heal.Confidence)
	}
	return p.Edit != nil && p.Confidence >= least
}

// Suggested reports whether the proposal is for a suggestion, not for a heal or for what
// was found ahead and is proven the same.
func (p Proposal) Suggested() bool {
	return p.Heal.Outcome == engine.OutcomeSuggested && (!p.Heal.Ahead || p.Heal.Reason != engine.ReasonAhead)
}

// WouldHeal reports whether the proposal is for a suggestion whose element is proven the
// same, and that only the setting heal kept from being healed. An assertion never heals:
// it may be what is wrong.
func (p Proposal) WouldHeal() bool {
	return p.Suggested() && p.Heal.Reason == engine.ReasonSuggestOnly && p.Heal.Action != "expect"
}

// ByIDOnly reports whether the edit is made only where its id is named: its element is
// only likely, an assertion lost it, or its test failed although it was healed.
func (p Proposal) ByIDOnly() bool { return p.Doubt != "" || p.Suggested() && !p.WouldHeal() }

// Proven reports whether a trial of just this edit proves it: its tests pass with it, and
// fail in the controls.
func (p Proposal) Proven() bool { return p.TrialOfEdit().Proven() }

// TrialOfEdit returns the trial that the event tells of, nil when there was none of this
// edit.
func (p Proposal) TrialOfEdit() *engine.Trial {
	t := p.Heal.Trial
	if t == nil || p.Edit == nil || t.Line != p.Edit.Line || t.New != p.Edit.New ||
		t.File != p.Edit.File && !strings.HasSuffix(t.File, "/"+p.Edit.File) && !strings.HasSuffix(p.Edit.File, "/"+t.File) {
		return nil
	}
	return t
}

// Match returns how sure it is that the element is the right one, ratio in [0,1]. It is
// less than the heal's own confidence where nothing shows that the new locator finds it
// alone.
func (p Proposal) Match() float64 {
	switch {
	case p.Place > 0:
		return clampRatio(math.Round(p.Confidence/p.Place*1e6) / 1e6)
	case p.Edit == nil && p.Heal.Confidence > 0:
		return clampRatio(p.Heal.Confidence)
	}
	return clampRatio(p.Confidence)
}

// WithoutEdit returns the proposal without its edit, for a reason.
func (p Proposal) WithoutEdit(reason string) Proposal {
	p.Edit, p.SameAs, p.Place, p.Note, p.Doubt, p.Reason = nil, 0, 0, "", "", reason
	p.Confidence = clampRatio(p.Heal.Confidence)
	return p
}

// Old returns the broken locator as people know it, see locator.Readable.
func (p Proposal) Old() string { return locator.Readable(p.Heal.Locator, p.language()) }

// New returns the replacement as people know it, "" when there is none. Where no edit
// says how it is written, it is what Playwright recommends.
func (p Proposal) New() string {
	if p.Edit == nil && p.Modern != "" {
		return strings.TrimPrefix(p.Modern, "page.")
	}
	return locator.Readable(cmp.Or(p.Locator, p.Heal.HealedLocator), p.language())
}

// language is that of the file that the edit is in, or of those that the heal names.
func (p Proposal) language() locator.Language {
	if p.Edit != nil {
		return languageOfFiles(p.Heal, p.Edit.File)
	}
	return cmp.Or(p.Language, languageOfFiles(p.Heal))
}

// clampRatio clamps a confidence to [0,1]; NaN is 0.
func clampRatio(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}
