package flaky

import (
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine/text"
)

// recentCommits is how many commits ago the last one of a branch may be for its
// failures to be told of.
const recentCommits = 200

// Triage says in a line since when a failing test of a run fails and where else, such
// as "also fails on the default branch since a1b2c3d (3 runs)", "" where nothing is
// known of the test yet. here names the run's branch where it is not the default one,
// such as "in this pull request"; it is "" where nobody knows of a default branch, as on a
// machine of one's own. The judge must not have observed the run's commit.
func (j *Judge) Triage(run Run, o Observation, here string) string {
	if o.isTrouble(Trouble) {
		return "trouble of the environment: " + Trouble(o.Signatures[0])
	}
	var said []string
	main := j.Main.states[o.Test].failing(branchKey{variant: run.Variant})
	own := j.Pulls.states[o.Test].failing(run.key())
	switch {
	case here == "" && main != nil:
		said = append(said, "fails"+Breakage{main.streak + 1, main.since}.String())
	case here == "":
		if j.ranOnMain(o) {
			said = append(said, "new: it passed in the run before")
		}
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
	if few := j.ledger(run).describeTooFew(run, o.Test); few != "" {
		said = append(said, few)
	}
	return strings.Join(said, "; ")
}

// describeTooFew says how often a test flaked that is not in quarantine, and what it
// lacks, "" for one that never did. A pull request's own runs do not count.
func (t *Tracker) describeTooFew(run Run, test int) string {
	s := t.states[test]
	if s == nil || t.Held(test) {
		return ""
	}
	s = t.without(s, run.Sources)
	flakes := 0
	for _, e := range s.evidence {
		if e.Kind == KindSameCommit { // a red alone may have been a bug
			flakes++
		}
	}
	sum, count := weighEvidence(s.evidence)
	lacks := ""
	switch runs := executionsNeeded(sum); {
	case flakes == 0:
		return ""
	case count < needEvidence || sum < needPoints:
		lacks = fmt.Sprintf("too few for quarantine (%d of %d points)", min(sum, needPoints), needPoints)
	case s.executions < runs:
		lacks = fmt.Sprintf("too few runs for quarantine, which takes %d", runs)
	default:
		return ""
	}
	return fmt.Sprintf("flaked in %d of %s, %s", flakes, text.Count(max(flakes, min(s.executions, evidenceWindow)), "run", "runs"), lacks)
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
