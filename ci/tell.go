package ci

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/report"
)

// tell tells the run everywhere it should be heard. What cannot be told is
// kept for the log and changes nothing: the verdict stands.
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
		try("write patch "+cfg.Patch, writePatch(cfg, result.Outcome.Offers))
	}
	if d.Host != nil {
		try("annotate", d.Host.Annotate(result.Outcome))
		try("set outputs", d.Host.SetOutputs(result.Outcome))
		try("write job summary", d.Host.Summarize(comment.Summary(result.Outcome, options)))
	}
	if d.Forge != nil && cfg.Comment && !cfg.DryRun && cfg.Info.PullRequest != 0 {
		posted, err := comment.Upsert(ctx, d.Forge, cfg.Info.PullRequest, options, comment.Render(result.Outcome, options))
		try("comment on the pull request (the job summary has the same text)", err)
		result.CommentURL = posted.URL
	}
}

// writeReport writes the JSON report.
func writeReport(name string, run outcome.Run) error {
	var text bytes.Buffer
	if err := report.JSON(&text, run); err != nil {
		return err
	}
	return writeFile(name, text.Bytes())
}

// writeFile writes text beside its place and renames it there.
func writeFile(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".breadcrumb-*")
	if err != nil {
		return err
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
	return os.Rename(f.Name(), name)
}
