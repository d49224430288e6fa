package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// Again says how tests run again.
type Again struct {
	Times   int           // at most
	Always  bool          // also after they passed
	Control engine.TestID // one of the tests, which passed in the checkout; "" for none
}

// Reran is what became of a test that ran again.
type Reran struct {
	Passed bool // at the last time
	Times  int
	Failed int // of these times
}

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
	copied, err := copyCheckout(limited, o.Root)
	if err != nil {
		return nil, "", fmt.Errorf("copy the checkout: %w", err)
	}
	defer func() { err = errors.Join(err, copied.remove()) }()
	t := newTrying(o, s, copied)
	reran = map[engine.TestID]Reran{}
	err = t.rerunAll(limited, how, reran)
	control, ran := reran[how.Control]
	delete(reran, how.Control)
	switch {
	case t.why != "" || limited.Err() != nil && ctx.Err() == nil:
		err = nil
	case err != nil:
		return reran, "", err
	}
	if ran && !control.Passed {
		before := len(reran)
		maps.DeleteFunc(reran, func(_ engine.TestID, r Reran) bool { return r.Failed == r.Times })
		if len(reran) < before {
			t.why = fmt.Sprintf("%.200s passed before and fails in the copy of the checkout as well, so a failure there proves nothing", how.Control)
		}
	}
	return reran, t.why, err
}

// rerunAll runs the tests round by round and notes what became of them.
func (t *trying) rerunAll(ctx context.Context, how Again, reran map[engine.TestID]Reran) error {
	open := slices.Sorted(maps.Keys(t.tests))
	for range how.Times {
		for _, batch := range t.batches(open) {
			command, err := t.command(batch, 0)
			if err != nil {
				return err
			}
			code, led, err := t.start(ctx, command, nil)
			if err != nil {
				return err
			}
			for id, passed := range t.passed(batch, code, led) {
				r := reran[id]
				r.Passed = passed
				r.Times++
				if !passed {
					r.Failed++
				}
				reran[id] = r
			}
		}
		open = slices.DeleteFunc(open, func(id engine.TestID) bool { return id == how.Control || !how.Always && reran[id].Passed })
	}
	return nil
}
