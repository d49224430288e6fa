package comment

import (
	"regexp"
	"slices"

	"github.com/breadcrumb/action/engine/text"
)

// boxForm is the line of an offer that can be ticked.
var boxForm = regexp.MustCompile("(?m)^- \\[([ xX])\\] apply `([0-9a-f]{8})`")

// box returns the line of an offer.
func (p page) box(o SavedSuggestion) string {
	return "- [ ] apply `" + o.ID + "` · " + link(code(text.Place(o.Path, o.Line), placeWidth), p.links.file(o.Path, o.Line)) + "\n"
}

// boxOf returns the id of a line that is a box, "" for other lines.
func boxOf(line string) string {
	if m := boxForm.FindStringSubmatch(line); m != nil {
		return m[2]
	}
	return ""
}

// Ticked returns the ids of the boxes that are ticked in after and were not in
// before, in their order.
func Ticked(before, after string) []string {
	old := ticks(before)
	var ids []string
	for _, id := range ticks(after) {
		if !slices.Contains(old, id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func ticks(body string) []string {
	var ids []string
	for _, m := range boxForm.FindAllStringSubmatch(body, -1) {
		if m[1] != " " {
			ids = append(ids, m[2])
		}
	}
	return ids
}

// boxes returns what can be done about the offers: how many are suggested in a
// review, how many are ignored, and a box for each of the others.
func (p page) boxes() []section {
	if p.state == nil || len(p.run.Suggestions) == 0 {
		return nil
	}
	var open []SavedSuggestion
	suggested := 0
	for _, o := range p.state.Suggestions {
		if o.InReview {
			suggested++
		} else if !p.state.Fork {
			open = append(open, o)
		}
	}
	ignored := 0
	for _, o := range p.run.Suggestions {
		if slices.Contains(p.state.Ignored, o.ID) {
			ignored++
		}
	}
	var note string
	if suggested > 0 {
		note += " " + text.Count(suggested, "edit is suggested", "edits are suggested") + " on the changed lines."
	}
	if ignored > 0 {
		note += " " + text.Count(ignored, "edit is ignored", "edits are ignored") + "."
	}
	told := section{one: "note on the edits", many: "notes on the edits", n: min(len(note), 1), entry: func(int) string { return "\n" + note[1:] + "\n" }}
	offered := section{
		one: "box", many: "boxes",
		open:  "\nTick an edit to commit it, or comment `/breadcrumb apply all`:\n\n",
		n:     len(open),
		entry: func(i int) string { return p.box(open[i]) },
	}
	return append([]section{told}, offered.folding()...)
}
