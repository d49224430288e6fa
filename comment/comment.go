// Package comment shows one run on its pull request: it renders the sticky
// comment and the job summary, and posts the comment through a small interface
// that the forge's adapter implements.
//
// Start with [Render] for the comment's text and [Upsert] to post it; [Summary]
// is the same text for the job summary. Rendering is pure: the same run and
// options give the same text.
//
// Every text of a run is hostile. It reaches the page in one of five forms
// only, all of them in escape.go: an inline code span, a fenced block, escaped
// HTML inside <code>, plain words, or a percent-encoded path in a link.
package comment

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

// The sizes GitHub takes. A comment may have 65,536 characters; whether the
// server counts code points, UTF-16 units or something wider, counting bytes
// stays under it, so that is what we count. A job summary may have 1 MiB.
const (
	CommentLimit = 65536
	SummaryLimit = 1 << 20
)

// Options say how a run is shown. The zero value is a comment with the key
// "default" and links to github.com.
type Options struct {
	// Key tells several comments on one pull request apart. See [ValidKey];
	// an empty key is "default".
	Key string
	// Former are the keys of earlier comments of the same workflow, job and leg. The
	// comment takes their place, see [Conversation.FormerKeys].
	Former []string
	// Limit is the greatest length of the text in bytes, 0 for GitHub's own:
	// CommentLimit for Render, SummaryLimit for Summary. The headline is shown
	// whatever the limit.
	Limit int
	// ServerURL is the forge's web address, default "https://github.com".
	ServerURL string
	// ArtifactID is the forge's id of the artifact with the run's reports and traces, to
	// which the text links; 0 for none.
	ArtifactID int64
	// State is what the comment remembers. Where no command can be given it is
	// nil, and no box is shown. Summary does not use it.
	State *State
}

// key returns the comment key that applies.
func (o Options) key() string {
	if !ValidKey(o.Key) {
		return DefaultKey
	}
	return o.Key
}

// Render returns the sticky comment of run as GitHub-flavoured Markdown. It
// begins with the hidden marker of o.Key and is at most o.Limit bytes long: what
// does not fit is left out in whole entries, least important first, and the
// last line says what. A key that is not valid renders as the default one;
// Upsert refuses it.
func Render(run outcome.Run, o Options) string {
	if o.Limit <= 0 {
		o.Limit = CommentLimit
	}
	p := newPage(run, o)
	p.more = "The job summary has room for more"
	start := marker(p.key) + "\n"
	if o.State != nil {
		line, kept := o.State.hiddenLine()
		if kept.hasSuggestions() {
			p.state = &kept
		}
		start += line + "\n"
	}
	return p.render(start)
}

// Summary returns the job summary of run: the text of Render without the
// marker, at most o.Limit bytes long.
func Summary(run outcome.Run, o Options) string {
	if o.Limit <= 0 {
		o.Limit = SummaryLimit
	}
	p := newPage(run, o)
	p.more = "The report files and the job log have everything"
	return p.render("")
}

func newPage(run outcome.Run, o Options) page {
	return page{run: run, causes: run.Causes(), key: o.key(), limit: o.Limit, links: newLinks(o.ServerURL, run.Info), artifact: o.ArtifactID}
}

// newLinks returns the links of a run. A server address, repository or commit
// that is not of its form gives no links.
func newLinks(server string, info engine.RunInfo) links {
	u, err := url.Parse(cmp.Or(server, "https://github.com"))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || !hostForm.MatchString(u.Host) || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return links{}
	}
	if !repositoryForm.MatchString(info.Repository) || strings.Contains(info.Repository, "..") {
		return links{}
	}
	repository := u.Scheme + "://" + u.Host + strings.TrimRight(escapePath(u.Path), "/") + "/" + info.Repository
	return links{repository, shownCommit(info)}
}

// render returns the whole text. The sections stand in the order of their
// importance, which is also the order in which they get room.
func (p page) render(start string) string {
	head := start + "### " + p.headline() + "\n\n" + p.factLine() + "\n" + p.baseLine()
	sections := p.causeSections()
	sections = append(sections, p.healSections()...)
	sections = append(sections, p.changeSections()...)
	sections = append(sections, p.foldedSections()...)
	return p.assemble(head, sections)
}

