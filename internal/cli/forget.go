package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store"
)

func newForget(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "forget", Short: "Forget what was learned of an element, a test or a page", Args: refuseArgs,
		Long: "Forget what was learned of an element, of all elements of a test, or of those\non a page. They are learned anew when a test passes with them. Vetoes and the\nlessons of accepted edits stay.\n\n" +
			"With --veto, the element that the last heal or suggestion named for the locator\nis never taken for the lost one again, in this test, and the word by which it\ndiffered is no synonym. --undo-veto takes that back; the word stays no synonym.",
		Example: "  breadcrumb forget --test 'login.spec.ts › signs in' --locator '#login'\n  breadcrumb forget --test 'login.spec.ts › signs in'\n  breadcrumb forget --page /checkout\n  breadcrumb forget --test 'signs in' --locator '#login-btn' --veto",
	}
	db := cmd.Flags().String("db", ".breadcrumb.db", dbUsage)
	test := cmd.Flags().String("test", "", "`TEST` whose elements are forgotten: its name, the line that Playwright prints of it, or a part of its name that no other has")
	lost := cmd.Flags().String("locator", "", "`LOCATOR` of one element of the test, as the test writes it")
	page := cmd.Flags().String("page", "", "`PAGE` whose elements are forgotten: the path of its address")
	veto := cmd.Flags().Bool("veto", false, "and never take the element that the last heal or suggestion named")
	undone := cmd.Flags().String("undo-veto", "", "take back the veto with this `ID`, and forget nothing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("undo-veto") {
			if *test+*lost+*page != "" || *veto {
				return usageError{"--undo-veto names a veto by its id: leave the other flags out"}
			}
			return withDB(cmd.Context(), *db, toChange, func(ctx context.Context, d database) error { return undoVeto(ctx, d, s, *undone) })
		}
		what := store.Learned{TestID: engine.NewTestID(*test), Locator: store.CleanID(*lost), Page: *page}
		if err := checkForget(what, *veto); err != nil {
			return err
		}
		return withDB(cmd.Context(), *db, toChange, func(ctx context.Context, d database) error {
			if err := findLearned(ctx, d, &what, *veto); err != nil {
				return err
			}
			if err := nameAsStored(ctx, d, &what); err != nil {
				return err
			}
			if *veto {
				if err := vetoLast(ctx, d, s, what); err != nil {
					return err
				}
			}
			return forgetLearned(ctx, d, s, what, *veto)
		})
	}
	return cmd
}

// nothingInTest says of a test, %q, that nothing of it can be forgotten.
const nothingInTest = "nothing was learned in the test %q; `breadcrumb junit` shows how tests are named"

// findLearned gives the test that a person means the name that its elements were learned
// under or, for a veto, healed.
func findLearned(ctx context.Context, d database, what *store.Learned, veto bool) error {
	if what.TestID == "" {
		return nil
	}
	known, err := d.Fingerprints(ctx, "", maxLearned)
	if err != nil {
		return err
	}
	names := flaky.TestIDs(known.List, func(f engine.Fingerprint) engine.TestID { return f.TestID })
	for _, q := range []store.HealQuery{{}, {Refused: true, Suggested: true}} {
		if !veto {
			break
		}
		events, _, err := d.Heals(ctx, q)
		if err != nil {
			return err
		}
		names = append(names, flaky.TestIDs(events, func(e engine.HealEvent) engine.TestID { return e.TestID })...)
	}
	slices.Sort(names)
	what.TestID, err = findTest(slices.Compact(names), string(what.TestID), nothingInTest)
	return err
}

// nameAsStored gives a locator that is written as a call the name that its element was
// learned under.
func nameAsStored(ctx context.Context, d database, what *store.Learned) error {
	if what.Locator == "" {
		return nil
	}
	known, err := d.Fingerprints(ctx, what.TestID, maxLearned)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(known.List, func(f engine.Fingerprint) bool { return f.Locator == what.Locator }) {
		return nil
	}
	for _, f := range known.List {
		if locator.SameStored(f.Locator, what.Locator) {
			what.Locator = f.Locator
			break
		}
	}
	return nil
}

// maxLearned bounds the elements of a test that are looked through for a name.
const maxLearned = 10_000

// readable returns the name of an element as its test writes the locator.
func readable(test engine.TestID, name string) string {
	return locator.ReadableStored(name, patch.LanguageOf(engine.HealEvent{TestID: test}))
}

// checkForget returns an error unless the flags name an element, a test or a page.
func checkForget(what store.Learned, veto bool) error {
	switch {
	case what.TestID == "" && what.Locator != "":
		return usageError{"say of which test the locator is: --test TEST"}
	case what.TestID == "" && what.Page == "":
		return usageError{"say what to forget: --test TEST, with --locator LOCATOR for one element, or --page PAGE"}
	case what.TestID != "" && what.Page != "":
		return usageError{"name a test or a page, not both"}
	case veto && what.Locator == "":
		return usageError{"--veto is about one element: name it with --test TEST and --locator LOCATOR"}
	}
	return nil
}

