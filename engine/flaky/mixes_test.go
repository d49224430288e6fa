package flaky_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// mix is a kind of suite of which the truth is known. Its tests below len(rates) are
// flaky, each in one leg, with one error at a place of its own.
type mix struct {
	tests, legs, commits int
	rates                []float64 // how often the first attempt of each flaky test fails
	retries              int
	sticky               float64 // how often a retry of a flake fails at least
	alone                bool    // run without the others, a flaky test passes
	cluster              int     // so many flaky tests fail together; 0: each by itself
	reruns               float64 // share of the red runs that are rerun
	run                  bool    // failures in quarantine are run again twice by the job
	bugs                 int     // every so many commits one is made, of up to 3 tests
	outages              int     // every so many commits something is gone for a moment
	struck, errors       int     // tests that this fails, in so many ways
	groups               int     // these are one of so many groups; 0: any tests
}

// suite is a mix that is being played.
type suite struct {
	mix
	random *rand.Rand
	judge  *flaky.Judge
	legOf  []int
	bugged []bug
	n      int    // commit
	branch string // of it, "" for the default branch
	mains  int
	gone   map[int]int // in this commit's outage, and how each test fails by it
	held   map[int]bool
	figures
}

type bug struct {
	tests  []int
	branch string
	until  int // commit
}

// figures is what became of it.
type figures struct{ entries, right, flakes, excused, bugCount, hidden int }

func (f *figures) String() string {
	return fmt.Sprintf("precision %.3f of %d, rescued %.3f of %d, hidden %d of %d", f.precision(), f.entries, f.rescued(), f.flakes, f.hidden, f.bugCount)
}

func (f *figures) precision() float64 { return float64(f.right) / float64(max(1, f.entries)) }
func (f *figures) rescued() float64   { return float64(f.excused) / float64(max(1, f.flakes)) }

// play plays the mix with a few seeds.
func (m mix) play() *figures {
	all := &figures{}
	for seed := range uint64(4) {
		s := &suite{mix: m, random: rand.New(rand.NewPCG(seed, 25)), judge: flaky.NewJudge(), legOf: make([]int, m.tests), figures: *all}
		for t := range m.tests {
			s.legOf[t] = s.random.IntN(max(1, m.legs))
		}
		for s.n = range m.commits {
			s.prepare()
			s.judge.Observe(s.commit())
			s.countEntries()
		}
		*all = s.figures
	}
	return all
}

func (s *suite) happens(share float64) bool { return s.random.Float64() < share }

// prepare chooses the branch of the next commit and what breaks on it: every third is the
// default branch's, the others are of pull requests that are pushed to six times.
func (s *suite) prepare() {
	s.branch, s.gone = "", map[int]int{}
	if s.n%3 > 0 {
		s.branch = fmt.Sprint("pr-", s.n/9)
	} else {
		s.mains++
	}
	if s.bugs > 0 && s.n > 20 && s.n%s.bugs == 0 {
		b := bug{branch: s.branch, until: s.n + 3 + s.random.IntN(12)}
		for range 1 + s.random.IntN(3) {
			b.tests = append(b.tests, s.random.IntN(s.tests/(1+3*s.random.IntN(2))))
		}
		s.bugged = append(s.bugged, b)
		s.bugCount++
	}
	if s.outages > 0 && s.n%s.outages == s.outages-1 {
		group := len(s.rates) + s.struck*s.random.IntN(max(1, s.groups))
		for i := range s.struck {
			t := s.random.IntN(s.tests)
			if s.groups > 0 {
				t = group + i
			}
			s.gone[t] = i % s.errors
		}
	}
}

func (b bug) breaks(s *suite) bool { return s.n < b.until && (b.branch == "" || b.branch == s.branch) }

// fail returns the attempts of a test that failed at its first one.
func (s *suite) fail(again float64) string {
	attempts := "F"
	for range s.retries {
		if !s.happens(again) {
			return attempts + "P"
		}
		attempts += "F"
	}
	return attempts
}

