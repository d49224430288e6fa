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
	Why     string    // why it becomes nothing, "" where Becomes says what
	Tests   []engine.TestID
}

// causesOf groups the failing tests by the error of their newest failure, whatever fails
// most tests first. lost are the suggestions and refusals, the newest first.
func (s Survey) causesOf(errors map[engine.TestID]string, lost []engine.HealEvent) []SurveyCause {
	type key struct{ error, locator, becomes string }
	var causes []SurveyCause
	at := map[key]int{}
	for _, f := range s.Failing {
		c := SurveyCause{Kind: CauseError}
		c.Error, c.Locator = flaky.ReadSignature(errors[f.TestID])
		k := key{error: c.Error, locator: c.Locator}
		if what := surroundings(c.Error); what != "" {
			c.Kind, k = CauseInfrastructure, key{error: what}
		} else if h, ok := lostBy(lost, f.TestID, c.Locator); ok {
			c.Kind, c.Locator = CauseLocator, Lost(h)
			if h.Outcome == engine.OutcomeRefused {
				c.Why = Refusal(h)
			} else {
				c.Becomes = HealedTo(h)
			}
			k = key{locator: c.Locator, becomes: c.Becomes + c.Why}
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

// lostBy returns the newest event, of lost, of the locator that a test's error names.
func lostBy(lost []engine.HealEvent, test engine.TestID, named string) (engine.HealEvent, bool) {
	if named == "" {
		return engine.HealEvent{}, false
	}
	i := slices.IndexFunc(lost, func(h engine.HealEvent) bool { return h.TestID == test && IsNamed(h, named) })
	if i < 0 {
		return engine.HealEvent{}, false
	}
	return lost[i], true
}
