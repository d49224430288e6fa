package organisation

import "math/rand/v2"

// kind is what a step does.
type kind int

const (
	runJob kind = iota // the runner takes a waiting job
	runTwoJobs
	cancelRun
	passHours
	passWeek
	pushMain
	skipCI // a push that runs nothing
	breakMain
	mendMain
	pushRelease
	openPull
	openFork
	pushPull
	breakPull
	shakePull // the pull request brings a flake
	mendPull
	queuePulls
	mergeNext
	nightly
	rerunAll
	rerunFailed
	holdTest
	releaseTest
	clutter
	renameBranch
	renameWorkflow
	lookBack // compare with histories that lack, or order, something else
	kinds
)

// weights are how often each kind happens among a thousand.
var weights = [kinds]int{runJob: 560, runTwoJobs: 20, cancelRun: 30, passHours: 90, passWeek: 2, pushMain: 50, skipCI: 40, breakMain: 4, mendMain: 8,
	pushRelease: 8, openPull: 18, openFork: 4, pushPull: 30, breakPull: 12, shakePull: 10, mendPull: 10,
	queuePulls: 18, mergeNext: 18, nightly: 16, rerunAll: 6, rerunFailed: 18, holdTest: 5, releaseTest: 5, clutter: 12, renameBranch: 3, renameWorkflow: 4, lookBack: 8}

// step is one thing that happens in the organisation. Its numbers are choices,
// each among what there is then, so that a history without some of its steps is
// one, too.
type step struct {
	kind kind
	a, b uint32
}

// makePlan returns the steps of a seed.
func makePlan(seed uint64, steps int) []step {
	random := rand.New(rand.NewPCG(seed, 19))
	total := 0
	for _, w := range weights {
		total += w
	}
	plan := make([]step, steps)
	for i := range plan {
		at, k := random.IntN(total), kind(0)
		for at >= weights[k] {
			at -= weights[k]
			k++
		}
		plan[i] = step{k, random.Uint32(), random.Uint32()}
	}
	return plan
}

// choose returns one of all, or false where there is none. Which one depends on what
// each is and not on its place, so that it stays the same when others are not there.
func choose[T interface{ mark() uint32 }](all []T, by uint32) (one T, ok bool) {
	var least uint32
	for i, x := range all {
		if m := mix(by, x.mark()); i == 0 || m < least {
			one, least, ok = x, m, true
		}
	}
	return one, ok
}

// mix returns a number that depends on both, and tells nothing about either.
func mix(a, b uint32) uint32 {
	x := a*0x9e3779b1 ^ b*0x85ebca77
	x ^= x >> 15
	x *= 0x2c1b3c6d
	x ^= x >> 12
	x *= 0x297a2d39
	return x ^ x>>15
}