// foldedSections returns what is folded, because none of it blocks.
func (p page) foldedSections() []section {
	return []section{
		p.excusedSection(), p.flakySection(), p.refusedSection(),
		foldedSection("warning", "warnings", p.run.Warnings(), noticeLine), p.aboutSection(),
	}
}

var marks = map[outcome.Mark]string{
	outcome.MarkFailed: "❌", outcome.MarkPassed: "✅", outcome.MarkUnproven: "⚠️",
}

// headline returns the verdict in one line, with the one status mark of the
// text.
func (p page) headline() string {
	name := "Breadcrumb"
	if p.key != DefaultKey {
		name += " " + codeSpan(p.key, 64)
	}
	mark, verdict := p.run.Headline()
	return marks[mark] + " " + name + ": " + verdict
}

// factLine returns the line below the headline: counts, time, commit, log.
func (p page) factLine() string {
	facts := p.run.Counts.Facts()
	if sha := p.shortCommit(); sha != "" {
		facts = append(facts, "commit "+linkSpan(codeSpan(sha, 7), p.links.commitPage()))
	}
	if url := p.links.runPage(p.run.Info); url != "" {
		facts = append(facts, "[job log]("+url+")")
	}
	if p.artifact > 0 && p.links.runPage(p.run.Info) != "" { // an artifact is of the run, not of an attempt
		facts = append(facts, fmt.Sprintf("[reports and traces](%s/actions/runs/%d/artifacts/%d)", p.links.repository, p.run.Info.RunID, p.artifact))
	}
	if p.run.DryRun {
		facts = append(facts, "dry run, nothing written")
	}
	return strings.Join(facts, " · ")
}

// baseLine returns the paragraph below the facts: what is otherwise than in the last run
// of the default branch, "" for nothing.
func (p page) baseLine() string {
	words := p.run.Differences()
	if len(words) == 0 {
		return ""
	}
	base := p.run.Base
	at := links{p.links.repository, ""}
	if commitForm.MatchString(base.Commit) {
		at.commit = base.Commit
	}
	return "\nCompared with " + codeSpan(base.Branch, nameWidth) + " at " + linkSpan(codeSpan(base.Commit[:min(len(base.Commit), 7)], 7), at.commitPage()) + ": " + strings.Join(words, " · ") + "\n"
}

// commitPage returns the address of the commit.
func (l links) commitPage() string {
	if l.repository == "" || l.commit == "" {
		return ""
	}
	return l.repository + "/commit/" + l.commit
}

// shortCommit returns the short hash of the commit people look at, "" for none.
func (p page) shortCommit() string {
	sha := shownCommit(p.run.Info)
	return sha[:min(len(sha), 7)]
}

// shownCommit returns the commit people look at: the head, else the tested one; ""
// where neither is a commit.
func shownCommit(info engine.RunInfo) string {
	for _, sha := range []string{info.HeadSHA, info.Commit} {
		if commitForm.MatchString(sha) {
			return sha
		}
	}
	return ""
}

// changeSections returns the tests that entered or left quarantine, with the reason.
func (p page) changeSections() []section {
	return newSection("quarantine change", "quarantine changes", "\n#### Quarantine changes\n\n", p.run.Changes, describeChange).folded()
}

// describeChange says which test changed, how and why, on one line of a list.
func describeChange(c flaky.Change) string {
	return "- " + codeSpan(string(c.TestID), nameWidth) + " **" + changeVerb(c) + "**" +
		reasonAndOwner(c.Reason, c.ExitCriteria, c.Owner) + "\n"
}

// changeVerb says what happened to the test, or what would happen on the default
// branch.
func changeVerb(c flaky.Change) string {
	switch {
	case c.Pending && c.Released:
		return "would leave quarantine on the default branch"
	case c.Pending:
		return "would enter quarantine on the default branch"
	case c.Released:
		return "left quarantine"
	}
	return "entered quarantine"
}
