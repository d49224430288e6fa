package outcome

import (
	"fmt"
	"math"

	"github.com/breadcrumb/action/engine/text"
)

// Base is the run of the default branch that a run is compared with.
type Base struct {
	RunID      int64 // of the forge
	Branch     string
	Commit     string
	Tests      int
	Failing    int     // tests whose deciding attempt failed or errored
	DurationMS float64 // of all attempts, whole milliseconds
}

// Name returns the branch and the commit of a base, as people name them: "main at
// 1a2b3c4".
func (b Base) Name() string { return b.Branch + " at " + b.Commit[:min(len(b.Commit), 7)] }

// Differences returns in words what is otherwise than in the base: "+2 tests", "−1
// failure", "slower by 20 s". It returns none where nothing is, or no base is known. Of a
// run that was cut off only the number of tests is compared.
func (r Run) Differences() (words []string) {
	if r.Base == nil {
		return nil
	}
	add := func(n int, one, many string) {
		switch {
		case n > 0:
			words = append(words, "+"+text.Count(n, one, many))
		case n < 0:
			words = append(words, "−"+text.Count(-n, one, many))
		}
	}
	add(r.Counts.Tests-r.Base.Tests, "test", "tests")
	if len(r.Verdict.Missing)+len(r.Verdict.Notices) > 0 {
		return words
	}
	add(r.Counts.Failed+r.Counts.Errors-r.Base.Failing, "failure", "failures")
	if pace := describePace(r.Counts.DurationMS, r.Base.DurationMS); pace != "" {
		words = append(words, pace)
	}
	return words
}

// What a difference in time has to be to be told: what is less, another runner makes.
const (
	minPaceMS    = 5000.0
	minPaceRatio = 0.1
)

// describePace says how much slower or faster a run is, both times in milliseconds; ""
// where that is little, or a time is not known.
func describePace(ms, base float64) string {
	by := math.Abs(ms - base)
	if !(ms > 0) || !(base > 0) || by < minPaceMS || by < minPaceRatio*base {
		return ""
	}
	word := "slower by "
	if ms < base {
		word = "faster by "
	}
	if by < 59_950 {
		return word + fmt.Sprintf("%.0f s", by/1000)
	}
	return word + text.Duration(by)
}
