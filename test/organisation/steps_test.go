package organisation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/internal/githubtest"
)

// take lets one step happen. One that has nothing to choose from does nothing.
func (o *organisation) take(s step) {
	o.now = o.now.Add(time.Duration(1+s.b%3) * time.Minute)
	if isOpen(s.kind) {
		return
	}
	switch s.kind {
	case runJob, runTwoJobs:
		o.runWaiting(s)
	case cancelRun:
		o.cancel(s)
	case passHours:
		o.now = o.now.Add(time.Duration(1+s.a%20) * time.Hour)
	case passWeek:
		o.now = o.now.Add(8 * 24 * time.Hour)
		o.say("a week passes")
	case pushMain, skipCI, breakMain, mendMain:
		o.pushToMain(s)
	case pushRelease:
		o.pushToRelease(s)
	case openPull, openFork:
		o.open(s)
	case pushPull, breakPull, shakePull, mendPull:
		o.pushToPull(s)
	case queuePulls:
		o.enqueue(s)
	case mergeNext:
		o.merge(s)
	case nightly:
		o.say("nightly")
		o.startOnMain("schedule", s.b)
	case rerunAll, rerunFailed:
		o.rerun(s)
	case holdTest, releaseTest:
		o.decide(s)
	case clutter:
		o.addArtifacts(s)
	case renameBranch:
		o.renameDefaultBranch()
	case renameWorkflow:
		w, _ := choose(o.workflows, s.a)
		o.renameFile(w)
	case lookBack:
		o.look = true
	}
}

// newCommit makes a commit, as the tip of a branch where one is named.
func (o *organisation) newCommit(what string, t tree, branch string, parents ...string) commit {
	o.made++
	made := commit{sha(what, o.made), t}
	o.server.Commit(repository, githubtest.Past{SHA: made.sha, Parents: parents, At: o.now}, branch)
	return made
}

// newFault returns a fault of a test of the suite.
func (o *organisation) newFault(t tree, s step, pull int, every uint32) *fault {
	areas := []string{"shop", "shop", "api", "chrome", "firefox"}
	area := areas[s.a%5]
	o.made++
	f := &fault{test: testName(area, int(s.b)%t.suite[area]), message: "boom in " + word(o.made), every: every, pull: pull}
	if area == "shop" && s.b%3 == 0 {
		f.browser = "firefox"
	}
	return f
}

// word writes a number in letters: signatures of errors leave digits out.
func word(n int) string {
	var w strings.Builder
	w.WriteString("x")
	for _, digit := range fmt.Sprint(n) {
		w.WriteByte("bdfgklmnpr"[digit-'0'])
		w.WriteByte("aeiou"[int(digit)%5])
	}
	return w.String()
}

func (o *organisation) pushToMain(s step) {
	var c change
	switch {
	case s.kind == breakMain:
		c.faults = []*fault{o.newFault(o.main.tip.tree, s, 0, 1)}
	case s.kind == mendMain:
		c.mended = regressions(o.main.tip.tree.faults)
		markMended(c.mended)
	case s.a%5 == 0 && o.main.tip.tree.suite["shop"] < 40:
		c.added = map[string]int{"shop": 1, "api": int(s.b) % 2}
	}
	o.past = append(o.past, o.main.tip)
	o.main.tip = o.newCommit("main", o.main.tip.tree.with(c), o.main.name, o.main.tip.sha)
	o.say("push %.7s to %s%s", o.main.tip.sha, o.main.name, c)
	if s.kind != skipCI {
		o.startOnMain("push", s.b)
	}
}

// pushToRelease pushes to the release branch, or to the first of another release, which
// begins at one of the last commits of the default branch.
func (o *organisation) pushToRelease(s step) {
	if from, ok := choose(o.past[max(0, len(o.past)-lastTips):], s.b); ok && s.a%3 == 0 {
		o.made++
		o.release = branch{fmt.Sprintf("release/%d.0", o.made), from}
	}
	o.release.tip = o.newCommit("release", o.release.tip.tree, o.release.name, o.release.tip.sha)
	o.say("push to %s", o.release.name)
	o.start(s.b, workflowRun{event: "push", ref: "refs/heads/" + o.release.name, branch: o.release.name, tested: o.release.tip, head: o.release.tip.sha})
}

// lastTips is among how many commits of the default branch releases begin.
const lastTips = 12

// String says what a change does, after a colon.
func (c change) String() string {
	var all []string
	for area, n := range c.added {
		if n > 0 {
			all = append(all, fmt.Sprintf("%d more tests of %s", n, area))
		}
	}
	slices.Sort(all)
	for _, f := range c.faults {
		what := "shakes"
		if f.isRegression() {
			what = "breaks"
		}
		all = append(all, fmt.Sprintf("%s %q", what, f.test))
	}
	for _, f := range c.mended {
		all = append(all, fmt.Sprintf("mends %q", f.test))
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, ", ")
}

// regressions returns the faults that always fail, which their mender ends.
func regressions(faults []*fault) []*fault {
	return slices.DeleteFunc(slices.Clone(faults), func(f *fault) bool { return !f.isRegression() })
}

func markMended(faults []*fault) {
	for _, f := range faults {
		f.mended = true
	}
}

