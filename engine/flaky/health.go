package flaky

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// Tier is how unstable a test is by its flip rate.
type Tier string

// The seed's four tiers.
const (
	TierStable       Tier = "Stable"
	TierIntermittent Tier = "Intermittent"
	TierFlaky        Tier = "Flaky"
	TierChronic      Tier = "Chronic"
)

// History is what is known of one test, newest status last. The statuses are
// of attempts: a retry is an execution of its own, as in the seed.
type History struct {
	TestID   engine.TestID
	Statuses []engine.Status
}

// TestHealth is how one test is doing by its history.
type TestHealth struct {
	TestID   engine.TestID
	Runs     int     // executions the flip rate was taken over
	FlipRate float64 // ratio in [0,1] over the last 10 executions
	EWMA     float64 // ratio in [0,1] over the last 20 executions
	Tier     Tier
}

// Words says how a test flips: "flip rate 44% over 10 executions".
func (h TestHealth) Words() string {
	return "flip rate " + text.Percent(h.FlipRate) + " over " + text.Count(h.Runs, "execution", "executions")
}

// HistoryWindow is how many executions of a test its health is computed from: the
// EWMA looks back on so many, the flip rate on fewer.
const HistoryWindow = 20

// The seed's constants.
const (
	flipWindow = 10 // executions the flip rate looks back on
	ewmaAlpha  = 0.3

	maxIntermittent = 0.2 // highest flip rate of TierIntermittent
	maxFlaky        = 0.5 // highest flip rate of TierFlaky
)

// FlipRate returns the share of neighbouring pairs whose status differs among
// the last 10 statuses, newest last: a ratio in [0,1], 0 for fewer than two.
// Statuses are compared verbatim, so passed to skipped is a flip, and so is
// failed to error (the seed's TestAnalyzer.compute_fliprate).
func FlipRate(statuses []engine.Status) float64 {
	recent := newestStatuses(statuses, flipWindow)
	if len(recent) < 2 {
		return 0
	}
	flips := 0.0
	for i, status := range recent[1:] {
		flips += flip(recent[i], status)
	}
	return flips / float64(len(recent)-1)
}

// EWMA returns the exponentially weighted flip rate of the last 20 statuses,
// newest last: a ratio in [0,1], 0 for fewer than two. The oldest pair seeds
// the average and every later one enters with weight 0.3 (the seed's
// TestAnalyzer.compute_ewma_fliprate, after Kowalczyk et al., "Modeling and
// ranking flaky tests at Apple", ICSE-SEIP 2020).
func EWMA(statuses []engine.Status) float64 {
	recent := newestStatuses(statuses, HistoryWindow)
	if len(recent) < 2 {
		return 0
	}
	average := flip(recent[0], recent[1])
	for i := 2; i < len(recent); i++ {
		// The conversions forbid fusing, so every machine rounds as the seed does.
		average = float64(ewmaAlpha*flip(recent[i-1], recent[i])) + float64((1-ewmaAlpha)*average)
	}
	return average
}

// TierOf returns the tier of a flip rate in [0,1]: Stable at 0, Intermittent up
// to and including 0.2, Flaky up to and including 0.5, Chronic above.
func TierOf(rate float64) Tier {
	switch {
	case rate == 0:
		return TierStable
	case rate <= maxIntermittent:
		return TierIntermittent
	case rate <= maxFlaky:
		return TierFlaky
	default:
		return TierChronic
	}
}

func newestStatuses(statuses []engine.Status, window int) []engine.Status {
	return statuses[max(0, len(statuses)-window):]
}

func flip(a, b engine.Status) float64 {
	if a != b {
		return 1
	}
	return 0
}
