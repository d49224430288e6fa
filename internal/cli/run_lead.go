package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/proxy/attach"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store/sqlite"
)

// lead runs the command with its browsers led through the proxy, and returns its exit
// code. A fault of ours is told, and the command runs without.
func (r *testRun) lead(ctx context.Context) int {
	log := newLogger(r.streams.Err)
	executable, err := os.Executable()
	var session *attach.Session
	if err == nil {
		session, err = attach.Open(attach.Options{Live: r.live, Folder: r.root, Executable: executable, Environ: os.Environ(), Log: log})
	}
	if err != nil {
		log.Warn("the tests run without healing", slog.String("error", report.LogLine(err.Error())))
		code, _ := r.start(os.Environ())
		return code
	}
	if r.live.Events != live.None && !inCI(os.Getenv) { // a job's file has the events of that job
		if err := live.AppendRunStart(r.live.Events, engine.RunStart{Timestamp: float64(r.started.UnixMicro()) / 1e6}); err != nil {
			log.Warn("heal events of earlier runs may count for this one", slog.String("error", report.LogLine(err.Error())))
		}
	}
	r.knew, _ = r.countKnown(ctx) // none where there is no database yet
	code, started := r.start(session.Environment())
	result := session.Close()
	if !started {
		return code
	}
	if err := r.tell(ctx, result); err != nil {
		log.Warn("the summary is not told", slog.String("error", report.LogLine(err.Error())))
	}
	if ctx.Err() == nil {
		r.rerunFailed(ctx, result)
	}
	if ctx.Err() == nil {
		r.repeatNew(ctx, result)
	}
	if r.trialTime > 0 && ctx.Err() == nil {
		r.tryEdits(ctx, result)
	}
	return code
}

// propose returns the edits for the events of the run.
func (r *testRun) propose(ctx context.Context, events []engine.HealEvent, attempts []engine.TestResult) ([]patch.Proposal, error) {
	return ci.ProposeFor(ctx, r.root, r.live.DB, events, attempts)
}

// attemptsOf returns the attempts that a run told of.
func attemptsOf(ended attach.Result) (attempts []engine.TestResult) {
	for _, test := range ended.Tests {
		attempts = append(attempts, test.Result())
	}
	return attempts
}

// say tells the person something, on a line.
func (r *testRun) say(format string, args ...any) {
	fmt.Fprintln(r.streams.Err, "breadcrumb: "+report.LogLine(fmt.Sprintf(format, args...)))
}

// tell writes what was healed, suggested and refused, and what to do next.
func (r *testRun) tell(ctx context.Context, result attach.Result) error {
	var out strings.Builder
	width, isTerminal := terminalWidth(r.streams.Err)
	if !isTerminal {
		width = 0 // who reads a log looks for a whole line
	}
	all, err := r.readEvents()
	events := r.withoutDone(ctx, all, attemptsOf(result))
	if err := errors.Join(err, live.SummaryIn(&out, events, width)); err != nil {
		return err
	}
	if len(all) > 0 {
		fmt.Fprintln(&out, "breadcrumb: heal events are in "+r.shortName(r.live.Events)+"; "+r.nextEdits(events))
		if r.advice != "" {
			fmt.Fprintln(&out, "breadcrumb: "+r.advice)
		}
	} else if result.Connections > 0 && !r.judge {
		if next, err := r.nextStep(ctx); err == nil {
			fmt.Fprintln(&out, "breadcrumb: "+report.LogLine(next))
		}
	}
	for _, note := range result.Notes {
		fmt.Fprintln(&out, "breadcrumb: "+report.LogLine(note))
	}
	if result.Connections == 0 && len(result.Notes) == 0 {
		fmt.Fprintln(&out, "breadcrumb: the command started no browser that Playwright's test runners lead here, so nothing was learned")
	}
	_, err = io.WriteString(r.streams.Err, out.String())
	return err
}

