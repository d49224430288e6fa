package replay

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// suite remembers of a history what single lines leave out: how often each test
// ran before, and what passed on a commit.
type suite struct {
	runs, mainRuns       int
	absent, absentOnMain map[int]int // runs without the test
	commits              map[string][]part
	order                []string
	names                map[int]string
	known                int // tests are numbered below this
}

// part is what one run says of its commit.
type part struct {
	branch, lane   string
	absent, failed map[int]bool
}

// rememberedCommits bounds the commits whose runs are compared.
const rememberedCommits = 64

func newSuite() *suite {
	return &suite{absent: map[int]int{}, absentOnMain: map[int]int{}, commits: map[string][]part{}, names: map[int]string{}}
}

// run returns the line as the judge takes it in.
func (s *suite) run(l Line) (flaky.Run, part) {
	p := part{branch: l.Branch, lane: l.Lane, absent: make(map[int]bool, len(l.Absent)), failed: map[int]bool{}}
	for _, t := range l.Absent {
		p.absent[t] = true
	}
	run := flaky.Run{Commit: l.SHA, Source: witness(l.Branch), Variant: l.Lane, Tests: l.Tests, Ran: func(t int) bool { return !p.absent[t] }}
	for _, r := range l.Results {
		statuses, _ := attempts(r.Attempts) // checked when read
		if statuses[len(statuses)-1].Failing() {
			p.failed[r.Test] = true
		}
		o := flaky.Observation{
			Test: r.Test, Attempts: statuses, Healed: r.Healed, Place: r.Place,
			Before: s.runs - s.absent[r.Test], BeforeMain: s.mainRuns - s.absentOnMain[r.Test],
			PassedBefore: s.passedBefore(l, r.Test),
		}
		if r.Error != "" {
			o.Signatures = []string{r.Error}
		}
		run.Observations = append(run.Observations, o)
	}
	return run, p
}

func (s *suite) passedBefore(l Line, test int) bool {
	for _, p := range s.commits[l.SHA] {
		if p.branch == l.Branch && p.lane == l.Lane && !p.absent[test] && !p.failed[test] {
			return true
		}
	}
	return false
}

// add remembers a line.
func (s *suite) add(l Line, p part) {
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

func witness(branch string) string {
	if branch == MainBranch {
		return ""
	}
	return branch
}

// failing reports whether the attempts fail the test.
func failing(o flaky.Observation) bool {
	return o.Attempts[len(o.Attempts)-1].Failing()
}

var passed = []engine.Status{engine.StatusPassed}
