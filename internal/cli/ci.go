package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/command"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/internal/checkout"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/report"
)

const ciLong = `Judge one test run.

Reads the test reports and heal events of a run, updates the database, decides
whether the job passes and tells it. In GitHub Actions the event is read from
the environment; the action passes its inputs, a script passes flags. On the
event issue_comment no run is judged: /breadcrumb commands in the comment are
carried out.

Every flag is also an action input, and most are keys of .breadcrumb.yml:
a flag wins over an input, an input over the file, the file over the default.

Exit code: 0 pass, 1 something blocks, 2 bad usage or input, 3 Breadcrumb's
fault.`

const ciExample = `  breadcrumb ci --junit 'results/**/*.xml'
  breadcrumb ci --junit 'results/*.xml' --heal-events 'heals/*.ndjson' --dry-run
  breadcrumb ci --junit results.xml --format markdown`

func newCI(s Streams) *cobra.Command {
	settings := ciSettings()
	cmd := &cobra.Command{Use: "ci", Short: "Judge one test run", Long: ciLong, Example: ciExample, Args: refuseArgs}
	configFile := addFlags(cmd, settings)
	cmd.Flags().String(actionFlag, "", "where the step's inputs are: container or native")
	_ = cmd.Flags().MarkHidden(actionFlag) // the flag is there
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if gh.InActions(os.Getenv) {
			if err := dropPrivileges(os.Getenv("GITHUB_WORKSPACE")); err != nil {
				return err
			}
		}
		if how, _ := cmd.Flags().GetString(actionFlag); how == actionContainer {
			if err := errors.Join(dropTestVariables(os.Environ()), refuseMisspelled(os.Environ(), settings)); err != nil {
				return err
			}
		}
		vs, err := resolveSettings(cmd, settings, *configFile, os.Getenv)
		if err != nil {
			return err
		}
		if gh.InComment(os.Getenv) {
			return runCommentCommand(cmd.Context(), s, vs)
		}
		return runChecked(cmd.Context(), s, vs)
	}
	return cmd
}

// dropTestVariables unsets the variables that would lead the container elsewhere: to
// another database, to certificates of somebody else or to another browser. The runner
// sets none of them, and a test can, by writing into GITHUB_ENV. A server of one's own
// may need its certificates.
func dropTestVariables(environment []string) error {
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		steers := strings.HasPrefix(name, "PG") && name != "PGPASSWORD" || strings.HasPrefix(name, "CHROMIUM") || strings.HasPrefix(name, "PLAYWRIGHT_") ||
			strings.HasPrefix(name, "SSL_CERT_") && os.Getenv("GITHUB_SERVER_URL") == "https://github.com"
		if !steers {
			continue
		}
		if err := os.Unsetenv(name); err != nil {
			return fmt.Errorf("unset %s: %w", name, err)
		}
	}
	return nil
}

// refuseMisspelled returns an error for an input that is none, but nearly one. The runner
// only warns of it, and other names may be another's. One with an underscore can be a
// test's, by GITHUB_ENV, and none of ours has one.
func refuseMisspelled(environment []string, settings []setting) error {
	names := []string{configSetting}
	for _, s := range settings {
		names = append(names, s.name)
	}
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		input, ok := strings.CutPrefix(name, "INPUT_")
		input = strings.ToLower(input)
		if near := suggestName(input, names); ok && near != "" && !strings.Contains(input, "_") && !slices.Contains(names, input) {
			return usageError{fmt.Sprintf("unknown input %q%s", input, near)}
		}
	}
	return nil
}

// runCI wires one run and prints its outcome. The error of a run that does not pass is
// an exitError, and comes with the result.
func runCI(ctx context.Context, s Streams, vs values) (ci.Result, error) {
	cfg, err := vs.buildConfig()
	if err != nil {
		return ci.Result{}, err
	}
	cfg.Secrets = knownSecrets(vs, os.Environ())
	d := ci.Deps{
		Now: time.Now, Log: newLogger(s.Err), Progress: func(what string) { s.progress.show("%s", what) },
		Browser: openBrowser,
	}
	print := func(fn func(io.Writer) error) error { return fn(s.Out) }
	var client *gh.Client
	if gh.InActions(os.Getenv) {
		actions, err := connectActions(ctx, &cfg, &d, vs, s.Out)
		if err != nil {
			return ci.Result{}, err
		}
		print, client = actions.stopCommandsIn(s.Out), actions.client
	} else {
		cfg.Info = runElsewhere(ctx, d.Log, vs)
	}
	if err := openBackend(&cfg, &d, vs, client); err != nil {
		return ci.Result{}, err
	}
	result, err := ci.Run(ctx, cfg, d)
	defer ci.SpareMemory(result.Outcome.Counts.Tests)()
	for _, err := range result.PublishErrors {
		d.Log.Warn("not told", slog.String("error", report.LogLine(err.Error())))
	}
	if err != nil && result.Outcome.Database == "" && len(result.Outcome.Reports) == 0 {
		return result, err
	}
	if printErr := print(func(w io.Writer) error { return printOutcome(w, result.Outcome, vs["format"].text(), cfg) }); printErr != nil {
		return result, fmt.Errorf("print outcome: %w", printErr)
	}
	if err == nil && result.Exit != ci.ExitPass {
		err = exitError{result.Exit}
	}
	return result, err
}

// stopCommandsIn returns a printer that stops workflow commands while it prints, so
// that the runner takes no line of a test run for a command.
func (h *actionsHost) stopCommandsIn(out io.Writer) func(func(io.Writer) error) error {
	return func(fn func(io.Writer) error) error {
		var printErr error
		err := h.actions.StopCommands(out, func(w io.Writer) { printErr = fn(w) })
		return errors.Join(err, printErr)
	}
}

