// Package comment tells one run to a pull request: it renders the sticky
// comment and the job summary, and writes the comment through a small
// interface that the forge's adapter implements.
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
	"github.com/breadcrumb/action/engine/outcome"
)

// The sizes GitHub takes. A comment may have 65,536 characters; whether the
// server counts code points, UTF-16 units or something wider, counting bytes
// stays under it, so that is what we count. A job summary may have 1 MiB.
const (
	CommentLimit = 65536
	SummaryLimit = 1 << 20
)

// Options say how a run is told. The zero value is a comment with the key
// "default" and links to github.com.
type Options struct {
	// Key tells several comments on one pull request apart. See [ValidKey];
	// an empty key is "default".
	Key string
	// Limit is the greatest length of the text in bytes, 0 for GitHub's own:
	// CommentLimit for Render, SummaryLimit for Summary. The headline is told
	// whatever the limit.
	Limit int
	// ServerURL is the forge's web address, default "https://github.com".
	ServerURL string
	// State is what the comment remembers, nil where no command can be given:
	// then no box is shown. Summary has no use for it.
	State *State
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
		line, kept := o.State.line()
		p.state = &kept
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

// page is one run being told.
type page struct {
	run   outcome.Run
	key   string
	limit int
	links links
	state *State // nil where no command can be given
	more  string // where what is left out can be found
}

func newPage(run outcome.Run, o Options) page {
	key := o.Key
	if !ValidKey(key) {
		key = DefaultKey
	}
	return page{run: run, key: key, limit: o.Limit, links: newLinks(o.ServerURL, run.Info)}
}

// render returns the whole text. The sections stand in the order of their
// importance, which is also the order in which they get room.
func (p page) render(start string) string {
	head := start + "### " + p.headline() + "\n\n" + p.facts() + "\n"
	sections := p.blocking()
	sections = append(sections, p.heals()...)
	sections = append(sections, p.changes()...)
	sections = append(sections, p.rest()...)
	return p.assemble(head, sections)
}
