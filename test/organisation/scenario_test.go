package organisation

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/internal/githubtest"
)

// scenarios are short histories that reach at once what a seed's steps reach late or
// never, by the row of what the product once did wrong.
var scenarios = map[string]struct {
	row     int
	setting setting
	play    func(*organisation)
}{
	"a snapshot behind another workflow's and others' artifacts": {1, inArtifacts, func(o *organisation) {
		for range 8 {
			o.runOnMain(o.workflows[1], nil)
		}
		calls := o.startOne(o.workflows[2], workflowRun{event: "push", ref: "refs/heads/main", branch: "main", isDefault: true, tested: o.main.tip, head: o.main.tip.sha})
		of := make([]githubtest.Artifact, 120) // by an older version
		for i := range of {
			of[i] = githubtest.Artifact{Run: calls.id, Name: "breadcrumb-snapshot", Created: o.now, Content: []byte("PK")}
		}
		o.server.AddArtifacts(repository, of)
		o.addArtifacts(step{a: 2})
	}},
	"more legs than a run takes in, behind others' artifacts of before the last snapshot": {1, inArtifacts, func(o *organisation) {
		e2e := o.workflows[0]
		for range 3 {
			o.push(e2e)
		}
		o.runAtOnce()
		o.now = o.now.AddDate(0, 0, 2)
		o.addArtifacts(step{})
		for range 2 {
			o.now = o.now.AddDate(0, 0, 2)
			o.push(e2e)
			o.runJob(o.nextJob(), calmRoll(), func() {})
			o.waiting = nil
		}
	}},
	"an old run that is run again, behind others' artifacts": {1, inArtifacts, func(o *organisation) {
		api := o.calm()
		for range 6 {
			o.runOnMain(api, nil)
		}
		o.now = o.now.AddDate(0, 0, 2)
		o.rerun(step{kind: rerunAll})
		o.runJob(o.nextJob(), calmRoll(), func() {})
		o.now = o.now.AddDate(0, 0, 2)
		o.addArtifacts(step{a: 2})
		o.runOnMain(api, nil)
	}},
	"more runs at once than are looked at, behind others' artifacts": {1, inArtifacts, func(o *organisation) {
		api := o.calm()
		o.runOnMain(api, nil)
		for range 14 {
			o.push(api)
		}
		o.runAtOnce()
		for range 3 {
			o.now = o.now.AddDate(0, 0, 2)
			o.addArtifacts(step{a: 2})
			o.runOnMain(api, nil)
		}
	}},
	"a flake in one of three legs": {2, inArtifacts, func(o *organisation) {
		o.calm()
		f := &fault{test: testName("shop", 1), message: "boom in the cart", every: 2}
		for i := range enterExecuted + 1 {
			if i == 2 || i == 3 {
				o.runLegs(f, nil)
			} else {
				o.runLegs(nil)
			}
		}
		o.runLegs(f, nil)
		for range 6 {
			o.runLegs(nil)
		}
	}},
	"a pull request in several merge groups": {3, inArtifacts, func(o *organisation) {
		api, p := o.calm(), o.openedPull()
		f := &fault{test: testName("api", 1), message: "boom in the cart", every: 2, pull: p.number}
		for range enterExecuted {
			o.runOnMain(api, nil)
		}
		o.runOnPull(p, api, f, nil)
		for range 3 {
			o.runInGroup(p, api, f, nil)
			o.runOnMain(api, nil)
		}
		o.runInGroup(p, api, f)
	}},
	"a test that is never excused beside one that flakes": {8, setting{place: placeArtifact, keepRuns: 300, share: 0.2, never: []string{testName("api", 2)}}, func(o *organisation) {
		api := o.calm()
		for _, n := range []int{2, 1} {
			f := &fault{test: testName("api", n), message: "boom in the cart", every: 2}
			for i := range enterExecuted + 2 {
				if i%4 == 3 {
					o.runOnMain(api, f, nil)
				} else {
					o.runOnMain(api, nil)
				}
			}
		}
	}},
	"a nightly flake on a commit that does not move": {9, inArtifacts, func(o *organisation) {
		api := o.calm()
		f := o.enter(api)
		for range releaseCommits { // the oftener it flakes, the fewer clean commits let it out
			o.runOnMain(api, f, nil)
		}
		for range 2 * releaseCommits {
			o.runNightly(api, f, nil)
		}
	}},
	"one flake after expiry": {10, inArtifacts, func(o *organisation) {
		api := o.calm()
		f := o.enter(api)
		o.now = o.now.AddDate(0, 0, 31)
		o.runOnMain(api, nil)
		o.runOnMain(api, f, nil)
		o.runOnMain(api, nil)
	}},
	"a pull request that flaked again and again before it fails every attempt": {11, inArtifacts, func(o *organisation) {
		api, p := o.calm(), o.openedPull()
		for range 5 { // the test's flakes are enough without what the pull request ran, too
			o.runOnMain(api, nil)
		}
		f := o.enter(api)
		for range 4 {
			o.runOnPull(p, api, f, nil)
		}
		o.runOnMain(api, nil) // pull requests read what a run of the default branch took in
		o.runOnPull(p, api, slices.Repeat([]attempt{f}, 7)...)
	}},
	"more runs of pull requests than are kept": {12, setting{place: placeArtifact, keepRuns: 12, share: 1}, func(o *organisation) {
		api, p := o.calm(), o.openedPull()
		for range 3 {
			o.runOnMain(api, nil)
		}
		for range 16 {
			o.runOnPull(p, api, nil)
		}
	}},
	"the legs before a rename of the branch, behind others' artifacts": {14, inArtifacts, func(o *organisation) {
		o.pushes(2)
		o.addArtifacts(step{a: 2})
		o.renameDefaultBranch()
		o.addArtifacts(step{a: 2})
	}},
	"a job that waits while the branch is renamed, behind others' artifacts": {14, inArtifacts, func(o *organisation) {
		o.pushes(4)
		o.addArtifacts(step{a: 2})
		o.push(o.workflows[0])
		o.renameDefaultBranch()
		o.runJob(o.nextJob(), calmRoll(), func() {})
	}},
	"a workflow's first run begins before a rename of the branch and ends after its second": {14, inArtifacts, func(o *organisation) {
		o.push(o.workflows[2])
		o.runWaitingJobs()
		o.push(o.workflows[0])
		late := o.nextJob()
		o.renameDefaultBranch()
		o.waiting = nil
		o.push(o.workflows[0])
		o.runJob(o.nextJob(), calmRoll(), func() {})
		o.runJob(late, calmRoll(), func() {})
	}},
	"more legs at once before a rename than a run takes in": {14, inArtifacts, func(o *organisation) {
		o.pushes(1)
		for range 2 {
			o.push(o.workflows[0])
		}
		o.runAtOnce()
		o.renameDefaultBranch()
	}},
	"more legs at once before a rename than two runs take in, and a quiet week between them": {14, inArtifacts, func(o *organisation) {
		o.pushes(1)
		for range 4 {
			o.push(o.workflows[0])
		}
		o.runAtOnce()
		o.renameDefaultBranch()
		for range 2 {
			o.push(o.workflows[0])
			o.runJob(o.nextJob(), calmRoll(), func() {})
			o.waiting = nil
			o.now = o.now.AddDate(0, 0, 9)
		}
	}},
	"more legs at once before a rename of the file than a run takes in": {14, inArtifacts, func(o *organisation) {
		o.pushes(1)
		for range 2 {
			o.push(o.workflows[0])
		}
		o.runAtOnce()
		o.renameFile(o.workflows[0])
	}},
	"more runs before a rename of the file than a run takes in, while others wait for weeks behind others' artifacts": {14, inArtifacts, func(o *organisation) {
		api, p := o.calm(), o.openedPull()
		o.runOnMain(api, nil)
		for range 4 {
			o.command(o.startCommand(p, api), "quarantine", testName("api", 1), calmRoll())
		}
		for range 5 {
			o.push(api)
		}
		o.waiting = nil
		for range 20 {
			o.push(api)
		}
		o.runAtOnce()
		o.renameFile(api)
		for range 8 {
			o.now = o.now.Add(2 * time.Hour)
			o.addArtifacts(step{a: 2})
			o.runOnMain(api, nil)
		}
		if last := o.model.records[len(o.model.records)-1]; o.toldOfGap(last) {
			o.fail(ruleHistory, "%s still has not read all of its history", api.path)
		}
	}},
	"branch and file are renamed between two runs": {14, inArtifacts, func(o *organisation) {
		o.pushes(2)
		o.renameDefaultBranch()
		o.renameFile(o.workflows[0])
	}},
	"a run under the file's former name that ends after one under the new name": {14, inArtifacts, func(o *organisation) {
		api := o.calm()
		o.runOnMain(api, nil)
		o.push(api)
		late := o.nextJob()
		o.renameFile(api)
		o.runOnMain(api, nil)
		o.runJob(late, calmRoll(), func() {})
		o.runOnMain(api, nil)
	}},
	"a leg under the file's former name that ends after legs under the new name": {14, inArtifacts, func(o *organisation) {
		e2e := o.workflows[0]
		o.pushes(2)
		o.push(e2e)
		late := o.nextJob()
		o.runWaitingJobs()
		o.renameFile(e2e)
		o.push(e2e)
		for range 3 {
			o.runJob(o.nextJob(), calmRoll(), func() {})
		}
		o.runJob(late, calmRoll(), func() {})
		o.runWaitingJobs()
	}},
	"a leg under a file's former name after two files were renamed, so that neither is followed": {14, inArtifacts, func(o *organisation) {
		e2e := o.workflows[0]
		for _, w := range o.workflows {
			o.push(w)
		}
		o.runWaitingJobs()
		o.push(e2e)
		late := o.nextJob()
		o.waiting = nil
		o.renameFile(e2e)
		o.renameFile(o.workflows[1])
		o.push(e2e)
		o.runJob(o.nextJob(), calmRoll(), func() {})
		o.runJob(late, calmRoll(), func() {})
		o.runWaitingJobs()
	}},
	"a file that is renamed again before a run under the second name ends": {14, inArtifacts, func(o *organisation) {
		api := o.calm()
		o.runOnMain(api, nil)
		o.renameFile(api)
		o.push(api)
		late := o.nextJob()
		o.renameFile(api)
		o.runJob(late, calmRoll(), func() {})
		o.runOnMain(api, nil)
	}},
	"more files that were renamed than are looked at": {14, inArtifacts, func(o *organisation) {
		api := o.calm()
		for range 3 {
			for _, w := range o.workflows {
				o.push(w)
				o.runWaitingJobs()
				o.renameFile(w)
			}
		}
		o.runOnMain(api, nil)
		o.runOnMain(api, nil)
	}},
	"a hold right after a rename of the branch, where caches keep the history": {14, setting{place: placeCache, keepRuns: 300, share: 1}, func(o *organisation) {
		api, p := o.calm(), o.openedPull()
		o.renameDefaultBranch()
		o.command(o.startCommand(p, api), "quarantine", testName("api", 1), calmRoll())
		o.runOnMain(api, nil)
	}},
	"a branch that lacks what the default branch gained": {16, inArtifacts, func(o *organisation) {
		api := o.calm()
		o.runOnMain(api, nil)
		o.release.tip = o.newCommit("release", o.main.tip.tree, o.release.name, o.main.tip.sha)
		o.main.tip.tree = o.main.tip.tree.with(change{added: map[string]int{"api": 1}})
		o.runOnMain(api, nil)
		o.wait(api, workflowRun{event: "push", ref: "refs/heads/" + o.release.name, branch: o.release.name, tested: o.release.tip, head: o.release.tip.sha})
		o.runScripted(nil)
	}},
	"a hold by a comment that another workflow answered, where caches keep the history": {15, setting{place: placeCache, keepRuns: 300, share: 1}, func(o *organisation) {
		api, p := o.calm(), o.openedPull()
		o.runOnMain(api, nil)
		o.command(o.startCommand(p, o.workflows[0]), "quarantine", testName("shop", 1), calmRoll())
		o.runOnMain(api, nil)
		o.push(o.workflows[0])
		o.runJob(o.nextJob(), calmRoll(), func() {})
		o.waiting = nil
		o.runOnMain(api, nil)
	}},
	"a hold while a younger run lets the test in": {15, inArtifacts, func(o *organisation) {
		api, p := o.calm(), o.openedPull()
		f := o.flakes(api)
		said := o.startCommand(p, api)
		o.script = map[string][]attempt{f.test: {f, nil}}
		o.push(api)
		o.runJob(o.nextJob(), calmRoll(), func() { o.command(said, "quarantine", f.test, calmRoll()) })
		o.script = nil
		o.runOnMain(api, nil)
	}},
}

