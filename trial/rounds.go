package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/proxy/attach"
)

// A test ends at the first locator that it loses. With the edits made it comes further, and
// may lose the next one: the tests run again, round by round.
const (
	maxRounds    = 8
	partOfRounds = 2 // they take at most this part of the time for everything
)

// findNext makes the edits in the copy, runs the tests that failed, and takes in the
// proposals for what they lose now, until they lose nothing more. It returns the events of
// that. What was found stays when the time is over.
func (t *trying) findNext(ctx context.Context) (found []engine.HealEvent, err error) {
	limited, cancel := context.WithTimeout(ctx, t.options.Time/partOfRounds)
	defer cancel()
	database, err := t.copyDatabase()
	if err != nil {
		return nil, err
	}
	tests := t.stopped()
	for range maxRounds {
		if err := t.makeEdits(); err != nil {
			return found, fmt.Errorf("edit the copy: %w", err)
		}
		if len(tests) == 0 {
			return found, nil
		}
		var lost []engine.HealEvent
		lost, tests, err = t.lose(limited, tests, database)
		over := limited.Err() != nil && ctx.Err() == nil
		if err != nil && !over {
			return found, err
		}
		fresh := t.newLosses(lost, found)
		if len(fresh) == 0 {
			return found, nil
		}
		proposals, err := t.options.Propose(slices.Concat(found, fresh))
		if err != nil {
			return found, fmt.Errorf("propose edits for what is lost behind others: %w", err)
		}
		known := len(editsOf(t.options.Proposals))
		t.options.Proposals, found = proposals, append(found, fresh...)
		if over || len(editsOf(proposals)) == known {
			break
		}
	}
	return found, t.makeEdits()
}

// stopped returns the tests of lost locators with an edit that failed, as far as their
// runner tells how they ended, and those that did not run because a test failed: behind a
// setup that lost the button of its login that is the whole suite.
func (t *trying) stopped() []engine.TestID {
	passed, ran := map[engine.TestID]bool{}, map[engine.TestID]bool{}
	for _, test := range t.options.Tests {
		passed[test.ID] = passed[test.ID] || test.Passed
		ran[test.ID] = ran[test.ID] || test.Passed || test.Failed
	}
	var ids []engine.TestID
	for _, e := range editsOf(t.options.Proposals) {
		for id := range e.outcomes {
			if !passed[id] {
				ids = append(ids, id)
			}
		}
	}
	for _, p := range t.options.Proposals { // lost what a test that passed proves the edit of
		if id := p.Heal.TestID; p.Edit != nil && p.Follows() && ran[id] && !passed[id] {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 {
		for _, test := range t.options.Held {
			ids = append(ids, test.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// copyDatabase copies the database of what was learned beside the copy of the checkout, and
// returns its name: nothing that a trial does is written into the user's.
func (t *trying) copyDatabase() (string, error) {
	name := filepath.Join(t.copied.top, "learned.db")
	for _, end := range []string{"", "-wal"} {
		if err := t.copied.copyFile(t.options.DB+end, name+end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("copy the database: %w", err)
		}
	}
	return name, nil
}

// lose runs tests in the copy, looks for what they lose, and returns the events of that and
// the tests that failed. When ctx ends, it returns what was lost until then, and its error.
func (t *trying) lose(ctx context.Context, tests []engine.TestID, database string) (lost []engine.HealEvent, failed []engine.TestID, err error) {
	events := filepath.Join(t.copied.top, "lost.ndjson")
	if err := os.RemoveAll(events); err != nil {
		return nil, nil, err
	}
	for _, batch := range t.batches(tests) {
		command, err := t.command(batch, 0)
		if err != nil {
			return nil, nil, err
		}
		code, led, err := t.startLed(ctx, command, attach.Options{Live: live.Options{
			Heal: string(t.healing()), DB: database, Events: events, Pictures: live.PicturesOff, Frozen: true,
		}})
		if err != nil {
			lost, _ := readLost(events) // as far as it was written
			return lost, nil, err
		}
		passed := t.passed(batch, code, led)
		failed = append(failed, slices.DeleteFunc(slices.Clone(batch), func(id engine.TestID) bool { return passed[id] })...)
	}
	lost, err = readLost(events)
	return lost, failed, err
}

// healing returns how a round treats what it loses. Where the run healed, so does the round:
// a test goes on to what it loses next, and needs no round for each of its locators.
func (t *trying) healing() engine.HealMode {
	if t.options.Heal == engine.HealLive {
		return engine.HealLive
	}
	return engine.HealSuggest
}

// readLost returns the heal events of a file in the copy; none where nothing was lost.
func readLost(name string) ([]engine.HealEvent, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lost, _ := engine.ReadHeals(name, file)
	return lost, nil
}

// newLosses returns the heals and suggestions among events that nothing was known of, as
// found ahead: in the run itself no test has lost these. What an assertion lost may be what
// is wrong: of that only what says the same is taken in, and stays a suggestion. Without it
// a test would stop there, and what it loses behind its assertion take another red run.
func (t *trying) newLosses(lost, found []engine.HealEvent) (fresh []engine.HealEvent) {
	known := map[patch.Cause]bool{}
	for _, p := range t.options.Proposals {
		known[patch.CauseOf(p.Heal)] = true
	}
	for _, e := range found {
		known[patch.CauseOf(e)] = true
	}
	for _, e := range lost {
		asserted := e.Action == "expect"
		if e.Outcome == engine.OutcomeHealed {
			e.Outcome, e.Reason = engine.OutcomeSuggested, engine.ReasonSuggestOnly
		}
		saysTheSame := e.Reason == engine.ReasonSuggestOnly || e.Reason == engine.ReasonNotToldApart
		if e.Outcome != engine.OutcomeSuggested || asserted && !saysTheSame || known[patch.CauseOf(e)] {
			continue
		}
		known[patch.CauseOf(e)] = true
		e.Ahead = true
		if e.Reason == engine.ReasonSuggestOnly && !asserted {
			e.Reason = engine.ReasonAhead
		}
		if e.Site != nil {
			site := *e.Site
			if below, err := filepath.Rel(t.copied.root, filepath.FromSlash(site.File)); err == nil && filepath.IsLocal(below) {
				site.File = filepath.ToSlash(below)
			}
			e.Site = &site
		}
		fresh = append(fresh, e)
	}
	return fresh
}
