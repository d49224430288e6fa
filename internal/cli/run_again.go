package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/proxy/attach"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/trial"
)

// How long all the runs of a trial, all reruns of failed tests and all repeats of new ones
// may take.
const (
	defaultTrialTime  = 5 * time.Minute
	defaultRerunTime  = 5 * time.Minute
	defaultRepeatTime = 5 * time.Minute
)

// Which failed tests are run again.
const (
	rerunAuto   = "auto" // those in quarantine, where the run is judged
	rerunAlways = "always"
	rerunNever  = "never"
)

// defaultRepeats is how often a test that a pull request adds is repeated.
const defaultRepeats = 5

// Bounds of the reruns: of a test, and the tests. Where more fail it is no flake.
const (
	mostReruns     = 2
	mostRerunTests = 10
)

// tryEdits tries the edits for what the run healed and suggested, tells what came of them
// and writes it behind their events. A fault of ours is told and changes nothing.
func (r *testRun) tryEdits(ctx context.Context, ended attach.Result) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // of a terminal that is closed
	defer stop()
	events, err := r.readEvents()
	if err != nil {
		r.say("no trial is made: %v", err)
		return
	}
	proposals, err := r.propose(ctx, events, attemptsOf(ended))
	if err != nil {
		r.say("no trial is made: %v", err)
		return
	}
	if len(proposals) == 0 {
		r.say("no trial is made: nothing was healed or suggested")
		return
	}
	folder, err := os.Getwd()
	if err != nil {
		r.say("no trial is made: %v", err)
		return
	}
	executable, err := os.Executable()
	if err != nil {
		r.say("no trial is made: %v", err)
		return
	}
	r.say("trying the edits in a copy of the checkout, for at most %s", r.trialTime)
	done, err := trial.Run(ctx, trial.Options{
		Command: r.args, Root: r.root, Folder: folder, Environ: os.Environ(), Proposals: proposals, Tests: ended.Tests, Held: ended.Held, DB: r.live.DB, Heal: engine.HealMode(r.live.Heal),
		Executable: executable, Time: r.trialTime, Now: time.Now, Log: newLogger(r.streams.Err),
		Propose: func(found []engine.HealEvent) ([]patch.Proposal, error) {
			return r.propose(ctx, slices.Concat(events, found), attemptsOf(ended))
		},
	})
	switch {
	case ctx.Err() != nil:
		r.say("the trial was interrupted, and its copy is removed")
		return
	case err != nil:
		r.say("the trial failed: %v", err)
	case done.Why != "":
		r.say("no trial is made: %s", done.Why)
	}
	r.tellTrials(done)
}

// tellTrials tells what came of the edits, and writes it behind their events.
func (r *testRun) tellTrials(done trial.Result) {
	var told strings.Builder
	for _, e := range done.Found {
		if r.live.Events == live.None {
			break
		}
		if err := live.AppendEvent(r.live.Events, e); err != nil {
			r.say("what the trial found is not written: %v", err)
			return
		}
	}
	if n := len(done.Found); n > 0 {
		r.say("with the edits made, the tests lost %s", text.Count(n, "locator more", "locators more"))
	}
	for i, p := range done.Proposals {
		t, tried := done.Trials[i]
		if !tried {
			continue
		}
		p.Heal.Trial = &t
		if p.SameAs == 0 {
			fmt.Fprintf(&told, "  %s  %s\n    - %s\n    + %s\n", report.LogLine(text.Place(p.Edit.File, p.Edit.Line)), outcome.DescribeTrial(p),
				report.LogLine(strings.TrimSpace(p.Edit.Before)), report.LogLine(strings.TrimSpace(p.Edit.After)))
		}
		if r.live.Events == live.None {
			continue
		}
		if err := live.AppendEvent(r.live.Events, p.Heal); err != nil {
			r.say("what the trial proved is not written: %v", err)
			return
		}
	}
	if done.Over {
		r.say("the trial's time of %s was over before all its runs were made: raise --trial-time", r.trialTime)
	}
	left := text.Count(done.Left, "edit was", "edits were") + " not tried"
	switch {
	case done.Edits > 0 && done.Left > 0:
		r.say("%d of %s proven, %s", done.Proven, text.Count(done.Edits, "edit", "edits"), left)
	case done.Edits > 0:
		r.say("%d of %s proven", done.Proven, text.Count(done.Edits, "edit", "edits"))
	case done.Left > 0:
		r.say("%s", left)
	}
	_, _ = io.WriteString(r.streams.Err, told.String())
}

