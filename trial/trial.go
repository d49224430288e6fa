// Package trial tries proposed edits: it makes them in a copy of the checkout, runs the
// tests that lost the locators again with the runner's own filter, and then again in each
// control, in which the edited locator finds nothing, finds another element, or its action
// is left undone (package proxy does that). An edit whose tests pass in a control, too, is
// not proven: they pass whatever it points at.
//
// Nothing is written into the user's checkout, and the copy is removed at the end.
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/proxy"
	"github.com/breadcrumb/action/proxy/attach"
)

// MaxEdits bounds the edits of one trial; the surest are tried.
const MaxEdits = 100

// Options say what is tried and how.
type Options struct {
	Command    []string         // that ran the tests
	Root       string           // of the checkout
	Folder     string           // that the command ran in, the root or below it
	Environ    []string         // of the command
	Proposals  []patch.Proposal // of the run, with edits relative to the root
	DB         string           // file that has what was learned, for Propose
	Heal       engine.HealMode  // of the run
	Tests      []attach.Test    // as their runner told of them in the run
	Held       []attach.Test    // that did not run because another one failed
	Executable string           // of this program
	Time       time.Duration    // that all runs may take together
	Now        func() time.Time
	Log        *slog.Logger

	// Propose returns the proposals of the run with the events of what its tests lose behind
	// the edits. These are looked for where it is not nil.
	Propose func(found []engine.HealEvent) ([]patch.Proposal, error)
}

// Result is what came of a trial.
type Result struct {
	Trials map[int]engine.Trial // by the index of the proposal
	// Proposals are those of the options, or with Propose those of Found as well.
	Proposals []patch.Proposal
	Found     []engine.HealEvent // what tests lose behind the edits

	Edits  int    // that were tried
	Proven int    // of them
	Left   int    // that were not tried, because time or number ran out
	Over   bool   // the time was over before all runs were made
	Why    string // why no trial was made, "" where one was
}

// Run tries the edits of proposals. The error is of the copy or of a process; that the
// command cannot be narrowed is no error but the result's reason. When ctx ends, so does
// every process of the trial, and the copy is removed.
func Run(ctx context.Context, o Options) (result Result, err error) {
	packageJSON, _ := os.ReadFile(filepath.Join(o.Folder, "package.json"))
	s, err := takeApart(o.Command, packageJSON)
	if err != nil {
		return Result{Why: err.Error()}, nil
	}
	result.Proposals = o.Proposals
	edits := editsOf(o.Proposals)
	if len(edits) == 0 {
		result.Why = "no locator has an edit"
		return result, nil
	}
	limited, cancel := context.WithTimeout(ctx, o.Time)
	defer cancel()
	isOver := func() bool { return limited.Err() != nil && ctx.Err() == nil }
	copied, err := copyCheckout(limited, o.Root)
	if isOver() && err != nil {
		result.Left, result.Over = len(edits), true
		return result, nil
	}
	if err != nil {
		return result, fmt.Errorf("copy the checkout: %w", err)
	}
	defer func() { err = errors.Join(err, copied.remove()) }()
	t := newTrying(o, s, copied)
	if o.Propose != nil {
		result.Found, err = t.findNext(limited)
		result.Proposals = t.options.Proposals
	} else {
		err = t.makeEdits()
	}
	edits = editsOf(result.Proposals)
	result.Left = max(0, len(edits)-MaxEdits)
	edits = edits[:len(edits)-result.Left]
	if err == nil {
		err = t.try(limited, edits)
	}
	result.Why = t.why
	if err != nil && ctx.Err() == nil && !isOver() {
		return result, err
	}
	if t.why != "" {
		return result, nil
	}
	result.Trials, result.Over = map[int]engine.Trial{}, err != nil && isOver()
	for _, e := range edits {
		result.add(e)
	}
	return result, nil
}

func (r *Result) add(e *edit) {
	if !e.ran {
		r.Left++
		return
	}
	r.Edits++
	trial := e.trial()
	if trial.Proven() {
		r.Proven++
	}
	for _, u := range e.uses {
		r.Trials[u.proposal] = trial
	}
}

// edit is an edit with the lost locators that it is for.
type edit struct {
	patch.Edit
	confidence float64
	uses       []use
	ran        bool                             // with the edit, all its tests
	outcomes   map[engine.TestID]map[run]status // of its tests
}

// use is a lost locator of a test.
type use struct {
	proposal int
	test     engine.TestID
	target   proxy.Target
}

// run is one of the runs of a trial, by its control.
type run = proxy.Control

// controls are the runs that have to be red, the cheap one first.
var controls = []run{proxy.Hidden, proxy.Undone, proxy.Other, proxy.Another}

// again is the last run: as written, in the time that the controls had. A test that fails
// by chance, or because its time is short, is found out here.
const again run = "again"

// status is what a run says of a test and an edit.
type status string

