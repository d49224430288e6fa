package outcome

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

// Survey is what the runs of a period say of a suite, in the one shape that
// every renderer reads. Make one with NewSurvey.
type Survey struct {
	Generated time.Time
	Days      int // length of the period, 0 for everything there is
	Runs      int // of the default branch and local ones
	Counts    SurveyCounts

	Failing    []FailingTest         // by name
	Removed    []engine.TestID       // failed last and were removed since: they count nowhere else
	Causes     []SurveyCause         // what they fail for, the one of most tests first
	Quarantine []flaky.Entry         // as it stands, the oldest first
	Unstable   []RatedTest           // tests that are not Stable and failed by flaking, the worst first
	Heals      []engine.HealEvent    // of the period, the newest first; see HealedLocators
	Suggested  []engine.HealEvent    // of the period, for a person to decide, the newest first; see SuggestedLocators
	Locators   []LocatorHeals        // healed in the period, the most often first
	Groups     map[engine.TestID]int // instances of each parametrised test, by flaky.Group
	Notices    []engine.Notice       // what could not be read
}

// SurveyCounts are the tests by how they are doing, each in one of the four: a test
// that fails now is failing whatever else it is, one that is in quarantine by evidence or
// in Survey.Unstable is flaky, one whose newest run healed a locator is healed.
type SurveyCounts struct{ Total, Stable, Healed, Flaky, Failing int }

// FailingTest is a test whose newest execution failed.
type FailingTest struct {
	TestID      engine.TestID
	Quarantined bool
	Broken      string // "broken since a1b2c3d (3 runs)", "" for one that may be flaking
}

// RatedTest is a test with its health by its last executions.
type RatedTest struct {
	flaky.TestHealth
	Last        engine.Status // of its newest execution
	Quarantined bool
}

// RateTests returns the health of each test, the worst first.
func RateTests(histories []flaky.History) []RatedTest {
	last := map[engine.TestID]engine.Status{}
	for _, h := range histories {
		if n := len(h.Statuses); n > 0 {
			last[h.TestID] = h.Statuses[n-1]
		}
	}
	var all []RatedTest
	for _, health := range flaky.Evaluate(histories, nil, flaky.PolicyEvidence).TestHealths {
		all = append(all, RatedTest{TestHealth: health, Last: last[health.TestID]})
	}
	slices.SortStableFunc(all, func(a, b RatedTest) int {
		return cmp.Or(cmp.Compare(b.FlipRate, a.FlipRate), cmp.Compare(b.EWMA, a.EWMA), cmp.Compare(a.TestID, b.TestID))
	})
	return all
}

// LocatorHeals says how often a locator was healed.
type LocatorHeals struct {
	Locator string
	Shown   string // as people write it, see Lost
	Calls   int    // that it was healed for
	Tests   int    // different ones
	Last    float64
}

// SurveyInput is what a survey is made of. Everything but the quarantine is of
// the period alone.
type SurveyInput struct {
	Now        time.Time
	Days       int
	Runs       int
	Histories  []flaky.History // of every test that ran
	Quarantine []flaky.Entry
	Heals      []engine.HealEvent // healed ones
	Suggested  []engine.HealEvent // suggested ones
	Refused    []engine.HealEvent // refused ones
	Notices    []engine.Notice
	Errors     map[engine.TestID]string // signatures of the newest failures, see flaky.Signature

	// Steady are tests whose failures show no flakiness: they failed until something
	// was mended, or the page changed.
	Steady map[engine.TestID]bool
	// Removed are tests that failed last and that the newest complete runs have no more.
	Removed map[engine.TestID]bool
	// Mended are tests that healed a locator once and whose newest run healed none.
	Mended map[engine.TestID]bool
	// Broken are tests that always fail now on the default branch.
	Broken map[engine.TestID]flaky.Breakage
}

// NewSurvey sums the input up.
func NewSurvey(in SurveyInput) Survey {
	s := Survey{
		Generated: in.Now, Days: in.Days, Runs: in.Runs, Notices: in.Notices,
		Quarantine: slices.Clone(in.Quarantine), Heals: newestFirst(in.Heals), Suggested: newestFirst(in.Suggested), Locators: locators(in.Heals),
	}
	slices.SortStableFunc(s.Quarantine, func(a, b flaky.Entry) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.TestID, b.TestID)) })
	held, proven, healed := map[engine.TestID]bool{}, map[engine.TestID]bool{}, map[engine.TestID]bool{}
	for _, e := range in.Quarantine {
		held[e.TestID] = true
		proven[e.TestID] = proven[e.TestID] || e.ByEvidence()
	}
	for _, h := range in.Heals {
		healed[h.TestID] = !in.Mended[h.TestID]
	}
	s.Groups = flaky.GroupSizes(flaky.TestIDs(in.Histories, func(h flaky.History) engine.TestID { return h.TestID }))
	for _, u := range RateTests(in.Histories) {
		u.Quarantined = held[u.TestID]
		if in.Removed[u.TestID] {
			s.Removed = append(s.Removed, u.TestID)
			continue
		}
		unstable := u.Tier != flaky.TierStable && !in.Steady[u.TestID]
		s.Counts.add(u, unstable || proven[u.TestID], healed[u.TestID])
		if u.Last.Failing() {
			failing := FailingTest{TestID: u.TestID, Quarantined: u.Quarantined}
			if b, broken := in.Broken[u.TestID]; broken {
				failing.Broken = "broken" + b.String()
			}
			s.Failing = append(s.Failing, failing)
		}
		if unstable {
			s.Unstable = append(s.Unstable, u)
		}
	}
	slices.SortStableFunc(s.Failing, func(a, b FailingTest) int { return cmp.Compare(a.TestID, b.TestID) })
	slices.Sort(s.Removed)
	s.Causes = s.causesOf(in.Errors, newestFirst(in.Suggested, in.Refused))
	return s
}

