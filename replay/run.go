// Package replay back-tests a quarantine policy over a recorded history: what
// would have been in quarantine, and which failures it would have excused. It
// is pure. Use Run.
//
// # History
//
// NDJSON, one run a line, in the order in which the runs were tested:
//
//	{"run":12,"sha":"a1b2c3d","branch":"main","attempt":1,"tests":706,
//	 "absent":[8,35],"results":[{"t":86,"a":"FFP","err":"E101"}]}
//
// sha is the tested commit, branch "main" for the default branch and otherwise
// the pull request's or branch's name, tests how many tests ran, absent the
// tests that were not part of the run. results lists the tests that did not
// simply pass: a holds the attempts in order (P passed, F failed, S skipped),
// err the error's signature, at where it failed ("login.spec.ts:12"), healed
// that a locator was healed. Every other test passed at its first attempt. A
// test is any whole number; names, an object of number to identity, tells
// people what they stand for.
package replay

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/breadcrumb/action/engine/flaky"
)

// Options says what to replay. The zero value is policy evidence with its
// default share.
type Options struct {
	Policy flaky.Policy
	Share  float64   // largest share of the suite in quarantine, 0: the default
	Out    io.Writer // verdict lines, nil: none
}

// Verdict is what the policy says of one run.
type Verdict struct {
	Run int `json:"run"`
	// Quarantined are the tests in quarantine while the run was judged, on the
	// default branch or on pull requests; Excused its failures that did not
	// block, Guarded those that blocked although their test is in quarantine.
	Quarantined []int `json:"quarantined"`
	Excused     []int `json:"excused"`
	Guarded     []int `json:"guarded,omitempty"`
}

// Run replays a history under a policy, writes a verdict line for each run and
// returns what it came to. The error names the line of bad input.
func Run(history io.Reader, o Options) (Summary, error) {
	p, err := o.newPolicy()
	if err != nil {
		return Summary{}, err
	}
	tests := &suite{absent: map[int]int{}, absentOnMain: map[int]int{}, commits: map[string][]commitRun{}}
	summary := Summary{byTest: map[int]*TestSummary{}, names: map[int]string{}}
	err = Read(history, func(l Line) error {
		run, here := tests.flakyRun(l)
		v, failures := judgeRun(p, run, l.Run)
		summary.addVerdict(run, v, failures)
		if err := writeVerdict(o.Out, v); err != nil {
			return err
		}
		tests.add(l, here)
		p.observe(run, tests)
		summary.addLine(l, p.held(), p.reason)
		return nil
	})
	return summary, err
}

// judge decides a run by what earlier runs taught, and counts its failures.
func judgeRun(p policy, run flaky.Run, number int) (v Verdict, failures int) {
	v = Verdict{Run: number, Quarantined: p.held(), Excused: []int{}}
	if v.Quarantined == nil {
		v.Quarantined = []int{}
	}
	for _, o := range run.Observations {
		if !o.Attempts[len(o.Attempts)-1].Failing() {
			continue
		}
		failures++
		if _, held := slices.BinarySearch(v.Quarantined, o.Test); !held {
			continue
		}
		if p.guard(run, o) == "" {
			v.Excused = append(v.Excused, o.Test)
		} else {
			v.Guarded = append(v.Guarded, o.Test)
		}
	}
	return v, failures
}

func writeVerdict(w io.Writer, v Verdict) error {
	if w == nil {
		return nil
	}
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return fmt.Errorf("write verdict: %w", err)
	}
	return nil
}

// suite remembers of a history what single lines leave out: how often each test
// ran before, and what passed on a commit.
type suite struct {
	runs, mainRuns       int
	absent, absentOnMain map[int]int // runs without the test
	commits              map[string][]commitRun
	order                []string
	known                int // tests are numbered below this
}

// commitRun is what one run says of its commit.
type commitRun struct {
	source, variant string
	absent, failed  map[int]bool
}

// rememberedCommits bounds the commits whose runs are compared.
const rememberedCommits = 64

// flakyRun returns the line as the judge takes it in.
func (s *suite) flakyRun(l Line) (flaky.Run, commitRun) {
	here := commitRun{source: l.source(), variant: l.Lane, absent: make(map[int]bool, len(l.Absent)), failed: map[int]bool{}}
	for _, t := range l.Absent {
		here.absent[t] = true
	}
	run := flaky.Run{Commit: l.SHA, Source: here.source, Variant: l.Lane, Tests: l.Tests, Ran: func(t int) bool { return !here.absent[t] }}
	for _, r := range l.Results {
		statuses, _ := parseAttempts(r.Attempts) // checked when read
		if statuses[len(statuses)-1].Failing() {
			here.failed[r.Test] = true
		}
		o := flaky.Observation{
			Test: r.Test, Attempts: statuses, Healed: r.Healed, Place: r.Place,
			Before: s.runs - s.absent[r.Test], BeforeMain: s.mainRuns - s.absentOnMain[r.Test],
			PassedBefore: s.passedBefore(l.SHA, here, r.Test),
		}
		if r.Error != "" {
			o.Signatures = []string{r.Error}
		}
		run.Observations = append(run.Observations, o)
	}
	return run, here
}

// passedBefore reports whether an earlier run like this one passed the test on its
// commit.
func (s *suite) passedBefore(commit string, here commitRun, test int) bool {
	for _, p := range s.commits[commit] {
		if p.source == here.source && p.variant == here.variant && !p.absent[test] && !p.failed[test] {
			return true
		}
	}
	return false
}

// add remembers a line.
func (s *suite) add(l Line, p commitRun) {
	s.runs++
	main := l.Branch == MainBranch
	if main {
		s.mainRuns++
	}
	for t := range p.absent {
		s.absent[t]++
		if main {
			s.absentOnMain[t]++
		}
		s.known = max(s.known, t+1)
	}
	for _, r := range l.Results {
		s.known = max(s.known, r.Test+1)
	}
	if l.SHA == "" {
		return
	}
	if s.commits[l.SHA] == nil {
		s.order = append(s.order, l.SHA)
		if len(s.order) > rememberedCommits {
			delete(s.commits, s.order[0])
			s.order = s.order[1:]
		}
	}
	s.commits[l.SHA] = append(s.commits[l.SHA], p)
}
