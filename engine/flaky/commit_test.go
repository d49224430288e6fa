package flaky_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine/flaky"
)

// meetings plays pushes to the default branch, each tested in legs, of which one
// flakes at every tenth push. It returns how many of the flakes met their quarantine.
func meetings(legs int, names func(leg int) string, flaking func(push int) (leg int)) (met, flakes int) {
	p := newPlayer()
	for push := range 400 {
		flake := push%10 == 9 && push > 20
		if flake {
			flakes++
			if p.held(1, "") {
				met++
			}
		}
		for leg := range legs {
			p.variant = names(leg)
			var failures []string
			if flake && leg == flaking(push)%legs {
				failures = []string{"1 FP E1"}
			}
			p.runOn(fmt.Sprint("push", push), "", failures...)
		}
	}
	return met, flakes
}

func TestAFlakeInOneLegMeetsItsQuarantineHoweverManyLegsThereAre(t *testing.T) {
	alone, flakes := meetings(1, func(int) string { return "e2e" }, func(int) int { return 0 })
	if alone < flakes*9/10 {
		t.Fatalf("with one leg %d of %d flakes met their quarantine: the comparison shows nothing", alone, flakes)
	}
	for what, flaking := range map[string]func(push int) int{
		"always in the first leg":  func(int) int { return 0 },
		"in one leg after another": func(push int) int { return push / 10 },
	} {
		for _, legs := range []int{2, 4, 9, 12} {
			met, _ := meetings(legs, func(leg int) string { return fmt.Sprint("leg ", leg) }, flaking)
			if met*100 < alone*95 {
				t.Errorf("%s, with %d legs %d of %d flakes met their quarantine, with one leg %d", what, legs, met, flakes, alone)
			}
		}
	}
}

func TestACommitIsOneExecutionAndOnePieceOfEvidence(t *testing.T) {
	p := newPlayer()
	p.flake()
	before, _ := p.judge.Main.Facts(1)
	for leg := range 12 {
		p.variant = fmt.Sprint("leg ", leg)
		p.runOn("all", "", "1 FP E1")
	}
	after, _ := p.judge.Main.Facts(1)
	if len(after.Evidence) != len(before.Evidence)+1 || after.Executions != before.Executions+1 {
		t.Errorf("twelve legs that flaked made %d pieces of %d and %d executions of %d", len(after.Evidence), len(before.Evidence), after.Executions, before.Executions)
	}
	p.runOn("green", "")
	p.variant = "leg 1"
	p.runOn("green", "", "1 FP E1")
	if facts, _ := p.judge.Main.Facts(1); facts.Clean != 0 {
		t.Errorf("%d clean runs after a commit of which one leg flaked", facts.Clean)
	}
}

// Every night one commit that does not move is tested, and every second night the
// test needs a retry.
func TestATestThatFlakesOnACommitThatDoesNotMoveIsNotReleased(t *testing.T) {
	p := newPlayer()
	p.flake()
	for night := range 60 {
		p.runOn("night", "", [][]string{{"1 FP E1"}, nil}[night%2]...)
		if !p.held(1, "") {
			t.Fatalf("released after %d nights as clean", night+1)
		}
	}
}

// A red that brings no evidence is no clean run either.
func TestARunThatFailedIsNoCleanRun(t *testing.T) {
	p := newPlayer()
	p.flake()
	for pull := range 120 {
		p.run(fmt.Sprint("pr-", pull), "1 FFF E1")
	}
	if !p.judge.Pulls.Held(1) {
		t.Error("released while it fails at every commit")
	}
}

func TestAfterItsExpiryOnlyNewEvidenceCounts(t *testing.T) {
	p := newPlayer()
	p.at = time.Unix(1_700_000_000, 0)
	p.flake()
	if !p.held(1, "") {
		t.Fatal("not in quarantine")
	}
	p.at = p.at.Add(flaky.Expiry - time.Second)
	if p.run(""); !p.held(1, "") {
		t.Error("expired too early")
	}
	p.at = p.at.Add(time.Second)
	if p.run(""); p.held(1, "") || p.held(1, "pr-1") {
		t.Error("held after its expiry")
	}
	if p.run("", "1 FP E1"); p.held(1, "") || p.held(1, "pr-1") {
		t.Error("one flake brought back what had expired")
	}
	if p.run("", "1 FP E1"); !p.held(1, "") {
		t.Error("two new flakes do not bring it back")
	}
}

