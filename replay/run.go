// Package replay back-tests a quarantine policy over a recorded history: what
// would have been in quarantine, and which failures it would have excused. It
// is pure. Use Run.
//
// # History
//
// NDJSON, one run a line, in the order in which the runs were tested. The lines of one
// branch and sha are one commit, wherever they stand:
//
//	{"run":12,"sha":"a1b2c3d","branch":"main","attempt":1,"tests":706,
//	 "absent":[8,35],"results":[{"t":86,"a":"FFP","err":"E101"}]}
//
// sha is the tested commit, branch "main" for the default branch and otherwise
// the pull request's or branch's name, with a colon between the pull requests of a
// merge group, whose runs have "queue":true and teach nothing. lane names the workflow,
// job and leg, tests how many tests ran, absent the tests that were not part of the run. results lists the tests that did not
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
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// Options says what to replay. The zero value is policy evidence with its
// default share.
type Options struct {
	Policy  flaky.Policy
	Confirm flaky.Confirm
	Share   float64   // largest share of the suite in quarantine, 0: the default
	Out     io.Writer // verdict lines, nil: none
}

// Verdict is what the policy says of one run.
type Verdict struct {
	Run int `json:"run"`
	// Quarantined are the tests in quarantine while the run was judged, on the
	// default branch or on pull requests; Excused its failures that did not
	// block in the end, Confirmed those of them that blocked until a later run of
	// the same commit and lane passed the test. Guarded are those that blocked although
	// their test is in quarantine, Confirm those of them that a rerun would excuse if it
	// passed, of which the history has none.
	Quarantined []int `json:"quarantined"`
	Excused     []int `json:"excused"`
	Confirmed   []int `json:"confirmed,omitempty"`
	Guarded     []int `json:"guarded,omitempty"`
	Confirm     []int `json:"confirm,omitempty"`
}

// Run replays a history under a policy, writes a verdict line for each run and
// returns what it came to. Every run is judged by the commits before its own. The
// error names the line of bad input.
func Run(history io.Reader, o Options) (Summary, error) {
	p, err := o.newPolicy()
	if err != nil {
		return Summary{}, err
	}
	commits, runs, err := readCommits(history)
	if err != nil {
		return Summary{}, err
	}
	tests := newSuite()
	summary := Summary{byTest: map[int]*TestSummary{}, names: map[int]string{}}
	verdicts := make([]Verdict, runs)
	for _, lines := range commits {
		c := tests.flakyCommit(lines)
		for i, run := range c {
			v, failures := judgeRun(p, c, i)
			v.Run = lines[i].Run
			summary.addVerdict(run, v, failures)
			verdicts[lines[i].place] = v
		}
		tests.add(lines)
		p.observe(c, tests)
		for _, l := range lines {
			summary.addLine(l.Line, p.held(), p.reason)
		}
	}
	for _, v := range verdicts {
		if err := writeVerdict(o.Out, v); err != nil {
			return summary, err
		}
	}
	return summary, nil
}

func (o Options) newPolicy() (policy, error) {
	switch o.Policy {
	case flaky.PolicySeed:
		return &seedPolicy{statuses: map[int][]engine.Status{}, in: map[int]string{}}, nil
	case flaky.PolicyEvidence, "":
		judge := flaky.NewJudge()
		judge.Confirm = o.Confirm
		return &evidencePolicy{judge: judge, share: o.Share}, nil
	}
	return nil, fmt.Errorf("policy %q cannot be replayed", o.Policy)
}

// flakyCommit returns the lines of a commit as the judge takes them in.
func (s *suite) flakyCommit(lines []placedLine) flaky.Commit {
	c := make(flaky.Commit, len(lines))
	for i, l := range lines {
		c[i] = s.flakyRun(l.Line)
	}
	return c
}

func newSuite() *suite {
	return &suite{absent: map[int]int{}, absentOnMain: map[int]int{}, lanes: map[string]Line{}}
}

// placedLine is a line with its place in the history.
type placedLine struct {
	Line
	place int
}

// readCommits gathers the lines of a history by commit, in the order in which those
// began, and counts the lines. A run without a commit is one by itself.
func readCommits(history io.Reader) (commits [][]placedLine, lines int, err error) {
	type key struct{ branch, sha string }
	places := map[key]int{}
	err = Read(history, func(l Line) error {
		k := key{l.Branch, l.SHA}
		at, known := places[k]
		if !known || l.SHA == "" {
			at = len(commits)
			places[k] = at
			commits = append(commits, nil)
		}
		commits[at] = append(commits[at], placedLine{l, lines})
		lines++
		return nil
	})
	return commits, lines, err
}

// judgeRun decides run i of a commit by what earlier runs taught, and counts its
// failures. A rerun decides for the runs before it.
func judgeRun(p policy, c flaky.Commit, i int) (v Verdict, failures int) {
	run := c[i]
	v = Verdict{Quarantined: p.held(), Excused: []int{}}
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
		passes := func(later flaky.Run) bool {
			return later.Variant == run.Variant && later.Ended(o.Test) == engine.StatusPassed
		}
		switch why := p.guard(run, o, c[:i]); {
		case why == "":
			v.Excused = append(v.Excused, o.Test)
		case slices.ContainsFunc(c[i+1:], passes):
			v.Excused, v.Confirmed = append(v.Excused, o.Test), append(v.Confirmed, o.Test)
		case strings.HasSuffix(why, flaky.RerunToConfirm):
			v.Confirm = append(v.Confirm, o.Test)
			fallthrough
		default:
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