var inArtifacts = setting{place: placeArtifact, keepRuns: 300, share: 1}

func TestScenarios(t *testing.T) {
	t.Parallel()
	for name, c := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOrganisation(t.Context(), t.TempDir(), c.setting)
			if broken := o.play(c.play); broken != nil {
				t.Errorf("%s\n%s", strings.Join(o.events, "\n"), broken)
			}
		})
	}
}

// play lets a scenario happen and the organisation come to rest, and returns the rule
// that broke, nil when all went well.
func (o *organisation) play(scenario func(*organisation)) (broken *violation) {
	defer func() {
		o.events = append(o.events, o.current)
		if r := recover(); r != nil {
			end, ours := r.(found)
			if !ours {
				panic(r)
			}
			broken = end.violation
		}
	}()
	scenario(o)
	o.comeToRest()
	return nil
}

// calm takes the faults out of the code, and returns the workflow with the fewest tests
// and one job.
func (o *organisation) calm() *workflow {
	o.main.tip.tree.faults, o.waiting = nil, nil
	return o.workflows[1]
}

// flakes lets a test flake on a commit less than lets it into quarantine.
func (o *organisation) flakes(w *workflow) *fault {
	f := &fault{test: testName("api", 1), message: "boom in the cart", every: 2}
	for range enterExecuted {
		o.runOnMain(w, nil)
	}
	o.runOnMain(w, f, nil)
	o.runOnMain(w, nil)
	return f
}

