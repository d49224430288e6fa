package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/proxy/attach"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/trial"
)

// How long all the runs of a trial, and all reruns of failed tests, may take.
const (
	defaultTrialTime = 5 * time.Minute
	defaultRerunTime = 5 * time.Minute
)

// Bounds of the reruns: of a test, and the tests. Where more fail it is no flake.
const (
	mostReruns     = 2
	mostRerunTests = 10
)

// lead runs the command with its browsers led through the proxy, and returns its exit
// code. A fault of ours is told, and the command runs without.
func (r *testRun) lead(ctx context.Context) int {
	log := newLogger(r.streams.Err)
	executable, err := os.Executable()
	var session *attach.Session
	if err == nil {
		session, err = attach.Open(attach.Options{Live: r.live, Folder: r.root, Executable: executable, Environ: os.Environ(), Log: log})
	}
	if err != nil {
		log.Warn("the tests run without healing", slog.String("error", report.LogLine(err.Error())))
		code, _ := r.start(os.Environ())
		return code
	}
	code, started := r.start(session.Environment())
	result := session.Close()
	if !started {
		return code
	}
	if err := r.tell(result); err != nil {
		log.Warn("the summary is not told", slog.String("error", report.LogLine(err.Error())))
	}
	if r.rerunTime > 0 && ctx.Err() == nil {
		r.rerunFailed(ctx, result)
	}
	if r.trialTime > 0 && ctx.Err() == nil {
		r.tryEdits(ctx, result)
	}
	return code
}

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
	var attempts []engine.TestResult
	for _, test := range ended.Tests {
		attempts = append(attempts, test.Result())
	}
	proposals, err := ci.ProposeFor(ctx, r.root, r.live.DB, events, attempts)
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
		Command: r.args, Root: r.root, Folder: folder, Environ: os.Environ(), Proposals: proposals, Tests: ended.Tests,
		Executable: executable, Time: r.trialTime, Now: time.Now, Log: newLogger(r.streams.Err),
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
	r.tellTrials(proposals, done)
}

// tellTrials tells what came of the edits, and writes it behind their events.
func (r *testRun) tellTrials(proposals []patch.Proposal, done trial.Result) {
	var told strings.Builder
	for i, p := range proposals {
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
	if done.Edits+done.Left > 0 {
		r.say("%d of %s proven%s", done.Proven, text.Count(done.Edits, "edit", "edits"), leftOut(done.Left))
		_, _ = io.WriteString(r.streams.Err, told.String())
	}
}

// leftOut says how many edits were not tried.
func leftOut(n int) string {
	if n == 0 {
		return ""
	}
	return ", " + text.Thousands(n) + " not tried for lack of time"
}

// rerunFailed runs the tests that failed again and writes what became of them behind the
// heal events, where the judge finds it. A fault of ours is told and changes nothing.
func (r *testRun) rerunFailed(ctx context.Context, ended attach.Result) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	failed := failedTests(ended.Tests)
	if len(failed) == 0 || r.live.Events == live.None {
		return
	}
	if len(failed) > mostRerunTests {
		r.say("%s failed, and at most %d are run again", text.Count(len(failed), "test", "tests"), mostRerunTests)
		return
	}
	folder, err := os.Getwd()
	executable, err2 := os.Executable()
	if err := errors.Join(err, err2); err != nil {
		r.say("nothing is run again: %v", err)
		return
	}
	r.say("running %s again in a copy of the checkout, for at most %s", text.Count(len(failed), "failed test", "failed tests"), r.rerunTime)
	reran, why, err := trial.Rerun(ctx, trial.Options{
		Command: r.args, Root: r.root, Folder: folder, Environ: os.Environ(), Tests: failed,
		Executable: executable, Time: r.rerunTime, Now: time.Now, Log: newLogger(r.streams.Err),
	}, mostReruns)
	switch {
	case ctx.Err() != nil:
		r.say("the reruns were interrupted, and their copy is removed")
		return
	case err != nil:
		r.say("the reruns failed: %v", err)
	case why != "":
		r.say("nothing is run again: %s", why)
	}
	for _, id := range slices.Sorted(maps.Keys(reran)) {
		r.noteRerun(id, reran[id])
	}
}

// failedTests returns the tests that passed at no attempt, each once.
func failedTests(attempts []attach.Test) []attach.Test {
	seen := map[engine.TestID]bool{}
	for _, a := range attempts {
		seen[a.ID] = seen[a.ID] || a.Passed
	}
	return slices.DeleteFunc(slices.Clone(attempts), func(a attach.Test) bool {
		done := seen[a.ID]
		seen[a.ID] = true
		return done
	})
}

// noteRerun tells what became of a test that ran again, and writes it.
func (r *testRun) noteRerun(id engine.TestID, reran trial.Reran) {
	ended := "failed again"
	if reran.Passed {
		ended = "passed"
	}
	r.say("%s %s at rerun %d", id, ended, reran.Times)
	rerun := engine.Rerun{TestID: id, Passed: reran.Passed, Reruns: reran.Times, Timestamp: float64(time.Now().UnixMilli()) / 1000}
	if gh.InActions(os.Getenv) {
		info, err := gh.LoadEvent(os.Getenv, readEvent)
		if err != nil {
			r.say("what the rerun showed is not written: GitHub event: %v", err)
			return
		}
		rerun.RunID, rerun.RunAttempt = info.RunID, info.RunAttempt
	}
	if err := live.AppendRerun(r.live.Events, rerun); err != nil {
		r.say("what the rerun showed is not written: %v", err)
	}
}

// say tells the person something, on a line.
func (r *testRun) say(format string, args ...any) {
	fmt.Fprintln(r.streams.Err, "breadcrumb: "+report.LogLine(fmt.Sprintf(format, args...)))
}

// tell writes what was healed, suggested and refused, and how to take the edits.
func (r *testRun) tell(result attach.Result) error {
	var out strings.Builder
	events, err := r.readEvents()
	if err := errors.Join(err, live.SummaryOf(&out, events)); err != nil {
		return err
	}
	if len(events) > 0 {
		fmt.Fprintln(&out, "breadcrumb: heal events are in "+r.shortName(r.live.Events)+"; take the edits with")
		fmt.Fprintln(&out, "  breadcrumb apply --heal-events '"+r.shortName(r.live.Events)+"' --junit '<the JUnit report of this run>'")
		if r.advice != "" {
			fmt.Fprintln(&out, "breadcrumb: "+r.advice)
		}
	}
	for _, note := range result.Notes {
		fmt.Fprintln(&out, "breadcrumb: "+report.LogLine(note))
	}
	if result.Connections == 0 && len(result.Notes) == 0 {
		fmt.Fprintln(&out, "breadcrumb: the command started no browser that Playwright's test runners lead here, so nothing was learned")
	}
	_, err = io.WriteString(r.streams.Err, out.String())
	return err
}
