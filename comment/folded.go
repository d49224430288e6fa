package comment

import (
	"fmt"
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
)

// reasonAndOwner says why a test is in quarantine, what takes it out and whose it
// is, as far as that is known.
func reasonAndOwner(reason, exitCriteria, owner string) string {
	s := reasonSuffix(reason)
	if exitCriteria != "" {
		s += "; " + prose(exitCriteria, reasonWidth)
	}
	if owner != "" {
		s += "; owner " + codeSpan(owner, nameWidth)
	}
	return s
}

// excusedSection returns the failures that quarantine excuses.
func (p page) excusedSection() section {
	return foldedSection("quarantined failure excused", "quarantined failures excused", p.run.Verdict.Excused, func(f flaky.Failure) string {
		text := p.failureLine(f.Result)
		if excuse := prose(f.Excuse, excuseWidth); excuse != "" {
			text = strings.TrimSuffix(text, "\n") + "<br>Excused: " + excuse + "\n"
		}
		if order := prose(f.Order, reasonWidth); order != "" {
			text = strings.TrimSuffix(text, "\n") + "<br>Order: " + order + "\n"
		}
		return text
	})
}

// flakySection returns the tests that passed after failing in this run.
func (p page) flakySection() section {
	return foldedSection("flaky test passed on retry", "flaky tests passed on retry", p.run.FlakyTests, func(r engine.TestResult) string {
		return fmt.Sprintf("- %s · passed at attempt %d: %s\n", p.title(r), len(r.Attempts), firstFailure(r))
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

// refusedSection returns the locators that were lost, not healed, and stop no test.
func (p page) refusedSection() section {
	return foldedSection("locator not healed", "locators not healed", p.lostOf(engine.OutcomeRefused), p.lostEntry)
}

// aboutSection returns, in one fold, the health of the tests and where the
// results come from.
func (p page) aboutSection() section {
	groups := []group{p.quarantineGroup(), p.unstableGroup(), p.sourceGroup()}
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
	one, many string // what the fold's summary calls its things, "" to leave them out
	count     int    // of these things
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

// quarantineGroup returns the tests that are in quarantine after this run, those of
// one parametrised test on a line.
func (p page) quarantineGroup() group {
	entries := p.run.Quarantine
	ids := flaky.TestIDs(entries, func(e flaky.Entry) engine.TestID { return e.TestID })
	groups := flaky.Grouped(ids)
	return group{"In quarantine", "test in quarantine", "tests in quarantine", len(entries), len(groups), func(i int) string {
		e := entries[groups[i][0]]
		text := "- " + p.groupLine(ids, groups[i])
		if e.Environment != "" {
			text += " in " + codeSpan(e.Environment, 40)
		}
		if !e.Since.IsZero() {
			text += " since " + e.Since.UTC().Format("2006-01-02")
		}
		return text + reasonAndOwner(e.Reason, e.ExitCriteria(), e.Owner) + "\n"
	}}
}

// unstableGroup returns the tests of this run that are not stable, worst first.
func (p page) unstableGroup() group {
	var unstable []flaky.TestHealth
	for _, s := range p.run.TestHealths {
		if s.Tier != flaky.TierStable && s.Tier != "" {
			unstable = append(unstable, s)
		}
	}
	sort.SliceStable(unstable, func(i, j int) bool { return unstable[i].FlipRate > unstable[j].FlipRate })
	ids := flaky.TestIDs(unstable, func(h flaky.TestHealth) engine.TestID { return h.TestID })
	groups := flaky.Grouped(ids)
	return group{"Unstable tests", "unstable test", "unstable tests", len(unstable), len(groups), func(i int) string {
		return "- " + p.groupLine(ids, groups[i]) + ": " + unstable[groups[i][0]].Words() + "\n"
	}}
}

// groupLine names the test that members point to, or its parameters.
func (p page) groupLine(ids []engine.TestID, members []int) string {
	return flaky.NameGroup(ids, members, p.run.Groups, func(name string) string { return codeSpan(name, nameWidth) })
}

// sourceGroup says where the results come from and where they are kept.
func (p page) sourceGroup() group {
	info := p.run.Info
	var lines []string
	add := func(what, value string) {
		if value != "" {
			lines = append(lines, "- "+what+": "+codeSpan(value, nameWidth)+"\n")
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

// failureLine returns a failing test on one line of a list.
func (p page) failureLine(r engine.TestResult) string {
	return "- " + p.title(r) + ": " + errorInline(r) + "\n"
}
