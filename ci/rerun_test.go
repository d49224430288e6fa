package ci_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

const (
	timeout     = " TimeoutError: Timeout 7000ms exceeded"
	confirm     = "all 3 attempts failed; rerun the failed jobs to confirm: excused if the rerun passes"
	refuted     = "it failed every attempt in 2 runs of this commit"
	rerunFailed = "it failed every attempt and every rerun in the same job"
)

// again runs CI on a pull request once more, on the commit of the run before, as its next
// attempt.
func (p *project) again(number int, failed failures) ci.Result {
	p.attempt++
	defer func() { p.attempt = 0 }()
	return p.pull(number, failed)
}

// newFlaky is a project with a test in quarantine.
func newFlaky(t *testing.T) *project {
	t.Helper()
	p := newProject(t)
	p.green(10)
	p.flake(0)
	p.green(1)
	return p
}

// Where nobody is known to rerun, the first failure that looks like a flake is excused. A
// rerun of it decides all the same: by what passed before, or by failing again.
func TestARerunRefutesAFlake(t *testing.T) {
	p := newFlaky(t)
	if r := p.pull(7, failures{0: "FFF" + timeout}); r.Exit != ci.ExitPass {
		t.Errorf("the first run: %s", decisions(r))
	}
	if r := p.again(7, failures{0: "FFF" + timeout}); guardsOf(r) != refuted {
		t.Errorf("a rerun that fails as well: %s", decisions(r))
	}
	if r := p.again(7, nil); r.Exit != ci.ExitPass {
		t.Errorf("a rerun that passes: %s", decisions(r))
	}
	p.pull(7, failures{0: "FFF" + timeout})
	if r := p.again(7, failures{1: "FFF" + timeout}); guardsOf(r) != "" || r.Exit == ci.ExitPass {
		t.Errorf("a rerun in which a test fails that is not in quarantine: %s", decisions(r))
	}
}

// Where red runs are mostly rerun, the failure waits for the rerun, which decides.
func TestAFailureWaitsWhereRedRunsAreRerun(t *testing.T) {
	p := newFlaky(t)
	for n := range 5 {
		for range 2 {
			p.pull(20+n, failures{5: "FFF Error: x"})
			p.again(20+n, nil)
		}
	}
	for _, story := range []struct {
		name  string
		rerun failures
		guard string
	}{
		{"the rerun confirms", nil, ""},
		{"the rerun refutes", failures{0: "FFF" + timeout}, refuted},
	} {
		p.green(1)
		if r := p.pull(7, failures{0: "FFF" + timeout}); guardsOf(r) != confirm {
			t.Errorf("%s: the first run: %s", story.name, decisions(r))
		}
		if r := p.again(7, story.rerun); guardsOf(r) != story.guard || (r.Exit == ci.ExitPass) != (story.guard == "") {
			t.Errorf("%s: %s", story.name, decisions(r))
		}
	}
	p.cfg.Confirm = flaky.ConfirmNever
	if r := p.pull(8, failures{0: "FFF" + timeout}); r.Exit != ci.ExitPass {
		t.Errorf("confirm never: %s", decisions(r))
	}
}

// What fails on the default branch as well is no fault of the pull request.
func TestAFailureThatTheDefaultBranchHasNeedsNoRerun(t *testing.T) {
	p := newFlaky(t)
	for range 20 { // two failures in a row are no more than its flakes come to
		p.main(failures{0: "FP" + timeout})
	}
	p.cfg.Confirm = flaky.ConfirmAlways
	if r := p.pull(7, failures{0: "FFF" + timeout}); guardsOf(r) != confirm {
		t.Errorf("the default branch is green: %s", decisions(r))
	}
	p.green(1)
	p.cfg.Confirm = flaky.ConfirmAuto
	if r := p.main(failures{0: "FFF" + timeout}); r.Exit != ci.ExitPass {
		t.Errorf("the first failure on the default branch: %s", decisions(r))
	}
	p.cfg.Confirm = flaky.ConfirmAlways
	if r := p.pull(8, failures{0: "FFF" + timeout}); r.Exit != ci.ExitPass {
		t.Errorf("the same fails on the default branch: %s", decisions(r))
	}
}

func TestTheSecondFailureInARowOnTheDefaultBranchBlocks(t *testing.T) {
	p := newFlaky(t)
	if r := p.main(failures{0: "FFF" + timeout}); r.Exit != ci.ExitPass {
		t.Errorf("the first: %s", decisions(r))
	}
	r := p.main(failures{0: "FFF" + timeout})
	if got := guardsOf(r); !strings.HasPrefix(got, "all 3 attempts failed, in 2 runs in a row") || !strings.HasSuffix(got, flaky.RerunToConfirm) {
		t.Errorf("the second: %s", decisions(r))
	}
}

