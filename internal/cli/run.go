package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/proxy/attach"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store/postgres"
)

const runLong = `Run a test command, and heal its locators.

The command's Playwright tests, in any language, learn the elements that they
find. When a locator finds nothing any more, the element is looked for among
what was learned: it is used where it is proven the same, and suggested where it
is only likely. The tests, their output, the signals they get and the exit code
stay as they are.

With --trial the proposed edits are then tried in a copy of the checkout: the
tests that lost a locator run again with its edit, and what they lose behind it
is looked for, round by round. They run again in three controls, in which the
new locator finds nothing, its action is not done, and it finds another element
like it. An edit is proven when its tests pass with it and one of them fails in
each control. The controls act on other elements than the tests name, so use it
where nothing can be spoilt.

Where the run is judged, in CI or with --judge, tests in quarantine that failed
every attempt, 10 at most, run again in a copy of the checkout, twice at most. A
rerun that passes confirms the flake: the failure is excused. One that fails as
well refutes it: the test blocks. With --rerun always all tests that failed run
again. Where such a test passes alone, the run looks in the same time for the
earlier test of its worker that makes it fail, and names it. Only Playwright
Test and pytest tell which tests failed.

On a pull request in GitHub Actions the tests that it adds are repeated in a
copy, five times, and the comment warns of those that are flaky.

By default a person's run heals (live). In CI it does what the key heal of
.breadcrumb.yml says on the default branch, and suggests where that says
nothing.`

const runExample = `  breadcrumb run -- npx playwright test
  breadcrumb run --heal suggest -- pytest tests/e2e
  breadcrumb run --trial -- npx playwright test
  breadcrumb run --rerun never -- npx playwright test
  breadcrumb run --judge --junit results.xml -- npm test`

// defaultEvents is the file of heal events; the workflows of init read those in its
// folder.
const defaultEvents = "heals/run.ndjson"

// The codes of a shell for a command that cannot be started.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

func newRun(s Streams) *cobra.Command {
	settings := ciSettings()
	cmd := &cobra.Command{Use: "run [flags] -- COMMAND…", Short: "Run a test command, and heal its locators", Long: runLong, Example: runExample}
	cmd.Flags().SetInterspersed(false) // what is behind the command's name is the command's
	cmd.Flags().SortFlags = false
	cmd.Flags().String("heal", "", "what is done for a locator that finds nothing: `MODE` live, suggest or off")
	completeWords(cmd, "heal", engine.HealModes()...)
	cmd.Flags().String("events", "", "append heal events to this `FILE` (default \""+defaultEvents+"\")")
	cmd.Flags().String("pictures", "", "whether pictures of healed and suggested elements are kept beside the heal events: `WHETHER` on or off (default on)")
	completeWords(cmd, "pictures", live.PicturesOn, live.PicturesOff)
	cmd.Flags().Bool("trial", false, "try the proposed edits in a copy of the checkout")
	cmd.Flags().Duration("trial-time", defaultTrialTime, "most that the runs of a trial take together, a `TIME` such as 90s or 10m")
	cmd.Flags().String("rerun", rerunAuto, "which failed tests run again, in a copy of the checkout: `WHICH` auto, those in quarantine; always, all; or never")
	completeWords(cmd, "rerun", rerunAuto, rerunAlways, rerunNever)
	cmd.Flags().Duration("rerun-time", defaultRerunTime, "most that these reruns take together, a `TIME` such as 90s or 10m")
	cmd.Flags().Int("repeat-new", defaultRepeats, "repeat each test that a pull request adds `N` times, 0 for never; outside of pull requests only where this flag is given")
	cmd.Flags().Duration("repeat-time", defaultRepeatTime, "most that these repeats take together, a `TIME` such as 90s or 10m")
	cmd.Flags().Bool("judge", false, "judge the run at its end, as 'breadcrumb ci' does; the exit code is the verdict's")
	configFile := addFlags(cmd, pickSettings(settings, dbSetting, "junit"))
	cmd.Flags().Lookup(dbSetting).Usage = "database `FILE` that keeps what was learned"
	cmd.Flags().Lookup("junit").Usage = "report `GLOB`s for --judge; repeat, or separate by commas or lines"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{"name the command that runs the tests, as in: breadcrumb run -- npx playwright test"}
		}
		r, err := newTestRun(cmd, s, args)
		if err != nil {
			return err
		}
		if r.judge {
			if r.settings, err = resolveSettings(cmd, settings, *configFile, os.Getenv); err != nil {
				return err
			}
			if _, err := r.settings.buildConfig(); err != nil {
				return err
			}
		}
		return r.run(cmd)
	}
	return cmd
}

