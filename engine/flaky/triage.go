package flaky

import (
	"strings"

	"github.com/breadcrumb/action/engine/text"
)

// recentCommits is how many commits ago the last one of a branch may be for its
// failures to be told of.
const recentCommits = 200

// Triage says in a line since when a failing test of a run fails and where else, such
// as "also fails on the default branch since a1b2c3d (3 runs)", "" where nothing is
// known of the test yet. here names the run's branch where it is not the default one,
// such as "in this pull request". The judge must not have observed the run's commit.
func (j *Judge) Triage(run Run, o Observation, here string) string {
	if o.isTrouble() {
		return "trouble of the environment: " + Trouble(o.Signatures[0])
	}
	var said []string
	main := j.Main.states[o.Test].failing(branchKey{variant: run.Variant})
	own := j.Pulls.states[o.Test].failing(run.key())
	switch {
	case run.onMain() && main != nil:
		said = append(said, "fails on the default branch"+Breakage{main.streak + 1, main.since}.String())
	case run.onMain():
		if j.ranOnMain(o) {
			said = append(said, "new on the default branch: it passed at the commit before")
		}
	case main != nil:
		said = append(said, "also fails on the default branch"+Breakage{main.streak, main.since}.String())
	case own == nil && j.ranOnMain(o):
		said = append(said, "new "+here+": it passes on the default branch")
	}
	if !run.onMain() && own != nil {
		said = append(said, "failed here at the last push, too")
	}
	if n := j.Pulls.failingElsewhere(run, o.Test); n > 0 {
		said = append(said, "fails on "+text.Count(n, "other branch", "other branches")+", too")
	}
	return strings.Join(said, "; ")
}

// failing returns the branch where the test fails, nil where it does not.
func (s *testState) failing(on branchKey) *branchState {
	if s == nil || s.branches[on] == nil || s.branches[on].streak == 0 {
		return nil
	}
	return s.branches[on]
}

// ranOnMain reports whether the default branch is known to have run the test.
func (j *Judge) ranOnMain(o Observation) bool {
	s := j.Main.states[o.Test]
	return s != nil && s.executions > 0 || o.BeforeMain > 0
}

// failingElsewhere counts the other branches on which the test fails now.
func (t *Tracker) failingElsewhere(run Run, test int) int {
	s := t.states[test]
	if s == nil {
		return 0
	}
	branches := map[string]bool{}
	for key, b := range s.branches {
		source, known := t.sources[key.sources]
		if known && b.streak > 0 && !sharesSource(strings.Split(key.sources, "\n"), run.Sources) && t.commits-source.last <= recentCommits {
			branches[key.sources] = true
		}
	}
	return len(branches)
}
