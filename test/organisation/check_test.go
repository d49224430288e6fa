package organisation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/githubtest"
)

// check compares what came of a run with what must be.
func (o *organisation) check(r *record) {
	o.checkVerdict(r)
	o.checkQuarantine(r)
	r.before = len(o.model.records)
	o.model.records = append(o.model.records, r)
	if !r.fork {
		for _, number := range r.run.pulls() {
			o.checkComments(r, number)
		}
	}
	o.checkKept(r)
	for _, c := range r.result.Outcome.Changes {
		if name := nameOf(string(c.TestID)); c.Released && !c.Pending {
			if o.isForGood(r, name, c.Reason) {
				o.model.released[name] = r.known
			}
			o.model.left[name] = r.known
		} else if !c.Released && !c.Pending {
			o.model.entered[name] = r
		}
	}
}

// nameOf returns the name of a test from its identity.
func nameOf(id string) string {
	return id[strings.LastIndex(id, " › ")+len(" › "):]
}

// checkVerdict looks at who is blocked, and who is excused.
func (o *organisation) checkVerdict(r *record) {
	v := r.result.Outcome.Verdict
	if len(v.Missing) > 0 {
		o.checkMissing(r)
	}
	green := true
	for test := range r.results {
		green = green && r.passed(test)
	}
	if green && r.result.Exit != ci.ExitPass && len(v.Missing) == 0 {
		o.fail(ruleGreen, "%s of %s: exit %d, %+v", r.spec.name(), r.run, r.result.Exit, v)
	}
	for _, f := range v.Excused {
		test := f.Result.Name
		tries := r.results[test]
		met := tries[len(tries)-1]
		switch d, decided := o.model.decisions[test]; {
		case decided && (d.hold || d.at.After(r.run.created)):
		case met.pull != 0:
			o.fail(ruleSelf, "%s of %s: %q fails by what pull request %d brings (%s) and is excused: %s", r.spec.name(), r.run, test, met.pull, met.message, f.Excuse)
		case met.isRegression() && !met.mended:
			o.fail(ruleRegression, "%s of %s: %q fails (%s) and is excused: %s", r.spec.name(), r.run, test, met.message, f.Excuse)
		}
	}
}

// checkMissing looks whether anything justifies that tests are missing: no run of this
// organisation ever loses one.
func (o *organisation) checkMissing(r *record) {
	// Where nothing was recorded when a branch began, the newest run stands for it.
	told := slices.ContainsFunc(r.result.Outcome.Notices, func(n engine.Notice) bool { return strings.HasPrefix(n.Reason, "missing tests are those that run") })
	if told {
		return
	}
	broken := ruleMissing
	if slices.ContainsFunc(o.model.records, func(other *record) bool {
		return other.run.workflow == r.run.workflow && other.spec == r.spec && other.compare(r) > 0
	}) {
		broken = ruleOlder
	}
	o.fail(broken, "%s of %s lacks %v, which its tree does not have", r.spec.name(), r.run, r.result.Outcome.Verdict.Missing)
}

// The pages of runs that our comments link to, and their headlines.
var (
	runPage  = regexp.MustCompile(`/actions/runs/(\d+)(?:/attempts/(\d+))?\)`)
	headline = regexp.MustCompile(`(?m)^### (\S+) Breadcrumb`)
)

// checkComments looks whether the newest run of each job has the last word on a pull
// request that it is of, by itself or in a merge group, and no other run any.
func (o *organisation) checkComments(r *record, number int) {
	said := o.model.said[number]
	if said == nil {
		said = map[string]*record{}
		o.model.said[number] = said
	}
	if have := said[r.key]; have == nil || have.compare(r) < 0 {
		said[r.key] = r
	}
	var want, got []string
	for _, newest := range said {
		mark := "❌"
		if newest.result.Exit == ci.ExitPass {
			mark = "✅"
		}
		want = append(want, fmt.Sprintf("%s run %d attempt %d", mark, newest.run.id, newest.attempt))
	}
	for _, c := range commentsOn(o.server, number) {
		mark, page := headline.FindStringSubmatch(c.Body), runPage.FindStringSubmatch(c.Body)
		if mark == nil || page == nil {
			continue
		}
		attempt := "1"
		if page[2] != "" {
			attempt = page[2]
		}
		got = append(got, fmt.Sprintf("%s run %s attempt %s", mark[1], page[1], attempt))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		o.fail(ruleComment, "pull request %d: the comments are of %v, want %v", number, got, want)
	}
}

func commentsOn(g *githubtest.Server, number int) []githubtest.Comment {
	return slices.DeleteFunc(g.Comments(repository), func(c githubtest.Comment) bool { return c.Issue != number })
}

