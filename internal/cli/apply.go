package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store/postgres"
	"github.com/breadcrumb/action/trace/browser"
)

const applyLong = `Make the proposed edits in the working tree.

Reads the same reports, heal events and traces as 'breadcrumb ci' and edits
every healed locator that is sure enough, or those whose ids are given. A
suggestion is made only when its id is given, alone or behind 'all': its element
means something else now, or its test failed all the same. The other uses of a
healed element that the database file or the code around it shows are edited
with it, as one bundle, and what was found ahead on a page that changed as one
redesign. Nothing else of a file changes.

At a terminal each bundle is shown and asked for, unless --yes is given.

Where the database is there, the edits teach what they teach on a pull request:
the element that an accepted suggestion names takes the lost one's place, and
its word counts as a synonym. Nothing else is written to it.`

const applyExample = `  breadcrumb apply --junit results.xml --heal-events heals.ndjson --dry-run
  breadcrumb apply 8e909bbe --junit results.xml --heal-events heals.ndjson`

// applySettings are the settings of `breadcrumb ci` that decide which edits are
// proposed.
var applySettings = []string{"junit", "max-report-bytes", "report-limits", "heal-events", "heal-db", "traces", "replay", "db", "repo", "edit-paths", "dry-run"}

func newApply(s Streams) *cobra.Command {
	settings := ciSettings()
	cmd := &cobra.Command{Use: "apply [all] [ID…]", Short: "Make the proposed edits in the working tree", Long: applyLong, Example: applyExample}
	configFile := addFlags(cmd, pickSettings(settings, applySettings...))
	cmd.Flags().Lookup("dry-run").Usage = "show the edits and write nothing"
	cmd.Flags().Lookup("db").Usage = "database that the edits teach, if it is there: `FILE` or postgres:// URL"
	yes := cmd.Flags().BoolP("yes", "y", false, "make the edits without asking")
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		vs, err := resolveSettings(cmd, settings, *configFile, os.Getenv)
		if err != nil {
			return err
		}
		cfg, err := vs.buildConfig()
		if err != nil && len(vs["junit"].items) == 0 {
			err = usageError{err.Error() + "; heal events alone do not say which tests passed with the old locator, and those must not be edited"}
		}
		if err != nil {
			return err
		}
		keep, err := findTaught(vs["db"])
		if err != nil {
			return err
		}
		s.progress.show("reading the reports and the tests")
		var choose func(outcome.Run) ([]string, error)
		if in := s.answers(); in != nil && !*yes && !cfg.DryRun {
			choose = func(run outcome.Run) ([]string, error) {
				s.progress.close() // it would write over the questions
				return askBundles(cmd.Context(), in, s.Out, run)
			}
		}
		done, err := ci.Apply(cmd.Context(), cfg, editDeps(), ids, choose)
		if err == nil && len(cfg.HealEvents) == 0 {
			done.Notices = append(done.Notices, unreadEvents()...)
		}
		if err == nil || len(done.Edits) > 0 {
			if printErr := printApplied(s.Out, done, cfg.DryRun); printErr != nil && err == nil {
				err = fmt.Errorf("print edits: %w", printErr)
			}
		}
		if err != nil || cfg.DryRun || cfg.NoLearn || !keep {
			return err
		}
		return keepTaught(cmd.Context(), s.Out, cfg.DB, done.Edits)
	}
	return cmd
}

// unreadEvents says that `breadcrumb run` left heal events here that nobody asked for.
func unreadEvents() []engine.Notice {
	if _, err := os.Stat(defaultEvents); err != nil {
		return nil
	}
	return []engine.Notice{{File: defaultEvents, Severity: engine.SeverityWarning, Reason: "not read: add --heal-events " + defaultEvents}}
}

// editDeps returns what edits are worked out with.
func editDeps() ci.Deps {
	return ci.Deps{Now: time.Now, Browser: openBrowser}
}

func openBrowser() (ci.Browser, error) { return browser.Open(os.Getenv) }

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
	_, err = fmt.Fprintf(out, "The database learned from %s.\n", text.Count(len(accepted), "edit", "edits"))
	return err
}

// bundle is edits that are taken or left together.
type bundle struct {
	title string
	edits []outcome.OfferedEdit
}

// bundlesOf returns the offered edits of a run as they are asked for: what is offered for
// a page that changed, then those of each other element, then each suggestion.
func bundlesOf(run outcome.Run) []bundle {
	var all, suggested []bundle
	taken := map[string]bool{}
	for _, d := range run.Redesigns() {
		all = append(all, bundle{"redesign of " + report.LogLine(d.Page) + ": " + d.Reach(), d.Edits})
		for _, e := range d.Edits {
			taken[e.ID] = true
		}
	}
	of := map[string][]outcome.OfferedEdit{} // by bundle
	for _, e := range run.Edits {
		if key := cmp.Or(e.Bundle, e.ID); !taken[e.ID] {
			of[key] = append(of[key], e)
		}
	}
	for _, e := range run.Edits {
		key := cmp.Or(e.Bundle, e.ID)
		edits := of[key]
		delete(of, key)
		if len(edits) == 0 {
			continue
		}
		p := run.Proposals[e.Proposal]
		b := bundle{report.LogLine(p.Old() + " → " + p.New()), edits}
		if e.Changed == "" {
			all = append(all, b)
			continue
		}
		b.title += ", only suggested: " + report.LogLine(e.Changed)
		suggested = append(suggested, b)
	}
	return append(all, suggested...)
}

