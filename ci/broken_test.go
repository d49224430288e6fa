package ci_test

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// A test that fails in run after run is broken: it leaves the quarantine with these
// words, blocks, and says since when it fails.
func TestABrokenTestLeavesTheQuarantineWithTheseWords(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.flake(0)
	p.green(2)
	usual := failures{0: "F TimeoutError: Timeout 7000ms exceeded"}
	var left flaky.Change
	var r ci.Result
	for range 9 {
		if r = p.main(usual); len(r.Outcome.Changes) > 0 {
			left = r.Outcome.Changes[0]
		}
	}
	if !left.Released || !strings.HasPrefix(left.Reason, "it is broken, not flaky: it failed every attempt since c000010 (") {
		t.Errorf("left: %+v", left)
	}
	if len(r.Outcome.Verdict.Blocking) != 1 || r.Outcome.Verdict.Blocking[0].Triage != "fails on the default branch since c000010 (9 runs); its owner is @acme/login" {
		t.Errorf("verdict %+v", r.Outcome.Verdict)
	}
	if r = p.pull(7, usual); len(r.Outcome.Verdict.Blocking) != 1 || r.Outcome.Verdict.Blocking[0].Triage != "also fails on the default branch since c000010 (9 runs); its owner is @acme/login" {
		t.Errorf("on a pull request: %+v", r.Outcome.Verdict)
	}
}

// A test that was broken in a leg that is gone leaves by its clean runs elsewhere, and
// says so.
func TestATestThatPassesDoesNotLeaveAsBroken(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.flake(0)
	p.green(2)
	for range 9 {
		p.run(engine.RunInfo{DefaultBranch: true, Branch: "main", Leg: "webkit"}, failures{0: "F TimeoutError: Timeout 7000ms exceeded"})
	}
	if _, back := entered(p.main(failures{0: "FP TimeoutError: Timeout 7000ms exceeded"}), id(0)); !back {
		t.Fatal("the test is not back in quarantine")
	}
	for range 60 {
		if changes := p.main(nil).Outcome.Changes; len(changes) > 0 {
			if left := changes[0]; !left.Released || !strings.HasPrefix(left.Reason, "it ran clean on ") {
				t.Errorf("left: %+v", left)
			}
			return
		}
	}
	t.Error("the test never left")
}

// A test that was red until something was mended is in no list of unstable tests; one
// that failed and passed on a commit is.
func TestOnlyTestsThatFlakedAreUnstable(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.main(failures{0: "F Error: x"})
	p.main(failures{0: "F Error: x", 1: "FP Error: y"})
	r := p.main(nil)
	unstable := ""
	for _, h := range r.Outcome.TestHealths {
		if h.Tier != flaky.TierStable {
			unstable += string(h.TestID)
		}
	}
	if unstable != id(1) {
		t.Errorf("unstable: %s", unstable)
	}
}