// checkQuarantine looks at who enters quarantine and who leaves it.
func (o *organisation) checkQuarantine(r *record) {
	if !r.run.trusted() || o.toldOfGap(r) {
		return
	}
	for _, c := range r.result.Outcome.Changes {
		test := nameOf(string(c.TestID))
		switch {
		case c.Pending:
		case !c.Released:
			o.checkEntry(r, test, c.Reason)
		case strings.HasPrefix(c.Reason, "it ran clean on"):
			o.checkRelease(r, test)
		case strings.HasPrefix(c.Reason, leavesBroken):
			o.checkBroken(r, test, c.Reason)
		}
	}
}

// checkBroken looks whether a test that leaves because it always fails failed in this run
// for good, and on another commit.
func (o *organisation) checkBroken(r *record, test, reason string) {
	failed := 0
	for _, c := range o.commits(test, r, 0) {
		if c.failed {
			failed++
		}
	}
	if failed < 2 || r.passed(test) {
		o.fail(ruleRelease, "%q leaves in %s, passed there: %t, failed on %d commits: %s", test, r.run, r.passed(test), failed, reason)
	}
}

// The least that the rules of docs/flaky.md ask for.
const (
	enterCommits   = 2  // with a failure
	enterExecuted  = 10 // commits in all
	provenCommits  = 3  // with a failure: then fewer are enough
	provenExecuted = 5  // in all
	releaseCommits = 10 // clean ones on the default branch
)

// checkEntry looks whether a test that enters failed often enough since it left for good.
// Where keep-runs let its first runs go, the judge goes through the others anew: it finds a
// test flaky later than it did, so that it did not expire when it did, and its evidence
// counts on.
func (o *organisation) checkEntry(r *record, test, reason string) {
	failed, since := 0, o.model.released[test]
	if since > 0 && o.isPastLetGo(r, test, since) {
		since = 0
	}
	for _, c := range o.commits(test, r, since) {
		if c.failed {
			failed++
		}
	}
	if failed < enterCommits {
		o.fail(ruleEnter, "%q enters in %s after it failed on %d commits since it left: %s", test, r.run, failed, reason)
	}
	if all := len(o.commits(test, r, 0)); all < enterExecuted && (failed < provenCommits || all < provenExecuted) {
		o.fail(ruleEnter, "%q enters in %s after it ran on %d commits: %s", test, r.run, all, reason)
	}
}

// isPastLetGo reports whether the settings let a commit go that ran a test before it left.
func (o *organisation) isPastLetGo(r *record, test string, left int) bool {
	kept := o.commitsOf(test, r, o.stillKept(r, 0, test))
	return slices.ContainsFunc(o.commitsOf(test, r, o.model.records[:left]), func(c *tested) bool {
		return !slices.ContainsFunc(kept, func(k *tested) bool { return k.sha == c.sha })
	})
}

func (o *organisation) checkRelease(r *record, test string) {
	if o.cameLate(r, test) || o.isEvidenceForgotten(r, test) {
		return
	}
	all := o.commits(test, r, 0)
	for i, c := range slices.Backward(all) {
		if c.failed && c.passed {
			if clean := len(all) - 1 - i; clean < releaseCommits {
				o.fail(ruleRelease, "%q leaves in %s, %d commits after it failed and passed on %.7s", test, r.run, clean, c.sha)
			}
			return
		}
	}
}

// isEvidenceForgotten reports whether a commit that failed a test before it last entered
// quarantine counts no more, by the settings or because the default branch had another name
// then: what is left may be too little to hold it.
func (o *organisation) isEvidenceForgotten(r *record, test string) bool {
	entered := o.model.entered[test]
	if entered == nil {
		return false
	}
	left := o.model.left[test]
	kept := o.commitsOf(test, r, slices.DeleteFunc(o.stillKept(r, left, test), func(k *record) bool { return !o.isFollowed(k) }))
	return slices.ContainsFunc(o.commits(test, entered, left), func(c *tested) bool {
		return c.failed && !slices.ContainsFunc(kept, func(k *tested) bool { return k.sha == c.sha && k.failed })
	})
}

// cameLate reports whether a run of an older commit ended after the one that put a
// test into quarantine: what showed a flake then, a red by itself, may be a row of
// reds now, and nobody is held by what the whole history does not show.
func (o *organisation) cameLate(r *record, test string) bool {
	entered := o.model.entered[test]
	return entered != nil && slices.ContainsFunc(append(slices.Clone(o.model.records[entered.known:]), r), func(late *record) bool {
		return late.run.trusted() && len(late.results[test]) > 0 && late.run.created.Before(entered.run.created)
	})
}