const (
	unknown  status = "" // the test did not run, or did not come to the edited locator
	green    status = "green"
	red      status = "red"
	unused   status = "unused"   // it passed without a call on the edited locator
	unsuited status = "unsuited" // the control does not apply to the test's calls
)

// editsOf returns the edits of the lost locators, each once, the surest first.
func editsOf(proposals []patch.Proposal) []*edit {
	byLead := map[int]*edit{}
	var edits []*edit
	for i, p := range proposals {
		lead := i
		if p.SameAs > 0 {
			lead = p.SameAs - 1
		}
		if p.Edit == nil || p.Follows() || p.Locator == "" {
			continue
		}
		e := byLead[lead]
		if e == nil {
			e = &edit{Edit: *p.Edit, confidence: p.Confidence, outcomes: map[engine.TestID]map[run]status{}}
			byLead[lead] = e
			edits = append(edits, e)
		}
		e.uses = append(e.uses, use{i, p.Heal.TestID, proxy.Target{Test: string(p.Heal.TestID), Selector: p.Locator, Site: p.Heal.Site}})
		e.outcomes[p.Heal.TestID] = map[run]status{}
	}
	slices.SortStableFunc(edits, func(a, b *edit) int { return -cmp.Compare(a.confidence, b.confidence) })
	return edits
}

// trial returns what the runs say of the edit.
func (e *edit) trial() engine.Trial {
	t := engine.Trial{File: e.File, Line: e.Line, New: e.New, Tests: len(e.outcomes)}
	passed := map[run]bool{} // controls in which a test passes
	used := false
	for _, runs := range e.outcomes {
		switch {
		case runs[again] == red:
		case runs[proxy.AsWritten] == green:
			used = true
			t.Green++
		case runs[proxy.AsWritten] == unused:
			t.Green++
		}
		needs, holds := 0, runs[proxy.AsWritten] == green && runs[proxy.Hidden] == red
		for _, control := range controls {
			switch s := runs[control]; {
			case s == green:
				passed[control] = true
				holds = false
			case s == unknown:
				holds = false
			case s == red && control != proxy.Hidden:
				needs++ // the element itself, and not only that it is there
			}
		}
		if holds && needs > 0 && runs[again] == green {
			t.Red++
		}
	}
	switch {
	case t.Green < t.Tests:
		t.Reason = engine.TrialRed
	case !used:
		t.Reason = engine.TrialUnused
	case t.Red > 0:
	case passed[proxy.Hidden]:
		t.Reason = engine.TrialHidden
	case passed[proxy.Undone]:
		t.Reason = engine.TrialUndone
	case passed[proxy.Other] || passed[proxy.Another]:
		t.Reason = engine.TrialOther
	default:
		t.Reason = engine.TrialNotRun
	}
	return t
}

// makeEdits makes all edits of the run in the copy: a test may have lost several locators,
// and other uses of an element are edited with it.
func (t *trying) makeEdits() error {
	from, err := os.OpenRoot(t.copied.from)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenRoot(t.copied.root)
	if err != nil {
		return err
	}
	defer to.Close()
	files := map[string][]patch.Edit{}
	for _, p := range t.options.Proposals {
		if p.Edit != nil && p.SameAs == 0 {
			files[p.Edit.File] = append(files[p.Edit.File], *p.Edit)
		}
	}
	for name, edits := range files {
		before, err := from.ReadFile(name)
		if err != nil {
			return err
		}
		after, err := patch.Apply(before, edits)
		if err == nil {
			err = to.WriteFile(name, after, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// try makes the runs that the edits need.
func (t *trying) try(ctx context.Context, edits []*edit) error {
	if err := t.runAll(ctx, proxy.AsWritten, [][]*edit{edits}); err != nil {
		return err
	}
	for _, e := range edits {
		e.ran = !slices.ContainsFunc(slices.Collect(maps.Values(e.outcomes)), func(runs map[run]status) bool { return runs[proxy.AsWritten] == unknown })
	}
	for _, control := range append(slices.Clone(controls), again) {
		var open []*edit
		for _, e := range edits {
			if reason := e.trial().Reason; e.ran && (reason == "" || reason == engine.TrialNotRun) {
				open = append(open, e)
			}
		}
		if err := t.runAll(ctx, control, apart(open)); err != nil {
			return err
		}
	}
	return nil
}

// apart puts edits into groups in which no test has two: a control is of one edit alone.
func apart(edits []*edit) (groups [][]*edit) {
	for _, e := range edits {
		fits := func(group []*edit) bool {
			return !slices.ContainsFunc(group, func(other *edit) bool {
				for id := range e.outcomes {
					if _, both := other.outcomes[id]; both {
						return true
					}
				}
				return false
			})
		}
		if i := slices.IndexFunc(groups, fits); i >= 0 {
			groups[i] = append(groups[i], e)
		} else {
			groups = append(groups, []*edit{e})
		}
	}
	return groups
}
