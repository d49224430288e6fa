package outcome

import (
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
)

// DescribeTrial says what came of the trial of a proposal's edit, "" where there was none.
func DescribeTrial(p patch.Proposal) string {
	t := p.TrialOfEdit()
	if t == nil {
		return ""
	}
	green := fmt.Sprintf("%d of %d green", t.Green, t.Tests)
	if t.Proven() {
		return "proven: " + green + ", fails without the element"
	}
	if why := whyUnproven[t.Reason]; why != "" {
		return "tried, not proven: " + green + why
	}
	return "tried, not proven: " + green
}

var whyUnproven = map[string]string{
	engine.TrialUnused: ", but none reaches the new locator",
	engine.TrialHidden: ", but also without the element",
	engine.TrialOther:  ", but also with another element in its place",
	engine.TrialUndone: ", but also with nothing done to the element",
	engine.TrialNotRun: ", but not every control ran to its end",
}
