package comment

import (
	"strings"

	"github.com/breadcrumb/action/engine/outcome"
)

var marks = map[outcome.Mark]string{
	outcome.MarkFailed: "❌", outcome.MarkPassed: "✅", outcome.MarkUnproven: "⚠️",
}

// headline returns the verdict in one line, with the one status mark of the
// text.
func (p page) headline() string {
	name := "Breadcrumb"
	if p.key != DefaultKey {
		name += " " + code(p.key, 64)
	}
	mark, verdict := p.run.Headline()
	return marks[mark] + " " + name + ": " + verdict
}

// facts returns the line below the headline: counts, time, commit, log.
func (p page) facts() string {
	facts := p.run.Counts.Facts()
	if sha := p.commit(); sha != "" {
		facts = append(facts, "commit "+link(code(sha, 7), p.links.commitPage()))
	}
	if url := p.links.runPage(p.run.Info); url != "" {
		facts = append(facts, "[job log]("+url+")")
	}
	if p.run.DryRun {
		facts = append(facts, "dry run, nothing written")
	}
	return strings.Join(facts, " · ")
}

// commit returns the short hash of the commit people look at, "" for none.
func (p page) commit() string {
	for _, sha := range []string{p.run.Info.HeadSHA, p.run.Info.Commit} {
		if commitForm.MatchString(sha) {
			return sha[:7]
		}
	}
	return ""
}