// test returns the attempts of a test and its error, "" where it simply passed.
func (s *suite) test(t, leg int, hit, rerun bool) (attempts, failure string) {
	for _, b := range s.bugged {
		if b.breaks(s) && slices.Contains(b.tests, t) {
			return s.fail(1), fmt.Sprint("B", b.until)
		}
	}
	if how, gone := s.gone[t]; gone && leg == 0 && !rerun {
		return s.fail(.5), fmt.Sprint("O", how, " ¦ place", t)
	}
	if hit && s.legOf[t] == leg {
		return s.fail(max(s.rates[t], s.sticky)), fmt.Sprint("E", t%3, " ¦ place", t)
	}
	return "", ""
}

// runLeg returns a run of the commit, of only these tests where there are some.
func (s *suite) runLeg(leg int, only []int, rerun bool) flaky.Run {
	r := flaky.Run{Commit: fmt.Sprint("c", s.n), Sources: strings.Fields(s.branch), Variant: fmt.Sprint("leg ", leg), Tests: s.tests}
	if only != nil {
		r.Tests, r.Ran = len(only), func(t int) bool { return slices.Contains(only, t) }
	}
	hit := false
	for t := range s.tests {
		if t >= len(s.rates) {
			hit = false
		} else if s.cluster == 0 || t%s.cluster == 0 {
			hit = s.happens(s.rates[t])
		}
		attempts, failure := s.test(t, leg, hit && (only == nil || !s.alone), rerun)
		if attempts != "" && (only == nil || slices.Contains(only, t)) {
			r.Observations = append(r.Observations, flaky.Observation{
				Test: t, Attempts: statuses(attempts), Signatures: []string{failure}, Before: s.n, BeforeMain: s.mains})
		}
	}
	return r
}

// failed returns the tests that failed for good.
func failed(r flaky.Run) (tests []int) {
	for _, o := range r.Observations {
		if o.Attempts[len(o.Attempts)-1].Failing() {
			tests = append(tests, o.Test)
		}
	}
	return tests
}

// commit runs all legs, what is rerun of them, and judges the first runs.
func (s *suite) commit() (c flaky.Commit) {
	for leg := range max(1, s.legs) {
		runs := flaky.Commit{s.runLeg(leg, nil, false)}
		if len(failed(runs[0])) > 0 && s.happens(s.reruns) {
			runs = append(runs, s.runLeg(leg, nil, true))
		}
		c = append(c, runs...)
		again := slices.DeleteFunc(failed(runs[0]), func(t int) bool { return !s.isHeld(t) })
		for n := 0; n < 2 && s.run && len(again) > 0 && len(again) <= 10; n++ {
			runs = append(runs, s.runLeg(leg, again, true))
			again = failed(runs[len(runs)-1])
		}
		s.countFailures(runs, leg)
	}
	return c
}

func (s *suite) isHeld(t int) bool {
	return s.judge.Main.Held(t) || s.branch != "" && s.judge.Pulls.Held(t)
}

// countFailures counts the failures of flaky tests and the bugs of which all are excused
// in the first run of a leg, in the end.
func (s *suite) countFailures(runs flaky.Commit, leg int) {
	excused := map[int]bool{}
	for _, o := range runs[0].Observations {
		if !o.Attempts[len(o.Attempts)-1].Failing() {
			continue
		}
		why := "it is not in quarantine"
		if s.isHeld(o.Test) {
			why = s.judge.Guard(runs[0], o)
			for i, later := range runs[1:] {
				if later.Ended(o.Test) == engine.StatusPassed {
					why = s.judge.Guard(runs[0], o, runs[1:i+2]...)
				}
			}
		}
		excused[o.Test] = why == ""
		if strings.HasPrefix(o.Signatures[0], "E") {
			s.flakes++
			if why == "" {
				s.excused++
			}
		}
	}
	for i, b := range s.bugged {
		if len(b.tests) > 0 && b.breaks(s) && !slices.ContainsFunc(b.tests, func(t int) bool { return !excused[t] }) {
			s.hidden++
			s.bugged[i].tests = nil
		}
	}
}

// countEntries counts what came into quarantine with the commit.
func (s *suite) countEntries() {
	now := map[int]bool{}
	for _, t := range slices.Concat(s.judge.Main.All(), s.judge.Pulls.All()) {
		if !now[t] && !s.held[t] {
			s.entries++
			if t < len(s.rates) {
				s.right++
			}
		}
		now[t] = true
	}
	s.held = now
}

