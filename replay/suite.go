package replay

import "github.com/breadcrumb/action/engine/flaky"

// suite remembers of a history what single lines leave out: on how many commits each
// test ran before, and how many tests there are.
type suite struct {
	commits, mainCommits int
	absent, absentOnMain map[int]int     // commits without the test
	known                int             // tests are numbered below this
	lanes                map[string]Line // newest run of each on the default branch, else on any
	onMain               bool            // those are of the default branch
}

func (s *suite) flakyRun(l Line) flaky.Run {
	absent := make(map[int]bool, len(l.Absent))
	for _, t := range l.Absent {
		absent[t] = true
	}
	run := flaky.Run{Commit: l.SHA, Sources: l.sources(), Queued: l.Queue, Variant: l.Lane, Tests: l.Tests, Ran: func(t int) bool { return !absent[t] }}
	for _, r := range l.Results {
		statuses, _ := parseAttempts(r.Attempts) // checked when read
		o := flaky.Observation{
			Test: r.Test, Attempts: statuses, Healed: r.Healed, Place: r.Place,
			Before: s.commits - s.absent[r.Test], BeforeMain: s.mainCommits - s.absentOnMain[r.Test],
		}
		if r.Error != "" {
			o.Signatures = []string{r.Error}
		}
		run.Observations = append(run.Observations, o)
	}
	return run
}

// add remembers the lines of a commit.
func (s *suite) add(lines []placedLine) {
	main := len(lines[0].sources()) == 0
	s.commits++
	if main {
		s.mainCommits++
	}
	if main && !s.onMain {
		s.onMain = true
		clear(s.lanes)
	}
	missing := map[int]int{}
	for _, l := range lines {
		if main == s.onMain {
			s.lanes[l.Lane] = l.Line
		}
		for _, t := range l.Absent {
			missing[t]++
			s.known = max(s.known, t+1)
		}
		for _, r := range l.Results {
			s.known = max(s.known, r.Test+1)
		}
	}
	for t, runs := range missing {
		if runs < len(lines) {
			continue
		}
		s.absent[t]++
		if main {
			s.absentOnMain[t]++
		}
	}
}