func (o *organisation) open(s step) {
	p := &pull{number: 10 + len(o.pulls), fork: s.kind == openFork, roll: s.b}
	o.pulls = append(o.pulls, p)
	from := ""
	if p.fork {
		from = forkName
	}
	p.head = o.newCommit("pull", tree{}, "", o.main.tip.sha).sha
	o.server.OpenPull(repository, githubtest.PullRequest{Number: p.number, Author: "mona", HeadRepository: from, HeadRef: p.headBranch(), HeadSHA: p.head,
		BaseRef: o.main.name, BaseSHA: o.main.tip.sha, Files: changedFiles}, nil)
	o.say("%s opened as %.7s", p, p.head)
	o.startOnPull(p, s.b)
}

// changedFiles are what every pull request changes: no test's own file.
var changedFiles = []githubtest.File{{Name: "src/cart.ts", Patch: "@@ -1 +1 @@\n-a\n+b"}}

func (p *pull) String() string {
	if p.fork {
		return fmt.Sprintf("fork's pull request %d", p.number)
	}
	return fmt.Sprintf("pull request %d", p.number)
}

func (o *organisation) pushToPull(s step) {
	p, ok := choose(o.openPulls(), s.a)
	if !ok {
		return
	}
	var c change
	t := o.main.tip.tree.with(p.change)
	switch s.kind {
	case breakPull:
		c.faults = []*fault{o.newFault(t, s, p.number, 1)}
	case shakePull:
		c.faults = []*fault{o.newFault(t, s, p.number, 2)}
	case mendPull:
		c.mended = p.change.faults
		p.change.faults = nil
	case pushPull:
		if s.b%5 == 0 {
			c.added = map[string]int{"shop": 1}
		}
	}
	markMended(c.mended)
	p.change.faults = append(slices.Clone(p.change.faults), c.faults...)
	if p.change.added == nil && c.added != nil {
		p.change.added = c.added
	}
	p.head = o.newCommit("pull", tree{}, "", o.main.tip.sha, p.head).sha
	o.server.Push(repository, p.number, p.head, changedFiles, nil)
	o.say("push %.7s to %s%s", p.head, p, c)
	o.startOnPull(p, s.b)
}

// enqueue puts up to three pull requests into the merge queue as one group.
func (o *organisation) enqueue(s step) {
	all := slices.DeleteFunc(o.openPulls(), func(p *pull) bool { return p.fork && s.b%2 == 0 })
	first, ok := choose(all, s.a)
	if !ok {
		return
	}
	g := &group{pulls: []*pull{first}, base: o.main.tip.sha}
	if second, _ := choose(all, s.a/7); second != first && s.b%3 == 0 {
		g.pulls = append(g.pulls, second)
	}
	t, numbers, parents := o.main.tip.tree, []int{}, []string{o.main.tip.sha}
	for _, p := range g.pulls {
		t = t.with(p.change)
		numbers, parents = append(numbers, p.number), append(parents, p.head)
	}
	slices.Sort(numbers)
	g.commit = o.newCommit("group", t, "", parents...)
	var made []githubtest.QueuedCommit
	for _, p := range g.pulls {
		made = append(made, githubtest.QueuedCommit{Head: g.commit.sha, SHA: sha(g.commit.sha, p.number), Message: fmt.Sprintf("Merge pull request #%d from acme/%s", p.number, p.headBranch())})
	}
	o.server.Queue(repository, made)
	o.queue = append(o.queue, g)
	name := fmt.Sprintf("gh-readonly-queue/%s/pr-%d-%s", o.main.name, g.pulls[len(g.pulls)-1].number, o.main.tip.sha)
	o.say("merge queue: %v as %.7s", numbers, g.commit.sha)
	o.start(s.b, workflowRun{event: "merge_group", ref: "refs/heads/" + name, branch: name, tested: g.commit, head: g.commit.sha, group: numbers})
}

// merge merges the first group of the queue, unless a regression is in it.
func (o *organisation) merge(s step) {
	if len(o.queue) == 0 {
		return
	}
	g := o.queue[0]
	o.queue = o.queue[1:]
	t := o.main.tip.tree
	for _, p := range g.pulls {
		if p.closed || len(regressions(p.change.faults)) > 0 {
			return
		}
		t = t.with(p.change)
	}
	for _, p := range g.pulls {
		p.closed = true
		for _, f := range p.change.faults {
			f.pull = 0
		}
	}
	o.past = append(o.past, o.main.tip)
	if o.main.tip.sha == g.base {
		o.main.tip = commit{g.commit.sha, t}
		o.server.Advance(repository, o.main.name, g.commit.sha)
	} else {
		o.main.tip = o.newCommit("merged", t, o.main.name, o.main.tip.sha, g.commit.sha)
	}
	o.say("%d pull requests are merged as %.7s", len(g.pulls), g.commit.sha)
	o.startOnMain("push", s.b)
}

// rerun attempts a run that ended again: all of it or the jobs that failed.
func (o *organisation) rerun(s step) {
	ended := slices.DeleteFunc(slices.Clone(o.runs[max(0, len(o.runs)-60):]), func(r *workflowRun) bool {
		return len(r.done) < len(r.workflow.jobs) || r.attempt == maxAttempts || r.event == "issue_comment"
	})
	r, ok := choose(ended, s.a)
	if !ok {
		return
	}
	var again []jobSpec
	for _, spec := range r.workflow.jobs {
		if s.kind == rerunAll || !r.done[spec.name()] {
			again = append(again, spec)
		}
	}
	if len(again) == 0 {
		return
	}
	r.attempt++
	o.server.EndRun(repository, r.id, time.Time{})
	for _, spec := range again {
		delete(r.done, spec.name())
		o.waiting = append(o.waiting, &job{r, spec, r.attempt})
	}
	o.say("attempt %d of %s: %d jobs", r.attempt, r, len(again))
}
