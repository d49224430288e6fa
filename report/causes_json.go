package report

import (
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
)

// Cause is one thing that fails a run, with all the tests that it stops.
type Cause struct {
	Kind    string          `json:"kind"`  // infrastructure, lost-locator, error, missing-tests or report-problem
	Tests   []engine.TestID `json:"tests"` // that fail by it, or are missing
	Lines   []string        `json:"lines"` // in words: the useful lines of the first test's error, or what is wrong with a report
	Locator string          `json:"locator,omitempty"`
	Becomes string          `json:"becomes,omitempty"` // the new locator, for people
	Outcome string          `json:"outcome,omitempty"` // of a lost locator: healed, suggested or refused
	Why     string          `json:"why,omitempty"`     // it was not healed
	Entry   int             `json:"entry,omitempty"`   // 1 + index of its first entry in healed and, behind it, suggested; 0 for none
	File    string          `json:"file,omitempty"`    // of its edit, or where it stands; of a report problem the report
	Line    int             `json:"line,omitempty"`
}

func newCause(run outcome.Run, c outcome.Cause) Cause {
	out := Cause{Kind: string(c.Kind), Tests: []engine.TestID{}, Lines: append([]string{}, c.Lines...)}
	for _, f := range c.Failures {
		out.Tests = append(out.Tests, f.Result.ID)
	}
	switch c.Kind {
	case outcome.CauseLocator:
		out.addLost(run, c.Lost)
	case outcome.CauseMissing:
		out.Tests = slices.Clone(c.Missing)
	case outcome.CauseReport:
		out.Lines, out.File, out.Line = []string{c.Notice.Reason}, c.Notice.File, c.Notice.Line
	case outcome.CauseInfrastructure, outcome.CauseError:
	}
	return out
}

func (c *Cause) addLost(run outcome.Run, l outcome.LostLocator) {
	c.Locator, c.Becomes, c.Outcome = l.Was, l.Now, string(l.Event.Outcome)
	if l.Event.Outcome != engine.OutcomeHealed {
		c.Why = outcome.DescribeSuggestion(l.Event, outcome.Quote)
	}
	if site := l.Event.Site; site != nil {
		c.File, c.Line = site.File, site.Line
	}
	if len(l.Proposals) == 0 {
		return
	}
	c.Entry = l.Proposals[0] + 1
	if edits := run.EditsOf(l); len(edits) > 0 {
		c.File, c.Line = edits[0].Edit.File, edits[0].Edit.Line
	}
}
