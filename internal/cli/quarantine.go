package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store/postgres"
)

func newQuarantine(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine",
		Short: "List, add or release quarantined tests; show the log",
		Long:  "A quarantined test still runs; its failures are told but do not block.",
		Args:  refuseUnknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	db := cmd.PersistentFlags().String("db", ".breadcrumb.db", dbUsage)
	cmd.AddCommand(newQuarantineList(s, db), newQuarantineAdd(s, db), newQuarantineRelease(s, db), newQuarantineLog(s, db))
	return cmd
}

func newQuarantineList(s Streams, db *string) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List quarantined tests",
		Example: "  breadcrumb quarantine list",
		Args:    refuseArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withDB(cmd.Context(), *db, toRead, func(ctx context.Context, d database) error {
				quarantine, err := health.LoadQuarantine(ctx, d)
				if err != nil {
					return fmt.Errorf("read quarantine: %w", err)
				}
				printEntries(s.Out, quarantine.Entries())
				return nil
			})
		},
	}
}

func newQuarantineAdd(s Streams, db *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "add TEST",
		Short:   "Put a test into quarantine",
		Long:    "Put a test into quarantine: by the identity that `breadcrumb ci` prints, by the\nline that Playwright prints of it, or by a part that no other test has.\nIt stays until it is released by hand, or with --auto-release until its flip\nrate is Stable or Intermittent again.",
		Example: "  breadcrumb quarantine add 'login.spec.ts › signs in' --reason 'PROJ-123: slow'",
		Args:    requireOneTest,
	}
	reason := cmd.Flags().String("reason", "", "`WHY`, for everyone who reads the comment (required)")
	auto := cmd.Flags().Bool("auto-release", false, "release the test when it is stable again")
	unseen := cmd.Flags().Bool("unseen", false, "take the name as it is, of a test that has not run yet")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *reason == "" {
			return usageError{"say why with --reason: the pull request comment shows it"}
		}
		return withDB(cmd.Context(), *db, toChange, func(ctx context.Context, d database) error {
			id := engine.NewTestID(args[0])
			if !*unseen {
				ran, err := testsThatRan(ctx, d)
				if err != nil {
					return err
				}
				if id, err = findTest(ran, args[0], "no test is called %q in this database: `breadcrumb junit` prints the names in a report; for a test that has not run yet add --unseen"); err != nil {
					return err
				}
			}
			entry := flaky.Entry{TestID: id, Reason: *reason, Since: time.Now(), AutoUnquarantine: *auto}
			if err := d.QuarantineAdd(ctx, entry, currentUser()); err != nil {
				return fmt.Errorf("add to quarantine: %w", err)
			}
			fmt.Fprintf(s.Out, "In quarantine: %s\n", report.LogLine(string(id)))
			if !gh.InActions(os.Getenv) && !postgres.IsURL(*db) {
				fmt.Fprintf(s.Out, "That is in %s only, from the next run on; in GitHub Actions comment /breadcrumb quarantine %s\n", *db, report.LogLine(string(id)))
			}
			return nil
		})
	}
	return cmd
}

// testsThatRan returns the tests that a database has results of.
func testsThatRan(ctx context.Context, d database) ([]engine.TestID, error) {
	histories, _, err := d.HistoriesSince(ctx, 1, time.Unix(0, 0))
	if err != nil {
		return nil, fmt.Errorf("look up test: %w", err)
	}
	return flaky.TestIDs(histories, func(h flaky.History) engine.TestID { return h.TestID }), nil
}

// findTest returns the one of names that a person means. The error names those that may be
// meant, or says none, in which %q is what was asked for.
func findTest(names []engine.TestID, asked, none string) (engine.TestID, error) {
	found, similar := identity.FindName(names, asked)
	switch {
	case found != "":
		return found, nil
	case len(similar) == 0:
		refusal := fmt.Sprintf(none, report.LogLine(asked))
		if near := nearNames(names, asked); len(near) > 0 {
			refusal += "; near it are:" + listNames(near)
		}
		return "", usageError{refusal}
	}
	return "", usageError{fmt.Sprintf("%q may be several tests; name one of them:%s", report.LogLine(asked), listNames(similar))}
}

// listNames returns names of tests for a message, a line each.
func listNames(names []engine.TestID) string {
	var list strings.Builder
	for _, name := range names {
		list.WriteString("\n  " + report.LogLine(string(name)))
	}
	return list.String()
}

// nearNames returns the names that have at least half of the words asked for, those with most
// of them first, [identity.MaxSimilar] at most. A word with the same first three letters counts as the same,
// since people mistype the ends of words.
func nearNames(names []engine.TestID, asked string) (near []engine.TestID) {
	wordsOf := func(s string) (words []string) {
		for _, word := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if letters := []rune(word); len(letters) >= 3 {
				words = append(words, string(letters[:3]))
			}
		}
		return words
	}
	wanted, shared := wordsOf(asked), map[engine.TestID]int{}
	for _, name := range names {
		had, has := 0, wordsOf(string(name))
		for _, word := range wanted {
			if slices.Contains(has, word) {
				had++
			}
		}
		if had > 0 && 2*had >= len(wanted) {
			near, shared[name] = append(near, name), had
		}
	}
	slices.SortStableFunc(near, func(a, b engine.TestID) int { return cmp.Compare(shared[b], shared[a]) })
	return near[:min(len(near), identity.MaxSimilar)]
}

