package flaky_test

import (
	"math"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// statuses spells a history: P passed, F failed, S skipped, E error.
func statuses(letters string) []engine.Status {
	words := map[rune]engine.Status{
		'P': engine.StatusPassed, 'F': engine.StatusFailed, 'S': engine.StatusSkipped, 'E': engine.StatusError,
	}
	var out []engine.Status
	for _, letter := range letters {
		out = append(out, words[letter])
	}
	return out
}

// Powers of 1-alpha: a flip n pairs ago still weighs pN.
const (
	p2  = .7 * .7
	p3  = p2 * .7
	p4  = p3 * .7
	p5  = p4 * .7
	p7  = p5 * .7 * .7
	p8  = p7 * .7
	p9  = p8 * .7
	p17 = p9 * p8
	p18 = p17 * .7
)

// The expected figures are worked out by hand from the seed's two formulas:
// flips over pairs, and .3·flip + .7·before with the oldest pair as the start.
func TestRatesOfSequencesWorkedOutByHand(t *testing.T) {
	p := func(n int) string { return strings.Repeat("P", n) }
	for _, c := range []struct {
		history string
		rate    float64
		ewma    float64
		tier    flaky.Tier
	}{
		// fewer than two executions
		{"", 0, 0, flaky.TierStable},
		{"P", 0, 0, flaky.TierStable},
		{"F", 0, 0, flaky.TierStable},
		// short histories
		{"PP", 0.0 / 1, 0, flaky.TierStable},
		{"FF", 0.0 / 1, 0, flaky.TierStable}, // always failing is stable
		{"PF", 1.0 / 1, 1, flaky.TierChronic},
		{"FP", 1.0 / 1, 1, flaky.TierChronic},
		{"PFF", 1.0 / 2, .3*0 + .7*1, flaky.TierFlaky}, // 0.5 belongs to Flaky
		{"PPF", 1.0 / 2, .3*1 + .7*0, flaky.TierFlaky},
		{"PFP", 2.0 / 2, .3*1 + .7*1, flaky.TierChronic},
		{"PPPF", 1.0 / 3, .3, flaky.TierFlaky},
		{"PFFP", 2.0 / 3, .3*1 + .7*(.3*0+.7*1), flaky.TierChronic},
		{"PPPPF", 1.0 / 4, .3, flaky.TierFlaky},
		{"PFPPP", 2.0 / 4, p2 * 1, flaky.TierFlaky},
		{"PFPPF", 3.0 / 4, .3*1 + .7*(.7*1), flaky.TierChronic},
		{"PPPPPF", 1.0 / 5, .3, flaky.TierIntermittent}, // 0.2 belongs to Intermittent
		{"PFFFFF", 1.0 / 5, p4, flaky.TierIntermittent},
		{"PFPPPP", 2.0 / 5, p3, flaky.TierFlaky},
		{"PFPFPP", 4.0 / 5, .7 * 1, flaky.TierChronic},
		{"PPPPPPF", 1.0 / 6, .3, flaky.TierIntermittent},
		{"PFPPFFF", 3.0 / 6, p2 * (.3*1 + .7*(.7*1)), flaky.TierFlaky},
		{"PFPPFPP", 4.0 / 6, .7 * (.3*1 + .7*(.3*1+.7*(.7*1))), flaky.TierChronic},
		{"PFPFPPPPP", 4.0 / 8, p4, flaky.TierFlaky},
		// exactly the flip rate's window
		{p(9) + "F", 1.0 / 9, .3, flaky.TierIntermittent},
		{p(8) + "FP", 2.0 / 9, .3*1 + .7*(.3*1), flaky.TierFlaky},
		{"PFPF" + p(6), 4.0 / 9, p5, flaky.TierFlaky},
		{"PFFPFFPFFF", 5.0 / 9, p2 * (.3*1 + .7*(.3*1+.7*(.7*(.3*1+.7*(.3*1+.7*(.7*1)))))), flaky.TierChronic},
		{"PFPFPF" + p(4), 6.0 / 9, p3, flaky.TierChronic},
		{"PFPFPFPFPF", 9.0 / 9, 1, flaky.TierChronic},
		// longer than 10: the flip rate forgets, the EWMA does not yet
		{"F" + p(10), 0.0 / 9, p9, flaky.TierStable},
		{"PFPFPF" + p(10), 0.0 / 9, p9, flaky.TierStable},
		{p(10) + "F", 1.0 / 9, .3, flaky.TierIntermittent},
		{"F" + p(9) + "F", 1.0 / 9, .3*1 + .7*p8, flaky.TierIntermittent},
		{"FPFPFPFPFPF", 9.0 / 9, 1, flaky.TierChronic},
		// longer than 20: the EWMA forgets as well
		{"F" + p(20), 0.0 / 9, 0, flaky.TierStable},
		{"FPFPF" + p(20), 0.0 / 9, 0, flaky.TierStable},
		{"PF" + p(19), 0.0 / 9, p18, flaky.TierStable}, // the oldest pair of the window is the start
		{"PPF" + p(18), 0.0 / 9, p17, flaky.TierStable},
		{p(20) + "F", 1.0 / 9, .3, flaky.TierIntermittent},
		{strings.Repeat("PF", 11), 9.0 / 9, 1, flaky.TierChronic},
		// skipped and error are statuses like any other
		{"SSSS", 0.0 / 3, 0, flaky.TierStable},
		{"EEEEEE", 0.0 / 5, 0, flaky.TierStable},
		{"PS", 1.0 / 1, 1, flaky.TierChronic},
		{"FE", 1.0 / 1, 1, flaky.TierChronic}, // failed to error flips
		{"FEFE", 3.0 / 3, 1, flaky.TierChronic},
		{"PSPP", 2.0 / 3, .7 * 1, flaky.TierChronic},
		{"PPPPPS", 1.0 / 5, .3, flaky.TierIntermittent},
		{"PPSSFFEE", 3.0 / 7, .7 * (.3*1 + .7*(.7*(.3*1+.7*(.7*(.3*1))))), flaky.TierFlaky},
	} {
		t.Run(c.history, func(t *testing.T) {
			history := statuses(c.history)
			rate := flaky.FlipRate(history)
			if rate != c.rate {
				t.Errorf("flip rate %v, want %v", rate, c.rate)
			}
			if got := flaky.EWMA(history); math.Abs(got-c.ewma) > 1e-12 {
				t.Errorf("EWMA %v, want %v", got, c.ewma)
			}
			if got := flaky.TierOf(rate); got != c.tier {
				t.Errorf("tier %v, want %v", got, c.tier)
			}
		})
	}
}

func TestStatusesAreComparedVerbatim(t *testing.T) {
	history := []engine.Status{"passed", "Passed", "passed ", "xfail"}
	if got := flaky.FlipRate(history); got != 3.0/3 {
		t.Errorf("flip rate %v, want 1", got)
	}
}

func TestTierBoundaries(t *testing.T) {
	for _, c := range []struct {
		rate float64
		want flaky.Tier
	}{
		{0, flaky.TierStable},
		{math.SmallestNonzeroFloat64, flaky.TierIntermittent},
		{0.2, flaky.TierIntermittent},
		{math.Nextafter(0.2, 1), flaky.TierFlaky},
		{0.5, flaky.TierFlaky},
		{math.Nextafter(0.5, 1), flaky.TierChronic},
		{1, flaky.TierChronic},
	} {
		if got := flaky.TierOf(c.rate); got != c.want {
			t.Errorf("tier of %v is %v, want %v", c.rate, got, c.want)
		}
	}
}
