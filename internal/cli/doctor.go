package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store/postgres"
	"github.com/breadcrumb/action/store/sqlite"
)

const doctorLong = `Say how the database and the history behind it are doing. Nothing is changed.

Exit code: 0 all is well, 1 something should be looked at, 2 the database cannot
be used or the command line is wrong.`

func newDoctor(s Streams) *cobra.Command {
	cmd := &cobra.Command{Use: "doctor", Short: "Say how the database is doing", Long: doctorLong, Args: refuseFolder,
		Example: "  breadcrumb doctor\n  breadcrumb doctor --workflow\n  breadcrumb doctor --state-path history\n  GITHUB_TOKEN=$TOKEN breadcrumb doctor --state artifact --repository acme/shop"}
	db := cmd.Flags().String("db", ".breadcrumb.db", "Breadcrumb's database `FILE`")
	place := cmd.Flags().String("state", "", "`PLACE` that keeps the history, to look there too: path, or on GitHub artifact, cache (in a job alone) or branch")
	completeWords(cmd, "state", statePath, stateArtifact, stateCache, stateBranch)
	path := cmd.Flags().String("state-path", "", "`DIR` that keeps the history")
	workflow := cmd.Flags().Bool("workflow", false, "say instead what to switch on in this folder's Playwright configuration, and what is unsafe in its GitHub workflows, and why")
	repo := cmd.Flags().String("repository", os.Getenv("GITHUB_REPOSITORY"), "`OWNER/NAME` on GitHub whose history it is; the token is GITHUB_TOKEN")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *workflow {
			findings, err := printWorkflowAdvice(s.Out, os.DirFS("."))
			if err == nil && findings > 0 {
				err = exitError{ci.ExitBlocked}
			}
			return err
		}
		s.progress.show("looking at %s", *db)
		h := checkup{db: *db, elsewhere: (*place != "" || *path != "") && !cmd.Flags().Changed("db"), Checkup: health.Checkup{Name: *db, Now: time.Now()}}
		if err := h.readDatabase(cmd.Context()); err != nil {
			return err
		}
		s.progress.show("looking where the history is kept")
		if err := h.readBackend(cmd.Context(), *place, *path, *repo); err != nil {
			return err
		}
		if findings := h.printFindings(s.Out); findings > 0 {
			return exitError{ci.ExitBlocked}
		}
		return nil
	}
	return cmd
}

// refuseFolder is refuseArgs; of a folder behind --workflow it says where that looks.
func refuseFolder(cmd *cobra.Command, args []string) error {
	if on, _ := cmd.Flags().GetBool("workflow"); !on || len(args) == 0 || switchHint(cmd, args) != "" {
		return refuseArgs(cmd, args)
	}
	if f, err := os.Stat(args[0]); err == nil && f.IsDir() {
		return usageError{fmt.Sprintf("unexpected argument %q; --workflow looks at the folder that it runs in: cd %[1]q && %s --workflow", args[0], cmd.CommandPath())}
	}
	return usageError{fmt.Sprintf("unexpected argument %q; --workflow takes none and looks at all workflows of the folder that it runs in", args[0])}
}

// readBackend inspects the history in the backend that the flags name, if any.
func (h *checkup) readBackend(ctx context.Context, place, path, repo string) error {
	var backend state.Backend
	self := state.Self{AnyWorkflow: true}
	switch {
	case place == "" && path == "":
		return nil
	case (place == statePath || place == "") && path != "":
		switch info, err := os.Stat(path); {
		case errors.Is(err, fs.ErrNotExist):
			return usageError{fmt.Sprintf("--state-path: there is no directory %q; check the path, or run `breadcrumb ci --state-path` first, which makes it", path)}
		case err != nil:
			return usageError{"--state-path: " + err.Error()}
		case !info.IsDir():
			return usageError{fmt.Sprintf("--state-path: %q is a file; name the directory that keeps the history", path)}
		}
		backend = state.NewPath(path)
	case place == statePath:
		return usageError{"--state path: say which directory with --state-path"}
	case path != "":
		return usageError{"--state-path is for state path"}
	default:
		remote, o, err := openGitHubBackendToInspect(ctx, place, repo)
		if err != nil {
			return err
		}
		backend = remote
		self.DefaultBranch, self.Info.RepositoryID, self.Info.Repository = o.DefaultBranch, o.RepositoryID, o.Repository
	}
	c, err := state.Inspect(ctx, backend, self)
	if err != nil {
		return err
	}
	h.State = &c
	return nil
}

