package comment

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// MaxSuggestions is how many lines one review suggests to change.
const MaxSuggestions = 30

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

// Draft is a review comment to be posted: a suggestion for one line.
type Draft struct {
	Path string // from the repository's top
	Line int    // of the head's file
	Body string
	IDs  []string // suggestions in it
}

var suggestionForm = lazyregexp.New(`^<!-- breadcrumb:suggestion v1 key=([A-Za-z0-9._-]{1,64}) ids=([0-9a-f]{8}(?:,[0-9a-f]{8})*) -->\r?\n`)

// Drafts returns a draft for every line of the diff that the suggestions change, in
// the order of files and lines; when there are too many, the surest. There is none
// for lines outside the diff, for a line that a suggestion could not show or keep
// as it is, and for a file that differs at the head from what was tested, because
// the base branch changed it: its lines may have moved.
func Drafts(run outcome.Run, suggestions []outcome.OfferedEdit, diff Diff, key string) []Draft {
	var drafts []Draft
	lines := map[string]map[int]string{}
	for i := 0; i < len(suggestions); {
		end := i + 1
		for end < len(suggestions) && suggestions[end].Path == suggestions[i].Path && suggestions[end].Edit.Line == suggestions[i].Edit.Line {
			end++
		}
		same := suggestions[i:end]
		i = end
		path, line := same[0].Path, same[0].Edit.Line
		if lines[path] == nil {
			lines[path] = linesOfHunks(diff.Files[path].Patch)
		}
		before, after, ok := combineEdits(same)
		there, inDiff := lines[path][line]
		if ok && inDiff && there == before && diff.Files[path].Blob == same[0].Blob && after == clean(after) {
			drafts = append(drafts, newDraft(run, same, after, key))
		}
	}
	return limitDrafts(run, suggestions, drafts)
}

// combineEdits returns a line before and after the suggestions on it. ok is false
// when they overlap.
func combineEdits(suggestions []outcome.OfferedEdit) (before, after string, ok bool) {
	before = suggestions[0].Edit.Before
	sorted := slices.Clone(suggestions)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Column < sorted[j].Column })
	var out strings.Builder
	at := 0
	for _, o := range sorted {
		end := o.Column + len(o.Edit.Old)
		if o.Edit.Before != before || o.Column < at || end > len(before) || before[o.Column:end] != o.Edit.Old {
			return "", "", false
		}
		out.WriteString(before[at:o.Column] + o.Edit.New)
		at = end
	}
	return before, out.String() + before[at:], true
}

// newDraft returns the draft for one line.
func newDraft(run outcome.Run, suggestions []outcome.OfferedEdit, after, key string) Draft {
	d := Draft{Path: suggestions[0].Path, Line: suggestions[0].Edit.Line}
	var heals strings.Builder
	for _, o := range suggestions {
		d.IDs = append(d.IDs, o.ID)
		heals.WriteString(describeHeal(run, o) + "\n")
	}
	d.Body = "<!-- breadcrumb:suggestion v1 key=" + key + " ids=" + strings.Join(d.IDs, ",") + markerEnd + "\n" +
		heals.String() + "\n" + fencedBlock("suggestion", after)
	return d
}

// describeHeal says in one line what a suggestion mends.
func describeHeal(run outcome.Run, o outcome.OfferedEdit) string {
	p := run.Proposals[o.Proposal]
	did := "Healed: "
	switch {
	case p.Follows():
		did = "Another use of an element that " + codeSpan(healedTest(engine.HealEvent{TestID: p.Cause.Test}), nameWidth) + " lost: "
	case p.Suggested():
		did = "Suggested, not healed: "
	case p.Doubt != "":
		did = "Healed, but " + p.Doubt + ": "
	case p.Heal.Trace != "":
		did = "From the trace of the failed test: "
	}
	s := did + codeSpan(p.Old(), nameWidth) + " is now " + codeSpan(p.New(), nameWidth) + " · " + outcome.Certainty(p) +
		" · " + codeSpan(healedTest(p.Heal), nameWidth)
	if more := len(o.Tests) - 1; more > 0 {
		s += " and " + text.Count(more, "other test", "other tests")
	}
	if p.Suggested() {
		s += " · " + describeSuggestion(p.Heal)
	}
	if trial := outcome.DescribeTrial(p); trial != "" {
		s += " · " + trial
	}
	if p.Modern != "" {
		s += " · " + modernNote(p)
	}
	return s
}

// limitDrafts returns at most MaxSuggestions of the drafts.
func limitDrafts(run outcome.Run, suggestions []outcome.OfferedEdit, drafts []Draft) []Draft {
	if len(drafts) <= MaxSuggestions {
		return drafts
	}
	sure := map[string]float64{}
	for _, o := range suggestions {
		sure[o.ID] = run.Proposals[o.Proposal].Confidence
		if run.Proposals[o.Proposal].Proven() {
			sure[o.ID]++ // before all others
		}
	}
	ranked := slices.Clone(drafts)
	sort.SliceStable(ranked, func(i, j int) bool { return sure[ranked[i].IDs[0]] > sure[ranked[j].IDs[0]] })
	kept := map[string]bool{}
	for _, d := range ranked[:MaxSuggestions] {
		kept[d.IDs[0]] = true
	}
	return slices.DeleteFunc(drafts, func(d Draft) bool { return !kept[d.IDs[0]] })
}

var hunkForm = lazyregexp.New(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// maxAnchorLine bounds line numbers: no file that is edited has more lines.
const maxAnchorLine = 1 << 24

// linesOfHunks returns the lines of the new side in the hunks of a patch, by their
// numbers: only these can have a suggestion. A last line without a line ending is
// left out, since it is not documented what a suggestion does to it.
func linesOfHunks(patch string) map[int]string {
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
