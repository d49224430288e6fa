package flaky_test

import (
	"fmt"
	"testing"

	"github.com/breadcrumb/action/engine/flaky"
)

// A test that fails every attempt in run after run is not flaky any more. Its failures
// are no clean runs, and one flake after it is mended brings it back.
func TestATestThatAlwaysFailsIsBrokenAndLeaves(t *testing.T) {
	for _, c := range []struct {
		name   string
		play   func(p *player)
		broken flaky.Breakage
		held   bool
	}{
		{"red once", func(p *player) { p.run("", "1 FFF E1") }, flaky.Breakage{}, true},
		{"red twice", func(p *player) { p.run("", "1 FFF E1"); p.run("", "1 FFF E1") }, flaky.Breakage{Runs: 2, Since: "c00035"}, false},
		{"red nine times", func(p *player) {
			for range 9 {
				p.run("", "1 FFF E1")
			}
		}, flaky.Breakage{Runs: 9, Since: "c00035"}, false},
		{"red twice in one of two legs", func(p *player) {
			for i := range 2 {
				p.variant = ""
				p.runOn(fmt.Sprint("x", i), "", "1 FFF E1")
				p.variant = "other"
				p.runOn(fmt.Sprint("x", i), "")
			}
		}, flaky.Breakage{Runs: 2, Since: "x0"}, true},
		{"red on a pull request", func(p *player) {
			for range 9 {
				p.run("pr-1", "1 FFF E1")
			}
		}, flaky.Breakage{}, true},
		{"mended", func(p *player) { p.run("", "1 FFF E1"); p.run("", "1 FFF E1"); p.green("", 1) }, flaky.Breakage{}, false},
		{"mended, and flaking again", func(p *player) {
			p.run("", "1 FFF E1")
			p.run("", "1 FFF E1")
			p.green("", 1)
			p.run("", "1 FP E1")
		}, flaky.Breakage{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer()
			p.flake()
			c.play(p)
			if broken, yes := p.judge.Main.Broken(1); broken != c.broken || yes != (c.broken.Runs > 0) || p.held(1, "") != c.held {
				t.Errorf("broken %+v, held %v; want %+v, %v", broken, p.held(1, ""), c.broken, c.held)
			}
		})
	}
}

func TestTriageSaysSinceWhenATestFailsAndWhereElse(t *testing.T) {
	for _, c := range []struct {
		name   string
		play   func(p *player)
		branch string
		want   string
	}{
		{"nothing is known", nil, "pr-1", ""},
		{"green so far", func(p *player) { p.green("", 3) }, "pr-1", "new in this pull request: it passes on the default branch"},
		{"green so far, on the default branch", func(p *player) { p.green("", 3) }, "", "new on the default branch: it passed at the commit before"},
		{"red for long", func(p *player) { p.green("", 3); p.run("", "1 F E1"); p.run("", "1 F E2") }, "", "fails on the default branch since c00003 (3 runs)"},
		{"red on the default branch", func(p *player) { p.green("", 3); p.run("", "1 F E1"); p.run("", "1 F E2") }, "pr-1", "also fails on the default branch since c00003 (2 runs)"},
		{"red here before", func(p *player) { p.green("", 3); p.run("pr-1", "1 F E1") }, "pr-1", "failed here at the last push, too"},
		{"mended on the default branch", func(p *player) { p.green("", 3); p.run("", "1 F E1"); p.green("", 1) }, "pr-1", "new in this pull request: it passes on the default branch"},
		{"red on others", func(p *player) {
			p.green("", 3)
			p.run("pr-2", "1 F E1")
			p.run("pr-3", "1 F E1")
			p.run("pr-4", "1 FP E1")
		}, "pr-1",
			"new in this pull request: it passes on the default branch; fails on 2 other branches, too; flaked in 1 of 6 runs, too few for quarantine (3 of 6 points)"},
		{"flaked once in 11 runs", func(p *player) { p.green("", 7); p.run("", "1 FP E1"); p.green("", 3) }, "",
			"new on the default branch: it passed at the commit before; flaked in 1 of 11 runs, too few for quarantine (3 of 6 points)"},
		{"flaked twice in 6 runs", func(p *player) { p.green("", 2); p.run("", "1 FP E1"); p.green("", 2); p.run("", "1 FP E1") }, "",
			"new on the default branch: it passed at the commit before; flaked in 2 of 6 runs, too few runs for quarantine, which takes 10"},
		{"flaked in its own pull request", func(p *player) { p.green("", 7); p.run("pr-1", "1 FP E1"); p.run("pr-1") }, "pr-1",
			"new in this pull request: it passes on the default branch"},
		{"in quarantine", func(p *player) { p.flake() }, "", "new on the default branch: it passed at the commit before"},
		{"green so far, on one's own machine", func(p *player) { p.green("", 3) }, "nobody's", "new: it passed in the run before"},
		{"red for long, on one's own machine", func(p *player) { p.green("", 3); p.run("", "1 F E1"); p.run("", "1 F E2") }, "nobody's", "fails since c00003 (3 runs)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer()
			if c.play != nil {
				c.play(p)
			}
			here := "in this pull request"
			if c.branch == "nobody's" {
				c.branch, here = "", ""
			}
			run := p.make("now", c.branch, "1 F E1")
			if got := p.judge.Triage(run, run.Observations[0], here); got != c.want {
				t.Errorf("triage %q, want %q", got, c.want)
			}
		})
	}
}
