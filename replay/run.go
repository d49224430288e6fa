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
	p, err := o.policy()
	if err != nil {
		return Summary{}, err
	}
	tests, summary := newSuite(), newSummary()
	err = Read(history, func(l Line) error {
		summary.name(l)
		run, part := tests.run(l)
		v := judge(p, run, l.Run, summary)
		if err := write(o.Out, v); err != nil {
			return err
		}
		tests.add(l, part)
		p.observe(run, tests)
		summary.observe(l, p.held(), p.reason)
		return nil
	})
	return *summary, err
}

func (o Options) policy() (policy, error) {
	switch o.Policy {
	case flaky.PolicySeed:
		return newSeed(), nil
	case flaky.PolicyEvidence, "":
		return evidence{flaky.NewJudge(o.Share)}, nil
	}
	return nil, fmt.Errorf("policy %q cannot be replayed", o.Policy)
}

// judge decides a run by what earlier runs taught.
func judge(p policy, run flaky.Run, number int, summary *Summary) Verdict {
	v := Verdict{Run: number, Quarantined: p.held(), Excused: []int{}}
	if v.Quarantined == nil {
		v.Quarantined = []int{}
	}
	failures := 0
	for _, o := range run.Observations {
		if !failing(o) {
			continue
		}
		failures++
		if _, held := slices.BinarySearch(v.Quarantined, o.Test); !held {
			continue
		}
		if why := p.guard(run, o); why == "" {
			v.Excused = append(v.Excused, o.Test)
		} else {
			v.Guarded = append(v.Guarded, o.Test)
		}
	}
	summary.judged(run, v, failures)
	return v
}

func write(w io.Writer, v Verdict) error {
	if w == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write verdict: %w", err)
	}
	return nil
}