func newQuarantineRelease(s Streams, db *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "release TEST",
		Short:   "Take a test out of quarantine",
		Long:    "Take a test out of quarantine, named as for add.",
		Example: "  breadcrumb quarantine release 'login.spec.ts › signs in' --reason fixed",
		Args:    requireOneTest,
	}
	completeTests(cmd, db)
	reason := cmd.Flags().String("reason", "released by hand", "`WHY`, for the log")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return withDB(cmd.Context(), *db, toChange, func(ctx context.Context, d database) error {
			entries, err := d.Quarantine(ctx)
			if err != nil {
				return fmt.Errorf("read quarantine: %w", err)
			}
			held := flaky.TestIDs(entries, func(e flaky.Entry) engine.TestID { return e.TestID })
			id, err := findTest(held, args[0], "%q is not in quarantine; `breadcrumb quarantine list` shows what is")
			if err != nil {
				return err
			}
			if _, err := d.QuarantineRelease(ctx, id, currentUser(), *reason, time.Now()); err != nil {
				return fmt.Errorf("release from quarantine: %w", err)
			}
			fmt.Fprintf(s.Out, "Released: %s\n", report.LogLine(string(id)))
			return nil
		})
	}
	return cmd
}

func newQuarantineLog(s Streams, db *string) *cobra.Command {
	return &cobra.Command{
		Use:     "log",
		Short:   "Show who moved tests in or out, when and why",
		Long:    "Show every test that entered or left quarantine, and every change of a setting\nthat affects it: when, who, and why. Breadcrumb itself is \"breadcrumb\".",
		Example: "  breadcrumb quarantine log",
		Args:    refuseArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withDB(cmd.Context(), *db, toRead, func(ctx context.Context, d database) error {
				log, err := d.QuarantineLog(ctx)
				if err != nil {
					return fmt.Errorf("read quarantine log: %w", err)
				}
				if len(log) == 0 {
					fmt.Fprintln(s.Out, "Nothing has happened to the quarantine.")
				}
				for _, e := range log {
					what := "in"
					switch {
					case e.Setting:
						what = "set"
					case e.Change.Released:
						what = "out"
					}
					printWrapped(s.Out, "", e.At.UTC().Format("2006-01-02 15:04")+"  "+what+" "+report.LogLine(string(e.Change.TestID)))
					printWrapped(s.Out, "    ", "by "+report.LogLine(e.Who)+": "+report.LogLine(e.Change.Reason))
				}
				return nil
			})
		},
	}
}

func requireOneTest(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return usageError{fmt.Sprintf("name one test, in quotes%s ('%s --help')", switchHint(cmd, args), cmd.CommandPath())}
	}
	return nil
}

// printEntries prints the quarantined tests: since when, why, their exit criteria
// and owner. The instances of a parametrised test stand below its name.
func printEntries(w io.Writer, entries []flaky.Entry) {
	if len(entries) == 0 {
		fmt.Fprintln(w, "No test is in quarantine.")
	}
	ids := make([]engine.TestID, len(entries))
	for i, e := range entries {
		ids[i] = e.TestID
	}
	for _, members := range flaky.Grouped(ids) {
		indent := ""
		if len(members) > 1 {
			fmt.Fprintf(w, "%s — %d parameters\n", report.LogLine(string(flaky.Group(ids[members[0]]))), len(members))
			indent = "    "
		}
		for _, i := range members {
			e, inner := entries[i], indent+"    "
			printWrapped(w, indent, report.LogLine(string(e.TestID)))
			printWrapped(w, inner, "since "+e.Since.UTC().Format(time.DateOnly)+": "+report.LogLine(e.Reason))
			printWrapped(w, inner, e.ExitCriteria())
			if e.Owner != "" {
				printWrapped(w, inner, "owner: "+report.LogLine(e.Owner))
			}
		}
	}
}

// printWrapped prints a line behind an indent, at a terminal broken to its width: what
// goes to a file or another program stays one line.
func printWrapped(w io.Writer, indent, line string) {
	lines := []string{line}
	if width, is := terminalWidth(w); is {
		lines = report.Wrap(line, min(width, 120)-len(indent))
	}
	for _, l := range lines {
		fmt.Fprintf(w, "%s%s\n", indent, l)
	}
}

// currentUser returns the name that the quarantine log records.
func currentUser() string {
	if actor := os.Getenv("GITHUB_ACTOR"); actor != "" {
		return actor
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

// completeTests makes shell completion propose the tests in quarantine.
func completeTests(cmd *cobra.Command, db *string) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		err := withDB(cmd.Context(), *db, toRead, func(ctx context.Context, d database) error {
			entries, err := d.Quarantine(ctx)
			for _, e := range entries {
				ids = append(ids, string(e.TestID))
			}
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
