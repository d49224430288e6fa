package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/state"
)

// How long concluding a check run may take: in a run that was told to end, which is
// killed soon after, and in any other.
const (
	concludeTimeWhenStopped = 3 * time.Second
	concludeTime            = 2 * time.Minute
)

// verdictCheck is the check run that a run publishes its verdict as.
type verdictCheck struct {
	run    *gh.CheckRun
	client *gh.Client
	info   engine.RunInfo
	tested gh.EndedRun // of the pull request that is judged from outside
	pull   bool        // that GitHub's event names one
	now    func() time.Time
}

// runChecked judges a run and publishes the verdict as a check run, which is
// concluded however the run ends.
func runChecked(ctx context.Context, s Streams, vs values) error {
	name := vs["check-run"].text()
	switch {
	case name == "" && len(vs["check-run-end"].items) > 0:
		return usageError{vs["check-run-end"].from + " is for a check run: say which with check-run"}
	case name == "" || vs["dry-run"].bool():
		_, err := runCI(ctx, s, vs)
		return err
	}
	check, err := openCheck(ctx, s, vs)
	if err != nil {
		return err
	}
	if ended := vs["check-run-end"]; len(ended.items) > 0 {
		return check.endPending(ctx, s, ended.text())
	}
	shown := gh.CheckText{Title: "Breadcrumb judges the tests", Summary: "The verdict follows when the reports are read."}
	if err := check.run.Begin(ctx, shown, check.now()); err != nil {
		return err
	}
	result, err := runCI(ctx, s, vs)
	return check.end(ctx, result, err)
}

// openCheck finds the check run of the commit that the event names.
func openCheck(ctx context.Context, s Streams, vs values) (*verdictCheck, error) {
	if !gh.InActions(os.Getenv) {
		return nil, usageError{vs["check-run"].from + ": a check run is GitHub's; it needs a GitHub Actions job"}
	}
	info, err := gh.LoadEvent(os.Getenv, readEvent)
	if err != nil {
		return nil, usageError{"GitHub event: " + err.Error()}
	}
	v := &verdictCheck{info: info, now: time.Now}
	if v.tested, v.pull, err = gh.LoadEndedRun(os.Getenv, readEvent); err != nil {
		return nil, usageError{"GitHub event: " + err.Error()}
	}
	d := ci.Deps{Now: v.now, Log: newLogger(s.Err)}
	if v.client, err = connectGitHub(gh.NewActions(os.Getenv, s.Out, rand.Reader), vs, &d); err != nil {
		return nil, err
	}
	if v.client == nil {
		return nil, usageError{"no token to make the check run with: pass the input github-token"}
	}
	commit := info.HeadSHA
	if commit == "" {
		commit = info.Commit
	}
	target := gh.CheckTarget{Repository: info.Repository, Commit: commit, Name: vs["check-run"].text(), For: "breadcrumb:" + state.WorkflowFile(info)}
	if server := os.Getenv("GITHUB_SERVER_URL"); server != "" {
		target.Details = fmt.Sprintf("%s/%s/actions/runs/%d", server, info.Repository, info.RunID)
	}
	v.run, err = v.client.FindCheckRun(ctx, target)
	return v, err
}

// endPending concludes the check run that a job left pending which ended without a
// verdict: it was cancelled, ran out of time, or died.
func (v *verdictCheck) endPending(ctx context.Context, s Streams, how string) error {
	shown := v.explain("No verdict: the judging job ended without one", "the job that judges the tests ended ("+how+") without a verdict; run it again")
	was, err := v.run.EndPending(ctx, gh.ConclusionFailure, shown, v.now())
	if err != nil {
		return err
	}
	if was {
		fmt.Fprintln(s.Out, "The check run had no verdict, and is a failure now.")
		return exitError{ci.ExitBlocked}
	}
	fmt.Fprintln(s.Out, "The check run has its verdict.")
	return nil
}

// end concludes the check run by what the run came to, and returns the run's error
// and that of telling.
func (v *verdictCheck) end(ctx context.Context, result ci.Result, failed error) error {
	within := concludeTime
	if ctx.Err() != nil {
		within = concludeTimeWhenStopped
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	how, shown := v.conclude(result, failed)
	if ctx.Err() != nil {
		how = gh.ConclusionCancelled
		shown = v.explain("No verdict: the judging run was told to end", "the run was told to end before it had a verdict; run it again")
	}
	if how == gh.ConclusionSuccess {
		if why := v.unknownPull(ending, result.Outcome.Info.PullRequest); why != nil {
			how, failed = gh.ConclusionFailure, exitError{ci.ExitBlocked}
			shown = v.explain("No verdict: which pull request was tested is not known", why.Error())
		}
	}
	if err := v.run.End(ending, how, shown, v.now()); err != nil {
		return errors.Join(err, failed)
	}
	return failed
}

// conclude returns how the check run ends and what it shows.
func (v *verdictCheck) conclude(result ci.Result, failed error) (gh.Conclusion, gh.CheckText) {
	judged := failed == nil || errors.As(failed, new(exitError))
	if !judged {
		return gh.ConclusionFailure, v.explain("No verdict: "+failed.Error(), failed.Error())
	}
	_, title := result.Outcome.Headline()
	shown := gh.CheckText{Title: text.Line(title), Summary: comment.Summary(result.Outcome, v.options())}
	if failed == nil && result.Exit == ci.ExitPass && result.Outcome.Verdict.Pass() {
		return gh.ConclusionSuccess, shown
	}
	return gh.ConclusionFailure, shown
}

// unknownPull returns why it is not known which pull request was tested. Without it
// nobody knows which files it changes, and a test that it changed could be excused.
// Asked at the end, it also finds that the head moved on meanwhile.
func (v *verdictCheck) unknownPull(ctx context.Context, judged int) error {
	switch {
	case !v.info.Relayed || v.info.Commit != "": // no run of a pull request
		return nil
	case !v.pull:
		return errors.New("the repository of the pull request's head is gone")
	}
	number, err := v.client.PullOf(ctx, v.info.Repository, v.info.RepositoryID, v.tested)
	if err == nil && number != judged {
		err = fmt.Errorf("the commit is pull request %d's now, and it was judged as that of %d; run it again", number, judged)
	}
	return err
}

// maxCheckRunSummary leaves room below what GitHub takes.
const maxCheckRunSummary = 65_000

func (v *verdictCheck) options() comment.Options {
	return comment.Options{Limit: maxCheckRunSummary, ServerURL: os.Getenv("GITHUB_SERVER_URL")}
}

// explain returns what a check run without a verdict shows; both texts may be hostile.
func (v *verdictCheck) explain(title, reason string) gh.CheckText {
	notice := engine.Notice{Severity: engine.SeverityBlocking, Reason: reason}
	run := outcome.Run{Info: v.info, Verdict: flaky.Verdict{Notices: []engine.Notice{notice}}, Notices: []engine.Notice{notice}}
	return gh.CheckText{Title: title, Summary: comment.Summary(run, v.options())}
}
