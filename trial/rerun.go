package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/proxy/attach"
)

// Again says how tests run again.
type Again struct {
	Times   int           // at most
	Always  bool          // also after they passed
	Control engine.TestID // one of the tests, which passed in the checkout; "" for none

	// Ran are all attempts of the run, in their order. Of each test that ran again the one
	// that it fails after is looked for among them; it is not where there are none.
	Ran []attach.Test

	// Tell is told what became of each test but the control, before any such search, and
	// once more where the other test is found.
	Tell func(engine.TestID, Reran)
}

// Reran is what became of a test that ran again.
type Reran struct {
	Passed bool // at the last time
	Times  int
	Failed int // of these times

	// After is the test of the run that it was shown to fail after, in the same worker,
	// while it passes alone; "" where none was. The runs for that are not among Times.
	After engine.TestID
}

// Bounds of the search for the test that another one fails after. A search takes at most
// 12 runs: one alone, one behind all tests, five that halve these, and five for the proof.
const (
	mostSearches = 5  // tests for which it is made
	mostBefore   = 32 // tests before one that are looked at, the nearest
	partOfTime   = 5  // these took at most this part of the time for everything
)

// Rerun runs the tests of o again in a copy of the checkout and returns what became of
// them, without the control. The control runs with the others in the first round: where it
// fails in the copy, failures there prove nothing, and only tests that passed are returned.
// why says why tests were left out, "" where none were but those that did not run before
// o.Time was over.
func Rerun(ctx context.Context, o Options, how Again) (reran map[engine.TestID]Reran, why string, err error) {
	packageJSON, _ := os.ReadFile(filepath.Join(o.Folder, "package.json"))
	s, err := takeApart(o.Command, packageJSON)
	if err != nil {
		return nil, err.Error(), nil
	}
	limited, cancel := context.WithTimeout(ctx, o.Time)
	defer cancel()
	isOver := func() bool { return limited.Err() != nil && ctx.Err() == nil }
	copied, err := copyCheckout(limited, o.Root)
	if isOver() && err != nil {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("copy the checkout: %w", err)
	}
	defer func() { err = errors.Join(err, copied.remove()) }()
	a := rerunning{trying: newTrying(o, s, copied), ran: how.Ran, reran: map[engine.TestID]Reran{}, alone: map[engine.TestID]Reran{}}
	if err = a.runAll(limited, how); a.why != "" || isOver() {
		err = nil
	}
	a.heed(how.Control)
	if ctx.Err() != nil {
		return a.reran, a.why, err
	}
	for _, id := range slices.Sorted(maps.Keys(a.reran)) {
		how.Tell(id, a.reran[id])
	}
	if err == nil && a.why == "" && limited.Err() == nil {
		if err = a.searchAll(limited, how.Tell); isOver() {
			err = nil
		}
	}
	return a.reran, a.why, err
}

// heed takes the control out of what ran again, and with it the failures where it failed.
func (a *rerunning) heed(control engine.TestID) {
	r, ran := a.reran[control]
	delete(a.reran, control)
	if !ran || r.Passed {
		return
	}
	before := len(a.reran)
	maps.DeleteFunc(a.reran, func(_ engine.TestID, r Reran) bool { return r.Failed == r.Times })
	if len(a.reran) < before {
		a.why = fmt.Sprintf("%.200s passed before and fails in the copy of the checkout as well, so a failure there proves nothing", control)
	}
}

// rerunning is a Rerun that goes on.
type rerunning struct {
	*trying
	ran   []attach.Test
	reran map[engine.TestID]Reran
	alone map[engine.TestID]Reran // what became of them where no test ran before them in their worker
}

// runAll runs the tests round by round and notes what became of them.
func (a *rerunning) runAll(ctx context.Context, how Again) error {
	open := slices.Sorted(maps.Keys(a.tests))
	for range how.Times {
		for _, batch := range a.batches(open) {
			command, err := a.command(batch, 0)
			if err != nil {
				return err
			}
			code, led, err := a.start(ctx, command, nil)
			if err != nil {
				return err
			}
			for id, passed := range a.passed(batch, code, led) {
				a.reran[id] = a.reran[id].with(passed)
				if _, before, told := behind(led.Tests, id); told && len(before) == 0 {
					a.alone[id] = a.alone[id].with(passed)
				}
			}
		}
		open = slices.DeleteFunc(open, func(id engine.TestID) bool { return id == how.Control || !how.Always && a.reran[id].Passed })
	}
	return nil
}

// with counts one more time.
func (r Reran) with(passed bool) Reran {
	r.Passed = passed
	r.Times++
	if !passed {
		r.Failed++
	}
	return r
}

// behind returns the first attempt of a test, and those before it in the same worker; told
// is false where the runner does not tell them.
func behind(attempts []attach.Test, id engine.TestID) (test attach.Test, before []attach.Test, told bool) {
	at := slices.IndexFunc(attempts, func(t attach.Test) bool { return t.ID == id })
	if at < 0 {
		return test, nil, false
	}
	test = attempts[at]
	for _, t := range attempts[:at] {
		if t.Process == test.Process && t.Worker == test.Worker {
			before = append(before, t)
		}
	}
	return test, before, test.Process != ""
}

