package live

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
	selectors "github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

// maxLineRunes bounds the texts of the summary, in characters.
const maxLineRunes = 100

// Summary saves what still waits and writes what the process healed, suggested and
// refused, boxed as selfmend does. Call it at the end of TestMain:
//
//	func TestMain(m *testing.M) {
//		code := m.Run()
//		crumb.Summary(os.Stdout)
//		os.Exit(code)
//	}
//
// Nothing is written when no locator was lost and nothing went wrong. The error
// is that of the writer.
func Summary(w io.Writer) error {
	return process.summary(w)
}

func (s *shared) summary(w io.Writer) error {
	s.mu.Lock()
	open := slices.Collect(maps.Values(s.tests))
	s.mu.Unlock()
	for _, t := range open {
		t.flushAt(true)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(w, renderBoxes(s.events, s.more, s.troubles))
	return err
}

// Events returns what Summary tells of, in the order it came: heals, suggestions,
// refusals, and locators that find another element than was learned. Count says how many
// calls met the same. Of more than 10,000 it returns the first.
func Events() []engine.HealEvent {
	process.mu.Lock()
	defer process.mu.Unlock()
	return slices.Clone(process.events)
}

// SummaryOf writes events that were read from a file as Summary writes its own, and what
// went wrong in this process. The error is that of the writer.
func SummaryOf(w io.Writer, events []engine.HealEvent) error {
	return SummaryIn(w, events, 0)
}

// SummaryIn is SummaryOf in boxes of at most width columns, 0 for as wide as the lines are.
func SummaryIn(w io.Writer, events []engine.HealEvent, width int) error {
	process.mu.Lock()
	troubles := slices.Clone(process.troubles)
	process.mu.Unlock()
	shown := events[:min(len(events), maxEvents)]
	_, err := io.WriteString(w, fitBoxes(renderBoxes(shown, len(events)-len(shown), troubles), width))
	return err
}

// fitBoxes draws boxes anew that are wider than so many columns, 0 for any, with their
// lines broken.
func fitBoxes(boxes string, width int) string {
	const frame = len("│ ") + len(" │") - 4 // columns, of which each line of the frame is one
	if width <= frame {
		return boxes
	}
	var fitted strings.Builder
	var lines []string
	for line := range strings.Lines(boxes) {
		inner, inside := strings.CutPrefix(strings.TrimSuffix(line, " │\n"), "│ ")
		switch {
		case inside:
			lines = append(lines, breakLine(strings.TrimRight(inner, " "), width-frame)...)
		case len(lines) > 0: // the lower edge
			fitted.WriteString(drawBox(lines[0], lines[1:]))
			lines = nil
		}
	}
	return fitted.String()
}

// breakLine breaks a line at spaces where it can; what goes on is indented further.
func breakLine(line string, width int) (lines []string) {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))] + "  "
	for rest, lead := line, ""; ; lead = indent {
		runes := []rune(lead + rest)
		if len(runes) <= width || width <= len(indent)+1 {
			return append(lines, string(runes))
		}
		end := width
		for at := width; at > len(indent); at-- {
			if runes[at] == ' ' {
				end = at
				break
			}
		}
		lines = append(lines, strings.TrimRight(string(runes[:end]), " "))
		rest = strings.TrimLeft(string(runes[end:]), " ")
	}
}

// renderBoxes returns the boxes, each with its line end.
func renderBoxes(events []engine.HealEvent, more int, troubles []string) string {
	var healed, suggested, drifted, refused, found, other []string
	type fate struct{ box, locator, now string }
	counts, counted := map[string]int{}, map[fate]bool{} // each locator once for all its tests
	count := func(box string, e engine.HealEvent, now string) {
		f := fate{box, printedLocator(e), now}
		if !counted[f] {
			counted[f] = true
			counts[box]++
		}
	}
	tests := map[engine.TestID]bool{} // that healed
	for _, e := range distinct(events) {
		test, now := oneLine(string(e.TestID)), printedSuccessor(e)
		switch {
		case e.Reason == engine.ReasonDrifted:
			count("drifted", e, "")
			drifted = append(append(drifted, test, "  "+printedLocator(e)), printChanges(e.Changed)...)
		case e.Ahead:
			next, _ := selectors.Replacement(e)
			now = oneLine(selectors.Readable(next.String(), languageOf(e)))
			count("ahead", e, now)
			found = append(found, test, fmt.Sprintf("  %s ? %s  %s", printedLocator(e), now, outcome.Match(e)))
			found = append(found, printChanges(e.Changed)...)
		case e.Outcome == engine.OutcomeHealed:
			count("healed", e, now)
			tests[e.TestID] = true
			healed = append(healed, test, fmt.Sprintf("  %s -> %s  %s%s", printedLocator(e), now, outcome.Match(e), printCount(e)))
			healed = append(healed, printPicture(e)...)
		case e.Outcome == engine.OutcomeSuggested:
			count("suggested", e, now)
			suggested = append(suggested, test, fmt.Sprintf("  %s ? %s  %s%s", printedLocator(e), now, outcome.Match(e), printCount(e)))
			suggested = append(append(suggested, printWhy(e)...), printPicture(e)...)
		default:
			count("refused", e, "")
			refused = append(append(refused, test, "  "+printedLocator(e)+printCount(e)), printWhy(e)...)
		}
	}
	for _, t := range troubles {
		other = append(other, oneLine(t))
	}
	if more > 0 {
		other = append(other, fmt.Sprintf("%d more heals, suggestions and refusals are not shown", more))
	}
	return drawBox("breadcrumb: "+outcome.CountHealed(counts["healed"], len(tests)), healed) +
		drawBox(fmt.Sprintf("breadcrumb: %s for you to check, nothing was done", text.Count(counts["suggested"], "suggestion", "suggestions")), suggested) +
		drawBox(fmt.Sprintf("breadcrumb: %s found ahead, on pages that changed", text.Count(counts["ahead"], "locator", "locators")), found) +
		drawBox(fmt.Sprintf("breadcrumb: %s another element than was learned", text.Count(counts["drifted"], "locator finds", "locators find")), drifted) +
		drawBox(fmt.Sprintf("breadcrumb: %s not healed", text.Count(counts["refused"], "locator", "locators")), refused) +
		drawBox("breadcrumb: not everything was learned or saved", other)
}

