package githubtest

import (
	"regexp"
	"strings"
)

// hunk is one hunk of a patch with the lines that a comment can sit on, by number.
type hunk struct {
	text        string
	left, right map[int]string
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// parseHunks parses the patch of a file as GitHub gives it: hunks without the
// file's header.
func parseHunks(patch string) []hunk {
	var all []hunk
	left, right := 0, 0
	for _, line := range strings.Split(patch, "\n") {
		if m := hunkHeader.FindStringSubmatch(line); m != nil {
			left, right = atoi(m[1], 0), atoi(m[2], 0)
			all = append(all, hunk{text: line, left: map[int]string{}, right: map[int]string{}})
			continue
		}
		if len(all) == 0 || line == "" {
			continue
		}
		h := &all[len(all)-1]
		h.text += "\n" + line
		if line[0] == '+' || line[0] == ' ' {
			h.right[right] = line[1:]
			right++
		}
		if line[0] == '-' || line[0] == ' ' {
			h.left[left] = line[1:]
			left++
		}
	}
	return all
}

// findHunk returns the hunk that the lines lie in, nil when they do not lie in
// one hunk on that side. start is 0 for a single line.
func findHunk(patch, side string, start, line int) *hunk {
	for _, h := range parseHunks(patch) {
		lines := h.right
		if side == "LEFT" {
			lines = h.left
		}
		_, hasLine := lines[line]
		if _, hasStart := lines[start]; hasLine && (start == 0 || hasStart) {
			return &h
		}
	}
	return nil
}