// newestFirst returns all events in one list, the newest first.
func newestFirst(events ...[]engine.HealEvent) []engine.HealEvent {
	all := slices.Concat(events...)
	slices.SortStableFunc(all, func(a, b engine.HealEvent) int { return cmp.Compare(b.Timestamp, a.Timestamp) })
	return all
}

func (c *SurveyCounts) add(u RatedTest, isFlaky, healed bool) {
	c.Total++
	switch {
	case u.Last.Failing():
		c.Failing++
	case isFlaky:
		c.Flaky++
	case healed:
		c.Healed++
	default:
		c.Stable++
	}
}

// locators counts the heals of each locator.
func locators(heals []engine.HealEvent) []LocatorHeals {
	at := map[string]int{}
	type key struct {
		locator string
		test    engine.TestID
	}
	tests := map[key]bool{}
	var all []LocatorHeals
	for _, h := range heals {
		i, known := at[h.Locator]
		if !known {
			i = len(all)
			at[h.Locator] = i
			all = append(all, LocatorHeals{Locator: h.Locator, Shown: Lost(h)})
		}
		all[i].Calls += max(1, h.Count)
		all[i].Last = max(all[i].Last, h.Timestamp)
		if k := (key{h.Locator, h.TestID}); !tests[k] {
			tests[k] = true
			all[i].Tests++
		}
	}
	slices.SortStableFunc(all, func(a, b LocatorHeals) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Locator, b.Locator))
	})
	return all
}

// HealedLocators returns the locators that were healed in the period, each once for all its
// tests and runs as LostLocators does for those of a run, the last healed first.
func (s Survey) HealedLocators() []LostLocator { return lostOf(s.Heals) }

// SuggestedLocators returns the locators that have a suggestion, as HealedLocators does.
func (s Survey) SuggestedLocators() []LostLocator { return lostOf(s.Suggested) }

// lostOf returns the lost locators of events, the newest first. The event of one is its
// newest, with the pictures of the newest that has some.
func lostOf(events []engine.HealEvent) []LostLocator {
	x := newLostIndex()
	for _, h := range events {
		name := lostName{Lost(h), HealedTo(h)}
		l := &x.all[x.add(Run{}, h, name, name)]
		l.Event.Pictures = cmp.Or(l.Event.Pictures, h.Pictures)
	}
	return x.all
}

// Headline says in one line what the survey covers.
func (s Survey) Headline() string {
	period := "of all time"
	switch {
	case s.Days == 1:
		period = "of the last day"
	case s.Days > 0:
		period = "of the last " + text.Count(s.Days, "day", "days")
	}
	if s.Runs == 0 {
		return "no run " + period
	}
	return text.Count(s.Counts.Total, "test", "tests") + " in " + text.Count(s.Runs, "run", "runs") + " " + period
}

// Facts returns the counts in words, without those that are nought.
func (s Survey) Facts() []string {
	c := s.Counts
	return describeParts([]part{{c.Stable, "stable"}, {c.Healed, "healed"}, {c.Flaky, "flaky"}, {c.Failing, "failing"}, {len(s.Quarantine), "in quarantine"}})
}

// Age says since when an entry is there, such as "since 2026-11-02 (19 days)",
// "" when that is not known.
func (s Survey) Age(e flaky.Entry) string {
	if e.Since.IsZero() {
		return ""
	}
	phrase := "since " + e.Since.UTC().Format(time.DateOnly)
	if days := int(s.Generated.Sub(e.Since).Hours() / 24); days > 0 {
		phrase += " (" + text.Count(days, "day", "days") + ")"
	}
	return phrase
}

// Words says how a test flips: "flip rate 44% over 10 executions, last failed".
func (u RatedTest) Words() string { return u.TestHealth.Words() + ", last " + u.Last.Word() }

// Lost returns the locator of a heal as people of its test's language write it.
func Lost(h engine.HealEvent) string { return locator.Readable(h.Locator, patch.LanguageOf(h)) }

// HealedTo names what a healed locator became: the new locator, in the form that
// Playwright recommends, or what is known of the element.
func HealedTo(h engine.HealEvent) string {
	if h.HealedLocator == "" { // a trace says only what was counted
		if next, _ := locator.Replacement(h); locator.ProofOf(h, next) == locator.Unique {
			h.HealedLocator = next.String()
		}
	}
	switch {
	case h.HealedLocator != "":
		return HealedIn(h, patch.LanguageOf(h))
	case h.Healed.Text != "":
		return "<" + h.Healed.Tag + "> " + h.Healed.Text
	case h.Healed.Tag != "":
		return "<" + h.Healed.Tag + ">"
	}
	return "(no locator of its own)"
}

// HealedIn returns the healed locator of an event in the form that Playwright recommends, as
// people write it in a language.
func HealedIn(h engine.HealEvent, lang locator.Language) string {
	if next, err := locator.Parse(h.HealedLocator); err == nil {
		if modern := locator.Modern(h, next); !modern.IsZero() {
			return strings.TrimPrefix(locator.Print(modern, lang), "page.")
		}
	}
	return locator.Readable(h.HealedLocator, lang)
}

// HealedOn is the day of a heal, "" when it is not known.
func HealedOn(h engine.HealEvent) string {
	if !(h.Timestamp > 0 && h.Timestamp < 1e11) {
		return ""
	}
	return time.Unix(int64(h.Timestamp), 0).UTC().Format(time.DateOnly)
}
