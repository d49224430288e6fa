package flaky_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine/flaky"
)

// player feeds a judge runs of a suite in short hand.
type player struct {
	judge    *flaky.Judge
	before   []byte       // the judge before the newest commit
	commit   flaky.Commit // the newest one, which more runs may join
	runs     int          // commits so far
	mainRuns int
	tests    int
	variant  string    // of the next runs
	at       time.Time // of the next commits
}

func newPlayer() *player { return &player{judge: flaky.NewJudge(), tests: 500} }

// run judges and observes a run on its own commit. Each failure is written
// "TEST ATTEMPTS SIGNATURE", such as "1 FP E1" or "1 FP E1¦place"; the others pass.
func (p *player) run(branch string, failures ...string) flaky.Run {
	return p.runOn(fmt.Sprintf("c%05d", p.runs), branch, failures...)
}

// runOn is run on a commit, which the run joins when it is the newest one.
func (p *player) runOn(commit, branch string, failures ...string) flaky.Run {
	r := p.make(commit, branch, failures...)
	p.observe(r)
	return r
}

func (p *player) observe(r flaky.Run) {
	if n := len(p.commit); n > 0 && p.commit[0].Commit == r.Commit && slices.Equal(p.commit[0].Sources, r.Sources) {
		p.judge = decode(p.before)
		p.commit = append(p.commit, r)
		p.judge.Observe(p.commit)
		return
	}
	p.before, p.commit = p.judge.Encode(number), flaky.Commit{r}
	p.judge.Observe(p.commit)
	p.runs++
	if len(r.Sources) == 0 {
		p.mainRuns++
	}
}

func decode(encoded []byte) *flaky.Judge {
	judge, err := flaky.DecodeJudge(encoded, test)
	if err != nil {
		panic(err)
	}
	return judge
}

// make returns a run of branch, "" for the default branch, several pull requests for
// a merge group: "pr-1 pr-2".
func (p *player) make(commit, branch string, failures ...string) flaky.Run {
	branch, queued := strings.CutPrefix(branch, "queue ")
	r := flaky.Run{Commit: commit, Sources: strings.Fields(branch), Queued: queued, Variant: p.variant, Tests: p.tests, At: p.at}
	for _, f := range failures {
		var o flaky.Observation
		var letters, signature string
		fmt.Sscan(f, &o.Test, &letters, &signature)
		o.Attempts = statuses(letters)
		o.Before, o.BeforeMain = p.runs, p.mainRuns
		if signature != "" {
			o.Signatures = []string{strings.ReplaceAll(signature, "¦", " ¦ ")}
		}
		r.Observations = append(r.Observations, o)
	}
	return r
}

// held reports whether a test proved flaky for a run of branch.
func (p *player) held(test int, branch string) bool {
	return p.judge.Main.Held(test) || branch != "" && p.judge.Pulls.Held(test)
}

func (p *player) green(branch string, runs int) {
	for range runs {
		p.run(branch)
	}
}

// flake makes test 1 flaky on the default branch.
func (p *player) flake() {
	p.green("", 20)
	for range 3 {
		p.run("", "1 FP E1")
		p.green("", 4)
	}
}

func many(n int, attempts string) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%d %s E7", i+1, attempts))
	}
	return out
}

