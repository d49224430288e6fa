package flaky

import (
	"math"
	"slices"
)

const (
	evidenceWindow = 300  // executions that evidence lasts
	rateDecay      = 0.99 // of what the red rate remembers, for each execution
	redEpisode     = 3    // reds in a row that count as flakiness, not as breakage
	forgottenReds  = 0.05 // what is left of a pull request's reds when they are forgotten
)

// testState is what a Tracker remembers of a test that failed at least once. An
// execution is a commit that counts.
type testState struct {
	executions int
	clean      int // executions without a red since the last evidence
	evidence   []Evidence
	branches   map[branchKey]*branchState // while red
	variants   map[string]*redRate        // by Run.Variant
	turn       int                        // commit of entering, as Tracker.commits counts
	since      int64                      // its time in Unix seconds, 0 when unknown
	newest     int64                      // time of the commit that brought evidence last, as since
}

func newTestState() *testState {
	return &testState{branches: map[branchKey]*branchState{}, variants: map[string]*redRate{}}
}

// branchKey names runs that follow upon each other: those of the same sources in one
// variant.
type branchKey struct{ sources, variant string }

// branchState is a test's recent history on one branch in one variant.
type branchState struct {
	streak  int       // commits in a row that failed for good
	retries int       // failing attempts of theirs after the first of each
	since   string    // the oldest of these commits, "" when unknown
	errors  []string  // signatures of the newest one
	pending *Evidence // a lone red that waits for the next commit
}

// redRate is how often a test's first attempt fails in one variant. Reds count once
// the variant is green again, and no more than 3 in a row: a regression does not
// make the test more flaky.
type redRate struct {
	reds    float64   // decayed sum of the default branch's
	again   retries   // of these
	seen    float64   // decayed number of executions
	pulls   []ownReds // of pull requests, each apart: none excuses itself by its own
	waiting []ownReds // since it was green, oldest first
	streak  streak
}

// streak is how many commits failed for good in a row in one variant, whatever the
// source: a pull request fails with what its base broke. Its own green runs do not
// end the streak for itself.
type streak struct {
	greens []green // the last ones of different sources, oldest first
	older  int     // reds since a green of the default branch that is not among them
}

// green is a commit that passed.
type green struct {
	by   []string // its sources
	reds int      // commits that failed since
}

// keptGreens bounds the greens of a streak: only for a pull request that was in each
// of so many merge groups more would matter, and for that it is the stricter without.
const keptGreens = 3

func (s *streak) goGreen(by []string) {
	if len(by) == 0 {
		s.greens = s.greens[:0] // it counts for everybody, so that none before does
	}
	s.greens = slices.DeleteFunc(s.greens, func(g green) bool { return slices.Equal(g.by, by) })
	if len(s.greens) == keptGreens {
		if len(s.greens[0].by) == 0 {
			s.older = s.greens[0].reds
		}
		s.greens = slices.Delete(s.greens, 0, 1)
	}
	s.greens = append(s.greens, green{by: by})
}

// ownReds is the reds that some sources brought, the default branch none.
type ownReds struct {
	sources []string
	reds    float64
	seen    float64 // of redRate.seen those of the same sources, from the first red on
	again   retries // of the reds
}

// count takes in an execution and returns the retries of which it is known now that they
// were a flake's on the default branch. Where a locator was healed the page changed, so
// that the reds before prove nothing.
func (r *redRate) count(l *leg, sources []string) (told retries) {
	r.decay()
	seen := 1.0
	if r.countOwn(sources) {
		seen = 0
	}
	switch {
	case l.healed && !l.failing:
		r.waiting = nil
	case l.healed:
	default:
		if l.red {
			r.addRed(ownReds{sources, 1, seen, l.again()})
		}
		if !l.failing {
			return r.goGreen(sources)
		}
	}
	return told
}

// decay forgets a little, for one more execution.
func (r *redRate) decay() {
	r.seen = float64(r.seen*rateDecay) + 1
	r.reds *= rateDecay
	r.again.decay(rateDecay)
	for i := range r.pulls {
		r.pulls[i].reds *= rateDecay
		r.pulls[i].seen *= rateDecay
		r.pulls[i].again.decay(rateDecay)
	}
	for i := range r.waiting {
		r.waiting[i].seen *= rateDecay
	}
	r.pulls = slices.DeleteFunc(r.pulls, func(o ownReds) bool { return o.reds < forgottenReds })
}