// A leg in which everything failed says nothing of the other legs of its commit, in
// whatever order they are observed.
func TestABurstInOneLegLeavesTheOthersEvidence(t *testing.T) {
	for _, burstFirst := range []bool{true, false} {
		p := newPlayer()
		p.green("", 20)
		for i := range 2 {
			legs := []func(){
				func() { p.variant = "windows"; p.runOn(fmt.Sprint("x", i), "", many(80, "FFF")...) },
				func() { p.variant = "linux"; p.runOn(fmt.Sprint("x", i), "", "1 FP E1") },
			}
			if !burstFirst {
				slices.Reverse(legs)
			}
			for _, run := range legs {
				run()
			}
		}
		if !p.held(1, "") {
			t.Errorf("burst first %v: the other leg's two flakes do not count", burstFirst)
		}
	}
}

func TestTheLastAttemptOfACommitDecides(t *testing.T) {
	for _, c := range []struct {
		name     string
		attempts []string
		streak   bool // the failure of the next commit is one of several in a row
	}{
		{"failed, failed", []string{"1 F E1", "1 F E1"}, true},
		{"failed, passed", []string{"1 F E1", ""}, false},
		{"failed, failed, passed", []string{"1 F E1", "1 F E1", ""}, false},
		{"passed, failed", []string{"", "1 F E1"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer()
			p.flake()
			for _, a := range c.attempts {
				var failures []string
				if a != "" {
					failures = []string{a}
				}
				p.runOn("again", "", failures...)
			}
			next := p.make("next", "", "1 FFF E1")
			if why := p.judge.Guard(next, next.Observations[0]); strings.Contains(why, "in a row") != c.streak {
				t.Errorf("the guard says %q", why)
			}
		})
	}
}

// A rerun that fails as well shows that the test is broken, not that it is flaky.
func TestARedThatARerunRepeatsIsNoLoneRed(t *testing.T) {
	p := newPlayer()
	p.green("", 20)
	for i := range 4 {
		p.runOn(fmt.Sprint("x", i), "", "1 F E1")
		p.runOn(fmt.Sprint("x", i), "", "1 F E1")
		p.green("", 5)
	}
	if p.held(1, "") {
		t.Error("in quarantine by reds that a rerun repeated")
	}
}

// Beyond the sources that are remembered, the one goes that was quiet for longest, so
// that two judges of the same commits know the same.
func TestManySourcesAreForgottenInOrder(t *testing.T) {
	know := func() string {
		judge := flaky.NewJudge()
		for i := range 5000 {
			judge.Observe(flaky.Commit{{Commit: fmt.Sprint(i), Sources: []string{fmt.Sprint("pr-", i)}, Tests: 9}})
		}
		return string(judge.Encode(number))
	}
	first := know()
	for range 3 {
		if know() != first {
			t.Fatal("what is forgotten differs from time to time")
		}
	}
}

// The pull requests of a merge group are judged without what the group showed, and it
// is no further witness.
func TestAMergeGroupIsItsPullRequests(t *testing.T) {
	p := newPlayer()
	p.green("", 20)
	p.run("pr-1", "1 FP E1")
	p.run("pr-1 pr-2", "1 FP E1")
	p.run("pr-1 pr-2", "1 FP E1")
	if p.held(1, "pr-9") {
		t.Error("a pull request and its merge group are two witnesses")
	}
	p.run("pr-3", "1 FP E1")
	if !p.held(1, "pr-9") {
		t.Fatal("two pull requests are not enough")
	}
	for branch, excused := range map[string]bool{"pr-9": true, "pr-1": false, "pr-2": true, "pr-3": false, "pr-1 pr-9": false, "pr-8 pr-9": true} {
		run := p.make("z", branch, "1 F E1")
		if why := p.judge.Guard(run, run.Observations[0]); (why == "") != excused {
			t.Errorf("%s: the guard says %q", branch, why)
		}
	}
}

// A merge group may be thrown out, and what is merged is tested again by its push.
func TestAMergeGroupTeachesNothing(t *testing.T) {
	p := newPlayer()
	p.green("", 20)
	for pull := range 5 {
		p.run(fmt.Sprint("queue pr-", pull), "1 FP E1")
		p.run(fmt.Sprintf("queue pr-%d pr-%d", pull, pull+10), "1 FP E1")
		p.green("", 1)
	}
	if p.held(1, "pr-9") {
		t.Error("what flaked in merge groups alone is held")
	}
	with, without := newPlayer(), newPlayer()
	for _, p := range []*player{with, without} {
		p.flake()
	}
	for pull := range 5 {
		with.run(fmt.Sprintf("queue pr-%d pr-%d", pull, pull+10), "1 F E9")
	}
	for _, failure := range []string{"1 F E1", "1 F E9"} {
		var said [2]string
		for i, p := range []*player{with, without} {
			run := p.make("z", "pr-9", failure)
			said[i] = p.judge.Guard(run, run.Observations[0])
		}
		if said[0] != said[1] || (said[0] == "") != (failure == "1 F E1") {
			t.Errorf("%s: after red merge groups the guard says %q, without them %q", failure, said[0], said[1])
		}
	}
}