func TestWhatLeadsIntoQuarantineOnTheDefaultBranch(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(p *player)
		in   bool
	}{
		{"passed on retry on two commits", func(p *player) { p.run("", "1 FP E1"); p.green("", 5); p.run("", "1 FFP E1") }, true},
		{"passed on retry on one commit", func(p *player) { p.runOn("c", "", "1 FP E1"); p.runOn("c", "", "1 FP E1") }, false},
		{"three lone reds, each green at the next run", func(p *player) {
			for range 3 {
				p.run("", "1 FFF E1")
				p.green("", 5)
			}
		}, true},
		{"two lone reds", func(p *player) {
			for range 2 {
				p.run("", "1 FFF E1")
				p.green("", 5)
			}
		}, false},
		{"a red streak that is fixed, three times", func(p *player) {
			for range 3 {
				p.run("", "1 FFF E1")
				p.run("", "1 FFF E1")
				p.green("", 5)
			}
		}, false},
		{"rerun on the same commit turned green, twice", func(p *player) {
			for i := range 2 {
				p.runOn(fmt.Sprint("x", i), "", "1 F E1")
				p.runOn(fmt.Sprint("x", i), "")
				p.green("", 5)
			}
		}, true},
		{"always failing", func(p *player) {
			for range 60 {
				p.run("", "1 FFF E1")
			}
		}, false},
		{"outages of the whole suite", func(p *player) {
			for range 5 {
				p.run("", many(80, "FP")...)
				p.green("", 3)
			}
		}, false},
		{"a service that fails ten tests at once", func(p *player) {
			for range 2 {
				p.run("", many(10, "FP")...)
				p.green("", 3)
			}
		}, false},
		{"a service that fails four tests at once, each at a place of its own", func(p *player) {
			for range 2 {
				p.run("", "1 FP E7¦a", "2 FP E7¦b", "3 FP E7¦c", "4 FP E7¦d")
				p.green("", 3)
			}
		}, false},
		{"two tests that fail together, and by themselves never", func(p *player) {
			p.green("", 30)
			for range 2 {
				p.run("", "1 FP E7¦a", "2 FP E7¦b")
				p.green("", 15)
			}
		}, false},
		{"two tests that fail together again and again", func(p *player) {
			p.green("", 30)
			for range 8 {
				p.run("", "1 FP E7¦a", "2 FP E7¦b")
				p.green("", 15)
			}
		}, true},
		{"one that was flaky fails together with another", func(p *player) {
			p.run("", "2 FP E7")
			p.green("", 30)
			for range 2 {
				p.run("", "1 FP E7¦a", "2 FP E7¦b")
				p.green("", 15)
			}
		}, false},
		{"a few that fail together, each with an error of its own", func(p *player) {
			p.green("", 40)
			for range 2 {
				p.run("", "1 FP E1", "2 FP E2", "3 FP E3", "4 FP E4")
				p.green("", 15)
			}
		}, false},
		{"tests that flake each by itself, now and then with the same error together", func(p *player) {
			for i := range 20 {
				p.run("", fmt.Sprint(10+i, " FP E7"))
				p.green("", 1)
			}
			for range 2 {
				p.run("", "1 FP E7¦a", "2 FP E7¦b")
				p.green("", 5)
			}
		}, true},
		{"two titles under one name, one of them broken", func(p *player) {
			for range 5 {
				p.run("", "1 PF E1")
				p.green("", 1)
				p.run("", "1 PF E1")
			}
		}, false},
		{"a failing test that healed a locator", func(p *player) {
			for range 5 {
				r := p.make(fmt.Sprint("h", p.runs), "", "1 FP E1")
				r.Observations[0].Healed = true
				p.observe(r)
				p.green("", 2)
			}
		}, false},
		{"flakes on pull requests alone", func(p *player) {
			for i := range 50 {
				p.run(fmt.Sprint("pr-", i), "1 FP E1")
			}
			p.green("", 1)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer()
			p.green("", 20)
			c.play(p)
			if got := p.held(1, ""); got != c.in {
				t.Errorf("in quarantine: %v, want %v", got, c.in)
			}
		})
	}
}

func TestFlakesOnTwoPullRequestsQuarantineThereAlone(t *testing.T) {
	p := newPlayer()
	p.green("", 20)
	p.run("pr-1", "1 FP E1")
	p.run("pr-1", "1 FP E1")
	if p.held(1, "pr-2") {
		t.Error("one pull request was enough")
	}
	p.run("pr-2", "1 FP E1")
	if !p.held(1, "pr-3") || p.held(1, "") {
		t.Errorf("held on a pull request %v, on the default branch %v", p.held(1, "pr-3"), p.held(1, ""))
	}
	own := p.make("z", "pr-2", "1 F E1")
	if why := p.judge.Guard(own, own.Observations[0]); !strings.Contains(why, "this pull request's own") {
		t.Errorf("a pull request testified for itself: %q", why)
	}
	other := p.make("z", "pr-3", "1 F E1")
	if why := p.judge.Guard(other, other.Observations[0]); why != "" {
		t.Errorf("blocked: %s", why)
	}
}

// What two tests that fail together prove depends on whether one of them did before. A pull
// request in which it did must not be excused by that.
func TestAPullRequestMakesNoEvidenceOfWhatFailedTogether(t *testing.T) {
	for branch, excused := range map[string]bool{"pr-7": false, "pr-8": true} {
		p := newPlayer()
		p.tests = 200
		p.green("", 20)
		p.run("pr-7", "2 FP E1")
		for range 2 {
			p.run("", "1 FP E1", "2 FP E1")
			p.green("", 4)
		}
		if !p.held(1, branch) {
			t.Fatal("test 1 is not held")
		}
		own := p.make("own", branch, "1 FFF E1")
		if why := p.judge.Guard(own, own.Observations[0]); (why == "") != excused {
			t.Errorf("on %s: guard %q, want excused %t", branch, why, excused)
		}
	}
}

