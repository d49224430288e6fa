// Package healtool heals one locator between two HTML files and prints what
// was chosen and why. It is what `breadcrumb heal` runs.
package healtool

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/htmlpage"
	"github.com/breadcrumb/action/engine/heal/preset"
	"github.com/breadcrumb/action/engine/text"
)

// Run finds the element that locator, a CSS selector, selects in the old
// document, looks for it in the new one and writes the decision to w; with
// explain also the signals. A refusal is an answer, not an error: the error is
// of the input (an unknown preset, a selector that does not parse or selects
// nothing or several elements) or of writing.
func Run(w io.Writer, old, new []byte, locator, scorer string, explain, asJSON bool) error {
	p, err := preset.Parse(scorer)
	if err != nil {
		return err
	}
	before, err := htmlpage.Parse(old)
	if err != nil {
		return fmt.Errorf("old page: %w", err)
	}
	after, err := htmlpage.Parse(new)
	if err != nil {
		return fmt.Errorf("new page: %w", err)
	}
	i, err := findElement(before, locator)
	if err != nil {
		return err
	}
	c := heal.Compare(heal.NewPage(before.Elements), heal.NewPage(after.Elements))
	d := c.Heal(i, heal.Options{Preset: p})
	if asJSON {
		return writeAnswer(w, c, after, d)
	}
	r := printer{w: w}
	r.printDecision(c, i, d)
	threshold, margin := heal.Gates(p)
	r.printf("threshold  %.4f\nmargin     %.4f\n", threshold, margin)
	if explain && d.Best != nil {
		r.printSignals(d)
	}
	for _, note := range slices.Concat(d.Notes, before.Notes, after.Notes) {
		r.printf("note: %s\n", note)
	}
	return r.err
}

// writeAnswer writes a decision as one line of JSON.
func writeAnswer(w io.Writer, c *heal.Comparison, after *htmlpage.Page, d heal.Decision) error {
	a := answer{Outcome: d.Outcome, Reason: d.Reason, Changed: append([]engine.Change{}, d.Changed...)}
	if d.Best != nil {
		a.Confidence = d.Best.Confidence
		a.Element = elementOf(c.New, after, d.Best.Index)
	}
	if d.RunnerUp != nil {
		a.RunnerUp = elementOf(c.New, after, d.RunnerUp.Index)
		a.RunnerUp.Confidence = d.RunnerUp.Confidence
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false) // paths have ">"
	if err := lines.Encode(a); err != nil {
		return fmt.Errorf("write decision: %w", err)
	}
	return nil
}

// findElement returns the one element a selector selects.
func findElement(page *htmlpage.Page, locator string) (int, error) {
	sel, err := cascadia.ParseGroup(locator)
	if err != nil {
		return 0, fmt.Errorf("locator %q is no CSS selector: %w", locator, err)
	}
	nodes := cascadia.QueryAll(page.Root, sel)
	if len(nodes) != 1 {
		return 0, fmt.Errorf("locator %q selects %d elements of the old page, want exactly 1", locator, len(nodes))
	}
	i := page.Index(nodes[0])
	if i < 0 {
		return 0, fmt.Errorf("locator %q selects <%s>, which is no visible part of a page", locator, nodes[0].Data)
	}
	return i, nil
}

// printer writes lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (r *printer) printf(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.w, format, args...)
	}
}

func (r *printer) printDecision(c *heal.Comparison, i int, d heal.Decision) {
	r.printf("lost       %s\n", describeElement(c.Old.Element(i)))
	switch d.Outcome {
	case engine.OutcomeHealed:
		r.printf("healed     %s\n", describeElement(c.New.Element(d.Best.Index)))
	case engine.OutcomeSuggested:
		r.printf("suggested  %s\nnot healed %s\n", describeElement(c.New.Element(d.Best.Index)), d.Reason)
	default:
		r.printf("refused    %s\n", d.Reason)
		if d.Best != nil {
			r.printf("likeliest  %s\n", describeElement(c.New.Element(d.Best.Index)))
		}
	}
	for _, change := range d.Changed {
		r.printf("changed    %s\n", describeChange(change))
	}
	if d.Best != nil {
		r.printf("confidence %.4f\nbecause    %s\n", d.Best.Confidence, d.Because)
	}
	if d.RunnerUp != nil {
		r.printf("runner-up  %s\nconfidence %.4f\n", describeElement(c.New.Element(d.RunnerUp.Index)), d.RunnerUp.Confidence)
	}
}

// describeChange says in words what an element meant and means now.
func describeChange(c engine.Change) string {
	switch {
	case c.Was == "":
		return fmt.Sprintf("%s is now %s", c.What, quoted(c.Now))
	case c.Now == "":
		return fmt.Sprintf("%s was %s and is gone", c.What, quoted(c.Was))
	}
	return fmt.Sprintf("%s was %s, is now %s", c.What, quoted(c.Was), quoted(c.Now))
}

// printSignals prints the breakdown of the best candidate beside the runner-up's.
func (r *printer) printSignals(d heal.Decision) {
	r.printf("\n%-14s %6s %9s\n", "signal", "best", "runner-up")
	for k, s := range d.Best.Signals {
		second := "-"
		if d.RunnerUp != nil {
			second = formatSignal(d.RunnerUp.Signals[k])
		}
		r.printf("%-14s %6s %9s\n", s.Name, formatSignal(s), second)
	}
}

func formatSignal(s preset.Signal) string {
	if s.Weight == 0 {
		return "-"
	}
	return strconv.FormatFloat(s.Value, 'f', 3, 64)
}

// describeElement names an element in one line: tag, the attributes people look at,
// and its text. Everything in it is quoted, for pages are hostile.
func describeElement(e heal.Element) string {
	var b strings.Builder
	b.WriteString("<" + strings.Trim(quoted(e.Tag), `"`))
	for _, name := range [...]string{"id", "name", "type", "class", "href", "role", "data-testid", "aria-label"} {
		if v, ok := e.Attributes.Get(name); ok {
			fmt.Fprintf(&b, " %s=%s", name, quoted(v))
		}
	}
	b.WriteString(">")
	if t := e.Text; t != "" {
		b.WriteString(" " + quoted(t))
	}
	return b.String()
}

// quoted returns the first characters of s in quotes, unprintable ones escaped.
func quoted(s string) string { return strconv.QuoteToGraphic(text.Head(s, 60)) }