// What `breadcrumb run --rerun` wrote counts in the run and attempt that it names alone.
func TestAJobsOwnRerunDecides(t *testing.T) {
	for _, c := range []struct {
		name, attempts string
		rerun          engine.Rerun
		guard          string
	}{
		{"passed", "FFF", engine.Rerun{TestID: engine.TestID(id(0)), Passed: true, Reruns: 1}, ""},
		{"failed again", "FFF", engine.Rerun{TestID: engine.TestID(id(0)), Reruns: 2}, rerunFailed},
		{"failed again in a suite without retries", "F", engine.Rerun{TestID: engine.TestID(id(0)), Reruns: 2}, rerunFailed},
		{"failed as often as an int can say", "FFF", engine.Rerun{TestID: engine.TestID(id(0)), Reruns: math.MaxInt}, rerunFailed},
		{"failed as a new test", "FFF", engine.Rerun{TestID: engine.TestID(id(0)), Reruns: 2, New: true}, ""},
		{"another test failed", "FFF", engine.Rerun{TestID: engine.TestID(id(1)), Reruns: 2}, ""},
		{"failed in an earlier run", "FFF", engine.Rerun{TestID: engine.TestID(id(0)), Reruns: 2, RunID: -1}, ""},
		{"failed in an earlier attempt", "FFF", engine.Rerun{TestID: engine.TestID(id(0)), Reruns: 2, RunAttempt: -1}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newFlaky(t)
			p.cfg.HealEvents = []string{filepath.Join(t.TempDir(), "run.ndjson")}
			c.rerun.RunID += 1000 + p.runs + 1
			c.rerun.RunAttempt++
			writeRerun(t, p, c.rerun)
			r := p.pull(7, failures{0: c.attempts + timeout})
			if got := guardsOf(r); got != c.guard || (r.Exit == ci.ExitPass) != (c.guard == "") {
				t.Errorf("guard %q, want %q: %s", got, c.guard, decisions(r))
			}
			for _, n := range r.Outcome.Notices {
				if strings.Contains(n.Reason, "schema") {
					t.Errorf("notice %+v", n)
				}
			}
		})
	}
}

// A job that judges several legs reads how each of them ran a test again.
func TestARerunThatFailedInOneLegDecides(t *testing.T) {
	for name, passed := range map[string][]bool{"the last failed": {true, false}, "the first failed": {false, true}} {
		t.Run(name, func(t *testing.T) {
			p := newFlaky(t)
			folder := t.TempDir()
			for i, passed := range passed {
				p.cfg.HealEvents = []string{filepath.Join(folder, fmt.Sprintf("%d.ndjson", i))}
				writeRerun(t, p, engine.Rerun{TestID: engine.TestID(id(0)), Passed: passed, Reruns: 2, RunID: 1000 + p.runs + 1, RunAttempt: 1})
			}
			p.cfg.HealEvents = []string{filepath.Join(folder, "*.ndjson")}
			if r := p.pull(7, failures{0: "FFF" + timeout}); guardsOf(r) != rerunFailed {
				t.Errorf("%s", decisions(r))
			}
		})
	}
}

// writeRerun writes a line of `breadcrumb run` among the heal events of a project.
func writeRerun(t *testing.T, p *project, rerun engine.Rerun) {
	t.Helper()
	rerun.Schema, rerun.Timestamp = engine.RerunSchema, 1772359200
	line, err := json.Marshal(rerun)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, p.cfg.HealEvents[0], string(line))
}

// A test that the pull request adds and that fails in some of its repeats is told, once and
// whatever its verdict.
func TestANewTestThatFlakesIsTold(t *testing.T) {
	const told = "case 03 is new and flaky: it failed in 2 of 5 repeats; mend it before it is merged"
	for _, c := range []struct {
		name   string
		rerun  engine.Rerun
		failed failures
		want   string
	}{
		{"in some repeats", engine.Rerun{Reruns: 5, Failed: 2, New: true}, nil, told},
		{"in some repeats and in the run", engine.Rerun{Reruns: 5, Failed: 2, New: true}, failures{3: "F Error: x"}, told},
		{"in no repeat", engine.Rerun{Reruns: 5, New: true}, nil, ""},
		{"in all of them and in the run", engine.Rerun{Reruns: 5, Failed: 5, New: true}, failures{3: "F Error: x"}, ""},
		{"and is not new", engine.Rerun{Reruns: 5, Failed: 2}, nil, ""},
		{"in another run", engine.Rerun{Reruns: 5, Failed: 2, New: true, RunID: 1}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			p.cfg.HealEvents = []string{filepath.Join(t.TempDir(), "run.ndjson")}
			c.rerun.TestID, c.rerun.RunAttempt = engine.TestID(id(3)), 1
			c.rerun.RunID += 1000 + p.runs + 1
			writeRerun(t, p, c.rerun)
			r, got := p.pull(7, c.failed), ""
			for _, n := range r.Outcome.Notices {
				if strings.Contains(n.Reason, "is new") {
					got += n.Reason
				}
			}
			if got != c.want || (r.Exit == ci.ExitPass) != (len(c.failed) == 0) {
				t.Errorf("told %q, want %q; %s", got, c.want, decisions(r))
			}
		})
	}
}