// enter lets a test flake until it is in quarantine.
func (o *organisation) enter(w *workflow) *fault {
	f := o.flakes(w)
	o.runOnMain(w, f, nil)
	return f
}

// openedPull opens a pull request of which nothing ran.
func (o *organisation) openedPull() *pull {
	o.open(step{})
	o.waiting = nil
	return o.pulls[len(o.pulls)-1]
}

// runOnMain pushes to the default branch, where a workflow's jobs run. The test of the
// first fault ends so, attempt by attempt; nil is a pass.
func (o *organisation) runOnMain(w *workflow, tries ...attempt) {
	o.push(w)
	o.runScripted(tries)
}

// runLegs pushes to the default branch, where the legs run that have a test; in the
// first of them it ends so, attempt by attempt, and in the others it passes.
func (o *organisation) runLegs(tries ...attempt) {
	const test = "shop case 1"
	o.push(o.workflows[0])
	first := true
	for len(o.waiting) > 0 {
		j := o.nextJob()
		if !slices.Contains(j.spec.tests(j.run.tested.tree), test) {
			continue
		}
		if first {
			o.script = map[string][]attempt{test: tries}
		}
		o.runJob(j, calmRoll(), func() {})
		o.script, first = nil, false
	}
}

// runNightly is runOnMain on the commit that is there.
func (o *organisation) runNightly(w *workflow, tries ...attempt) {
	o.now = o.now.Add(24 * time.Hour)
	o.wait(w, workflowRun{event: "schedule", ref: "refs/heads/" + o.main.name, branch: o.main.name, isDefault: true, tested: o.main.tip, head: o.main.tip.sha})
	o.runScripted(tries)
}