// maxForgottenLines is how many forgotten elements are listed; the rest is counted.
const maxForgottenLines = 50

// forgetLearned forgets and prints what it forgot. Where a veto was added there may
// be nothing to forget.
func forgetLearned(ctx context.Context, d database, s Streams, what store.Learned, vetoed bool) error {
	forgotten, err := d.Forget(ctx, what, time.Now())
	if err != nil {
		return err
	}
	if len(forgotten) == 0 && !vetoed {
		return explainNothingLearned(ctx, d, what)
	}
	for _, e := range forgotten[:min(len(forgotten), maxForgottenLines)] {
		fmt.Fprintf(s.Out, "Forgotten: %s in %s\n", report.LogLine(readable(e.TestID, e.Locator)), report.LogLine(string(e.TestID)))
	}
	if more := len(forgotten) - maxForgottenLines; more > 0 {
		fmt.Fprintf(s.Out, "and %d more\n", more)
	}
	return nil
}

// explainNothingLearned says that nothing matches, and what would.
func explainNothingLearned(ctx context.Context, d database, what store.Learned) error {
	known, err := d.Fingerprints(ctx, what.TestID, maxLearned)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range known.List {
		if what.Page == "" {
			names = append(names, readable(f.TestID, f.Locator))
		} else if f.Page != "" {
			names = append(names, f.Page)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	hint := ""
	if len(names) > 0 {
		hint = "; known are " + strings.Join(names[:min(len(names), 5)], ", ")
		if len(names) > 5 {
			hint += fmt.Sprintf(" and %d more", len(names)-5)
		}
	}
	switch {
	case what.Page != "":
		return usageError{fmt.Sprintf("nothing was learned on the page %q%s", what.Page, hint)}
	case what.Locator != "" && hint != "":
		return usageError{fmt.Sprintf("nothing was learned of %q in this test%s", readable(what.TestID, what.Locator), hint)}
	}
	return usageError{fmt.Sprintf(nothingInTest, what.TestID)}
}

// vetoLast adds a veto of the element that the last heal or suggestion named for a
// locator. The words by which it differed are no synonyms.
func vetoLast(ctx context.Context, d database, s Streams, what store.Learned) error {
	var last engine.HealEvent
	for _, q := range []store.HealQuery{{Test: what.TestID}, {Test: what.TestID, Refused: true, Suggested: true}} {
		events, _, err := d.Heals(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range events {
			if engine.StoredLocator(e.Locator, e.Occurrence) == what.Locator && e.Healed.Tag != "" && e.Timestamp >= last.Timestamp {
				last = e
			}
		}
	}
	if last.Healed.Tag == "" {
		return usageError{fmt.Sprintf("no heal or suggestion for %q in this test named an element to veto", readable(what.TestID, what.Locator))}
	}
	veto := store.Veto{TestID: what.TestID, Locator: what.Locator, Signature: heal.SignatureOf(last.Healed), Who: currentUser(), At: time.Now()}
	if err := d.AddVeto(ctx, veto); err != nil {
		return err
	}
	if was, now, ok := (heal.Lesson{Changed: last.Changed}).Apart(); ok {
		if err := d.AddLesson(ctx, store.Lesson{Was: was, Now: now, Who: currentUser(), At: time.Now()}); err != nil {
			return err
		}
	}
	named := last.HealedLocator
	if named == "" {
		named = last.Healed.Tag
	}
	fmt.Fprintf(s.Out, "Vetoed: %s is never taken for %s again in %s\nTo undo: breadcrumb forget --undo-veto %s\n", report.LogLine(readable(what.TestID, named)),
		report.LogLine(readable(what.TestID, what.Locator)), report.LogLine(string(what.TestID)), veto.ID())
	return nil
}

// undoVeto takes back the veto with an id.
func undoVeto(ctx context.Context, d database, s Streams, id string) error {
	vetoes, err := d.Vetoes(ctx, "")
	if err != nil {
		return err
	}
	known := ""
	for _, v := range slices.Backward(vetoes) {
		said := fmt.Sprintf("%s of %s in %s", v.ID(), readable(v.TestID, v.Locator), cmp.Or(string(v.TestID), "every test"))
		if v.ID() == strings.ToLower(id) {
			v.Who, v.At = currentUser(), time.Now()
			if err := d.WithdrawVeto(ctx, v); err != nil {
				return err
			}
			_, err := fmt.Fprintf(s.Out, "Undone: the veto %s\n", report.LogLine(said))
			return err
		}
		if strings.Count(known, "\n") < maxForgottenLines {
			known += "\n" + report.LogLine(said) + report.LogLine(fmt.Sprintf(", by %s on %s", cmp.Or(v.Who, "somebody"), v.At.UTC().Format(time.DateOnly)))
		}
	}
	if known == "" {
		return usageError{"nothing is vetoed here"}
	}
	return usageError{fmt.Sprintf("no veto has the id %q; there are:%s", id, known)}
}
