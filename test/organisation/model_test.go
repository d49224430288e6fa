package organisation

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/breadcrumb/action/ci"
)

// model is what everybody would remember if nothing were ever forgotten.
type model struct {
	records   []*record                  // of the jobs that ended, in that order
	decisions map[string]decision        // of persons, by test
	said      map[int]map[string]*record // by pull request and job: the newest run
	left      map[string]int             // by test: the records before it last left quarantine
	released  map[string]int             // the same of those that left for good: only what they do afterwards counts
	entered   map[string]*record         // by test: the run that last put it into quarantine
}

// decision is what a person last said of a test.
type decision struct {
	hold  bool
	run   *workflowRun // of the comment
	at    time.Time
	known int // records before it
}

func newModel() *model {
	return &model{decisions: map[string]decision{}, said: map[int]map[string]*record{}, left: map[string]int{}, released: map[string]int{}, entered: map[string]*record{}}
}

// record is a job that ran.
type record struct {
	*job
	results map[string][]attempt
	began   time.Time
	known   int    // how many records there were when it began
	before  int    // how many there were when it ended
	renames int    // of the default branch, before it began
	fork    bool   // nobody reads what it saved
	key     string // names the job that runs again and again
	result  ci.Result
	takenIn bool // by a later run that read all there was

	database string // that it left
	delta    []byte // that it saved
}

// begin notes that a job begins.
func (m *model) begin(j *job, results map[string][]attempt, now time.Time) *record {
	return &record{job: j, results: results, began: now, known: len(m.records), fork: j.run.pull != nil && j.run.pull.fork, key: j.run.path + "/" + j.spec.name()}
}

// compare orders records by GitHub's order of their runs.
func (r *record) compare(other *record) int {
	return cmp.Or(r.run.created.Compare(other.run.created), cmp.Compare(r.run.id, other.run.id), cmp.Compare(r.attempt, other.attempt))
}

// failedOnce reports whether any attempt at a test failed.
func (r *record) failedOnce(test string) bool {
	return slices.ContainsFunc(r.results[test], func(met attempt) bool { return met != nil })
}

// passed reports whether the last attempt at a test passed.
func (r *record) passed(test string) bool {
	tries := r.results[test]
	return len(tries) > 0 && tries[len(tries)-1] == nil
}

// decided notes what a person said of a test.
func (m *model) decided(test string, r *workflowRun, hold bool, at time.Time) {
	m.decisions[test] = decision{hold, r, at, len(m.records)}
}

// heldByHand are the tests that persons hold, sorted.
func (m *model) heldByHand() []string {
	var all []string
	for _, test := range slices.Sorted(maps.Keys(m.decisions)) {
		if m.decisions[test].hold {
			all = append(all, test)
		}
	}
	return all
}

// commits are the commits on which the default branch ran a test, in the order of
// their first runs, as far as a run could know of them.
func (o *organisation) commits(test string, by *record, since int) []*tested {
	return o.commitsOf(test, by, o.model.records[min(since, by.known):by.known])
}

// commitsOf are the commits of records and of the run that knows of them.
func (o *organisation) commitsOf(test string, by *record, known []*record) []*tested {
	var all []*tested
	at := map[string]*tested{}
	for _, r := range append(slices.Clone(known), by) {
		if !r.run.trusted() || len(r.results[test]) == 0 || o.isOtherName(r.run, by) {
			continue
		}
		c := at[r.run.tested.sha]
		if c == nil {
			c = &tested{sha: r.run.tested.sha, first: r.run.created}
			at[c.sha] = c
			all = append(all, c)
		}
		if r.run.created.Before(c.first) {
			c.first = r.run.created
		}
		c.failed = c.failed || r.failedOnce(test)
		c.passed = c.passed || r.passed(test)
	}
	slices.SortStableFunc(all, func(a, b *tested) int { return a.first.Compare(b.first) })
	return all
}

// tested is what the runs of a commit together say of a test.
type tested struct {
	sha            string
	first          time.Time
	failed, passed bool
}
