package flaky

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// leg is what a test did on a commit in one variant, all its runs there taken
// together: the attempts of the job and whatever else tested the commit again.
type leg struct {
	key     branchKey
	passed  bool // a run passed it, at once or by a retry
	red     bool // a run failed it at its first attempt
	flaked  bool // a retry in the same run passed
	broken  bool // a run failed it for good
	failing bool // the last run did, and that one decides
	healed  bool // a run healed a locator
	crowd   bool // many others began to fail with it
	shared  bool // more others did than usual
	// failures is how many attempts failed since one passed.
	failures int
	// retried is how many runs tried again after a first attempt that failed, stuck in
	// how many of these the retry failed as well.
	retried, stuck int
	lone           bool // nobody else did, and no other run of the leg failed it
	errors         []string
	dependsOn      []string // see newcomers
	place          string
}

// add takes in what one more run says of the test.
func (l *leg) add(said *listed, n *newcomers) {
	o := &said.o
	l.healed = l.healed || o.Healed
	switch {
	case !o.firstFailed():
		l.passed, l.failing, l.failures = true, o.Healed && o.failed(), 0
		return
	case o.recovered():
		l.flaked, l.passed, l.failing, l.failures = true, true, false, 0
	default:
		l.broken, l.failing = true, !o.Healed || o.failed()
		l.failures += o.executions()
	}
	if o.executions() > 1 {
		l.retried++
		if o.executions() > 2 || !o.recovered() {
			l.stuck++
		}
	}
	l.lone = !l.red && n.areLone()
	l.crowd, l.shared = l.crowd || n.inCrowd(*o), l.shared || n.isShared(*o)
	l.red, l.dependsOn = true, mergeDependsOn(l.dependsOn, n.dependsOn)
	l.errors, l.place = union(l.errors, said.own), cmp.Or(o.Place, l.place)
}

// listed is a test that a run lists.
type listed struct {
	run     int
	o       Observation
	own     []string // its signatures that may be the test's own
	trouble bool     // it shows nothing of the test
}

// listTests returns what the runs say of the tests that they list, each run's first
// word.
func (t *Tracker) listTests(runs []Run) map[int][]listed {
	tests := map[int][]listed{}
	for i, run := range runs {
		for _, o := range run.Observations {
			have := tests[o.Test]
			if n := len(have); o.executions() > 0 && (n == 0 || have[n-1].run != i) {
				tests[o.Test] = append(have, listed{i, o, withoutTrouble(o.Signatures, t.trouble), o.isTrouble(t.trouble)})
			}
		}
	}
	return tests
}

// legsOf returns what a test did in the runs by variant, in the order in which
// those first ran it. It overwrites legs.
func legsOf(legs []leg, test int, runs []Run, crowds []newcomers, said []listed) []leg {
	legs = legs[:0]
	for i := range runs {
		var here *listed
		if len(said) > 0 && said[0].run == i {
			here, said = &said[0], said[1:]
		} else if !runs[i].ran(test) {
			continue
		}
		if here != nil && here.trouble {
			continue
		}
		key, at := runs[i].key(), 0
		for at < len(legs) && legs[at].key != key {
			at++
		}
		if at == len(legs) {
			legs = append(legs, leg{key: key})
		}
		if here == nil {
			legs[at].passed, legs[at].failing, legs[at].failures = true, false, 0
			continue
		}
		legs[at].add(here, &crowds[i])
	}
	return legs
}

// executions counts the attempts that ran.
func (o Observation) executions() int {
	n := 0
	for _, s := range o.Attempts {
		if s != engine.StatusSkipped {
			n++
		}
	}
	return n
}

// recovered reports whether a retry passed. A failure after a pass shows no
// retry: two tests under one name are reported like that.
func (o Observation) recovered() bool {
	return o.firstFailed() && o.Attempts[len(o.Attempts)-1] == engine.StatusPassed
}

// isShared reports whether o failed together with others in a way that is unusual
// for the suite, although they were not as many as a crowd.
func (n *newcomers) isShared(o Observation) bool {
	return n.many || slices.ContainsFunc(errorsOf(o), func(e string) bool { return n.shared[e] })
}

// inCrowd reports whether o failed in a crowd: many that began with the same
// error share a cause, such as a service or a shard that was gone, and a retry
// that passed only shows that it came back.
func (n *newcomers) inCrowd(o Observation) bool {
	if len(o.Signatures) == 0 {
		return !n.areLone()
	}
	for _, s := range o.Signatures {
		if n.byError[errorOf(s)] > n.chance {
			return true
		}
	}
	return n.all > crowdTotal*n.chance
}
