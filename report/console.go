package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// ConsoleOptions says what the terminal can show.
type ConsoleOptions struct {
	Width int  // cells of a line; 0 means 80, less than 40 counts as 40
	Color bool // use ANSI colours
}

const (
	defaultWidth = 80
	minWidth     = 40
)

// Console prints the run for people: the verdict in the first line, then the
// counts, what blocks, what was healed, what changed in quarantine, what was
// excused, and where the database is. Sections with nothing in them are left
// out, long ones are cut with a line that says so. It returns the first error
// of w.
func Console(w io.Writer, run outcome.Run, o ConsoleOptions) error {
	p := newPrinter(w, o)
	p.headline(run)
	p.blocking(run)
	p.missing(run)
	p.blockingNotices(run)
	p.healed(run)
	p.refused(run)
	p.quarantine(run)
	p.excused(run)
	p.flaky(run)
	p.warnings(run)
	p.footer(run)
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("print outcome: %w", err)
	}
	return nil
}

func newPrinter(w io.Writer, o ConsoleOptions) *printer {
	p := &printer{w: bufio.NewWriter(w), width: o.Width, color: o.Color}
	if p.width == 0 {
		p.width = defaultWidth
	}
	p.width = max(p.width, minWidth)
	return p
}

// style is an ANSI SGR parameter; the empty style changes nothing.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"

	boldRed    style = "1;31"
	boldGreen  style = "1;32"
	boldYellow style = "1;33"
)

// printer lays cleaned text out on lines. Write errors stay in w until Flush.
type printer struct {
	w     *bufio.Writer
	width int
	color bool
}

// paint returns text in style s.
func (p *printer) paint(s style, text string) string {
	if !p.color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// line writes one line as it is.
func (p *printer) line(text string) {
	_, _ = p.w.WriteString(text + "\n") // bufio keeps the error for Flush
}

// section starts a section.
func (p *printer) section(title string, n int) {
	p.line("")
	p.line(p.paint(bold, title) + p.paint(dim, " ("+text.Thousands(n)+")"))
}

// item writes text behind a mark, its further lines below its first.
func (p *printer) item(mark string, markStyle, s style, text string) {
	lead := "  " + p.paint(markStyle, mark) + " "
	for _, line := range wrap(text, p.width-4, 4) {
		p.line(lead + p.paint(s, line))
		lead = "    "
	}
}

// detail writes text below an item.
func (p *printer) detail(s style, text string) {
	for _, line := range wrap(text, p.width-4, 4) {
		p.line("    " + p.paint(s, line))
	}
}

// becomes writes "old → new", the new below the old where one line is too short.
func (p *printer) becomes(old, replacement string) {
	if one := old + " → " + replacement; cells(one) <= p.width-4 {
		p.line("    " + p.paint(red, old) + " → " + p.paint(green, replacement))
		return
	}
	p.detail(red, old)
	lead := "    → "
	for _, line := range wrap(replacement, p.width-6, 4) {
		p.line(lead + p.paint(green, line))
		lead = "      "
	}
}

// labelled writes "label  text" with the text aligned.
func (p *printer) labelled(label string, text string) {
	const column = 11
	lead := p.paint(dim, label) + strings.Repeat(" ", column-cells(label))
	for _, line := range wrap(text, p.width-column, 4) {
		p.line(lead + line)
		lead = strings.Repeat(" ", column)
	}
}

// some calls show for the first limit of n things and says how many are left.
func (p *printer) some(n, limit int, show func(i int)) {
	for i := range min(n, limit) {
		show(i)
	}
	if n > limit {
		p.line("  " + p.paint(dim, "… and "+text.Thousands(n-limit)+" more, not shown here"))
	}
}
