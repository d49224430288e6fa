package ci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/internal/replace"
	"github.com/breadcrumb/action/report"
)

// publish sets the result and writes it everywhere where people read it. stopped
// is the error that ended the steps before. What cannot be published is kept for
// the log and changes nothing: the verdict stands. The job summary comes last, to
// say what could not be published elsewhere.
func (r *run) publish(ctx context.Context, stopped error) {
	r.setResult(stopped)
	cfg, d := r.cfg, r.deps
	options := comment.Options{Key: cfg.CommentKey, ServerURL: cfg.ServerURL, ArtifactID: cfg.ArtifactID}
	try := func(what string, err error) {
		if err != nil {
			r.result.PublishErrors = append(r.result.PublishErrors, fmt.Errorf("%s: %w", what, err))
		}
	}
	if cfg.Report != "" && !cfg.DryRun {
		try("write report "+cfg.Report, writeReport(cfg.Report, r.result.Outcome))
	}
	if cfg.Patch != "" { // in a dry run, too: it is asked for by name, and changes nothing
		try("write patch "+cfg.Patch, writePatch(cfg, ofHeals(r.result.Outcome.Edits)))
	}
	if offers := comment.NewOffers(r.result.Outcome); d.Offers != nil && cfg.Info.PullRequest != 0 && !cfg.DryRun && !offers.Empty() {
		try("keep the offered edits (no command can make them)", d.Offers.Save(ctx, offers))
	}
	if cfg.Comment && !cfg.DryRun {
		try("comment on the pull request (the job summary has the same text)", r.postComments(ctx, options))
	}
	if d.Host != nil {
		try("annotate", d.Host.Annotate(r.result.Outcome))
		try("set outputs", d.Host.SetOutputs(r.result.Outcome))
		try("write job summary", d.Host.Summarize(comment.Summary(withPublishErrors(r.result), options)))
	}
}

// setResult sets what the run came to. Without an outcome it proved nothing, and
// people are told so, lest the comment of an earlier run keeps saying that all is
// well.
func (r *run) setResult(stopped error) {
	switch {
	case r.outcome == nil:
		notice := engine.Notice{Severity: engine.SeverityBlocking, Reason: stopped.Error()}
		r.result = Result{Exit: ExitFault, Outcome: outcome.Run{
			Info: r.cfg.Info, Counts: outcome.Count(r.collected.results), DryRun: r.cfg.DryRun,
			Verdict: flaky.Verdict{Notices: []engine.Notice{notice}},
			Notices: append(r.collected.notices, notice),
		}}
		if errors.As(stopped, new(InputError)) {
			r.result.Exit = ExitUsage
		}
		return
	case stopped != nil:
		r.result.Exit = ExitFault
	case !r.outcome.Verdict.Pass():
		r.result.Exit = ExitBlocked
	}
	r.outcome.Learned, r.outcome.Known = r.learnedNow, r.facts.Rows.Fingerprints
	r.result.Outcome = *r.outcome
	if stopped != nil {
		r.tellUnsaved("the run ends with exit code 3", stopped)
	}
	r.tellUnsaved("later runs may not know of this one", r.notKept)
	r.tellUnsaved("later runs have more to read", r.notFolded)
	r.progress("telling the outcome")
}

// tellUnsaved adds to the outcome that something could not be written: who reads the
// verdict is who can mend that.
func (r *run) tellUnsaved(what string, err error) {
	if err != nil {
		r.result.Outcome.Notices = append(slices.Clone(r.result.Outcome.Notices), warning(what+": "+err.Error()))
	}
}

// withPublishErrors returns the outcome with what could not be published as
// warnings.
func withPublishErrors(result Result) outcome.Run {
	run := result.Outcome
	run.Notices = slices.Clone(run.Notices)
	for _, err := range result.PublishErrors {
		run.Notices = append(run.Notices, warning("not told: "+err.Error()))
	}
	return run
}

// postComments comments on the run's pull request, or on each of its merge group.
func (r *run) postComments(ctx context.Context, options comment.Options) error {
	info, d := r.cfg.Info, r.deps
	if info.PullRequest != 0 && d.Forge != nil {
		return r.postComment(ctx, options)
	}
	var errs []error
	for _, pr := range info.MergeGroup {
		if forge := d.Group[pr]; forge != nil {
			errs = append(errs, r.postGroupComment(ctx, forge, pr, options))
		}
	}
	return errors.Join(errs...)
}