// testRun is one command that runs tests.
type testRun struct {
	streams  Streams
	args     []string
	root     string // that file names are relative to
	live     live.Options
	advice   string // why a mode was chosen that nobody asked for
	judge    bool
	settings values // of the judgement
	started  time.Time
	knew     int // elements before it

	trialTime  time.Duration // of a trial, 0 for none
	rerun      string        // which failed tests run again
	rerunTime  time.Duration // of all their reruns
	repeats    int           // of a new test
	repeatTime time.Duration // of all new tests

	info    engine.RunInfo // of the job in GitHub Actions
	infoErr error          // why it is not known there
}

func newTestRun(cmd *cobra.Command, s Streams, args []string) (*testRun, error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	flag := func(name string) string { return cmd.Flags().Lookup(name).Value.String() }
	r := &testRun{streams: s, args: args, root: live.Root(folder), judge: flag("judge") == "true", started: time.Now()}
	for name, most := range map[string]*time.Duration{"trial-time": &r.trialTime, "rerun-time": &r.rerunTime, "repeat-time": &r.repeatTime} {
		var err error
		if *most, err = cmd.Flags().GetDuration(name); err == nil && *most <= 0 {
			err = errors.New("it is to be more than nothing")
		}
		if err != nil {
			return nil, usageError{fmt.Sprintf("--%s %s: %v", name, flag(name), err)}
		}
	}
	if flag("trial") != "true" {
		r.trialTime = 0
	}
	if err := r.planReruns(cmd); err != nil {
		return nil, err
	}
	r.live.DB = wholeName(r.root, cmp.Or(os.Getenv("BREADCRUMB_DB"), flag(dbSetting)))
	if cmd.Flags().Changed(dbSetting) {
		r.live.DB = wholeName(folder, flag(dbSetting))
	}
	if postgres.IsURL(flag(dbSetting)) || postgres.IsURL(os.Getenv("BREADCRUMB_DB")) {
		return nil, usageError{"the database is no file: tests keep what they learn in one, which the action takes over by heal-db; name it with --db"}
	}
	r.live.Events = wholeName(r.root, cmp.Or(os.Getenv("BREADCRUMB_EVENTS"), defaultEvents))
	if cmd.Flags().Changed("events") {
		r.live.Events = wholeName(folder, flag("events"))
	}
	mode, advice, err := chooseHealMode(healChoice{flag: flag("heal"), root: r.root, getenv: os.Getenv})
	if err != nil {
		return nil, usageError{err.Error()}
	}
	r.live.Heal, r.advice = string(mode), advice
	if r.live.Pictures, err = live.PictureMode(flag("pictures"), os.Getenv, r.root); err != nil {
		return nil, usageError{err.Error()}
	}
	if r.judge && gh.InActions(os.Getenv) {
		return nil, usageError{"--judge is for a person's machine; in a workflow the action judges, with heal-events: " + r.shortName(r.live.Events)}
	}
	return r, nil
}

