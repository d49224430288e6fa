package comment

import (
	"fmt"
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// rest returns what is folded: things to look up, none of which blocks.
func (p page) rest() []section {
	return []section{
		p.excused(), p.flakyTests(), p.refused(), p.warnings(), p.about(),
	}
}

// folded returns a section that is one fold titled with its size.
func folded(n int, one, many string, entry func(i int) string) section {
	return section{
		one: one, many: many,
		open: foldOpen(text.Count(n, one, many)), close: foldClose,
		n: n, entry: entry,
	}
}

// excused returns the failures that quarantine excuses.
func (p page) excused() section {
	excused := p.run.Verdict.Excused
	return folded(len(excused), "quarantined failure excused", "quarantined failures excused", func(i int) string {
		f := excused[i]
		text := p.failureLine(f.Result)
		if excuse := prose(f.Excuse, excuseWidth); excuse != "" {
			text = strings.TrimSuffix(text, "\n") + "<br>Excused: " + excuse + "\n"
		}
		return text
	})
}

// flakyTests returns the tests that passed after failing in this run.
func (p page) flakyTests() section {
	tests := p.run.FlakyTests
	return folded(len(tests), "flaky test passed on retry", "flaky tests passed on retry", func(i int) string {
		r := tests[i]
		return fmt.Sprintf("- %s · passed on attempt %d: %s\n", p.title(r), len(r.Attempts), firstFailure(r))
	})
}

// firstFailure returns the error of the first failing attempt.
func firstFailure(r engine.TestResult) string {
	for _, a := range r.Attempts {
		if a.Status.Failing() {
			r.Attempts = []engine.Attempt{a}
			break
		}
	}
	return errorInline(r)
}

// refused returns the locators that broke and were not healed.
func (p page) refused() section {
	refused := p.run.Refused
	return folded(len(refused), "locator not healed", "locators not healed", func(i int) string {
		h := refused[i]
		text := "- " + code(h.Locator, nameWidth) + " in " + code(h.TestID, nameWidth)
		if h.Site != nil && h.Site.File != "" {
			text += " · " + p.place(h.Site.File, h.Site.Line)
		}
		return text + ": " + prose(outcome.Refusal(h), reasonWidth) + "\n"
	})
}

// warnings returns the notices that change nothing.
func (p page) warnings() section {
	warnings := p.run.Warnings()
	return folded(len(warnings), "warning", "warnings", func(i int) string {
		return "- " + notice(warnings[i]) + "\n"
	})
}

// about returns the standing of the tests and where the results come from, under
// one fold.
func (p page) about() section {
	groups := []group{p.quarantined(), p.unstable(), p.source()}
	s := section{one: "line about this run", many: "lines about this run", close: foldClose}
	title := "About this run"
	for _, g := range groups {
		s.n += g.n
		if g.n > 0 && g.one != "" {
			title += " · " + text.Count(g.count, g.one, g.many)
		}
	}
	s.open = foldOpen(title)
	s.entry = func(i int) string {
		for _, g := range groups {
			if i < g.n {
				return g.line(i)
			}
			i -= g.n
		}
		return ""
	}
	return s
}

// group is a titled list inside a fold.
type group struct {
	title     string
	one, many string // told in the fold's summary when not empty
	count     int    // of what the summary tells
	n         int    // lines
	entry     func(i int) string
}

// line returns entry i, below the title when it is the first.
func (g group) line(i int) string {
	if i == 0 {
		return "\n**" + g.title + "**\n\n" + g.entry(i)
	}
	return g.entry(i)
}

// quarantined returns the tests that are in quarantine after this run, those of
// one parametrised test on a line.
func (p page) quarantined() group {
	entries := p.run.Quarantine
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.TestID
	}
	groups := flaky.Grouped(ids)
	return group{"In quarantine", "test in quarantine", "tests in quarantine", len(entries), len(groups), func(i int) string {
		e := entries[groups[i][0]]
		text := "- " + p.grouped(ids, groups[i])
		if e.Environment != "" {
			text += " in " + code(e.Environment, 40)
		}
		if !e.Since.IsZero() {
			text += " since " + e.Since.UTC().Format("2006-01-02")
		}
		if reason := prose(e.Reason, reasonWidth); reason != "" {
			text += ": " + reason
		}
		text += "; " + prose(e.ExitCriteria(), reasonWidth)
		if e.Owner != "" {
			text += "; owner " + code(e.Owner, nameWidth)
		}
		return text + "\n"
	}}
}

// unstable returns the tests of this run that are not stable, worst first.
func (p page) unstable() group {
	var unstable []flaky.TestHealth
	for _, s := range p.run.TestHealths {
		if s.Tier != flaky.TierStable && s.Tier != "" {
			unstable = append(unstable, s)
		}
	}
	sort.SliceStable(unstable, func(i, j int) bool { return unstable[i].FlipRate > unstable[j].FlipRate })
	ids := make([]string, len(unstable))
	for i, u := range unstable {
		ids[i] = u.TestID
	}
	groups := flaky.Grouped(ids)
	return group{"Unstable tests", "unstable test", "unstable tests", len(unstable), len(groups), func(i int) string {
		u := unstable[groups[i][0]]
		return fmt.Sprintf("- %s: %s, flip rate %.2f over %s\n", p.grouped(ids, groups[i]),
			prose(string(u.Tier), nameWidth), u.FlipRate, text.Count(u.Runs, "execution", "executions"))
	}}
}

// grouped returns the one test that members names, or of a parametrised test
// its name and how many of its parameters they are; the text that follows is
// true of the first.
func (p page) grouped(ids []string, members []int) string {
	first := ids[members[0]]
	if len(members) == 1 {
		return code(first, nameWidth)
	}
	group := flaky.Group(first)
	s := code(group, nameWidth) + " — " + text.Thousands(len(members))
	if all := p.run.Groups[group]; all >= len(members) {
		s += " of " + text.Count(all, "parameter", "parameters")
	} else {
		s += " parameters"
	}
	return s + ", such as " + code(strings.TrimPrefix(first, flaky.GroupStem(first)), nameWidth)
}

// source returns where the results come from and went.
func (p page) source() group {
	info := p.run.Info
	var lines []string
	add := func(what, value string) {
		if value != "" {
			lines = append(lines, "- "+what+": "+code(value, nameWidth)+"\n")
		}
	}
	for _, name := range p.run.Reports {
		add("Report", name)
	}
	add("Tested commit", info.Commit)
	add("Branch", info.Branch)
	add("Job", info.Job)
	add("Leg", info.Leg)
	add("Database", p.run.Database)
	return group{"Source", "", "", len(lines), len(lines), func(i int) string { return lines[i] }}
}
