package comment

import (
	"strings"

	"github.com/breadcrumb/action/engine/flaky"
)

// headline returns the verdict in one line, with the one status mark of the
// text: what blocks, or that it passed and what it took to pass.
func (p page) headline() string {
	name := "Breadcrumb"
	if p.key != DefaultKey {
		name += " " + code(p.key, 64)
	}
	v := p.run.Verdict
	switch {
	case !v.Pass():
		return "❌ " + name + ": " + p.blockedBy(v)
	case p.run.Counts.Tests == 0:
		return "⚠️ " + name + ": no test ran"
	case p.run.Counts.Passed == 0 && len(v.Excused) == 0:
		return "⚠️ " + name + ": every test was skipped"
	}
	return "✅ " + name + ": passed" + p.helpedBy()
}

// blockedBy says what blocks, and what is blocked.
func (p page) blockedBy(v flaky.Verdict) string {
	blocks, block, blocked := " blocks this merge", " block this merge", "this merge is blocked"
	if p.run.Info.PullRequest == 0 {
		blocks, block, blocked = " fails this run", " fail this run", "it does not pass"
	}
	var what []string
	total := len(v.Blocking) + len(v.Missing)
	if n := len(v.Blocking); n > 0 {
		what = append(what, count(n, "test", "tests"))
	}
	if n := len(v.Missing); n > 0 {
		what = append(what, count(n, "missing test", "missing tests"))
	}
	if total == 0 {
		return "cannot trust this run, so " + blocked
	}
	if n := len(v.Notices); n > 0 {
		total += n
		what = append(what, count(n, "report problem", "report problems"))
	}
	if total == 1 {
		return list(what) + blocks
	}
	return list(what) + block
}

// helpedBy says what a passing run needed to pass.
func (p page) helpedBy() string {
	var what []string
	if n := len(p.run.Proposals); n > 0 {
		what = append(what, count(n, "locator", "locators")+" healed")
	}
	if n := len(p.run.Verdict.Excused); n > 0 {
		what = append(what, count(n, "quarantined failure", "quarantined failures")+" excused")
	}
	if len(what) == 0 {
		return ""
	}
	return " · " + strings.Join(what, ", ")
}

// facts returns the line below the headline: counts, time, commit, log.
func (p page) facts() string {
	c := p.run.Counts
	facts := []string{count(c.Tests, "test", "tests")}
	for _, f := range []struct {
		n    int
		what string
	}{{c.Passed, "passed"}, {c.Failed, "failed"}, {c.Errors, "errored"}, {c.Skipped, "skipped"}, {c.Flaky, "flaky"}} {
		if f.n > 0 {
			facts = append(facts, thousands(f.n)+" "+f.what)
		}
	}
	if d := duration(c.DurationMS); d != "" {
		facts = append(facts, d)
	}
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