// A pull request whose failures block as improbable is not excused after more runs of
// its own flaked.
func TestAPullRequestDoesNotRaiseItsOwnRedRate(t *testing.T) {
	for _, own := range []int{0, 1, 4, 8, 16} {
		p := newPlayer()
		p.green("", 50)
		for pull := range 3 {
			p.run(fmt.Sprint("pr-", pull), "1 FP E1")
			p.green("", 12)
		}
		for range own {
			p.run("pr-7", "1 FP E1")
		}
		run := p.make("z", "pr-7", "1 FFFF E1")
		if why := p.judge.Guard(run, run.Observations[0]); why == "" {
			t.Errorf("%d own flakes: a failure that is improbable is excused", own)
		}
	}
}

// A pull request's own flaked runs count neither as red nor as green when its failure is
// looked at: the test's rate is that of the others' runs.
func TestAPullRequestsOwnFlakesDoNotLowerTheRedRate(t *testing.T) {
	p := newPlayer()
	p.green("", 10)
	for range 15 {
		p.run("", "1 FP E1")
		p.green("", 1)
	}
	guard := func() string {
		run := p.make("z", "pr-7", "1 FFFFFFFFFF E1")
		return p.judge.Guard(run, run.Observations[0])
	}
	want := guard()
	if !strings.Contains(want, "% of its runs") {
		t.Fatalf("it blocks for another reason: %q", want)
	}
	for n := range 5 {
		if p.run("pr-7", "1 FP E1"); guard() != want {
			t.Fatalf("after %d own flakes: %s; before: %s", n+1, guard(), want)
		}
	}
}

// Whatever a pull request ran before, no failure of it is excused that would block
// without those runs.
func TestNoRunOfAPullRequestExcusesIt(t *testing.T) {
	excused := 0
	for seed := range uint64(300) {
		with, without := newPlayer(), newPlayer()
		random := rand.New(rand.NewPCG(seed, 3))
		for range 60 {
			branch := []string{"", "pr-1", "pr-2", "pr-3", "pr-4", "pr-3 pr-4"}[random.IntN(6)]
			var failures []string
			for test := 1; test <= 2; test++ {
				if random.IntN(3) == 0 {
					failures = append(failures, fmt.Sprintf("%d %s E%d", test, []string{"FP", "FFP", "FFF"}[random.IntN(3)], random.IntN(2)))
				}
			}
			with.run(branch, failures...)
			if !strings.Contains(branch, "pr-4") {
				without.runs, without.mainRuns = with.runs-1, with.mainRuns
				if branch == "" {
					without.mainRuns--
				}
				without.run(branch, failures...)
			}
		}
		for _, attempts := range []string{"F", "FFF"} {
			a, b := with.make("z", "pr-4", "1 "+attempts+" E1"), without.make("z", "pr-4", "1 "+attempts+" E1")
			if with.judge.Guard(a, a.Observations[0]) != "" {
				continue
			}
			excused++
			if why := without.judge.Guard(b, b.Observations[0]); why != "" {
				t.Errorf("seed %d: excused by its own runs, without them: %s", seed, why)
			}
		}
	}
	if excused < 50 {
		t.Errorf("only %d failures were excused: too few to show anything", excused)
	}
}

func TestRoomIsRoundedUpExactly(t *testing.T) {
	for _, c := range []struct {
		share       float64
		suite, room int
	}{{.07, 100, 7}, {.05, 40, 2}, {.05, 41, 3}, {.29, 100, 29}, {.57, 100, 57}, {.001, 1000, 1}, {0, 20, 1}, {1, 7, 7}, {.05, 0, 0}} {
		if got := flaky.Room(c.share, c.suite); got != c.room {
			t.Errorf("%v of %d tests is %d, want %d", c.share, c.suite, got, c.room)
		}
	}
}

// Three commits on which a test failed and passed prove that it is flaky before ten
// have run it.
func TestThreeFlakesAreEnoughAfterFiveCommits(t *testing.T) {
	for _, c := range []struct {
		commits string // of the default branch: f where it flaked
		in      bool
	}{
		{"fff", false}, {"f.f.f", true}, {"fff.f", true}, {"f.f..", false}, {"f...f...", false}, {"f...f....f", true},
	} {
		p := newPlayer()
		for _, commit := range c.commits {
			if commit == 'f' {
				p.run("", "1 FP E1")
			} else {
				p.run("")
			}
		}
		if got := p.held(1, ""); got != c.in {
			t.Errorf("%s: in quarantine %v, want %v", c.commits, got, c.in)
		}
	}
}
