// Package patch turns a heal and the source text of a test into an edit of one
// string literal, or says why no edit is safe. It is pure: it reads sources from an
// fs.FS of the caller.
//
// Proposer finds the literal: scope searches the site and the files that the test
// reaches, constants are followed to their uses, and an edit that another place or
// another test contradicts is refused. The packages below read: source one file,
// checkout the tree and its imports, testcode the bodies of tests, calls the locator
// calls, callers the tests that run a literal's code.
package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine"
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
	Locator    string  // replacement in the author's own form, may be empty
	Code       string  // the replacement as the test's language writes it
	OldCode    string  // the broken locator likewise, "" when it cannot be read
	Modern     string  // the same as a getBy… call, "" when none is known or Code is one
	Edit       *Edit   // nil: see Reason
	Reason     string  // why there is no edit
	Note       string  // what a person should check before taking the edit
	Confidence float64 // heal confidence × placement, ratio in [0,1]
	SameAs     int     // 1 + index of an earlier proposal with the same edit, 0 for none
	Cause      Cause   // the use whose heal proves this edit of another one; zero for a heal of its own
}

// SureFrom is the confidence from which an edit is offered for one click.
const SureFrom = 0.75

// Sure reports whether the edit is sure enough for one click. Otherwise it is
// shown as a diff. Of a suggestion only the place has to be sure: whether the
// element is right is for a person to say.
func (p Proposal) Sure() bool {
	least := SureFrom
	if p.Suggested() {
		least *= clampRatio(p.Heal.Confidence)
	}
	return p.Edit != nil && p.Confidence >= least
}

// Suggested reports whether the proposal is for a suggestion, not for a heal.
func (p Proposal) Suggested() bool { return p.Heal.Outcome == engine.OutcomeSuggested }

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

// internalForm starts the selectors that Playwright writes for itself and nobody
// writes in a test.
const internalForm = "internal:"

// Old returns the broken locator as people know it: the selector, or the call when
// the selector is an internal one of Playwright.
func (p Proposal) Old() string {
	if p.OldCode != "" && strings.Contains(p.Heal.Locator, internalForm) {
		return p.OldCode
	}
	return p.Heal.Locator
}

// New returns the replacement as people know it, "" when there is none.
func (p Proposal) New() string {
	switch {
	case p.Code != "" && strings.Contains(p.Locator, internalForm):
		return p.Code
	case p.Locator != "":
		return p.Locator
	}
	return p.Heal.HealedLocator
}
