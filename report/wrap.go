package report

import (
	"strings"

	"github.com/rivo/uniseg"
)

// wrap lays cleaned text out in lines of at most width cells, at most limit of
// them, breaking at spaces where it can and never inside a character. What does
// not fit ends in "…". No line starts like a workflow command. A character
// wider than a whole line stands alone.
func wrap(text string, width, limit int) []string {
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

// flow lays items out in lines of at most width cells, sep between them and at
// the end of a line that goes on.
func flow(items []string, sep string, width int) []string {
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
	fits := prefix(text, width)
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
	if prefix(text, width) == len(text) {
		return text
	}
	return strings.TrimRight(text[:prefix(text, width-1)], " ") + "…"
}

// prefix returns the byte length of the longest start of text that fits into
// width cells: at least one character.
func prefix(text string, width int) int {
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
