package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
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

// defaultTrialTime is how long all the runs of a trial may take.
const defaultTrialTime = 5 * time.Minute

// tryEdits tries the edits for what the run healed and suggested, tells what came of them
// and writes it behind their events. A fault of ours is told and changes nothing.
func (r *testRun) tryEdits(ctx context.Context, ended attach.Result) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // of a terminal that is closed
	defer stop()
	say := func(format string, args ...any) {
		fmt.Fprintln(r.streams.Err, "breadcrumb: "+report.LogLine(fmt.Sprintf(format, args...)))
	}
	events, err := r.readEvents()
	if err != nil {
		say("no trial is made: %v", err)
		return
	}
	var attempts []engine.TestResult
	for _, test := range ended.Tests {
		attempts = append(attempts, test.Result())
	}
	proposals, err := ci.ProposeFor(ctx, r.root, r.live.DB, events, attempts)
	if err != nil {
		say("no trial is made: %v", err)
		return
	}
	if len(proposals) == 0 {
		say("no trial is made: nothing was healed or suggested")
		return
	}
	folder, err := os.Getwd()
	if err != nil {
		say("no trial is made: %v", err)
		return
	}
	executable, err := os.Executable()
	if err != nil {
		say("no trial is made: %v", err)
		return
	}
	say("trying the edits in a copy of the checkout, for at most %s", r.trialTime)
	done, err := trial.Run(ctx, trial.Options{
		Command: r.args, Root: r.root, Folder: folder, Environ: os.Environ(), Proposals: proposals, Tests: ended.Tests,
		Executable: executable, Time: r.trialTime, Now: time.Now, Log: newLogger(r.streams.Err),
	})
	switch {
	case ctx.Err() != nil:
		say("the trial was interrupted, and its copy is removed")
		return
	case err != nil:
		say("the trial failed: %v", err)
	case done.Why != "":
		say("no trial is made: %s", done.Why)
	}
	r.tellTrials(proposals, done, say)
}

// tellTrials tells what came of the edits, and writes it behind their events.
func (r *testRun) tellTrials(proposals []patch.Proposal, done trial.Result, say func(format string, args ...any)) {
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
			say("what the trial proved is not written: %v", err)
			return
		}
	}
	if done.Edits+done.Left > 0 {
		say("%d of %s proven%s", done.Proven, text.Count(done.Edits, "edit", "edits"), leftOut(done.Left))
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