// In suites of many kinds no bug is hidden, what comes into quarantine is flaky, and most
// failures of flaky tests do not block. Run with -v for the figures.
func TestSuitesOfManyKinds(t *testing.T) {
	usual := slices.Repeat([]float64{.01, .02, .05, .1, .2, .3}, 4)
	often := slices.Repeat([]float64{.05, .1, .2, .3, .5}, 2)
	base := mix{tests: 800, rates: usual, retries: 2, sticky: .4, commits: 600, bugs: 15}
	with := func(change func(*mix)) mix {
		m := base
		change(&m)
		return m
	}
	outage := func(every, struck, errors, groups int) mix {
		return with(func(m *mix) { m.outages, m.struck, m.errors, m.groups = every, struck, errors, groups })
	}
	for name, c := range map[string]struct {
		mix                mix
		precision, rescued float64 // at least
	}{
		"usual":                               {base, .99, .8},
		"reruns":                              {with(func(m *mix) { m.reruns = .35 }), .99, .8},
		"no retries":                          {with(func(m *mix) { m.retries = 0 }), .99, .75},
		"retries that stick":                  {with(func(m *mix) { m.sticky = .9 }), .99, .75},
		"retries that stick, reruns":          {with(func(m *mix) { m.sticky, m.reruns = .9, .35 }), .99, .8},
		"retries that stick, run":             {with(func(m *mix) { m.sticky, m.run = .9, true }), .99, .78},
		"order, so that no retry passes":      {with(func(m *mix) { m.sticky = 1 }), .99, .75},
		"order, reruns":                       {with(func(m *mix) { m.sticky, m.reruns = 1, .35 }), .99, .8},
		"order, run":                          {with(func(m *mix) { m.sticky, m.run, m.alone = 1, true, true }), .99, .8},
		"one leg of three":                    {with(func(m *mix) { m.legs, m.commits = 3, 400 }), .99, .75},
		"one leg of three, run":               {with(func(m *mix) { m.legs, m.commits, m.run = 3, 400, true }), .99, .8},
		"40 commits":                          {with(func(m *mix) { m.tests, m.rates, m.commits = 200, often, 40 }), .99, .22},
		"3 flaky tests fail together":         {with(func(m *mix) { m.cluster = 3 }), .99, .75},
		"outages of 4 tests":                  {outage(20, 4, 1, 0), .97, .8},
		"outages of 3 tests":                  {outage(20, 3, 1, 0), .97, .8},
		"outages of 2 tests":                  {outage(20, 2, 1, 0), .97, .8},
		"outages of 12 tests with 4 errors":   {outage(20, 12, 4, 0), .97, .8},
		"outages of 15 tests, each its error": {outage(20, 15, 15, 0), .97, .8},
		"outages of one of 25 groups":         {outage(20, 4, 1, 25), .97, .8},
		"outages often":                       {outage(8, 4, 1, 0), .97, .8},
		"outages of 4 tests in one of 3 legs": {with(func(m *mix) { m.legs, m.outages, m.struck, m.errors = 3, 10, 4, 1 }), .97, .75},
		"outages of 2 of 300 tests":           {with(func(m *mix) { m.tests, m.outages, m.struck, m.errors = 300, 20, 2, 1 }), .97, .8},
		"outages of 4 tests, no retries":      {with(func(m *mix) { m.retries, m.outages, m.struck, m.errors = 0, 20, 4, 1 }), .97, .75},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.mix.play()
			t.Log(got)
			if got.hidden > 0 {
				t.Errorf("%d of %d bugs are hidden", got.hidden, got.bugCount)
			}
			if got.precision() < c.precision || got.entries < 5 {
				t.Errorf("precision %.3f of %d, want %.2f at least", got.precision(), got.entries, c.precision)
			}
			if got.rescued() < c.rescued {
				t.Errorf("%.3f of the flakes are rescued, want %.2f at least", got.rescued(), c.rescued)
			}
		})
	}
}
