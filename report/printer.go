package report

import (
	"bufio"
	_ "embed"
	"io"
	"strings"

	"github.com/rivo/uniseg"

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

// printer lays cleaned text out on lines. Errors of w are returned by its Flush.
type printer struct {
	w     *bufio.Writer
	width int
	color bool
}

func newPrinter(w io.Writer, o ConsoleOptions) *printer {
	p := &printer{w: bufio.NewWriter(w), width: o.Width, color: o.Color}
	if p.width == 0 {
		p.width = defaultWidth
	}
	p.width = max(p.width, minWidth)
	return p
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
	p.hang("  "+p.paint(markStyle, mark)+" ", "    ", s, text)
}

// detail writes text below an item.
func (p *printer) detail(s style, text string) { p.hang("    ", "    ", s, text) }

// hang writes text behind a lead, its further lines behind an indent of the same width.
func (p *printer) hang(lead, indent string, s style, text string) {
	for _, line := range wrapText(text, p.width-len(indent), 4) {
		p.line(lead + p.paint(s, line))
		lead = indent
	}
}

// becomes writes "old → new", the new below the old where one line is too short.
func (p *printer) becomes(old, replacement string) {
	if one := old + " → " + replacement; cells(one) <= p.width-4 {
		p.line("    " + p.paint(red, old) + " → " + p.paint(green, replacement))
		return
	}
	p.detail(red, old)
	p.hang("    → ", "      ", green, replacement)
}

// labelled writes "label  text" with the text aligned.
func (p *printer) labelled(label string, text string) {
	const column = 11
	p.hang(p.paint(dim, label)+strings.Repeat(" ", column-cells(label)), strings.Repeat(" ", column), plain, text)
}

// list writes a section of n things, none when n is 0.
func (p *printer) list(title string, n, limit int, show func(i int)) {
	if n > 0 {
		p.section(title, n)
		p.some(n, limit, show)
	}
}

// some calls show for the first limit of n things and says how many are left.
func (p *printer) some(n, limit int, show func(i int)) {
	for i := range min(n, limit) {
		show(i)
	}
	if n > limit {
		p.line("  " + p.paint(dim, leftOut(n-limit)))
	}
}

// leftOut says how many things are not shown, and where they are: the JSON reports of
// breadcrumb ci and breadcrumb report have no bound.
func leftOut(n int) string { return "… and " + text.Thousands(n) + " more; --format json lists all" }

// Wrap lays cleaned text out in lines of at most width cells, as the outcome does.
func Wrap(text string, width int) []string { return wrapText(text, max(20, width), 50) }

// wrapText lays cleaned text out in lines of at most width cells, at most limit of
// them, breaking at spaces where it can and never inside a character. What does
// not fit ends in "…". No line starts like a workflow command. A character
// wider than a whole line stands alone.
func wrapText(text string, width, limit int) []string {
	var lines []string
	for rest := strings.TrimLeft(text, " "); rest != ""; {
		rest = breakCommand(rest)
		if len(lines) == limit-1 {
			return append(lines, truncate(rest, width))
		}
		end := lineEnd(rest, width)
		lines = append(lines, strings.TrimRight(rest[:end], " "))
		rest = strings.TrimLeft(rest[end:], " ")
	}
	return lines
}

// flowItems lays items out in lines of at most width cells, sep between them and at
// the end of a line that goes on.
func flowItems(items []string, sep string, width int) []string {
	var lines []string
	for i, item := range items {
		if i < len(items)-1 {
			item += sep
		}
		last := len(lines) - 1
		if last >= 0 && cells(lines[last]+strings.TrimRight(item, " ")) <= width {
			lines[last] += item
		} else {
			lines = append(lines, item)
		}
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// lineEnd returns the byte offset at which the first line of text ends.
func lineEnd(text string, width int) int {
	fits := fittingLen(text, width)
	if fits == len(text) || text[fits] == ' ' {
		return fits
	}
	if space := strings.LastIndexByte(text[:fits], ' '); space > 0 {
		return space
	}
	return fits
}

// truncate returns text in at most width cells, ending in "…" when cut.
func truncate(text string, width int) string {
	if fittingLen(text, width) == len(text) {
		return text
	}
	return strings.TrimRight(text[:fittingLen(text, width-1)], " ") + "…"
}

// fittingLen returns the byte length of the longest start of text that fits into
// width cells: at least one character.
func fittingLen(text string, width int) int {
	end, used, state := 0, 0, -1
	for rest := text; rest != ""; {
		var cluster string
		var cells int
		cluster, rest, cells, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used += cells; used > width && end > 0 {
			return end
		}
		end += len(cluster)
	}
	return end
}

// cells returns how many cells text takes.
func cells(text string) int { return uniseg.StringWidth(text) }

// LogLine returns s for one place on a terminal or in a job log: as [text.Line]
// makes it, without "##[" anywhere or "::" at its start, by which
// the Actions runner knows a workflow command.
func LogLine(s string) string {
	return breakCommand(strings.ReplaceAll(text.Line(s), "##[", "# #["))
}

// breakCommand breaks a "::" at the start of a line.
func breakCommand(line string) string {
	if strings.HasPrefix(line, "::") {
		return ": " + line[1:]
	}
	return line
}