// rerunFailed runs tests that failed again and writes what became of them behind the heal
// events, where the judge finds it: those in quarantine, whose failures a rerun decides, or
// all. A fault of ours is told and changes nothing.
func (r *testRun) rerunFailed(ctx context.Context, ended attach.Result) {
	failed := failedTests(ended.Tests)
	if len(failed) == 0 || r.rerun == rerunNever || r.rerun == rerunAuto && !r.isJudged() || r.live.Events == live.None {
		return
	}
	past, err := ci.ReadPast(ctx, r.live.DB, r.info)
	if err != nil {
		r.say("which failed tests are in quarantine is not known: %v", err)
	}
	what := []string{"failed test", "failed tests"}
	if r.rerun == rerunAuto {
		failed = slices.DeleteFunc(failed, func(t attach.Test) bool { return !past.Holds(t.ID) })
		what = []string{"failed test in quarantine", "failed tests in quarantine"}
	}
	if len(failed) == 0 {
		return
	}
	if len(failed) > mostRerunTests {
		r.say("%s, and at most %d are run again", text.Count(len(failed), what[0], what[1]), mostRerunTests)
		return
	}
	r.say("running %s again in a copy of the checkout, for at most %s", text.Count(len(failed), what[0], what[1]), r.rerunTime)
	isSteady := func(id engine.TestID) bool { return !past.Holds(id) }
	r.runAgain(ctx, failed, steadyTest(ended.Tests, failed[0], isSteady), r.rerunTime, trial.Again{Times: mostReruns, Ran: ended.Tests}, func(rerun engine.Rerun) {
		switch {
		case rerun.FailsAfter != "": // how it ended is told
			r.say("%s %s", rerun.TestID, outcome.DescribeOrder(rerun.FailsAfter))
		case rerun.Passed:
			r.say("%s passed at rerun %d", rerun.TestID, rerun.Reruns)
		default:
			r.say("%s failed again at rerun %d", rerun.TestID, rerun.Reruns)
		}
	})
}

// isJudged reports whether the run's failures are judged: at its end or by a later step.
func (r *testRun) isJudged() bool { return r.judge || inCI(os.Getenv) }

// failedTests returns the tests that failed and passed at no attempt, each once.
func failedTests(attempts []attach.Test) []attach.Test {
	seen := map[engine.TestID]bool{}
	for _, a := range attempts {
		seen[a.ID] = seen[a.ID] || a.Passed
	}
	return slices.DeleteFunc(slices.Clone(attempts), func(a attach.Test) bool {
		done := seen[a.ID]
		seen[a.ID] = seen[a.ID] || a.Failed
		return done || !a.Failed
	})
}

// steadyTest returns a test that passed at its first attempt, of the file and project of
// another one where there is such a test; nil for none.
func steadyTest(attempts []attach.Test, like attach.Test, usable func(engine.TestID) bool) *attach.Test {
	made := map[engine.TestID]int{}
	for _, a := range attempts {
		made[a.ID]++
	}
	var found *attach.Test
	for i, a := range attempts {
		if !a.Passed || made[a.ID] > 1 || !usable(a.ID) {
			continue
		}
		if a.Path == like.Path && a.Project == like.Project {
			return &attempts[i]
		}
		if found == nil || a.Project == like.Project && found.Project != like.Project {
			found = &attempts[i]
		}
	}
	return found
}

