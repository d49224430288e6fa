package githubtest

import (
	"regexp"
	"strings"
)

// hunk is one hunk of a patch with the lines that a comment can sit on.
type hunk struct {
	text        string
	left, right map[int]bool
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// hunks parses the patch of a file as GitHub gives it: hunks without the
// file's header.
func hunks(patch string) []hunk {
	var all []hunk
	left, right := 0, 0
	for _, line := range strings.Split(patch, "\n") {
		if m := hunkHeader.FindStringSubmatch(line); m != nil {
			left, right = atoi(m[1], 0), atoi(m[2], 0)
			all = append(all, hunk{text: line, left: map[int]bool{}, right: map[int]bool{}})
			continue
		}
		if len(all) == 0 || line == "" {
			continue
		}
		h := &all[len(all)-1]
		h.text += "\n" + line
		switch line[0] {
		case '+':
			h.right[right] = true
			right++
		case '-':
			h.left[left] = true
			left++
		case ' ':
			h.right[right], h.left[left] = true, true
			right++
			left++
		}
	}
	return all
}

// anchor returns the hunk that the lines lie in, nil when they do not lie in
// one hunk on that side.
func anchor(patch, side string, start, line int) *hunk {
	for _, h := range hunks(patch) {
		lines := h.right
		if side == "LEFT" {
			lines = h.left
		}
		if lines[line] && (start == 0 || lines[start]) {
			return &h
		}
	}
	return nil
}

// hunkAt returns the text of the hunk that a comment sits in.
func hunkAt(pr *PullRequest, x ReviewComment) string {
	for _, f := range pr.Files {
		if f.Name == x.Path {
			if h := anchor(f.Patch, x.Side, x.StartLine, x.Line); h != nil {
				return h.text
			}
		}
	}
	return ""
}

// countLines returns how many lines a patch adds and deletes.
func countLines(patch string) (added, deleted int) {
	for _, h := range hunks(patch) {
		for _, line := range strings.Split(h.text, "\n")[1:] {
			switch line[0] {
			case '+':
				added++
			case '-':
				deleted++
			}
		}
	}
	return added, deleted
}