// askBundles shows each bundle and returns the ids of the edits that are to be made. An
// input that ends leaves the rest.
func askBundles(ctx context.Context, in io.Reader, out io.Writer, run outcome.Run) (ids []string, err error) {
	lines := make(chan string)
	go func() { // reading cannot be interrupted; the process ends soon
		defer close(lines)
		for answers := bufio.NewScanner(in); answers.Scan(); {
			lines <- answers.Text()
		}
	}()
	bundles := bundlesOf(run)
	for i, b := range bundles {
		fmt.Fprintf(out, "\n%d of %d: %s\n", i+1, len(bundles), b.title)
		if err := report.ConsoleEdits(out, b.edits, consoleOptions(out)); err != nil {
			return nil, err
		}
		if note := run.Proposals[b.edits[0].Proposal].Note; note != "" {
			fmt.Fprintln(out, report.LogLine(note))
		}
		question := "Make " + text.Count(len(b.edits), "edit", "edits") + "? [y]es, [n]o, [q]uit: "
		switch answer, err := askOne(ctx, lines, out, question, "yes", "no", "quit"); {
		case err != nil:
			return nil, err
		case answer == "quit":
			return ids, nil
		case answer == "yes":
			for _, e := range b.edits {
				ids = append(ids, e.ID)
			}
		}
	}
	return ids, nil
}

// askOne asks until the answer is one of some words or begins one, the last of them where
// the input ends.
func askOne(ctx context.Context, lines <-chan string, out io.Writer, question string, words ...string) (string, error) {
	for {
		fmt.Fprint(out, question)
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case line, open := <-lines:
			given := strings.ToLower(strings.TrimSpace(line))
			i := slices.IndexFunc(words, func(w string) bool { return given != "" && strings.HasPrefix(w, given) })
			if !open {
				i = len(words) - 1
			}
			if i >= 0 {
				return words[i], nil
			}
		}
	}
}

// printApplied prints every edit, and the reason for every healed locator that has
// none.
func printApplied(w io.Writer, done ci.Applied, dryRun bool) error {
	if err := report.ConsoleEdits(w, done.Edits, consoleOptions(w)); err != nil {
		return err
	}
	var out strings.Builder
	for _, o := range done.Unasked {
		how := ": only suggested, name it to make it: " + o.Changed
		if with := report.MadeWith(o); with != "" {
			how = with
		}
		fmt.Fprintf(&out, "%s  %s%s\n    - %s\n    + %s\n", o.ID, report.LogLine(text.Place(o.Edit.File, o.Edit.Line)),
			report.LogLine(how), report.LogLine(strings.TrimSpace(o.Edit.Before)), report.LogLine(strings.TrimSpace(o.Edit.After)))
	}
	for _, p := range done.Without {
		reason := cmp.Or(p.Reason, outcome.NotSure(p))
		fmt.Fprintf(&out, "not edited: %s in %s: %s\n", report.LogLine(p.Old()), report.LogLine(string(p.Heal.TestID)), report.LogLine(reason))
	}
	for _, n := range done.Notices {
		place := ""
		if n.File != "" {
			place = report.LogLine(text.Place(n.File, n.Line)) + ": "
		}
		fmt.Fprintf(&out, "note: %s%s\n", place, report.LogLine(n.Reason))
	}
	switch n := len(done.Edits); {
	case done.Declined:
		out.WriteString("No edits made.\n")
	case n == 0 && len(done.Unasked) > 0:
		out.WriteString("Nothing to edit but what is only suggested.\n")
	case n == 0:
		out.WriteString("Nothing to edit" + whyNone(done) + ".\n")
	case dryRun:
		fmt.Fprintf(&out, "%s, nothing written (--dry-run).\n", text.Count(n, "edit", "edits"))
	default:
		fmt.Fprintf(&out, "%s in %s.\n", text.Count(n, "edit", "edits"), text.Count(len(done.Files), "file", "files"))
	}
	if ids := idsOf(done.Unasked); len(ids) > 0 {
		how := "only by id: breadcrumb apply "
		if len(done.Edits) > 0 {
			how = "more only by id: breadcrumb apply all "
		}
		fmt.Fprintf(&out, "%d %s%s\n", len(done.Unasked), how, strings.Join(ids, " "))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// idsOf returns the ids that name edits, each bundle once.
func idsOf(edits []outcome.OfferedEdit) (ids []string) {
	for _, e := range edits {
		if id := cmp.Or(e.Bundle, e.ID); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// whyNone says why there is no edit where no locator's line has told.
func whyNone(done ci.Applied) string {
	switch {
	case len(done.Without) > 0:
		return ""
	case done.Lost == 0:
		return ": no locator was lost"
	case done.Done > 0:
		return ": " + text.Count(done.Done, "locator was found ahead that is", "locators were found ahead that are") + " edited already, or whose tests passed"
	case len(done.Refused) > 0:
		return ": what was lost was not found again"
	}
	return ""
}

// answers returns the input that questions are answered by, nil where nobody is at a
// terminal to read and answer them.
func (s Streams) answers() io.Reader {
	if f, ok := s.In.(*os.File); ok {
		if _, shown := terminalWidth(s.Out); !shown || !term.IsTerminal(int(f.Fd())) {
			return nil
		}
	}
	return s.In
}