// A pull request that flips a test 1,000 times changes no verdict on the
// default branch: not who is in quarantine there, not what is excused.
func TestAPullRequestCannotPoisonTheDefaultBranch(t *testing.T) {
	play := func(poison bool) []string {
		p := newPlayer()
		p.flake()
		var verdicts []string
		for i := range 200 {
			if poison {
				for n := range 5 {
					letters := []string{"1 FP E666", "2 FP E1", "2 F E2", "2 FFP E1"}[(i+n)%4]
					p.runOn(fmt.Sprint("evil", i, n%2), "pr-666", letters, "3 F E1")
				}
			}
			failures := [][]string{nil, {"1 FFF E1", "2 F E1"}, {"1 FFF E666"}, {"2 FP E1"}, nil}[i%5]
			run := p.make(fmt.Sprint("m", i), "", failures...)
			verdict := fmt.Sprint(p.judge.Main.All())
			for j := range run.Observations {
				run.Observations[j].Before, run.Observations[j].BeforeMain = p.runs, p.mainRuns
				verdict += p.judge.Guard(run, run.Observations[j]) + ";"
			}
			verdicts = append(verdicts, verdict)
			p.observe(run)
		}
		return verdicts
	}
	clean := play(false)
	if !slices.ContainsFunc(clean, func(s string) bool { return strings.HasPrefix(s, "[1") }) {
		t.Fatal("nothing was in quarantine: the comparison shows nothing")
	}
	if diff := cmp.Diff(clean, play(true)); diff != "" {
		t.Errorf("verdicts on the default branch (-without +with the pull request):\n%s", diff)
	}
}

// A flake that only one leg shows is told as that leg's.
func TestAFlakeOfOneLegIsToldAsSuch(t *testing.T) {
	for _, c := range []struct {
		name  string
		legs  []string
		flaky []string // the legs in which it flakes, in turn
		want  string
	}{
		{"one of two legs", []string{"linux", "windows"}, []string{"windows"}, "windows"},
		{"both legs", []string{"linux", "windows"}, []string{"windows", "linux"}, ""},
		{"there is one leg", []string{"linux"}, []string{"linux"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer()
			for i := range 24 {
				for _, leg := range c.legs {
					p.variant = leg
					failures := []string{}
					if i%6 == 5 && leg == c.flaky[i/6%len(c.flaky)] {
						failures = append(failures, "1 FP E1")
					}
					p.runOn(fmt.Sprint("x", i), "", failures...)
				}
			}
			if facts, ok := p.judge.Facts(1); !ok || !p.held(1, "") || facts.Only != c.want {
				t.Errorf("held %v, only in %q, want %q", p.held(1, ""), facts.Only, c.want)
			}
		})
	}
}

// A matrix runs the same tests in several legs. One that is broken in a leg is
// green in the others on every commit, and is no flaky test for it.
func TestATestThatFailsInOneLegIsBrokenThere(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(p *player, in func(variant string))
		held bool
	}{
		{"red in one leg, green in the other on each commit", func(p *player, in func(string)) {
			for i := range 6 {
				in("linux")
				p.runOn(fmt.Sprint("x", i), "")
				in("windows")
				p.runOn(fmt.Sprint("x", i), "", "1 FFF E1")
			}
		}, false},
		{"red first, then green in the other leg", func(p *player, in func(string)) {
			for i := range 6 {
				in("windows")
				p.runOn(fmt.Sprint("x", i), "", "1 FFF E1")
				in("linux")
				p.runOn(fmt.Sprint("x", i), "")
			}
		}, false},
		{"red and then green in the same leg", func(p *player, in func(string)) {
			for i := range 2 {
				in("windows")
				p.runOn(fmt.Sprint("x", i), "", "1 FFF E1")
				in("linux")
				p.runOn(fmt.Sprint("x", i), "")
				in("windows")
				p.runOn(fmt.Sprint("x", i), "")
			}
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer()
			p.green("", 20)
			c.play(p, func(variant string) { p.variant = variant })
			if got := p.judge.Main.Held(1); got != c.held {
				t.Errorf("in quarantine: %v, want %v", got, c.held)
			}
		})
	}
}