// runOnPull is runOnMain with a push to a pull request.
func (o *organisation) runOnPull(p *pull, w *workflow, tries ...attempt) {
	o.pushToPull(step{kind: pushPull, b: 1})
	o.waiting = nil
	merged := o.newCommit("merge", o.main.tip.tree.with(p.change), "", o.main.tip.sha, p.head)
	o.wait(w, workflowRun{event: "pull_request", ref: fmt.Sprintf("refs/pull/%d/merge", p.number), branch: p.headBranch(), tested: merged, head: p.head, pull: p})
	o.runScripted(tries)
}

// runInGroup is runOnMain with a pull request in the merge queue.
func (o *organisation) runInGroup(p *pull, w *workflow, tries ...attempt) {
	o.enqueue(step{b: 1})
	o.waiting = nil
	g := o.queue[len(o.queue)-1]
	name := fmt.Sprintf("gh-readonly-queue/%s/pr-%d-%s", o.main.name, p.number, g.base)
	o.wait(w, workflowRun{event: "merge_group", ref: "refs/heads/" + name, branch: name, tested: g.commit, head: g.commit.sha, group: []int{p.number}})
	o.runScripted(tries)
}

// runScripted lets all jobs that wait run, with a test that ends as it should.
func (o *organisation) runScripted(tries []attempt) {
	if len(tries) > 0 && tries[0] != nil {
		o.script = map[string][]attempt{tries[0].test: tries}
	}
	o.runWaitingJobs()
	o.script = nil
}

// pushes pushes to the default branch and lets all jobs run, some times.
func (o *organisation) pushes(n int) {
	for range n {
		o.push(o.workflows[0])
		o.runWaitingJobs()
	}
}

// push pushes to the default branch; a workflow's jobs wait then.
func (o *organisation) push(w *workflow) {
	o.now = o.now.Add(time.Minute)
	o.main.tip = o.newCommit("main", o.main.tip.tree, o.main.name, o.main.tip.sha)
	o.wait(w, workflowRun{event: "push", ref: "refs/heads/" + o.main.name, branch: o.main.name, isDefault: true, tested: o.main.tip, head: o.main.tip.sha})
}

// wait starts a run whose jobs wait then.
func (o *organisation) wait(w *workflow, event workflowRun) {
	r := o.startOne(w, event)
	for _, spec := range w.jobs {
		o.waiting = append(o.waiting, &job{r, spec, 1})
	}
}

// nextJob takes the first job that waits.
func (o *organisation) nextJob() *job {
	j := o.waiting[0]
	o.waiting = o.waiting[1:]
	return j
}

// runWaitingJobs lets all jobs that wait run, one after the other.
func (o *organisation) runWaitingJobs() {
	for len(o.waiting) > 0 {
		o.runJob(o.nextJob(), calmRoll(), func() {})
	}
}

// runAtOnce lets all jobs that wait run so that each has read the history before any
// saves.
func (o *organisation) runAtOnce() {
	if len(o.waiting) > 0 {
		o.runJob(o.nextJob(), calmRoll(), o.runAtOnce)
	}
}
