package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store/postgres"
)

const applyLong = `Make the proposed edits in the working tree.

Reads the same reports and heal events as 'breadcrumb ci' and edits every healed
locator that is sure enough, or those whose ids are given. A suggestion, whose
element means something else now, is made only when its id is given. The other
uses of a healed element that the database file or the code around it shows are
edited with it, as one bundle. Nothing else of a file changes.

Where the database is there, the edits teach what they teach on a pull request:
the element that an accepted suggestion names takes the lost one's place, and
its word counts as a synonym. Nothing else is written to it.`

const applyExample = `  breadcrumb apply --junit results.xml --heal-events heals.ndjson --dry-run
  breadcrumb apply 8e909bbe --junit results.xml --heal-events heals.ndjson`

// applySettings are the settings of `breadcrumb ci` that decide which edits are
// proposed.
var applySettings = []string{"junit", "max-report-bytes", "report-limits", "heal-events", "heal-db", "db", "repo", "edit-paths", "dry-run"}

func newApply(s Streams) *cobra.Command {
	settings := ciSettings()
	cmd := &cobra.Command{Use: "apply [ID…|all]", Short: "Make the proposed edits in the working tree", Long: applyLong, Example: applyExample}
	configFile := addFlags(cmd, pickSettings(settings, applySettings...))
	cmd.Flags().Lookup("dry-run").Usage = "show the edits and write nothing"
	cmd.Flags().Lookup("db").Usage = "database that the edits teach, if it is there: `FILE` or postgres:// URL"
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		vs, err := resolveSettings(cmd, settings, *configFile, os.Getenv)
		if err != nil {
			return err
		}
		cfg, err := vs.buildConfig()
		if err != nil {
			return err
		}
		keep, err := findTaught(vs["db"])
		if err != nil {
			return err
		}
		s.progress.show("reading the reports and the tests")
		done, err := ci.Apply(cmd.Context(), cfg, ids)
		if printErr := printApplied(s.Out, done, cfg.DryRun); printErr != nil && err == nil {
			err = fmt.Errorf("print edits: %w", printErr)
		}
		if err != nil || cfg.DryRun || !keep {
			return err
		}
		return keepTaught(cmd.Context(), s.Out, cfg.DB, done.Edits)
	}
	return cmd
}

// findTaught reports whether there is a database for edits to teach. One that the command
// line names must be there.
func findTaught(db value) (bool, error) {
	if postgres.IsURL(db.text()) {
		return true, nil
	}
	_, err := os.Stat(db.text())
	if errors.Is(err, fs.ErrNotExist) && db.from != "default" && !db.file {
		return false, usageError{fmt.Sprintf("%s: no database at %s to keep what the edits teach: leave it out, or run `breadcrumb ci` first", db.describePlace("db"), db.text())}
	}
	return err == nil, nil
}

// keepTaught keeps what edits teach that were made, if that is anything.
func keepTaught(ctx context.Context, out io.Writer, name string, made []outcome.OfferedEdit) error {
	var accepted []comment.SavedEdit
	for _, o := range made {
		if edit := comment.NewSavedEdit(o); ci.Teaches(edit) {
			accepted = append(accepted, edit)
		}
	}
	if len(accepted) == 0 {
		return nil
	}
	err := withDB(ctx, name, toChange, func(ctx context.Context, d database) error {
		return ci.Teach(ctx, d, accepted, currentUser(), time.Now())
	})
	if err != nil {
		return fmt.Errorf("the edits are made, and what they teach is not kept: %w", err)
	}
	_, err = fmt.Fprintf(out, "What %s is kept in the database.\n", text.Count(len(accepted), "edit teaches", "edits teach"))
	return err
}

// printApplied prints every edit, and the reason for every healed locator that has
// none.
func printApplied(w io.Writer, done ci.Applied, dryRun bool) error {
	var out strings.Builder
	for _, o := range done.Edits {
		fmt.Fprintf(&out, "%s  %s\n", o.ID, report.LogLine(text.Place(o.Edit.File, o.Edit.Line)))
		fmt.Fprintf(&out, "  - %s\n  + %s\n", report.LogLine(strings.TrimSpace(o.Edit.Before)), report.LogLine(strings.TrimSpace(o.Edit.After)))
	}
	for _, o := range done.Unasked {
		fmt.Fprintf(&out, "%s  %s: only suggested, name it to make it: %s\n", o.ID, report.LogLine(text.Place(o.Edit.File, o.Edit.Line)), report.LogLine(o.Changed))
	}
	for _, p := range done.Without {
		reason := cmp.Or(p.Reason, outcome.NotSure(p))
		fmt.Fprintf(&out, "not edited: %s in %s: %s\n", report.LogLine(p.Old()), report.LogLine(string(p.Heal.TestID)), report.LogLine(reason))
	}
	for _, n := range done.Notices {
		fmt.Fprintf(&out, "note: %s: %s\n", report.LogLine(text.Place(n.File, n.Line)), report.LogLine(n.Reason))
	}
	switch n := len(done.Edits); {
	case n == 0:
		out.WriteString("Nothing to edit.\n")
	case dryRun:
		fmt.Fprintf(&out, "%s, nothing written (--dry-run).\n", text.Count(n, "edit", "edits"))
	default:
		fmt.Fprintf(&out, "%s in %s.\n", text.Count(n, "edit", "edits"), text.Count(len(done.Files), "file", "files"))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