// withoutDone returns the events without what was found ahead and has no edit: the tests
// look for it no longer, or passed without a loss. What is left has its new locator as the
// test would write it. Where that cannot be told all events are returned.
func (r *testRun) withoutDone(ctx context.Context, events []engine.HealEvent, attempts []engine.TestResult) []engine.HealEvent {
	if !slices.ContainsFunc(events, func(e engine.HealEvent) bool { return e.Ahead }) {
		return events
	}
	proposals, err := r.propose(ctx, events, attempts)
	if err != nil {
		return events
	}
	var left []engine.HealEvent
	for _, e := range events {
		i := slices.IndexFunc(proposals, func(p patch.Proposal) bool {
			h := p.Heal
			return h.Ahead && !p.Follows() && h.TestID == e.TestID && h.Locator == e.Locator && h.Occurrence == e.Occurrence
		})
		switch {
		case !e.Ahead:
		case i < 0:
			continue
		case e.HealedLocator == "":
			e.HealedLocator = proposals[i].Locator
		}
		left = append(left, e)
	}
	return left
}

// nextStep says what a run without heal events left, and what to do next.
func (r *testRun) nextStep(ctx context.Context) (next string, err error) {
	known, err := r.countKnown(ctx)
	if err != nil {
		return "", err
	}
	use := ", used to find lost locators"
	if r.live.Heal == string(engine.HealOff) {
		use = "; heal is off, so no lost locator is looked for"
	}
	next = fmt.Sprintf("%s known in %s (%d new)%s", text.Count(known, "element is", "elements are"), r.shortName(r.live.DB), max(0, known-r.knew), use)
	if inCI(os.Getenv) { // a job goes on by itself
		return next, nil
	}
	next += "; "
	switch reports := knownSettings()["junit"].items; {
	case len(reports) == 0:
		next += "'breadcrumb ci --junit REPORT' judges this run, 'breadcrumb init' writes the workflows"
	case !r.wroteReport(reports):
		next += "'breadcrumb ci' judges a run that writes a report at " + strings.Join(reports, ", ") + ", and this one wrote none: " + reporterAdvice
	default:
		next += "'breadcrumb ci' judges this run"
	}
	return next, err
}

// countKnown returns how many elements the database knows.
func (r *testRun) countKnown(ctx context.Context) (known int, err error) {
	err = withDB(ctx, r.live.DB, toRead, func(ctx context.Context, db database) error {
		stats, err := db.(*sqlite.DB).Stats(ctx) // run learns into a file
		known = stats.Fingerprints
		return err
	})
	return known, err
}

// reporterAdvice says how a run comes to write the report that is read.
const reporterAdvice = "'breadcrumb init --edit-config' adds the reporter to Playwright's configuration; other runners have an option, such as pytest's --junitxml"

// nextEdits says how the edits of the run's heal events are taken, which needs its report.
func (r *testRun) nextEdits(events []engine.HealEvent) string {
	if !slices.ContainsFunc(events, func(e engine.HealEvent) bool { return e.Outcome != engine.OutcomeRefused }) {
		return "no test has anything to edit for them"
	}
	settings := knownSettings()
	reports := settings["junit"].items
	isSet := len(reports) > 0 && len(settings["heal-events"].items) > 0
	if isSet && !r.wroteReport(reports) {
		return "'breadcrumb apply' takes the edits of a run that writes a report at " + report.LogLine(strings.Join(reports, ", ")) + ", and this one wrote none: " + reporterAdvice
	}
	take := "take the edits"
	if !slices.ContainsFunc(events, func(e engine.HealEvent) bool { return !(patch.Proposal{Heal: e}).ByIDOnly() }) {
		take = "look at what is suggested"
	}
	if folder, err := os.Getwd(); err == nil && r.root != "" && folder != r.root {
		take += " at the top of the repository"
	}
	take += " with\n  breadcrumb apply"
	if !isSet {
		take += " --heal-events '" + r.shortName(r.live.Events) + "' --junit '<the report of this run>'"
	}
	return take
}

// wroteReport reports whether a file of these patterns is of this run.
func (r *testRun) wroteReport(patterns []string) bool {
	for _, pattern := range patterns {
		names, _ := doublestar.FilepathGlob(pattern, doublestar.WithFilesOnly())
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && !info.ModTime().Before(r.started.Truncate(time.Second)) { // some file systems keep seconds
				return true
			}
		}
	}
	return false
}

// knownSettings returns the settings of the file in this folder, none where it cannot be
// read.
func knownSettings() values {
	vs, _ := readConfigFile(defaultConfigFile, false, ciSettings())
	return vs
}
