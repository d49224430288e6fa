package organisation

import (
	"testing"
)

// scenarios are short histories that reach at once what a seed's steps reach late or
// never.
var scenarios = map[string]struct {
	setting setting
	play    func(*organisation)
}{
	"the legs before a rename of the branch, behind others' artifacts": {inArtifacts, func(o *organisation) {
		o.pushes(2)
		o.addArtifacts(step{a: 2})
		o.renameDefaultBranch()
		o.addArtifacts(step{a: 2})
	}},
	"more legs at once before a rename than a run takes in": {inArtifacts, func(o *organisation) {
		o.pushes(1)
		for range 3 {
			o.push()
		}
		o.runAtOnce()
		o.renameDefaultBranch()
	}},
	"more legs at once before a rename of the file than a run takes in": {inArtifacts, func(o *organisation) {
		o.pushes(1)
		for range 3 {
			o.push()
		}
		o.runAtOnce()
		o.renameFile(o.workflows[0])
	}},
	"branch and file are renamed between two runs": {inArtifacts, func(o *organisation) {
		o.pushes(2)
		o.renameDefaultBranch()
		o.renameFile(o.workflows[0])
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
				t.Error(broken)
			}
		})
	}
}

// play lets a scenario happen and the organisation come to rest, and returns the rule
// that broke, nil when all went well.
func (o *organisation) play(scenario func(*organisation)) (broken *violation) {
	defer func() {
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

// pushes pushes to the default branch and lets all jobs run, some times.
func (o *organisation) pushes(n int) {
	for range n {
		o.push()
		o.runWaitingJobs()
	}
}

// push pushes to the default branch; the first workflow's jobs wait then.
func (o *organisation) push() {
	o.main.tip = o.newCommit("main", o.main.tip.tree, o.main.name, o.main.tip.sha)
	w := o.workflows[0]
	r := o.startOne(w, workflowRun{event: "push", ref: "refs/heads/" + o.main.name, branch: o.main.name, isDefault: true, tested: o.main.tip, head: o.main.tip.sha})
	for _, spec := range w.jobs {
		o.waiting = append(o.waiting, &job{r, spec, 1})
	}
}

// runWaitingJobs lets all jobs that wait run, one after the other.
func (o *organisation) runWaitingJobs() {
	for len(o.waiting) > 0 {
		j := o.waiting[0]
		o.waiting = o.waiting[1:]
		o.runJob(j, calmRoll(), func() {})
	}
}

// runAtOnce lets all jobs that wait run so that each has read the history before any
// saves.
func (o *organisation) runAtOnce() {
	if len(o.waiting) == 0 {
		return
	}
	j := o.waiting[0]
	o.waiting = o.waiting[1:]
	o.runJob(j, calmRoll(), o.runAtOnce)
}
