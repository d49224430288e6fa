package comment

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// MaxSuggestions is how many lines one review suggests to change.
const MaxSuggestions = 30

// Draft is a review comment that is not yet there: a suggestion for one line.
type Draft struct {
	Path string // from the repository's top
	Line int    // of the head's file
	Body string
	IDs  []string // offers in it
}

var suggestionForm = regexp.MustCompile(`^<!-- breadcrumb:suggestion v1 key=([A-Za-z0-9._-]{1,64}) ids=([0-9a-f]{8}(?:,[0-9a-f]{8})*) -->\r?\n`)

// Drafts returns a suggestion for every line of the diff that offers of run
// change, the surest when there are too many, in the order of files and lines.
// Offers outside the diff have none, and neither has a line that a suggestion
// could not show or keep as it is. A file that is not the same at the head as
// where it was tested, because the base branch changed it, has none either: its
// lines need not be the same.
func Drafts(run outcome.Run, offers []outcome.Suggestion, diff Diff, key string) []Draft {
	var drafts []Draft
	lines := map[string]map[int]string{}
	for i := 0; i < len(offers); {
		end := i + 1
		for end < len(offers) && offers[end].Path == offers[i].Path && offers[end].Edit.Line == offers[i].Edit.Line {
			end++
		}
		same := offers[i:end]
		i = end
		path, line := same[0].Path, same[0].Edit.Line
		if lines[path] == nil {
			lines[path] = rightLines(diff.Files[path].Patch)
		}
		before, after, ok := together(same)
		there, inDiff := lines[path][line]
		if ok && inDiff && there == before && diff.Files[path].Blob == same[0].Blob && after == clean(after) {
			drafts = append(drafts, draft(run, same, after, key))
		}
	}
	return surest(run, offers, drafts)
}

// together returns a line and what the offers on it make of it, unless they
// touch each other.
func together(offers []outcome.Suggestion) (before, after string, ok bool) {
	before = offers[0].Edit.Before
	sorted := slices.Clone(offers)
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

// draft returns the suggestion for one line.
func draft(run outcome.Run, offers []outcome.Suggestion, after, key string) Draft {
	d := Draft{Path: offers[0].Path, Line: offers[0].Edit.Line}
	var told strings.Builder
	for _, o := range offers {
		d.IDs = append(d.IDs, o.ID)
		told.WriteString(healed(run, o) + "\n")
	}
	ticks := strings.Repeat("`", max(3, longestRun(after, '`')+1))
	d.Body = "<!-- breadcrumb:suggestion v1 key=" + key + " ids=" + strings.Join(d.IDs, ",") + markerEnd + "\n" +
		told.String() + "\n" + ticks + "suggestion\n" + after + "\n" + ticks + "\n"
	return d
}

// healed says in one line what an offer mends.
func healed(run outcome.Run, o outcome.Suggestion) string {
	p := run.Proposals[o.Proposal]
	did := "Healed: "
	if p.Heal.Trace != "" {
		did = "From the trace of the failed test: "
	}
	s := did + code(p.Old(), cellWidth) + " is now " + code(p.New(), cellWidth) + " · " + text.Percent(p.Confidence) +
		" · " + code(healedTest(p.Heal), nameWidth)
	if more := len(o.Tests) - 1; more > 0 {
		s += " and " + text.Count(more, "other test", "other tests")
	}
	if p.Modern != "" {
		s += " · " + modern(p)
	}
	return s
}

// surest returns at most MaxSuggestions of the drafts.
func surest(run outcome.Run, offers []outcome.Suggestion, drafts []Draft) []Draft {
	if len(drafts) <= MaxSuggestions {
		return drafts
	}
	sure := map[string]float64{}
	for _, o := range offers {
		sure[o.ID] = run.Proposals[o.Proposal].Confidence
	}
	ranked := slices.Clone(drafts)
	sort.SliceStable(ranked, func(i, j int) bool { return sure[ranked[i].IDs[0]] > sure[ranked[j].IDs[0]] })
	kept := map[string]bool{}
	for _, d := range ranked[:MaxSuggestions] {
		kept[d.IDs[0]] = true
	}
	return slices.DeleteFunc(drafts, func(d Draft) bool { return !kept[d.IDs[0]] })
}