// planReruns reads which tests run again.
func (r *testRun) planReruns(cmd *cobra.Command) (err error) {
	if r.rerun, err = cmd.Flags().GetString("rerun"); err == nil && !slices.Contains([]string{rerunAuto, rerunAlways, rerunNever}, r.rerun) {
		err = usageError{fmt.Sprintf("--rerun is %q; it must be %s, %s or %s", r.rerun, rerunAuto, rerunAlways, rerunNever)}
	}
	if err != nil {
		return err
	}
	if r.repeats, err = cmd.Flags().GetInt("repeat-new"); err == nil && (r.repeats < 0 || r.repeats > mostRepeats) {
		err = usageError{fmt.Sprintf("--repeat-new is %d; it must be from 0 to %d", r.repeats, mostRepeats)}
	}
	if gh.InActions(os.Getenv) {
		r.info, r.infoErr = gh.LoadEvent(os.Getenv, readEvent)
	}
	if r.info.PullRequest == 0 && !cmd.Flags().Changed("repeat-new") {
		r.repeats = 0
	}
	return err
}

// mostRepeats bounds the repeats of a new test.
const mostRepeats = 100

// wholeName returns the whole name of a file that is named in a folder.
func wholeName(folder, name string) string {
	if name == live.None || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}

// shortName returns the name of a file below the root.
func (r *testRun) shortName(name string) string {
	if short, err := filepath.Rel(r.root, name); err == nil && filepath.IsLocal(short) {
		return filepath.ToSlash(short)
	}
	return name
}

// run runs the command, tells what became of its locators, and judges where that was
// asked for. The error carries the exit code.
func (r *testRun) run(cmd *cobra.Command) error {
	if _, err := os.Stat(os.Getenv(attach.FolderVariable)); err == nil { //nolint:gosec // asks only whether it is there
		code, _ := r.start(os.Environ()) // a run around this one leads the command
		return r.exit(code)
	}
	code := r.lead(cmd.Context())
	if r.judge {
		return r.runJudgement(cmd, code)
	}
	return r.exit(code)
}

func (r *testRun) exit(code int) error {
	if code == 0 {
		return nil
	}
	return exitError{ci.Exit(code)}
}

// start runs the command to its end and returns its exit code as a shell does, and whether
// it could be started.
func (r *testRun) start(environ []string) (code int, started bool) {
	cmd := exec.Command(r.args[0], r.args[1:]...) //nolint:noctx,gosec // the command that the person named; ends by itself or by the signals that it is passed
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environ, os.Stdin, plainOutput(r.streams.Out), plainOutput(r.streams.Err)
	pass, stop := attach.HoldSignals()
	defer stop()
	err := cmd.Start()
	if err != nil {
		fmt.Fprintln(r.streams.Err, "breadcrumb: "+report.LogLine(err.Error()))
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			return exitNotFound, false
		}
		return exitNotExecutable, false
	}
	pass(cmd.Process)
	err = cmd.Wait()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		fmt.Fprintln(r.streams.Err, "breadcrumb: "+report.LogLine(err.Error()))
	}
	return attach.ExitCode(cmd.ProcessState), true
}

// plainOutput returns an output without the progress line around it, so that the command
// gets the terminal itself.
func plainOutput(w io.Writer) io.Writer {
	if s, ok := w.(screen); ok {
		return s.file
	}
	return w
}

// readEvents returns the events of this run.
func (r *testRun) readEvents() (events []engine.HealEvent, err error) {
	f, err := os.Open(r.live.Events)
	if r.live.Events == live.None || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read heal events: %w", err)
	}
	defer f.Close()
	all, _ := engine.ReadHeals(r.live.Events, f)
	for _, e := range all {
		if e.Timestamp >= float64(r.started.UnixMicro())/1e6 {
			events = append(events, e)
		}
	}
	return events, nil
}

// runJudgement judges the run that has just ended.
func (r *testRun) runJudgement(cmd *cobra.Command, code int) error {
	if _, err := os.Stat(r.live.Events); err == nil {
		v := r.settings["heal-events"]
		v.items = append(v.items, r.shortName(r.live.Events))
		r.settings["heal-events"] = v
	}
	outcome := ci.StepOutcomes()[0]
	if code != 0 {
		outcome = "failure"
	}
	r.settings[dbSetting] = value{items: []string{r.live.DB}, from: "--" + dbSetting}
	r.settings["step-outcome"] = value{items: []string{outcome}, from: "the command"}
	_, err := runCI(cmd.Context(), r.streams, r.settings)
	return err
}