// What `breadcrumb run` found out of the order of tests is told and excuses nothing.
func TestTheTestThatAnotherFailsAfterIsTold(t *testing.T) {
	const (
		other = engine.TestID("cart.spec.ts › fills the cart")
		told  = `fails after "cart.spec.ts › fills the cart" in the same worker and passes alone`
		mine  = "; this pull request changes e2e/cart.spec.ts: take it as a regression of one of the two"
	)
	for _, c := range []struct {
		name    string
		rerun   engine.Rerun
		failed  failures
		changed []string
		policy  flaky.Policy
		want    string
		guard   string
		passes  bool
	}{
		{"in quarantine, of a rerun that passed", engine.Rerun{Passed: true, FailsAfter: other}, failures{0: "FFF" + timeout}, []string{"app.ts"}, "", told, "", true},
		{"in quarantine, of one that failed", engine.Rerun{FailsAfter: other}, failures{0: "FFF" + timeout}, nil, "", told, rerunFailed, false},
		{"that the pull request changes", engine.Rerun{Passed: true, FailsAfter: other}, failures{0: "FFF" + timeout}, []string{"e2e/cart.spec.ts"}, "", told + mine,
			"it fails after a test whose file this pull request changes: e2e/cart.spec.ts", false},
		{"beside its own file", engine.Rerun{Passed: true, FailsAfter: other}, failures{0: "FFF" + timeout}, []string{"login.spec.ts"}, "", told,
			"this pull request changes the test's own file login.spec.ts", false},
		{"of a test that is in no quarantine", engine.Rerun{TestID: engine.TestID(id(3)), Passed: true, FailsAfter: other}, failures{3: "F Error: x"}, nil, "", told, "", false},
		{"under the seed's policy", engine.Rerun{TestID: engine.TestID(id(3)), Passed: true, FailsAfter: other}, failures{3: "F Error: x"}, []string{"e2e/cart.spec.ts"}, flaky.PolicySeed, told + mine, "", false},
		{"of a test that passed in the end", engine.Rerun{Passed: true, FailsAfter: other}, nil, nil, "", "", "", true},
		{"which no report has", engine.Rerun{Passed: true, FailsAfter: "cart.spec.ts › pays"}, failures{0: "FFF" + timeout}, nil, "", "", "", true},
		{"itself", engine.Rerun{Passed: true, FailsAfter: engine.TestID(id(0))}, failures{0: "FFF" + timeout}, nil, "", "", "", true},
		{"in another run", engine.Rerun{Passed: true, FailsAfter: other, RunID: -1}, failures{0: "FFF" + timeout}, []string{"e2e/cart.spec.ts"}, "", "", "", true},
		{"of a new test", engine.Rerun{New: true, FailsAfter: other}, failures{0: "FFF" + timeout}, nil, "", "", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newFlaky(t)
			cart := filepath.Join(filepath.Dir(p.cfg.JUnit[0]), "cart.xml")
			writeFile(t, cart, `<testsuite name="cart.spec.ts"><testcase name="fills the cart" classname="cart.spec.ts" file="cart.spec.ts" time="1"/></testsuite>`)
			writeFile(t, filepath.Join(p.cfg.Repo, "e2e", "cart.spec.ts"), "test('fills the cart', () => {});\n")
			p.cfg.JUnit = append(p.cfg.JUnit, cart)
			p.cfg.HealEvents = []string{filepath.Join(t.TempDir(), "run.ndjson")}
			p.cfg.Policy, p.changed = cmp.Or(c.policy, p.cfg.Policy), c.changed
			c.rerun.TestID, c.rerun.Reruns, c.rerun.RunAttempt = cmp.Or(c.rerun.TestID, engine.TestID(id(0))), 2, 1
			c.rerun.RunID += 1000 + p.runs + 1
			writeRerun(t, p, c.rerun)
			r, got := p.pull(7, c.failed), ""
			for _, f := range slices.Concat(r.Outcome.Verdict.Blocking, r.Outcome.Verdict.Excused) {
				got += f.Order
			}
			if got != c.want || guardsOf(r) != c.guard || (r.Exit == ci.ExitPass) != c.passes {
				t.Errorf("told %q, want %q; %s", got, c.want, decisions(r))
			}
		})
	}
}