// searchAll looks for the tests that those which ran again fail after. One that failed
// alone needs no other to fail.
func (a *rerunning) searchAll(ctx context.Context, tell func(engine.TestID, Reran)) error {
	made := 0
	for _, id := range slices.Sorted(maps.Keys(a.reran)) {
		test, before, told := behind(a.ran, id)
		if !told || a.suite.runner.inOrder == nil || a.alone[id].Failed > 0 || made == mostSearches {
			continue
		}
		s := newSearch(a, test, before)
		if len(s.before) == 0 {
			continue
		}
		made++
		after, err := s.find(ctx)
		if errors.Is(err, errUntold) {
			continue
		}
		if err != nil {
			return err
		}
		r := a.reran[id]
		r.After = after
		a.reran[id] = r
		tell(id, r)
	}
	return nil
}

// errUntold ends a search that proves nothing.
var errUntold = errors.New("the run is not what the search expects")

// search is the search for the test that another one fails after.
type search struct {
	*rerunning
	test   attach.Test
	before []engine.TestID               // tests of its worker, the nearest at the end
	tests  map[engine.TestID]attach.Test // these and the test
	titled bool                          // a test stands where another one does, as in a loop: its place does not tell it
}

func newSearch(a *rerunning, test attach.Test, before []attach.Test) *search {
	s := &search{rerunning: a, test: test, tests: map[engine.TestID]attach.Test{test.ID: test}}
	took := time.Duration(0)
	for _, t := range slices.Backward(before) {
		if took += t.Took; took > a.options.Time/partOfTime || len(s.before) == mostBefore {
			break
		}
		if _, twice := s.tests[t.ID]; !twice && (t.Passed || t.Failed) {
			s.before, s.tests[t.ID] = append(s.before, t.ID), t
		}
	}
	slices.Reverse(s.before)
	places := map[string]engine.TestID{}
	for _, t := range a.ran {
		if t.Project != test.Project {
			continue
		}
		place := text.Place(t.Path, t.Line)
		if other, taken := places[place]; taken && other != t.ID {
			s.titled = true
		}
		places[place] = t.ID
	}
	return s
}

// find returns the test that the other one fails after: it failed after it three times, and
// three times it passed alone. A test that fails by chance at a rate p does so, after one
// test, with a chance of p³(1−p)² once it has passed. The error is errUntold where nothing
// is proven.
func (s *search) find(ctx context.Context) (engine.TestID, error) {
	if s.alone[s.test.ID].Times == 0 {
		if err := s.expect(ctx, nil, false); err != nil {
			return "", err
		}
	}
	left := s.before
	if err := s.expect(ctx, left, true); err != nil {
		return "", err
	}
	shown := true // that it fails behind those that are left
	for len(left) > 1 {
		near := left[len(left)/2:]
		failed, err := s.fails(ctx, near)
		if err != nil {
			return "", err
		}
		if left = left[:len(left)/2]; failed {
			left = near
		}
		shown = failed
	}
	// Trouble that comes and goes, or a test that fails every second time, does not keep to
	// this order.
	turns := [][]engine.TestID{nil, nil, left, left}
	if !shown {
		turns = append(turns, left)
	}
	for _, before := range turns {
		if err := s.expect(ctx, before, len(before) > 0); err != nil {
			return "", err
		}
	}
	return left[0], nil
}

// expect returns errUntold where the test does other than it is to do behind some tests.
func (s *search) expect(ctx context.Context, before []engine.TestID, fails bool) error {
	failed, err := s.fails(ctx, before)
	if err == nil && failed != fails {
		err = errUntold
	}
	return err
}

// fails runs the test behind others in one worker, and reports whether it fails there. The
// error is errUntold where another test ran before it, or one of these ended otherwise
// than it had.
func (s *search) fails(ctx context.Context, before []engine.TestID) (bool, error) {
	var tests []wanted
	for _, id := range append(slices.Clone(before), s.test.ID) {
		test := s.wanted(s.tests[id])
		if s.titled {
			test.titles = s.tests[id].Titles
		}
		tests = append(tests, test)
	}
	command, err := s.suite.commandInOrder(tests)
	if err != nil {
		return false, errUntold
	}
	_, led, err := s.start(ctx, command, nil)
	if err != nil {
		return false, err
	}
	got, ran, told := behind(led.Tests, s.test.ID)
	same := slices.EqualFunc(ran, before, func(t attach.Test, id engine.TestID) bool {
		return t.ID == id && t.Passed == s.tests[id].Passed && t.Failed == s.tests[id].Failed
	})
	if !told || !same || got.Passed == got.Failed {
		return false, errUntold
	}
	return got.Failed, nil
}

// commandInOrder returns the command that runs some tests and no other in one worker, in
// their order. The runner has to have such options.
func (s suite) commandInOrder(tests []wanted) ([]string, error) {
	s.kept = slices.Concat(s.kept, s.runner.inOrder(tests))
	return s.command(tests, 0)
}
