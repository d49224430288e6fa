package patch

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// contextLines is the number of unchanged lines around a change, as in git.
const contextLines = 3

// Unified returns the change of a file from before to after as a unified diff
// with context that `git apply` takes, "" when nothing changed. Both must have
// the same number of lines, as every edit of this package leaves them; line
// endings are kept as they are. file is slash-separated from the repository's
// top.
func Unified(file string, before, after []byte) (string, error) {
	old, changed := splitLines(before), splitLines(after)
	if len(old) != len(changed) {
		return "", fmt.Errorf("diff of %s: it has %d lines and had %d", file, len(changed), len(old))
	}
	var out strings.Builder
	for at := 0; at < len(old); {
		if bytes.Equal(old[at], changed[at]) {
			at++
			continue
		}
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", diffPath("a/", file), diffPath("b/", file))
		}
		start := max(0, at-contextLines)
		end := hunkEnd(old, changed, at)
		writeHunk(&out, start, old[start:end], changed[start:end])
		at = end
	}
	return out.String(), nil
}

// splitLines returns the lines of text with their endings.
func splitLines(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if last := len(lines) - 1; len(lines[last]) == 0 {
		lines = lines[:last]
	}
	return lines
}

// hunkEnd returns the end of the hunk that the changed line at is in: it has all
// following changes whose context touches that of the change before.
func hunkEnd(old, changed [][]byte, at int) int {
	last := at
	for i := at; i < len(old) && i <= last+2*contextLines; i++ {
		if !bytes.Equal(old[i], changed[i]) {
			last = i
		}
	}
	return min(len(old), last+contextLines+1)
}

// writeHunk writes lines from the 0-based line start on: runs of changed lines
// as a deletion and an insertion, the others as context.
func writeHunk(out *strings.Builder, start int, old, changed [][]byte) {
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", start+1, len(old), start+1, len(old))
	for i := 0; i < len(old); {
		end := i
		for end < len(old) && !bytes.Equal(old[end], changed[end]) {
			end++
		}
		if end == i {
			writeLine(out, ' ', old[i])
			i++
			continue
		}
		for _, l := range old[i:end] {
			writeLine(out, '-', l)
		}
		for _, l := range changed[i:end] {
			writeLine(out, '+', l)
		}
		i = end
	}
}

func writeLine(out *strings.Builder, sign byte, line []byte) {
	out.WriteByte(sign)
	out.Write(line)
	if !bytes.HasSuffix(line, []byte("\n")) {
		out.WriteString("\n\\ No newline at end of file\n")
	}
}

// Diff returns edits as a unified diff without context, in the order of files and lines:
// headers for each file, one hunk of one line for each edit.
func Diff(edits ...Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	var out strings.Builder
	for i, e := range edits {
		if i == 0 || e.File != edits[i-1].File {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", diffPath("a/", e.File), diffPath("b/", e.File))
		}
		fmt.Fprintf(&out, "@@ -%d +%d @@\n-%s\n+%s\n", e.Line, e.Line, e.Before, e.After)
	}
	return out.String()
}

// diffPath quotes a path as git does when it holds unusual characters.
func diffPath(side, file string) string {
	if quoted := strconv.Quote(side + file); strings.Contains(quoted, `\`) {
		return quoted
	}
	return side + file
}
