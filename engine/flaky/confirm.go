package flaky

import (
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// Confirm says when the failure of a quarantined test waits for a rerun of its commit.
type Confirm string

// The ways to confirm.
const (
	// ConfirmAuto waits where the team is known to rerun red runs and where a pull
	// request fails again at its next push, for failures of several attempts. The zero
	// Confirm is the same.
	ConfirmAuto Confirm = "auto"
	// ConfirmAlways waits with every failure.
	ConfirmAlways Confirm = "always"
	// ConfirmNever waits only where a flake is improbable.
	ConfirmNever Confirm = "never"
)

// Guard returns why the failure o of a run blocks although its test is in
// quarantine, "" when quarantine excuses it. The judge must not have observed the
// run's commit, or the run would be judged by itself; earlier are the runs of that
// commit before this one, of which one that passed the test excuses it unless its error is
// new. On a pull request it is enough that one tracker excuses it.
func (j *Judge) Guard(run Run, o Observation, earlier ...Run) string {
	against := objection{why: "its quarantine does not rest on evidence"}
	if j.Main.Held(o.Test) {
		against = j.Main.guard(run, o)
	}
	if against.why != "" && !run.onMain() && j.Pulls.Held(o.Test) {
		against = j.Pulls.guard(run, o)
	}
	if broken, yes := j.Main.Broken(o.Test); yes && against.why == "" && !run.onMain() {
		against.why = "it is broken on the default branch" + broken.String()
	}
	again := rerunsOf(o.Test, run, earlier)
	switch {
	case again.passed && (against.why == "" || against.waits):
		return ""
	case against.why == "":
		against = j.confirm(run, o, again)
	case against.waits && again.failed > 0:
		against = objection{why: against.why + ", and it " + again.String()}
	}
	return against.String()
}

// unlikely is the chance, by scope, below which the second commit in a row on which all
// attempts fail is taken for more than a flake. A test of which all attempts fail in a quarter
// of its runs or more does that all the time; it blocks when its streak is improbable.
var unlikely = [...]float64{ScopeMain: .05, ScopePulls: .01}

// ConfirmWays returns the ways to confirm, the default first.
func ConfirmWays() []string {
	return []string{string(ConfirmAuto), string(ConfirmAlways), string(ConfirmNever)}
}

// RerunToConfirm ends the reason of a failure that a rerun which passes excuses.
const RerunToConfirm = "rerun the failed jobs to confirm: excused if the rerun passes"

// objection is why a failure of a quarantined test blocks. The zero value is none.
type objection struct {
	why   string
	waits bool // a rerun that passes answers it
}

func (b objection) String() string {
	if b.waits {
		return b.why + "; " + RerunToConfirm
	}
	return b.why
}

// confirm returns what a failure that looks like its test's flakes waits for. A real bug
// fails with the words of its test's flakes, too: what tells them apart is another run of
// the commit or, on a pull request, the default branch, where its bug is not.
func (j *Judge) confirm(run Run, o Observation, other reruns) objection {
	severalAttempts := o.executions() > 1
	if j.Confirm != ConfirmAlways && !severalAttempts && other.attempts < 2 || !run.onMain() && j.failsOnMain(run, o) {
		return objection{}
	}
	if other.failed > 0 {
		return objection{why: "it " + other.String()}
	}
	t := j.ledger(run)
	streak, again := 1, false
	if before := t.states[o.Test].failing(run.key()); before != nil && severalAttempts {
		all := t.without(t.states[o.Test], run.Sources).chanceOfAll(run.Variant, o.executions(), t.correlation.estimate())
		streak = before.streak + 1
		again = all*all <= unlikely[t.scope]
	}
	if again && run.onMain() || j.Confirm == ConfirmAlways || j.Confirm != ConfirmNever && (again || t.isRerun(run.Sources)) {
		return objection{describeStreak(streak, o.executions()), true}
	}
	return objection{}
}

// ledger returns the tracker by which a run is judged.
func (j *Judge) ledger(run Run) *Tracker {
	if run.onMain() {
		return j.Main
	}
	return j.Pulls
}

// reruns is what became of a test in other runs of its commit and leg.
type reruns struct {
	failed   int // runs that it failed in
	inJob    int // those of them that ran it again in the job of another one
	attempts int // of one of them, at most
	passed   bool
}

// String says where it failed.
func (r reruns) String() string {
	s := "failed every attempt"
	if runs := 1 + r.failed - r.inJob; runs > 1 {
		s += " in " + text.Count(runs, "run", "runs") + " of this commit"
	}
	if r.inJob > 0 {
		s += " and every rerun in the same job"
	}
	return s
}

// rerunsOf returns what became of a test in the other runs of a commit that are of the leg
// of run.
func rerunsOf(test int, run Run, others []Run) (r reruns) {
	for _, other := range others {
		if other.Variant != run.Variant {
			continue
		}
		switch other.Ended(test) {
		case engine.StatusPassed:
			r.passed = true
		case engine.StatusFailed:
			r.failed++
			if other.InJob {
				r.inJob++
			}
			for _, o := range other.Observations {
				if o.Test == test {
					r.attempts = max(r.attempts, o.executions())
				}
			}
		}
	}
	return r
}

// failsOnMain reports whether the newest commit of the default branch failed with the
// same errors.
func (j *Judge) failsOnMain(run Run, o Observation) bool {
	b := j.Main.states[o.Test].failing(branchKey{variant: run.Variant})
	return b != nil && !slices.ContainsFunc(o.Signatures, func(s string) bool { return !slices.Contains(b.errors, s) })
}

// A team is known to rerun when more than half of its last red commits were rerun.
const (
	redsLooked = 60 // that are looked at
	redsNeeded = 10 // that there must be
)

// redCommit is a commit on which a test failed for good.
type redCommit struct {
	sources []string
	rerun   bool // a test that failed ran again in the same leg
}

// isRerun reports whether the team is known to rerun red runs, by the commits of others
// than these sources.
func (t *Tracker) isRerun(sources []string) bool {
	looked, rerun := 0, 0
	for _, r := range slices.Backward(t.reds) {
		if looked < redsLooked && !sharesSource(r.sources, sources) {
			looked++
			if r.rerun {
				rerun++
			}
		}
	}
	return looked >= redsNeeded && 2*rerun > looked
}

// describeStreak says how the test failed: "all 3 attempts failed, in 2 runs in a row".
func describeStreak(runs, attempts int) string {
	said := "it failed"
	if attempts > 1 {
		said = fmt.Sprintf("all %d attempts failed", attempts)
	}
	if runs > 1 {
		said += fmt.Sprintf(", in %d runs in a row", runs)
	}
	return said
}