// distinct returns the events without those that a retry of the test met once more, and
// those that are ahead of a loss which its test met itself.
func distinct(events []engine.HealEvent) []engine.HealEvent {
	type use struct {
		test       engine.TestID
		locator    string
		occurrence int
	}
	met := map[use]bool{}
	for _, e := range events {
		if !e.Ahead {
			met[use{e.TestID, e.Locator, e.Occurrence}] = true
		}
	}
	type fate struct {
		use
		outcome        engine.HealOutcome
		reason, healed string
	}
	told := map[fate]bool{}
	return slices.DeleteFunc(slices.Clone(events), func(e engine.HealEvent) bool {
		u := use{e.TestID, e.Locator, e.Occurrence}
		f := fate{u, e.Outcome, e.Reason, e.HealedLocator}
		again := told[f]
		told[f] = true
		return again || e.Ahead && met[u]
	})
}

// printCount says how many calls met a loss, "" for one.
func printCount(e engine.HealEvent) string {
	if e.Count < 2 {
		return ""
	}
	return fmt.Sprintf("  %d calls", e.Count)
}

// maxChanges bounds the differences of a suggestion that are shown.
const maxChanges = 3

// printWhy says what a suggested element means otherwise, or why else a locator was not
// healed.
func printWhy(e engine.HealEvent) []string {
	if len(e.Changed) > 0 && !outcome.IsGone(e) {
		return printChanges(e.Changed)
	}
	return []string{"    " + oneLine(outcome.Reason(e))}
}

// printChanges says what an element means otherwise, a line each.
func printChanges(changed []engine.Change) []string {
	var lines []string
	for _, c := range changed[:min(len(changed), maxChanges)] {
		lines = append(lines, "    "+outcome.DescribeChange(c, quoteText))
	}
	return lines
}

// printPicture names the file of an event's picture from the working folder, nil for none.
func printPicture(e engine.HealEvent) []string {
	if e.Pictures == nil || e.Source == "" {
		return nil
	}
	file := filepath.Join(filepath.Dir(e.Source), engine.PictureFolder, e.Pictures.Found)
	if folder, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(folder, file); err == nil && filepath.IsLocal(short) {
			file = short
		}
	}
	return []string{"    picture: " + oneLine(filepath.ToSlash(file))}
}

func quoteText(text string) string { return `"` + oneLine(text) + `"` }

// printedLocator names a locator as a test writes it.
func printedLocator(e engine.HealEvent) string {
	return oneLine(selectors.Readable(e.Locator, languageOf(e)))
}

// printedSuccessor names what a locator became, as a test writes it.
func printedSuccessor(e engine.HealEvent) string {
	if e.HealedLocator == "" {
		return "another frame"
	}
	return oneLine(outcome.HealedIn(e, languageOf(e)))
}

// languageOf returns the language of the test that an event is about; where nothing says
// it that is the one of package crumb.
func languageOf(e engine.HealEvent) selectors.Language {
	if e.Site == nil {
		return selectors.Go
	}
	return patch.LanguageOf(e)
}

// drawBox frames a title and its lines, "" when there are none.
func drawBox(title string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	lines = append([]string{title}, lines...)
	width := 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l))
	}
	var b strings.Builder
	b.WriteString("┌" + strings.Repeat("─", width+2) + "┐\n")
	for _, l := range lines {
		b.WriteString("│ " + l + strings.Repeat(" ", width-utf8.RuneCountInString(l)) + " │\n")
	}
	b.WriteString("└" + strings.Repeat("─", width+2) + "┘\n")
	return b.String()
}

// oneLine returns a text of a test run on one line, cut, with nothing that a
// terminal or a workflow runner obeys: text inside a box never begins a line.
func oneLine(text string) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > maxLineRunes {
			return b.String() + "…"
		}
		if !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.ReplaceAll(b.String(), "##[", "## [")
}
