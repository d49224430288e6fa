package comment

import (
	"regexp"
	"strconv"
	"strings"
)

// Diff is what a pull request changes.
type Diff struct {
	Head  string                 // commit of its head
	Files map[string]ChangedFile // by path from the repository's top
}

// ChangedFile is one file that a pull request changes.
type ChangedFile struct {
	Blob  string // git's hash of it at the head
	Patch string // its hunks, as the forge gives them
}

var hunkForm = regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// maxAnchorLine bounds line numbers: no file that is edited has more lines.
const maxAnchorLine = 1 << 24

// rightLines returns the lines of the new side that stand in the hunks of a
// patch, where alone a suggestion can sit, by their numbers. A last line
// without a line ending is not among them: what a suggestion does to it is not
// said anywhere.
func rightLines(patch string) map[int]string {
	lines := map[int]string{}
	at, last := 0, 0
	for line := range strings.SplitSeq(patch, "\n") {
		if m := hunkForm.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil || n > maxAnchorLine {
				return nil
			}
			at, last = n, 0
			continue
		}
		if at == 0 || line == "" {
			continue
		}
		switch line[0] {
		case '+', ' ':
			lines[at], last = line[1:], at
			at++
		case '-':
			last = 0
		case '\\':
			if last > 0 {
				delete(lines, last)
			}
		}
	}
	return lines
}