// knownSecrets returns what is secret for sure: the token, the password of the database, and
// what the step was given under the name of a secret.
func knownSecrets(vs values, environment []string) redact.Values {
	secrets := []string{vs["github-token"].text()}
	if address, err := url.Parse(vs["db"].text()); err == nil {
		password, _ := address.User.Password()
		secrets = append(secrets, password)
	}
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if redact.Property(name, "") == redact.Mask {
			secrets = append(secrets, value)
		}
	}
	return redact.NewValues(secrets...)
}

// printOutcome prints the outcome in the format that was asked for.
func printOutcome(w io.Writer, run outcome.Run, format string, cfg ci.Config) error {
	switch format {
	case "json":
		return report.JSON(w, run)
	case "markdown":
		_, err := io.WriteString(w, comment.Render(run, comment.Options{Key: cfg.CommentKey, ServerURL: cfg.ServerURL, ArtifactID: cfg.ArtifactID})+"\n")
		return err
	}
	return report.Console(w, run, consoleOptions(w))
}

// runElsewhere returns what is known of a run that GitHub Actions does not know: what
// GitLab says, or else git. Of a job that nobody named no commit is known: what another
// job, or another browser, found on that commit would count as a rerun of this one.
func runElsewhere(ctx context.Context, log *slog.Logger, vs values) engine.RunInfo {
	info := gitlabRun(os.Getenv)
	if os.Getenv("GITLAB_CI") != "true" {
		written := slices.Concat(vs["junit"].items, vs["heal-events"].items, []string{vs["db"].text() + "*"})
		tree, err := checkout.Read(ctx, ".", written)
		info.Branch, info.Job = tree.Branch, vs["job"].text()
		switch {
		case info.Job == "":
		case err != nil:
			log.Warn("the run counts for no commit: git does not tell it", slog.String("error", report.LogLine(err.Error())))
		case len(tree.Changed) > 0:
			log.Warn("the run counts for no commit: files of the checkout are changed and not committed",
				slog.Int("files", len(tree.Changed)), slog.String("first", report.LogLine(tree.Changed[0])))
		case gh.IsCommit(tree.Commit):
			info.Commit = tree.Commit
		}
	}
	info.Leg = cmp.Or(canonicalLeg(vs["leg"].text()), info.Leg)
	return info
}

// partPattern matches what GitLab appends to the name of one of parallel jobs: "3/5",
// or the variables of a matrix.
var partPattern = lazyregexp.New(`^(.*?)(?: (\d{1,4}/\d{1,4})|: \[(.*)\])$`)

// gitlabRun returns what GitLab CI says of the run: the tested commit, the branch, the job
// and, of parallel jobs, which one it is
// (https://docs.gitlab.com/ci/variables/predefined_variables/). The run counts as a local
// one, as every run outside GitHub does. It is the zero value where no job of GitLab runs.
func gitlabRun(getenv func(string) string) engine.RunInfo {
	if getenv("GITLAB_CI") != "true" {
		return engine.RunInfo{}
	}
	info := engine.RunInfo{Branch: getenv("CI_COMMIT_REF_NAME"), Job: getenv("CI_JOB_NAME")}
	if m := partPattern.FindStringSubmatch(info.Job); m != nil {
		info.Job, info.Leg = m[1], strings.TrimSpace(m[2]+m[3])
	}
	// Without the job another job's results would be those of this one on the same commit.
	if commit := getenv("CI_COMMIT_SHA"); info.Job != "" && gh.IsCommit(commit) {
		info.Commit = commit
	}
	return info
}

// readEditPaths returns the globs of the files that may be edited as the settings file at
// a commit has them: the job for commands needs no checkout.
func readEditPaths(ctx context.Context, source command.Source, commit string) ([]string, error) {
	file, err := source.File(ctx, commit, defaultConfigFile)
	if errors.Is(err, command.ErrNoFile) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s of the default branch: %w", defaultConfigFile, err)
	}
	vs, err := parseConfig(defaultConfigFile+" of the default branch", file.Text, ciSettings())
	return vs["edit-paths"].items, err
}

// runCommentCommand carries out the commands in a pull request comment.
func runCommentCommand(ctx context.Context, s Streams, vs values) error {
	d := ci.Deps{Now: time.Now, Log: newLogger(s.Err)}
	info, err := gh.LoadEvent(os.Getenv, readEvent)
	if err != nil {
		return usageError{"GitHub event: " + err.Error()}
	}
	event, err := gh.LoadComment(os.Getenv, readEvent)
	if err != nil {
		return usageError{"GitHub event: " + err.Error()}
	}
	client, err := connectGitHub(gh.NewActions(os.Getenv, s.Out, rand.Reader), vs, &d)
	if err != nil {
		return err
	}
	if client == nil {
		return usageError{"no token to answer the comment with: pass the input github-token"}
	}
	repository := client.Repository(info.Repository)
	cfg := ci.Config{DB: vs["db"].text(), EditPaths: vs["edit-paths"].items, Info: info}
	noHistory := openBackend(&cfg, &d, vs, client)
	deps := command.Deps{
		Forge: repository, Source: repository, Branches: repository, Backend: d.Backend, NoHistory: noHistory, Now: d.Now, Log: d.Log,
	}
	offers, err := openOffers(client, info)
	if err != nil && noHistory == nil {
		return err
	}
	if offers != nil {
		deps.Offers = offers
	}
	if vs["edit-paths"].from == "default" {
		deps.EditPaths = func(ctx context.Context) ([]string, error) { return readEditPaths(ctx, repository, event.Commit) }
	}
	if err := command.HandleCommand(ctx, cfg, event, deps); err != nil {
		return err
	}
	return noHistory
}
