package outcome

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// SurveyCause is one thing that tests fail for now, with all of them.
type SurveyCause struct {
	Kind    CauseKind // infrastructure, lost-locator or error
	Error   string    // without numbers, paths and times, as the history keeps it
	Locator string    // that the error names, "" for none
	Becomes string    // what a lost locator would become, "" when unknown
	Tests   []engine.TestID
}

// causesOf groups the failing tests by the error of their newest failure, whatever fails
// most tests first.
func (s Survey) causesOf(errors map[engine.TestID]string) []SurveyCause {
	type key struct{ error, locator, becomes string }
	var causes []SurveyCause
	at := map[key]int{}
	for _, f := range s.Failing {
		c := SurveyCause{Kind: CauseError}
		c.Error, c.Locator = flaky.ReadSignature(errors[f.TestID])
		k := key{error: c.Error, locator: c.Locator}
		if what := surroundings(c.Error); what != "" {
			c.Kind, k = CauseInfrastructure, key{error: what}
		} else if h, ok := s.lostBy(f.TestID, c.Locator); ok {
			c.Kind, c.Locator, c.Becomes = CauseLocator, Lost(h), HealedTo(h)
			k = key{locator: c.Locator, becomes: c.Becomes}
		}
		c.Error = flaky.Readable(c.Error)
		i, known := at[k]
		if !known {
			i = len(causes)
			at[k] = i
			causes = append(causes, c)
		}
		causes[i].Tests = append(causes[i].Tests, f.TestID)
	}
	slices.SortStableFunc(causes, func(a, b SurveyCause) int {
		return cmp.Or(compareFirst(a.Kind, b.Kind, CauseInfrastructure), cmp.Compare(len(b.Tests), len(a.Tests)))
	})
	return causes
}

// lostBy returns the newest suggestion for the locator that a test's error names.
func (s Survey) lostBy(test engine.TestID, named string) (engine.HealEvent, bool) {
	if named == "" {
		return engine.HealEvent{}, false
	}
	i := slices.IndexFunc(s.Suggested, func(h engine.HealEvent) bool { return h.TestID == test && IsNamed(h, named) })
	if i < 0 {
		return engine.HealEvent{}, false
	}
	return s.Suggested[i], true
}
