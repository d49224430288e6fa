package report

import (
	_ "embed"
	"io"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

// SurveySchema names the form of the JSON of a survey. A later version only
// adds keys to it.
const SurveySchema = "breadcrumb.survey/v1"

// SurveyDocument is the JSON of a survey. Every list is there even when it is
// empty. The keys up to top_locators are those of the tools before Breadcrumb.
type SurveyDocument struct {
	Schema      string          `json:"schema"`       // "breadcrumb.survey/v1"
	GeneratedAt string          `json:"generated_at"` // RFC 3339 in UTC
	PeriodDays  int             `json:"period_days"`  // 0: everything there is
	Summary     SurveySummary   `json:"summary"`
	Heals       []SurveyHeal    `json:"healing_events"` // every event, the newest first
	Flaky       []SurveyTest    `json:"flaky_tests"`    // not Stable, the worst first
	Locators    []SurveyLocator `json:"top_locators"`   // the most often healed first

	Runs       int                `json:"runs"`            // of the default branch and local ones
	Healed     []SurveyLost       `json:"healed_locators"` // one per healed locator, the last healed first
	Suggested  []SurveySuggestion `json:"suggested"`       // one per locator that has a suggestion, the last lost first
	Causes     []SurveyCause      `json:"causes"`          // what they fail for, the one of most tests first
	Failing    []SurveyFailing    `json:"failing_tests"`   // by name
	Removed    []engine.TestID    `json:"removed_tests"`   // failed last and were removed since
	Quarantine []SurveyEntry      `json:"quarantine"`
	Notices    []Notice           `json:"notices"`
}

// SurveySummary counts the tests by their health; the four add up to the total.
type SurveySummary struct {
	Total   int `json:"total"`
	Stable  int `json:"stable"`
	Healed  int `json:"healed"`  // stable, and healed a locator in the period
	Flaky   int `json:"flaky"`   // in quarantine by evidence, or the status flipped lately
	Failing int `json:"failing"` // the newest execution failed
}

// SurveyHeal is an event of a healed locator.
type SurveyHeal struct {
	TestID     engine.TestID `json:"test_id"`
	Locator    string        `json:"locator"`    // as it was
	Healed     string        `json:"healed"`     // as it became, or the element
	Confidence float64       `json:"confidence"` // ratio in [0,1]
	Timestamp  float64       `json:"timestamp"`  // Unix seconds
}

// SurveyLost is a locator that was lost, with its newest event.
type SurveyLost struct {
	SurveyHeal
	Count int `json:"count"` // calls that met the loss
	Tests int `json:"tests"` // in which they were
}

// SurveySuggestion is a locator that was not healed, because what is likely its
// element means something else now. Healed is what it would become.
type SurveySuggestion struct {
	SurveyLost
	Why     string    `json:"why"`     // a reason of breadcrumb.heal/v1
	Changed []Meaning `json:"changed"` // what the element means otherwise
}

// SurveyTest is a test whose status flips.
type SurveyTest struct {
	TestID      engine.TestID `json:"test_id"`
	Group       engine.TestID `json:"group"`          // of a parametrised test what its instances share, else the test_id
	FlipRate    float64       `json:"flip_rate"`      // ratio in [0,1] over the last 10 executions
	EWMA        float64       `json:"ewma_flip_rate"` // ratio in [0,1] over the last 20
	Tier        string        `json:"classification"` // Intermittent, Flaky or Chronic
	Executions  int           `json:"executions"`     // the flip rate was taken over
	LastStatus  string        `json:"last_status"`
	Quarantined bool          `json:"quarantined"`
}

// SurveyCause is one thing that tests fail for now.
type SurveyCause struct {
	Kind    string          `json:"kind"`    // infrastructure, lost-locator or error
	Error   string          `json:"error"`   // without numbers, paths and times
	Locator string          `json:"locator"` // that the error names, "" for none
	Becomes string          `json:"becomes"` // what a lost locator would become, "" when unknown
	Why     string          `json:"why"`     // why a lost locator becomes nothing, "" where becomes says what
	Tests   []engine.TestID `json:"tests"`
}

// SurveyFailing is a test whose newest execution failed.
type SurveyFailing struct {
	TestID      engine.TestID `json:"test_id"`
	Group       engine.TestID `json:"group"`
	Quarantined bool          `json:"quarantined"`
	Broken      string        `json:"broken,omitempty"` // in words, since when it always fails; "" for one that may be flaking
}

// SurveyLocator says how often a locator was healed.
type SurveyLocator struct {
	Locator string `json:"locator"`
	Count   int    `json:"count"` // calls that it was healed for
	Tests   int    `json:"tests"`
}

// SurveyEntry is one quarantined test with its age.
type SurveyEntry struct {
	Entry
	AgeDays int           `json:"age_days"`
	Group   engine.TestID `json:"group"`
}

// SurveyJSON writes a survey as one indented JSON object of the schema
// breadcrumb.survey/v1, documented at SurveyDocument. Characters that steer a
// terminal and "##[" are written as \u escapes.
func SurveyJSON(w io.Writer, s outcome.Survey) error { return writeJSON(w, NewSurveyDocument(s)) }

// NewSurveyDocument returns the JSON of a survey as a value.
func NewSurveyDocument(s outcome.Survey) SurveyDocument {
	return SurveyDocument{
		Schema: SurveySchema, GeneratedAt: formatTime(s.Generated), PeriodDays: s.Days, Runs: s.Runs,
		Summary: SurveySummary(s.Counts),
		Heals:   convertEach(s.Heals, surveyHeal), Healed: convertEach(s.HealedLocators(), surveyLost),
		Suggested: convertEach(s.SuggestedLocators(), surveySuggestion), Flaky: convertEach(s.Unstable, surveyTest),
		Locators: convertEach(s.Locators, func(l outcome.LocatorHeals) SurveyLocator { return SurveyLocator{l.Locator, l.Calls, l.Tests} }),
		Causes: convertEach(s.Causes, func(c outcome.SurveyCause) SurveyCause {
			return SurveyCause{string(c.Kind), c.Error, c.Locator, c.Becomes, c.Why, c.Tests}
		}),
		Failing: convertEach(s.Failing, func(f outcome.FailingTest) SurveyFailing {
			return SurveyFailing{f.TestID, flaky.Group(f.TestID), f.Quarantined, f.Broken}
		}),
		Removed: convertEach(s.Removed, func(id engine.TestID) engine.TestID { return id }),
		Quarantine: convertEach(s.Quarantine, func(e flaky.Entry) SurveyEntry {
			return SurveyEntry{Entry: NewEntry(e), AgeDays: int(max(0, s.Generated.Sub(e.Since)) / (24 * time.Hour)), Group: flaky.Group(e.TestID)}
		}),
		Notices: convertEach(s.Notices, NewNotice),
	}
}

func surveyHeal(h engine.HealEvent) SurveyHeal {
	return SurveyHeal{TestID: h.TestID, Locator: h.Locator, Healed: outcome.HealedTo(h), Confidence: finiteOrZero(h.Confidence), Timestamp: finiteOrZero(h.Timestamp)}
}

func surveyLost(l outcome.LostLocator) SurveyLost {
	return SurveyLost{surveyHeal(l.Event), l.Calls, len(l.Tests)}
}

func surveySuggestion(l outcome.LostLocator) SurveySuggestion {
	return SurveySuggestion{SurveyLost: surveyLost(l), Why: l.Event.Reason, Changed: NewMeanings(l.Event.Changed)}
}

func surveyTest(u outcome.RatedTest) SurveyTest {
	return SurveyTest{
		TestID: u.TestID, Group: flaky.Group(u.TestID), FlipRate: finiteOrZero(u.FlipRate), EWMA: finiteOrZero(u.EWMA), Tier: string(u.Tier),
		Executions: u.Runs, LastStatus: string(u.Last), Quarantined: u.Quarantined,
	}
}