func TestRedsInARowAreCountedInTheirLeg(t *testing.T) {
	p := newPlayer()
	p.variant = "windows"
	p.flake()
	for i := range 2 {
		p.variant = "linux"
		p.runOn(fmt.Sprint("x", i), "")
		p.variant = "windows"
		run := p.make(fmt.Sprint("x", i), "", "1 FFF E1")
		if got := p.judge.Guard(run, run.Observations[0]); strings.Contains(got, "in a row") != (i == 1) {
			t.Errorf("at red %d the guard says %q", i+1, got)
		}
		p.runOn(run.Commit, "", "1 FFF E1")
	}
}

func TestGuard(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(p *player)
		now    string
		want   string
	}{
		{"its usual error", nil, "1 F E1", ""},
		{"its usual error at every attempt", nil, "1 FF E1", ""},
		{"an error never seen while flaking", nil, "1 FF E2", "never seen"},
		{"which people read", nil, "1 FF E<n>", "flaking: E…"},
		{"red for the second run in a row", func(p *player) { p.run("", "1 FFF E1") }, "1 FFF E1", "2 runs in a row"},
		{"red in an outage before", func(p *player) { p.run("", many(80, "FFF")...) }, "1 F E1", ""},
		{"red long ago", func(p *player) { p.run("", "1 FFF E1"); p.green("", 5) }, "1 F E1", ""},
		{"not in quarantine", nil, "2 F E1", "does not rest on evidence"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer()
			p.flake()
			if c.before != nil {
				c.before(p)
			}
			run := p.make("now", "", c.now)
			got := p.judge.Guard(run, run.Observations[0])
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("guard says %q, want %q", got, c.want)
			}
		})
	}
}

// Runs of the same commit before tell whether a failure of every attempt is a bug.
func TestOtherRunsOfTheCommitRefuteAFlake(t *testing.T) {
	for _, c := range []struct {
		name    string
		earlier string // of the same leg
		variant string
		want    string
	}{
		{"it passed", "2 F E2", "", ""},
		{"it passed on a retry", "1 FP E1", "", ""},
		{"it failed as well", "1 FFF E1", "", "it failed every attempt in 2 runs of this commit"},
		{"it passed in another leg", "2 F E2", "windows", ""},
		{"it was skipped", "1 SS", "", ""},
		{"the environment failed", "1 FFF ECONNREFUSED", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer()
			p.flake()
			now := p.make("now", "", "1 FFF E1")
			p.variant = c.variant
			got := p.judge.Guard(now, now.Observations[0], p.make("now", "", c.earlier))
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("guard says %q, want %q", got, c.want)
			}
		})
	}
}

func TestATestLeavesAfterCleanRunsAndItsReasonSaysHowMany(t *testing.T) {
	p := newPlayer()
	p.flake()
	facts, ok := p.judge.Facts(1)
	if !ok || !p.held(1, "") {
		t.Fatal("not in quarantine")
	}
	want := "failed then passed on c00020, c00025 and c00030; 3 of 35 runs flaked (estimated rate 6 %); not a burst; E1"
	if got := facts.String(); got != want {
		t.Errorf("reason %q\nwant   %q", got, want)
	}
	if facts.Clean != 4 || facts.Release != 60 {
		t.Errorf("%d of %d clean runs are done, want 4 of 60", facts.Clean, facts.Release)
	}
	page, err := os.ReadFile("../../docs/flaky.md") // its example is this test
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"3 of 35 runs flaked (estimated rate 6 %)", "56 of 60 clean runs to go", "3.2 / 55 = 5.8 %"} {
		if !strings.Contains(string(page), text) {
			t.Errorf("docs/flaky.md does not say %q", text)
		}
	}
	for n := range 100 {
		if !p.held(1, "") {
			if want := facts.Release - facts.Clean; n != want {
				t.Errorf("left after %d clean runs, said %d", n, want)
			}
			return
		}
		p.run("")
	}
	t.Error("still in quarantine after 100 clean runs")
}

func BenchmarkObserve50000Tests(b *testing.B) {
	p := newPlayer()
	p.tests = 50_000
	var failures []string
	for i := range 500 {
		failures = append(failures, fmt.Sprintf("%d FP E%d", i*97, i%100))
	}
	for i := range 50 {
		p.run("", failures[i*10:i*10+10]...)
	}
	for b.Loop() {
		p.judge.Observe(flaky.Commit{p.make(fmt.Sprintf("c%05d", p.runs), "", failures[:20]...)})
		p.runs++
	}
}
