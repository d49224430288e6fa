package flaky

import (
	"cmp"
	"math"
	"slices"
)

// A retry of a flake fails more often than its first attempt: what made the first fail is
// often still there. How much more is learned from what retries did, as the correlation of
// the attempts of one run: for each test and leg, drawn towards that of the suite.
const (
	priorCorrelation = .25 // before any retry was seen
	suiteRetries     = 8   // how many retries that prior weighs
	testRetries      = 6   // how many the suite's correlation weighs for a test
	retryDecay       = .998
)

// retries counts, over red commits of a test that were no bug, first retries.
type retries struct {
	ran    float64 // commits whose first attempt failed and was tried again
	failed float64 // of these, those whose retry failed as well
}

func (r *retries) add(more retries) { r.ran, r.failed = r.ran+more.ran, r.failed+more.failed }

func (r *retries) decay(by float64) { r.ran, r.failed = r.ran*by, r.failed*by }

// suiteCorrelation is how the retries of all tests ended on the default branch, so that no
// pull request changes it.
type suiteCorrelation struct {
	retries
	expected float64 // of them would have failed if attempts were independent
}

// learn takes in what a commit told of the retries of its tests, in whatever order.
func (c *suiteCorrelation) learn(told []suiteCorrelation) {
	if len(told) == 0 {
		return
	}
	c.decay(retryDecay)
	c.expected *= retryDecay
	slices.SortFunc(told, func(a, b suiteCorrelation) int { // sums of floating point depend on the order
		return cmp.Or(cmp.Compare(a.ran, b.ran), cmp.Compare(a.failed, b.failed), cmp.Compare(a.expected, b.expected))
	})
	for _, one := range told {
		c.retries.add(one.retries)
		c.expected += one.expected
	}
}

// estimate returns the correlation of the attempts of one run, a ratio in [0,1]: the
// failing retries beyond those of independent attempts, over those that there could be.
func (c *suiteCorrelation) estimate() float64 {
	beyond := c.failed - c.expected + priorCorrelation*suiteRetries
	return clampRatio(beyond / (c.ran - c.expected + suiteRetries))
}

// correlationOf returns that of a test whose first attempt fails at this rate, by its own
// retries and, as long as they are few, the suite's correlation.
func (r retries) correlationOf(rate, suite float64) float64 {
	if rate >= 1 {
		return 1
	}
	again := (r.failed + testRetries*(rate+(1-rate)*suite)) / (r.ran + testRetries)
	return clampRatio((again - rate) / (1 - rate))
}

// chanceOfAll returns how probable it is that the test, only flaking, fails so many
// attempts of one run; suite is the correlation of the suite's retries.
func (s *testState) chanceOfAll(variant string, attempts int, suite float64) float64 {
	first, own := math.Max(s.redRate(variant), minRed), retries{}
	if v := s.variants[variant]; v != nil {
		own = v.retries()
	}
	return chanceOfAll(attempts, first, own.correlationOf(first, suite))
}

// retries returns those of all sources.
func (r *redRate) retries() retries {
	all := r.again
	for _, o := range r.pulls {
		all.add(o.again)
	}
	return all
}

// chanceOfAll returns how probable it is that all attempts of a run fail, a ratio in
// [0,1], where each fails at this rate and two of them correlate: the beta-binomial
// distribution (Skellam, "A probability distribution derived from the binomial
// distribution by regarding the probability of success as variable between the sets of
// trials", Journal of the Royal Statistical Society B 10, 1948), in which attempt k+1
// fails after k that failed with the chance (p(1−ρ)+kρ)/((1−ρ)+kρ).
func chanceOfAll(attempts int, rate, correlation float64) float64 {
	chance := rate
	for k := 1.0; k < float64(min(attempts, maxRetries)); k++ {
		chance *= (rate*(1-correlation) + k*correlation) / (1 - correlation + k*correlation)
	}
	return chance
}

func clampRatio(x float64) float64 { return math.Max(0, math.Min(1, x)) }
