package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store/postgres"
)

const restoreLong = `Write what earlier runs learned into the database file, for breadcrumb run.

A CI job begins with an empty checkout: without this, run knows no element and
heals none. The action breadcrumb/action/setup calls it. Only what is trusted is
read, as by 'breadcrumb ci'. What the file holds already stays.

A history that cannot be read is a warning, and the tests run without it.`

const restoreExample = `  breadcrumb restore --state-path /mnt/history
  breadcrumb restore --state-path /mnt/history --db tests.db`

func newRestore(s Streams) *cobra.Command {
	settings := ciSettings()
	cmd := &cobra.Command{Use: "restore", Short: "Fetch what earlier runs learned, before the tests run", Long: restoreLong, Example: restoreExample, Args: refuseArgs}
	configFile := addFlags(cmd, pickSettings(settings, dbSetting, "state", "state-path", "github-token"))
	cmd.Flags().Lookup(dbSetting).Usage = "database `FILE` to write to"
	cmd.Flags().Lookup("github-token").Usage = "`TOKEN` to read the history with; better given as GITHUB_TOKEN"
	cmd.Flags().String(actionFlag, "", "where the step's inputs are: setup")
	_ = cmd.Flags().MarkHidden(actionFlag) // the flag is there
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r := restoreStep{streams: s, actions: gh.NewActions(os.Getenv, s.Out, rand.Reader)}
		how, _ := cmd.Flags().GetString(actionFlag)
		r.setup = how == actionSetup
		err := r.addPath()
		var vs values
		if err == nil {
			vs, err = resolveSettings(cmd, settings, *configFile, os.Getenv)
		}
		if err == nil {
			err = r.restore(cmd.Context(), vs)
		}
		return r.explain(err)
	}
	return cmd
}

// restoreStep is one call of restore, by a person or as the step of setup/action.yml.
type restoreStep struct {
	streams Streams
	actions *gh.Actions
	setup   bool
}

// addPath puts this binary on the path of the job's later steps, whoever runs them:
// the script that fetched it made its folder for its own user alone.
func (r restoreStep) addPath() error {
	if !r.setup {
		return nil
	}
	file, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary: %w", err)
	}
	folder := filepath.Dir(file)
	for _, name := range []string{folder, file} {
		if err := os.Chmod(name, 0o755); err != nil { //nolint:gosec // a public binary, for every user of the job
			return fmt.Errorf("let others run the binary: %w", err)
		}
	}
	return r.actions.AddPath(folder)
}

// restore writes what earlier runs learned into the database file.
func (r restoreStep) restore(ctx context.Context, vs values) error {
	db := vs[dbSetting].text()
	if postgres.IsURL(db) {
		return usageError{vs[dbSetting].describePlace(dbSetting) + " is no file: tests keep what they learn in one"}
	}
	cfg := ci.Config{DB: db}
	d := ci.Deps{Now: time.Now, Log: newLogger(r.streams.Err)}
	var client *gh.Client
	if gh.InActions(os.Getenv) {
		info, err := gh.LoadEvent(os.Getenv, readEvent)
		if err != nil {
			return usageError{"GitHub event: " + err.Error()}
		}
		if client, err = connectGitHub(r.actions, vs, &d); err != nil {
			return err
		}
		cfg.Info = info
	}
	if err := openBackend(&cfg, &d, vs, client); err != nil {
		return err
	}
	if d.Backend == nil {
		fmt.Fprintln(r.streams.Out, "breadcrumb: no place keeps a history here, so nothing is restored")
		return nil
	}
	found, err := ci.RestoreLearned(ctx, cfg, d)
	if err != nil && !errors.As(err, new(ci.InputError)) {
		return r.warn(engine.Notice{Reason: "the tests run without what earlier runs learned: " + err.Error()})
	}
	for _, n := range found.Notices {
		err = errors.Join(err, r.warn(n))
	}
	if err == nil {
		fmt.Fprintf(r.streams.Out, "breadcrumb: %s in %s\n", text.Count(found.Elements, "learned element", "learned elements"), report.LogLine(db))
	}
	return err
}

// warn tells a fault that does not keep the tests from running.
func (r restoreStep) warn(n engine.Notice) error {
	if r.setup {
		return r.actions.Annotate(gh.LevelWarning, gh.Annotation{Title: "Breadcrumb: setup", Message: report.LogLine(n.File + " " + n.Reason)})
	}
	newLogger(r.streams.Err).Warn(report.LogLine(n.Reason))
	return nil
}

// explain shows an error on the job's page.
func (r restoreStep) explain(err error) error {
	if err == nil || !r.setup {
		return err
	}
	return errors.Join(err, r.actions.Annotate(gh.LevelError, gh.Annotation{Title: "Breadcrumb", Message: report.LogLine(err.Error())}))
}
