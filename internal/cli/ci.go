package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/trace/browser"
)

const ciLong = `Judge one test run.

Reads the JUnit reports and heal events of a run, updates the database, decides
whether the job passes and tells it. In GitHub Actions the inputs and the event
are read from the environment and no flag is needed. On the event issue_comment
no run is judged: /breadcrumb commands in the comment are carried out.

Every flag is also an action input and a key of .breadcrumb.yml:
a flag wins over an input, an input over the file, the file over the default.

Exit code: 0 pass, 1 something blocks, 2 bad usage or input, 3 Breadcrumb's fault.`

const ciExample = `  breadcrumb ci --junit 'results/**/*.xml'
  breadcrumb ci --junit 'results/*.xml' --heal-events 'heals/*.ndjson' --dry-run
  breadcrumb ci --junit results.xml --format markdown`

func newCI(s Streams) *cobra.Command {
	settings := ciSettings()
	cmd := &cobra.Command{Use: "ci", Short: "Judge one test run", Long: ciLong, Example: ciExample, Args: noArgs}
	cmd.Flags().SortFlags = false
	for _, set := range settings {
		addFlag(cmd, set)
	}
	configFile := cmd.Flags().String("config", "", "settings `FILE` (default \".breadcrumb.yml\" where there is one)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if gh.InActions(os.Getenv) {
			if err := dropPrivileges(os.Getenv("GITHUB_WORKSPACE")); err != nil {
				return err
			}
		}
		vs, err := resolve(cmd, settings, *configFile, os.Getenv)
		if err != nil {
			return err
		}
		if gh.InActions(os.Getenv) && os.Getenv("GITHUB_EVENT_NAME") == gh.CommentEvent {
			return runCommand(cmd.Context(), s, vs)
		}
		return runCI(cmd.Context(), s, vs)
	}
	return cmd
}

func addFlag(cmd *cobra.Command, s setting) {
	switch s.kind {
	case kindGlobs, kindLimits, kindOutcomes:
		cmd.Flags().StringArray(s.name, nil, s.usage)
	case kindBool:
		cmd.Flags().Bool(s.name, s.def == "true", s.usage)
	default:
		cmd.Flags().String(s.name, s.def, s.usage)
	}
	switch s.kind {
	case kindWord, kindOutcomes:
		completeWords(cmd, s.name, s.words...)
	case kindBool:
		completeWords(cmd, s.name, "true", "false")
	}
}

// resolve finds each setting's value: flag over input over file over default.
func resolve(cmd *cobra.Command, settings []setting, configFile string, getenv func(string) string) (values, error) {
	inActions := gh.InActions(getenv)
	if configFile == "" && inActions {
		configFile = getenv("INPUT_CONFIG")
	}
	named := configFile != ""
	if !named {
		configFile = defaultConfigFile
	}
	file, err := readConfigFile(configFile, named, settings)
	if err != nil {
		return nil, err
	}
	vs := values{configSetting: {items: []string{configFile}}}
	for _, s := range settings {
		v := value{from: "default"}
		if s.def != "" {
			v.items = []string{s.def}
		}
		if fromFile, ok := file[s.name]; ok {
			v = fromFile
		}
		if input := inputOf(getenv, s.name); inActions && input != "" {
			v = value{items: s.split(input), from: "input " + s.name}
		}
		if flag := cmd.Flags().Lookup(s.name); flag != nil && flag.Changed {
			v = flagValue(cmd, s)
		}
		if err := s.check(v); err != nil {
			return nil, err
		}
		vs[s.name] = v
	}
	return vs, nil
}

func flagValue(cmd *cobra.Command, s setting) value {
	v := value{from: "--" + s.name}
	if s.list() {
		globs, _ := cmd.Flags().GetStringArray(s.name)
		for _, glob := range globs {
			v.items = append(v.items, s.split(glob)...)
		}
		return v
	}
	v.items = []string{cmd.Flags().Lookup(s.name).Value.String()}
	return v
}

func (s setting) split(text string) []string {
	switch {
	case s.kind == kindOutcomes:
		return splitOutcomes(text)
	case s.list():
		return splitGlobs(text)
	}
	return []string{text}
}

// splitOutcomes splits at commas and line ends. An item without a word stays: a
// step that does not exist has none, and what was to be told of it is lost. A text
// that is empty as a whole says that nobody tells.
func splitOutcomes(text string) []string {
	if text == "" {
		return nil
	}
	items := strings.Split(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", ","), ",")
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
	}
	return items
}

// openBrowser opens the browser for the setting replay.
func openBrowser() (ci.Browser, error) { return browser.Open(os.Getenv) }

// runCI wires one run and prints its outcome.
func runCI(ctx context.Context, s Streams, vs values) error {
	cfg, err := vs.config()
	if err != nil {
		return err
	}
	cfg.Info.Leg = legOf(vs["leg"].text())
	d := ci.Deps{Now: time.Now, Log: newLogger(s.Err), Browser: openBrowser, Doing: func(what string) { s.progress.doing("%s", what) }}
	print := func(fn func(io.Writer) error) error { return fn(s.Out) }
	var client *gh.Client
	if gh.InActions(os.Getenv) {
		actions, err := connectActions(ctx, &cfg, &d, vs, s.Out)
		if err != nil {
			return err
		}
		print, client = actions.quietly(s.Out), actions.client
	}
	if err := openShelf(&cfg, &d, vs, client); err != nil {
		return err
	}
	result, err := ci.Run(ctx, cfg, d)
	for _, untold := range result.Untold {
		d.Log.Warn("not told", slog.String("error", report.Clean(untold.Error())))
	}
	if err != nil && result.Outcome.Database == "" && len(result.Outcome.Reports) == 0 {
		return err
	}
	if printErr := print(func(w io.Writer) error { return printOutcome(w, result.Outcome, vs["format"].text(), cfg) }); printErr != nil {
		return fmt.Errorf("print outcome: %w", printErr)
	}
	if err != nil {
		return err
	}
	if result.Exit != ci.ExitPass {
		return exitError{result.Exit}
	}
	return nil
}

// printOutcome prints the outcome in the format that was asked for.
func printOutcome(w io.Writer, run outcome.Run, format string, cfg ci.Config) error {
	switch format {
	case "json":
		return report.JSON(w, run)
	case "markdown":
		_, err := io.WriteString(w, comment.Render(run, comment.Options{Key: cfg.CommentKey, ServerURL: cfg.ServerURL})+"\n")
		return err
	}
	return report.Console(w, run, consoleOptions(w))
}