// postComment suggests edits in a review where the diff has their lines, and
// writes everything else into the sticky comment. Where that tells of a newer run,
// nothing is written.
func (r *run) postComment(ctx context.Context, options comment.Options) error {
	run := r.result.Outcome
	conversation, err := r.openConversation(ctx, r.deps.Forge, run.Info.PullRequest, &options)
	if err != nil {
		return err
	}
	before := conversation.State(options)
	state := before
	if r.outcome != nil {
		// A review that suggested edits before is cleared. Where there is
		// nothing to suggest and never was, nobody is asked.
		suggestions := slices.DeleteFunc(slices.Clone(run.Edits), func(s outcome.OfferedEdit) bool { return s.IsAmong(before.Ignored) })
		var placed map[string]bool
		if r.deps.Reviews != nil && run.Info.HeadSHA != "" && len(suggestions)+len(before.Edits) > 0 {
			if placed, err = comment.Suggest(ctx, r.deps.Reviews, conversation.Self, run, suggestions, options); err != nil {
				r.result.PublishErrors = append(r.result.PublishErrors, fmt.Errorf("suggest edits (the comment has them): %w", err))
			}
		}
		state = comment.NewState(run, placed, before.Ignored)
		state.RememberOffered(before.Offered)
	}
	return r.writeComment(ctx, r.deps.Forge, conversation, options, state)
}

// postGroupComment writes the verdict on a merge group into the sticky comment of one
// of its pull requests. What the comment suggests is for that pull request's head,
// and stays.
func (r *run) postGroupComment(ctx context.Context, forge comment.API, pr int, options comment.Options) error {
	conversation, err := r.openConversation(ctx, forge, pr, &options)
	if err != nil {
		return err
	}
	return r.writeComment(ctx, forge, conversation, options, conversation.State(options))
}

// openConversation reads what is said on a pull request, and adds the former keys of
// this run's comment to the options. The error wraps [comment.ErrNewer] where the
// comment tells of a newer run.
func (r *run) openConversation(ctx context.Context, forge comment.API, pr int, options *comment.Options) (comment.Conversation, error) {
	info := r.cfg.Info
	conversation, err := comment.LoadConversation(ctx, forge, pr)
	if err != nil {
		return conversation, err
	}
	former, unknown := conversation.FormerKeys(*options, info, r.cfg.FormerKey)
	options.Former = former
	for _, f := range unknown {
		if r.isOwnWorkflow(ctx, f.Run) {
			options.Former = append(options.Former, f.Key)
		}
	}
	if newer, found := conversation.FindNewer(*options, comment.NewWriter(info)); found {
		r.result.CommentURL = newer.URL
		return conversation, comment.ErrNewer
	}
	return conversation, nil
}

// isOwnWorkflow reports whether a run is known to be of this run's workflow.
func (r *run) isOwnWorkflow(ctx context.Context, run int64) bool {
	if r.deps.Runs == nil {
		return false
	}
	info := r.cfg.Info
	id, file, err := r.deps.Runs.WorkflowOf(ctx, run)
	if err != nil {
		return false // it stays beside this run's
	}
	own, _, _ := strings.Cut(strings.TrimPrefix(info.Workflow, info.Repository+"/"), "@refs/")
	return id != 0 && id == info.WorkflowID || info.WorkflowID == 0 && file != "" && file == own
}

// writeComment writes the sticky comment.
func (r *run) writeComment(ctx context.Context, forge comment.API, conversation comment.Conversation, options comment.Options, state comment.State) error {
	if state.Writer = comment.NewWriter(r.cfg.Info); state.HasContent() {
		options.State = &state
	}
	posted, err := conversation.Upsert(ctx, forge, options, comment.Render(r.result.Outcome, options))
	r.result.CommentURL = posted.URL
	return err
}

// writeReport writes the JSON report.
func writeReport(name string, run outcome.Run) error {
	var text bytes.Buffer
	if err := report.JSON(&text, run); err != nil {
		return err
	}
	return writeFile(name, text.Bytes())
}

// writePatch writes edits as one patch for `git apply` at the repository's top.
// Without an edit the file is empty.
func writePatch(cfg Config, suggestions []outcome.OfferedEdit) error {
	checkout, err := os.OpenRoot(cfg.Repo)
	if err != nil {
		return err
	}
	defer checkout.Close()
	var out strings.Builder
	for _, f := range groupByFile(suggestions) {
		before, err := fs.ReadFile(checkout.FS(), f.name)
		if err != nil {
			return err
		}
		after, err := patch.Apply(before, f.edits)
		if err != nil {
			return err
		}
		diff, err := patch.Unified(f.path, before, after)
		if err != nil {
			return err
		}
		out.WriteString(diff)
	}
	return writeFile(cfg.Patch, []byte(out.String()))
}

// writeFile writes text to a temporary file beside name and renames it.
func writeFile(name string, text []byte) error {
	err := replace.Write(name, ".breadcrumb-*", func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if met := (*fs.PathError)(nil); errors.As(err, &met) && met.Op == "open" {
		// without the temporary file's name, which means nothing to anybody
		return fmt.Errorf("folder %s: %w", filepath.Dir(name), met.Err)
	}
	return err
}
