package workflowlint

import (
	"regexp"
	"slices"
	"strings"
)

// ignoreComment is a comment that says which rules not to apply to its line, or
// to the line below when it stands alone. zizmor's own is understood as well.
var ignoreComment = regexp.MustCompile(`#.*\b(?:breadcrumb|zizmor):\s*ignore\[([^\]]*)\]`)

// ignored says whether a comment tells to ignore a rule at a line, from 1.
func (d *document) ignored(rule string, line int) bool {
	if line < 1 || line > len(d.lines) {
		return false
	}
	if names(d.lines[line-1], rule) {
		return true
	}
	return line > 1 && strings.HasPrefix(strings.TrimLeft(d.lines[line-2], " \t-"), "#") && names(d.lines[line-2], rule)
}

func names(line, rule string) bool {
	m := ignoreComment.FindStringSubmatch(line)
	return m != nil && slices.ContainsFunc(strings.Split(m[1], ","), func(name string) bool { return strings.TrimSpace(name) == rule })
}
