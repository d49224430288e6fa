package outcome

import (
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
)

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
	var facts []string
	for _, f := range []struct {
		n    int
		what string
	}{{s.Counts.Stable, "stable"}, {s.Counts.Healed, "healed"}, {s.Counts.Flaky, "flaky"}, {s.Counts.Failing, "failing"}, {len(s.Quarantine), "in quarantine"}} {
		if f.n > 0 {
			facts = append(facts, text.Thousands(f.n)+" "+f.what)
		}
	}
	return facts
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

// Words says how a test flips: "Flaky, flip rate 0.44, EWMA 0.30 over 10
// executions, last failed".
func (u RatedTest) Words() string {
	return fmt.Sprintf("%s, flip rate %.2f, EWMA %.2f over %s, last %s", u.Tier, u.FlipRate, u.EWMA, text.Count(u.Runs, "execution", "executions"), u.Last)
}

// HealedTo names what a healed locator became: the new locator, or what is known
// of the element.
func HealedTo(h engine.HealEvent) string {
	switch {
	case h.HealedLocator != "":
		return h.HealedLocator
	case h.Healed.Text != "":
		return "<" + h.Healed.Tag + "> " + h.Healed.Text
	case h.Healed.Tag != "":
		return "<" + h.Healed.Tag + ">"
	}
	return "(no locator of its own)"
}

// HealedOn is the day of a heal, "" when it is not known.
func HealedOn(h engine.HealEvent) string {
	if !(h.Timestamp > 0 && h.Timestamp < 1e11) {
		return ""
	}
	return time.Unix(int64(h.Timestamp), 0).UTC().Format(time.DateOnly)
}
