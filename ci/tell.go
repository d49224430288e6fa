package ci

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/internal/replace"
	"github.com/breadcrumb/action/report"
)

// tell tells the run everywhere it should be heard. What cannot be told is
// kept for the log and changes nothing: the verdict stands. The job summary
// comes last, to say what could not be told elsewhere.
func tell(ctx context.Context, cfg Config, d Deps, result *Result) {
	options := comment.Options{Key: cfg.CommentKey, ServerURL: cfg.ServerURL}
	try := func(what string, err error) {
		if err != nil {
			result.Untold = append(result.Untold, fmt.Errorf("%s: %w", what, err))
		}
	}
	if cfg.Report != "" && !cfg.DryRun {
		try("write report "+cfg.Report, writeReport(cfg.Report, result.Outcome))
	}
	if cfg.Patch != "" && !cfg.DryRun {
		try("write patch "+cfg.Patch, writePatch(cfg, result.Outcome.Suggestions))
	}
	if d.Forge != nil && cfg.Comment && !cfg.DryRun && cfg.Info.PullRequest != 0 {
		try("comment on the pull request (the job summary has the same text)", converse(ctx, d, result, options))
	}
	if d.Host != nil {
		try("annotate", d.Host.Annotate(result.Outcome))
		try("set outputs", d.Host.SetOutputs(result.Outcome))
		try("write job summary", d.Host.Summarize(comment.Summary(withUntold(*result), options)))
	}
}

// withUntold returns the outcome with what could not be told as warnings.
func withUntold(result Result) outcome.Run {
	run := result.Outcome
	run.Notices = slices.Clone(run.Notices)
	for _, err := range result.Untold {
		run.Notices = append(run.Notices, warning("not told: "+err.Error()))
	}
	return run
}

// converse suggests the offers in a review where the diff has their lines, and
// makes the sticky comment say the rest.
func converse(ctx context.Context, d Deps, result *Result, options comment.Options) error {
	run := result.Outcome
	said, err := comment.LoadConversation(ctx, d.Forge, run.Info.PullRequest)
	if err != nil {
		return err
	}
	before := said.State(options)
	state := before
	if result.judged {
		placed, err := suggest(ctx, d, said.Self, run, before, options)
		if err != nil {
			result.Untold = append(result.Untold, fmt.Errorf("suggest edits (the comment has them): %w", err))
		}
		state = comment.NewState(run.Info, run.Suggestions, placed, before.Ignored)
	}
	if state.HasContent() {
		options.State = &state
	}
	posted, err := said.Upsert(ctx, d.Forge, options, comment.Render(run, options))
	result.CommentURL = posted.URL
	return err
}

// suggest makes the review agree with the offers. Where there is none and there
// was none, nobody is asked.
func suggest(ctx context.Context, d Deps, self string, run outcome.Run, before comment.State, options comment.Options) (map[string]bool, error) {
	offers := slices.DeleteFunc(slices.Clone(run.Suggestions), func(o outcome.Suggestion) bool { return slices.Contains(before.Ignored, o.ID) })
	if d.Reviews == nil || run.Info.HeadSHA == "" || len(offers) == 0 && len(before.Suggestions) == 0 {
		return nil, nil
	}
	return comment.Suggest(ctx, d.Reviews, self, run, offers, options)
}

// writeReport writes the JSON report.
func writeReport(name string, run outcome.Run) error {
	var text bytes.Buffer
	if err := report.JSON(&text, run); err != nil {
		return err
	}
	return writeFile(name, text.Bytes())
}

// bare is err without the name of the file that it was met with, where that is
// one nobody gave.
func bare(err error) error {
	var met *fs.PathError
	if errors.As(err, &met) {
		return met.Err
	}
	return err
}

// writeFile writes text beside its place and renames it there.
func writeFile(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".breadcrumb-*")
	if err != nil {
		return fmt.Errorf("folder %s: %w", filepath.Dir(name), bare(err))
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return replace.File(f.Name(), name)
}
