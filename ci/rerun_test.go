package ci_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
)

const timeout = " TimeoutError: Timeout 7000ms exceeded"

// again runs CI once more on the commit of the run before, as its next attempt.
func (p *project) again(failed failures) ci.Result {
	p.attempt++
	defer func() { p.attempt = 0 }()
	return p.pull(7, failed)
}

// A rerun decides on a failure of a quarantined test whose retries failed as well: by what
// passed before, or by failing again.
func TestARerunRefutesAFlake(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.flake(0)
	p.flake(1)
	p.green(1)
	if r := p.pull(7, failures{0: "FFF" + timeout}); r.Exit != ci.ExitPass {
		t.Errorf("the first run: %s", decisions(r))
	}
	if r := p.again(failures{0: "FFF" + timeout}); guardsOf(r) != "it failed every attempt in 2 runs of this commit" {
		t.Errorf("a rerun that fails as well: %s", decisions(r))
	}
	p.main(nil)
	p.pull(7, failures{0: "FFF" + timeout})
	if r := p.again(failures{1: "FFF" + timeout}); r.Exit != ci.ExitPass || len(r.Outcome.Verdict.Excused) != 1 {
		t.Errorf("a rerun in which another test flakes that had passed: %s", decisions(r))
	}
}

// What `breadcrumb run --rerun` wrote counts in the run and attempt that it names alone.
func TestAJobsOwnRerunDecides(t *testing.T) {
	for _, c := range []struct {
		name  string
		rerun engine.Rerun
		guard string
	}{
		{"passed", engine.Rerun{TestID: engine.TestID(id(0)), Passed: true, Reruns: 1}, ""},
		{"failed again", engine.Rerun{TestID: engine.TestID(id(0)), Reruns: 2}, "it failed every attempt in 2 runs of this commit"},
		{"another test failed", engine.Rerun{TestID: engine.TestID(id(1)), Reruns: 2}, ""},
		{"failed in an earlier run", engine.Rerun{TestID: engine.TestID(id(0)), Reruns: 2, RunID: -1}, ""},
		{"failed in an earlier attempt", engine.Rerun{TestID: engine.TestID(id(0)), Reruns: 2, RunAttempt: -1}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			p.green(10)
			p.flake(0)
			p.green(1)
			p.cfg.HealEvents = []string{filepath.Join(t.TempDir(), "run.ndjson")}
			c.rerun.RunID += 1000 + p.runs + 1
			c.rerun.RunAttempt++
			writeFile(t, p.cfg.HealEvents[0], fmt.Sprintf(`{"schema":%q,"test_id":%q,"passed":%v,"reruns":%d,"run_id":%d,"run_attempt":%d,"timestamp":1772359200}`,
				engine.RerunSchema, c.rerun.TestID, c.rerun.Passed, c.rerun.Reruns, c.rerun.RunID, c.rerun.RunAttempt))
			r := p.pull(7, failures{0: "FFF" + timeout})
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