// repeatNew repeats the tests that the pull request adds and tells which of them are flaky.
func (r *testRun) repeatNew(ctx context.Context, ended attach.Result) {
	if r.repeats == 0 || len(ended.Tests) == 0 || r.live.Events == live.None {
		return
	}
	past, err := ci.ReadPast(ctx, r.live.DB, r.info)
	if err != nil {
		r.say("which tests are new is not known: %v", err)
		return
	}
	var added []attach.Test
	seen, left, took := map[engine.TestID]bool{}, 0, time.Duration(0)
	for _, t := range ended.Tests {
		if seen[t.ID] {
			continue
		}
		seen[t.ID] = true
		if !past.IsNew(t.ID) {
			continue
		}
		if took += t.Took * time.Duration(r.repeats); took > r.repeatTime {
			left++
			continue
		}
		added = append(added, t)
	}
	if len(added)+left == len(seen) {
		r.say("the default branch has none of these tests, so nothing is repeated as new")
		return
	}
	if left > 0 {
		r.say("%s not repeated for lack of time", text.Count(left, "new test is", "new tests are"))
	}
	if len(added) == 0 {
		return
	}
	r.say("repeating %s %s in a copy of the checkout, for at most %s", text.Count(len(added), "new test", "new tests"), text.Count(r.repeats, "time", "times"), r.repeatTime)
	isSteady := func(id engine.TestID) bool { return !past.IsNew(id) && !past.Holds(id) }
	r.runAgain(ctx, added, steadyTest(ended.Tests, added[0], isSteady), r.repeatTime, trial.Again{Times: r.repeats, Always: true}, func(rerun engine.Rerun) {
		if rerun.Failed == 0 {
			r.say("%s is new and passed %s", rerun.TestID, text.Count(rerun.Reruns, "repeat", "repeats"))
		} else {
			r.say("%s is new and failed in %d of %s", rerun.TestID, rerun.Failed, text.Count(rerun.Reruns, "repeat", "repeats"))
		}
	})
}

// runAgain runs tests again in a copy of the checkout, beside a steady one if there is one,
// writes what became of each behind the heal events and tells it.
func (r *testRun) runAgain(ctx context.Context, tests []attach.Test, steady *attach.Test, most time.Duration, how trial.Again, tell func(engine.Rerun)) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	folder, err := os.Getwd()
	executable, err2 := os.Executable()
	if err := errors.Join(err, err2, r.infoErr); err != nil {
		r.say("nothing is run again: %v", err)
		return
	}
	if steady != nil {
		how.Control = steady.ID
		tests = append(slices.Clone(tests), *steady)
	}
	how.Tell = func(id engine.TestID, reran trial.Reran) {
		rerun := engine.Rerun{TestID: id, Passed: reran.Passed, Reruns: reran.Times, Failed: reran.Failed, New: how.Always, FailsAfter: reran.After,
			RunID: r.info.RunID, RunAttempt: r.info.RunAttempt, Timestamp: float64(time.Now().UnixMilli()) / 1000}
		tell(rerun)
		if err := live.AppendRerun(r.live.Events, rerun); err != nil {
			r.say("what the rerun showed is not written: %v", err)
		}
	}
	reran, why, err := trial.Rerun(ctx, trial.Options{
		Command: r.args, Root: r.root, Folder: folder, Environ: os.Environ(), Tests: tests,
		Executable: executable, Time: most, Now: time.Now, Log: newLogger(r.streams.Err),
	}, how)
	if ctx.Err() != nil {
		r.say("the reruns were interrupted, and their copy is removed")
		return
	}
	switch {
	case err != nil:
		r.say("the reruns failed: %v", err)
	case why != "":
		r.say("not run again: %s", why)
	case len(reran) == 0:
		r.say("nothing ran again in that time")
	}
}
