package flaky_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine/flaky"
)

// redAndRerun are red commits, so many of which somebody reruns and the rerun passes.
func (p *player) redAndRerun(branch string, commits, rerun int) {
	for n := range commits {
		source := branch
		if branch != "" {
			source = fmt.Sprint(branch, n/2)
		}
		commit := fmt.Sprintf("%sr%d", source, n)
		p.runOn(commit, source, "9 F E9")
		if n < rerun {
			p.runOn(commit, source)
		}
	}
}

func TestWhatWaitsForARerun(t *testing.T) {
	const waits = "; " + flaky.RerunToConfirm
	for _, c := range []struct {
		name    string
		confirm flaky.Confirm
		before  func(p *player)
		branch  string
		now     string
		want    string
	}{
		{"nobody is known to rerun", "", nil, "pr-7", "1 FFF E1", ""},
		{"half of the red runs are rerun", "", func(p *player) { p.redAndRerun("pr-1", 12, 6) }, "pr-7", "1 FFF E1", ""},
		{"most are rerun", "", func(p *player) { p.redAndRerun("pr-1", 12, 7) }, "pr-7", "1 FFF E1", "all 3 attempts failed" + waits},
		{"too few to tell", "", func(p *player) { p.redAndRerun("pr-1", 9, 9) }, "pr-7", "1 FFF E1", ""},
		{"a single attempt", "", func(p *player) { p.redAndRerun("pr-1", 12, 12) }, "pr-7", "1 F E1", ""},
		{"its own alone are rerun", "", func(p *player) { p.redAndRerun("pr-1", 12, 12) }, "pr-10 pr-11 pr-12 pr-13 pr-14 pr-15", "1 FFF E1", ""},
		{"those of pull requests do not count for the default branch", "", func(p *player) { p.redAndRerun("pr-1", 12, 12) }, "", "1 FFF E1", ""},
		{"most are rerun on the default branch", "", func(p *player) { p.redAndRerun("", 12, 8) }, "", "1 FFF E1", "all 3 attempts failed" + waits},
		{"it failed at the last push, too", "", func(p *player) { p.run("pr-7", "1 FFF E1") }, "pr-7", "1 FFF E1", "all 3 attempts failed, in 2 runs in a row" + waits},
		{"never", flaky.ConfirmNever, func(p *player) { p.redAndRerun("pr-1", 12, 12) }, "pr-7", "1 FFF E1", ""},
		{"always", flaky.ConfirmAlways, nil, "pr-7", "1 F E1", "it failed" + waits},
		{"always, and the default branch fails in the same way", flaky.ConfirmAlways, func(p *player) { p.run("", "1 F E1") }, "pr-7", "1 F E1", ""},
		{"always, and it fails there with another error", flaky.ConfirmAlways, func(p *player) { p.run("", "1 F E2") }, "pr-7", "1 F E1", "it failed" + waits},
		{"twice in a row on the default branch", flaky.ConfirmNever, func(p *player) { p.run("", "1 FF E1") }, "", "1 FF E1", "all 2 attempts failed, in 2 runs in a row" + waits},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer()
			p.flake()
			for range 6 {
				p.run("", "1 FP E1")
			}
			p.green("", 1)
			if c.before != nil {
				c.before(p)
			}
			p.judge.Confirm = c.confirm
			run := p.make("now", c.branch, c.now)
			if got := p.judge.Guard(run, run.Observations[0]); got != c.want {
				t.Errorf("the guard says %q, want %q", got, c.want)
			}
			if got := p.judge.Guard(run, run.Observations[0], p.make("now", c.branch)); got != "" {
				t.Errorf("after a run of the commit that passes it says %q", got)
			}
		})
	}
}

// How often all attempts of a flake fail is learned from what its retries did, never from
// how often its first attempt does.
func TestTheChanceOfAFlakeFollowsItsRetries(t *testing.T) {
	for _, c := range []struct {
		name, flake, now string
		want             bool // the failure is improbable
	}{
		{"its retries pass", "1 FP E1", "1 FFFF E1", true},
		{"its retries mostly fail", "1 FFFP E1", "1 FFFF E1", false},
		{"and many more than ever failed", "1 FP E1", "1 FFFFFFFF E1", true},
	} {
		p := newPlayer()
		p.green("", 20)
		for range 12 {
			p.run("", c.flake)
			p.green("", 14)
		}
		run := p.make("now", "", c.now)
		if got := p.judge.Guard(run, run.Observations[0]); strings.Contains(got, "improbable") != c.want {
			t.Errorf("%s: the guard says %q", c.name, got)
		}
		if got := p.judge.Guard(run, run.Observations[0], p.make("now", "", c.now)); !strings.HasSuffix(got, "it failed every attempt in 2 runs of this commit") {
			t.Errorf("%s: after a rerun that failed as well the guard says %q", c.name, got)
		}
		inJob := p.make("now", "", c.now)
		inJob.InJob = true
		if got := p.judge.Guard(run, run.Observations[0], inJob); !strings.HasSuffix(got, "it failed every attempt and every rerun in the same job") {
			t.Errorf("%s: after a rerun in the job the guard says %q", c.name, got)
		}
		if got := p.judge.Guard(run, run.Observations[0], p.make("now", "", c.now), inJob); !strings.HasSuffix(got, "it failed every attempt in 2 runs of this commit and every rerun in the same job") {
			t.Errorf("%s: after both the guard says %q", c.name, got)
		}
	}
}

// A test that has hardly been retried yet is taken to be like the suite's others.
func TestTheSuitesRetriesAreThePriorOfATests(t *testing.T) {
	for _, c := range []struct {
		others string
		want   bool
	}{{"FP", true}, {"FFFP", false}} {
		p := newPlayer()
		p.green("", 20)
		for n := range 60 {
			p.run("", fmt.Sprintf("%d %s E", 10+n%6, c.others))
			p.green("", 2)
		}
		for range 2 {
			p.run("", "1 F E1")
			p.run("")
			p.runOn("twice", "", "1 F E1")
		}
		p.flake()
		run := p.make("now", "", "1 FFFFF E1")
		if got := p.judge.Guard(run, run.Observations[0]); strings.Contains(got, "improbable") != c.want {
			t.Errorf("where the others' retries are %s the guard says %q", c.others, got)
		}
	}
}
