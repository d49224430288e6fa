package comment

import "github.com/breadcrumb/action/engine/flaky"

// changes returns the tests that entered or left quarantine, with the reason.
func (p page) changes() []section {
	changes := p.run.Changes
	return section{
		one: "quarantine change", many: "quarantine changes",
		open:  "\n#### Quarantine changes\n\n",
		n:     len(changes),
		entry: func(i int) string { return "- " + change(changes[i]) + "\n" },
	}.folding()
}

// change returns one change: the test, what happened to it, why.
func change(c flaky.Change) string {
	text := code(c.TestID, nameWidth) + " **" + changed(c) + "**"
	if reason := prose(c.Reason, reasonWidth); reason != "" {
		text += ": " + reason
	}
	if c.ExitCriteria != "" {
		text += "; " + prose(c.ExitCriteria, reasonWidth)
	}
	if c.Owner != "" {
		text += "; owner " + code(c.Owner, nameWidth)
	}
	return text
}

// changed says what happened to the test, or what would where changes are only
// told.
func changed(c flaky.Change) string {
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
