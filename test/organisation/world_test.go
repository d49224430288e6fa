package organisation

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"
)

// fault is why a test fails: a regression always, a flake now and then. Its error is
// like no other's, so that whoever excuses it must have seen it before.
type fault struct {
	test    string
	message string
	every   uint32 // an attempt in so many fails; 1: a regression
	browser string // where it shows; "": everywhere
	pull    int    // the pull request that brings it; 0 once it is merged
	mended  bool   // it was seen to go away: from then on it may be taken for a flake
}

func (f *fault) isRegression() bool { return f.every == 1 }

// tree is the code at a commit, as far as it shows in tests.
type tree struct {
	suite  map[string]int // tests by area: so many
	faults []*fault
}

// change is what a branch does to the tree it is merged into.
type change struct {
	added  map[string]int // tests by area
	faults []*fault
	mended []*fault
}

// with returns the tree after a change.
func (t tree) with(c change) tree {
	out := tree{suite: maps.Clone(t.suite)}
	for area, n := range c.added {
		out.suite[area] += n
	}
	for _, f := range slices.Concat(t.faults, c.faults) {
		if !slices.Contains(c.mended, f) && !slices.Contains(out.faults, f) {
			out.faults = append(out.faults, f)
		}
	}
	return out
}

// commit is a tested commit.
type commit struct {
	sha  string
	tree tree
}

func (c commit) mark() uint32 {
	raw, _ := hex.DecodeString(c.sha[:8])
	return binary.BigEndian.Uint32(raw)
}

// branch is a branch that is pushed to.
type branch struct {
	name string
	tip  commit
}

// pull is a pull request.
type pull struct {
	number int
	fork   bool
	change change
	head   string
	closed bool
	roll   uint32 // of the step that opened it
}

func (p *pull) mark() uint32 { return p.roll }

// headBranch is the pull request's own branch.
func (p *pull) headBranch() string { return fmt.Sprintf("feature-%d", p.number) }

// group is an entry of the merge queue: pull requests that are tested together.
type group struct {
	pulls  []*pull
	commit commit
	base   string // commit of the default branch below it
}

// workflow is a workflow's file, which may be renamed.
type workflow struct {
	id    int64
	path  string
	jobs  []jobSpec
	names int // that its file had before
	since int // records before its history began anew, as a run said
	anew  int // names that its file had before that

	renamed []time.Time // when its file got each name but the first
}

// jobSpec is a job of a workflow, one of its legs, or a call of another workflow.
type jobSpec struct {
	job    string // GITHUB_JOB: the called workflow's where there is a caller
	caller string // the calling job, "" for none
	matrix string // the leg's matrix as JSON, "" for none
	area   string // of the suite that it runs
	shard  int
	shards int
	on     string // browser
}

// name is the job as GitHub's list of jobs names it.
func (j jobSpec) name() string {
	switch {
	case j.caller != "":
		return j.caller + " / " + j.job
	case j.matrix != "":
		return fmt.Sprintf("%s (%s, %d)", j.job, j.on, j.shard)
	}
	return j.job
}

// tests are the tests of a tree that the job runs.
func (j jobSpec) tests(t tree) []string {
	var all []string
	for n := range t.suite[j.area] {
		if n%max(j.shards, 1) == j.shard {
			all = append(all, testName(j.area, n))
		}
	}
	return all
}

func testName(area string, n int) string { return fmt.Sprintf("%s case %d", area, n) }

// The areas of the suite, and with how many tests each begins.
var firstSuite = map[string]int{"shop": 16, "api": 5, "chrome": 3, "firefox": 4}

// makeWorkflows are three workflows. The jobs of two have one name, and one calls a
// reusable workflow twice.
func makeWorkflows() []*workflow {
	ci := &workflow{id: 901, path: ".github/workflows/ci.yml"}
	for _, browser := range []string{"chromium", "firefox", "webkit"} {
		for shard := range 4 {
			ci.jobs = append(ci.jobs, jobSpec{job: "e2e", matrix: fmt.Sprintf(`{"browser":%q,"shard":%d}`, browser, shard),
				area: "shop", shard: shard, shards: 4, on: browser})
		}
	}
	api := &workflow{id: 902, path: ".github/workflows/api.yml", jobs: []jobSpec{{job: "test", area: "api"}}}
	calls := &workflow{id: 903, path: ".github/workflows/calls.yml", jobs: []jobSpec{
		{job: "test", caller: "chrome", area: "chrome"}, {job: "test", caller: "firefox", area: "firefox"},
	}}
	if isOpen(twoCalls) {
		calls.jobs = calls.jobs[:1]
	}
	if isOpen(sameNames) {
		calls.jobs[0].job = "called"
	}
	return []*workflow{ci, api, calls}
}

// workflowRun is a run of a workflow, which may be attempted again.
type workflowRun struct {
	id            int64
	workflow      *workflow
	path          string // of the workflow's file at the commit
	names         int    // that the file had before
	event, ref    string
	branch        string // GitHub's head_branch
	isDefault     bool   // on the default branch
	defaultBranch string // its name at that time
	mainNames     int    // that it had before
	head          string
	tested        commit
	pull          *pull
	group         []int
	created       time.Time
	attempt       int
	done          map[string]bool // jobs that ended, by name, and whether they passed
	roll          uint32          // of the step that started it
}

// trusted reports whether the run tests what is merged.
func (r *workflowRun) trusted() bool {
	return r.isDefault && (r.event == "push" || r.event == "schedule")
}

// source names what the run's evidence is of: "" for the default branch.
func (r *workflowRun) pulls() []int {
	if r.pull != nil {
		return []int{r.pull.number}
	}
	return r.group
}

// job is a job that waits for its runner.
type job struct {
	run     *workflowRun
	spec    jobSpec
	attempt int
}

func (r *workflowRun) mark() uint32 { return mix(r.roll, r.workflow.mark()) }

func (j *job) mark() uint32 {
	name := uint32(0)
	for _, c := range j.spec.name() {
		name = name*31 + uint32(c)
	}
	return mix(j.run.mark(), name+uint32(j.attempt))
}

func (w *workflow) mark() uint32 { return uint32(len(w.jobs)) }

// sha returns a commit's hash for what it is made of.
func sha(parts ...any) string {
	sum := sha1.Sum(fmt.Append(nil, parts...)) //nolint:gosec // git's choice
	return hex.EncodeToString(sum[:])
}
