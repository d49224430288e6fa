package comment

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// WithState returns a sticky comment with another state. The boxes of done, the
// edits that were made meanwhile, are ticked and struck out; boxes of edits that
// are no longer suggested are removed.
func WithState(body string, s State, done []string) string {
	first, rest, _ := strings.Cut(body, "\n")
	_, rest, _ = strings.Cut(rest, "\n")
	line, _ := s.hiddenLine()
	var out strings.Builder
	out.WriteString(first + "\n" + line + "\n")
	for l := range strings.Lines(rest) {
		id := parseBox(l)
		_, found := s.Find(id)
		switch {
		case id == "":
			out.WriteString(l)
		case slices.Contains(done, id):
			out.WriteString("- [x] ~~" + strings.TrimRight(l[len("- [ ] "):], "\r\n") + "~~\n")
		case found:
			out.WriteString("- [ ] " + l[len("- [ ] "):])
		}
	}
	return out.String()
}

// boxForm is the line of an edit that can be ticked.
var boxForm = lazyregexp.New("(?m)^- \\[([ xX])\\] apply `([0-9a-f]{8})`")

// parseBox returns the id of a line that is a box, "" for other lines.
func parseBox(line string) string {
	if m := boxForm.FindStringSubmatch(line); m != nil {
		return m[2]
	}
	return ""
}

// NewlyTicked returns the ids of the boxes that are ticked in after and were not in
// before, in their order.
func NewlyTicked(before, after string) []string {
	old := tickedIDs(before)
	var ids []string
	for _, id := range tickedIDs(after) {
		if !slices.Contains(old, id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func tickedIDs(body string) []string {
	var ids []string
	for _, m := range boxForm.FindAllStringSubmatch(body, -1) {
		if m[1] != " " {
			ids = append(ids, m[2])
		}
	}
	return ids
}