// checkup is what doctor found out about the database file db.
type checkup struct {
	db        string
	elsewhere bool // the history is at a place that was named, the file was not
	health.Checkup
}

func (h *checkup) readDatabase(ctx context.Context) error {
	if postgres.IsURL(h.db) {
		return usageError{"doctor looks at a database file; a server has tools of its own for that"}
	}
	h.Leftover = health.Leftovers(h.db)
	info, err := os.Stat(h.db)
	switch {
	case errors.Is(err, fs.ErrNotExist) && h.elsewhere:
		h.Absent = true
		return nil
	case err == nil:
		h.Size = info.Size()
	case !errors.Is(err, fs.ErrNotExist):
		return usageError{err.Error()}
	}
	failed := withDB(ctx, h.db, toRead, func(ctx context.Context, db database) error { return h.Read(ctx, db.(*sqlite.DB)) })
	if err != nil && failed != nil {
		return usageError{failed.Error() + "; to check workflows: breadcrumb doctor --workflow"}
	}
	return failed
}

// printFindings writes every finding, with "!" before those that need attention, and
// returns how many of those there are.
func (h *checkup) printFindings(w io.Writer) (findings int) {
	for _, f := range h.Findings() {
		findings += printFinding(w, 13, f.Bad, f.Name, f.Text)
	}
	return findings
}

// printFinding writes a finding, with "!" before one that is bad, and returns how
// many of those it is. The name takes so many columns.
func printFinding(w io.Writer, columns int, bad bool, name, text string) (findings int) {
	mark := " "
	if bad {
		mark, findings = "!", 1
	}
	fmt.Fprintf(w, "%s %-*s %s\n", mark, columns, name, report.LogLine(text))
	return findings
}

// openGitHubBackendToInspect opens a backend on GitHub to read it: in a job, or
// outside of one with the user's own token.
func openGitHubBackendToInspect(ctx context.Context, place, repo string) (state.Backend, gh.BackendOptions, error) {
	if !slices.Contains([]string{stateArtifact, stateCache, stateBranch}, place) {
		return nil, gh.BackendOptions{}, usageError{fmt.Sprintf("--state is %q; it must be %s, %s, %s or %s", place, stateArtifact, stateCache, stateBranch, statePath)}
	}
	token := os.Getenv("GITHUB_TOKEN")
	if token == "" {
		return nil, gh.BackendOptions{}, usageError{fmt.Sprintf("--state %s is kept by GitHub: set GITHUB_TOKEN to a token that may read the repository and its Actions", place)}
	}
	client, err := gh.NewClient(gh.Options{
		Token: token, APIURL: os.Getenv("GITHUB_API_URL"), HTTP: &http.Client{Timeout: requestTimeout}, Now: time.Now,
	})
	if err != nil {
		return nil, gh.BackendOptions{}, usageError{fmt.Sprintf("--state %s: %v", place, err)}
	}
	var o gh.BackendOptions
	if gh.InActions(os.Getenv) {
		o, err = gh.LoadBackendOptions(os.Getenv, readEvent)
	} else {
		o, err = client.BackendOptions(ctx, repo)
	}
	if err != nil {
		return nil, o, usageError{"--repository: " + err.Error()}
	}
	backend, err := newGitHubBackend(place, client, o)
	if err != nil {
		return nil, o, usageError{"--state " + place + ": " + err.Error()}
	}
	return backend, o, nil
}