// countOwn counts an execution for the reds of its sources, and reports whether there
// are some.
func (r *redRate) countOwn(sources []string) bool {
	for _, all := range [][]ownReds{r.pulls, r.waiting} {
		for i := range all {
			if slices.Equal(all[i].sources, sources) {
				all[i].seen++
				return true
			}
		}
	}
	return false
}

// addRed counts a red that may go away.
func (r *redRate) addRed(red ownReds) {
	total := 0.0
	for _, w := range r.waiting {
		total += w.reds
	}
	if total < redEpisode {
		r.waiting = addReds(r.waiting, red)
	}
}

// goGreen counts the reds that went away on a commit of these sources. They are also
// its own, because without it they would still wait. It returns the retries of the default
// branch among them.
func (r *redRate) goGreen(sources []string) (told retries) {
	for _, w := range r.waiting {
		w.sources = mergeSources(w.sources, sources)
		if len(w.sources) == 0 {
			r.reds += w.reds
			r.again.add(w.again)
			told.add(w.again)
		} else {
			r.pulls = addReds(r.pulls, w)
		}
	}
	r.waiting = nil
	return told
}

func addReds(all []ownReds, more ownReds) []ownReds {
	for i, have := range all {
		if slices.Equal(have.sources, more.sources) {
			all[i].reds += more.reds
			all[i].seen += more.seen
			all[i].again.add(more.again)
			return all
		}
	}
	return append(all, more)
}

// estimate returns the rate, a ratio in (0,1), drawn towards 2 % by 5 executions of
// prior.
func (r *redRate) estimate() float64 {
	reds := r.reds
	for _, o := range r.pulls {
		reds += o.reds
	}
	return math.Min(1, (reds+.1)/(r.seen+5))
}

// stateAt returns the state under a key, an empty one where there was none.
func stateAt[K comparable, V any](states map[K]*V, key K) *V {
	if states[key] == nil {
		states[key] = new(V)
	}
	return states[key]
}

// fresh reports whether the latest execution brought evidence.
func (s *testState) fresh() bool {
	n := len(s.evidence)
	return n > 0 && s.evidence[n-1].At == s.executions
}

// rate estimates how often the test gives evidence, a ratio in (0,1): the
// evidence over the executions, drawn towards 1 % by 20 executions of prior.
func (s *testState) rate() float64 { return s.rateOf(len(s.evidence)) }

func (s *testState) rateOf(pieces int) float64 {
	return (float64(pieces) + .2) / (float64(min(s.executions, evidenceWindow)) + 20)
}

// redRate estimates how often the first attempt fails in a variant, a ratio in
// (0,1): not less often than it gives evidence there.
func (s *testState) redRate(variant string) float64 {
	pieces := 0
	for _, e := range s.evidence {
		if slices.Contains(e.Variants, variant) {
			pieces++
		}
	}
	r := s.variants[variant]
	if r == nil {
		r = &redRate{}
	}
	return math.Max(s.rateOf(pieces), r.estimate())
}

// idle reports whether nothing is left to remember.
func (s *testState) idle() bool {
	return len(s.evidence) == 0 && len(s.branches) == 0 && s.turn == 0
}

// maxErrors bounds the signatures of one piece of evidence.
const maxErrors = 8

// union returns have and what more adds, up to maxErrors.
func union(have, more []string) []string { return unionTo(maxErrors, have, more) }

func unionTo(most int, have, more []string) []string {
	out := have[:len(have):len(have)]
	for _, m := range more {
		if len(out) < most && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// mergeSources returns the sources of both, sorted.
func mergeSources(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// again returns the leg's retries as one at most, however often the commit was rerun.
func (l *leg) again() retries {
	if l.retried == 0 || l.crowd || l.healed {
		return retries{}
	}
	return retries{1, float64(l.stuck) / float64(l.retried)}
}
