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

// Reran is what became of a test that ran again.
type Reran struct {
	Passed bool // at the last time
	Times  int
}

// Rerun runs the tests of o again in a copy of the checkout, each until it passes and
// times times at most, and returns what became of those that ran. why says why none did,
// "" where some did. What did not run before o.Time was over is left out.
func Rerun(ctx context.Context, o Options, times int) (reran map[engine.TestID]Reran, why string, err error) {
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
	open := slices.Sorted(maps.Keys(t.tests))
	for range times {
		for _, batch := range t.batches(open) {
			if err := t.rerun(limited, batch, reran); err != nil && (t.why != "" || limited.Err() != nil && ctx.Err() == nil) {
				return reran, t.why, nil
			} else if err != nil {
				return reran, "", err
			}
		}
		open = slices.DeleteFunc(open, func(id engine.TestID) bool { return reran[id].Passed })
	}
	return reran, "", nil
}

// rerun runs a batch once and notes what became of its tests.
func (t *trying) rerun(ctx context.Context, batch []engine.TestID, reran map[engine.TestID]Reran) error {
	command, err := t.command(batch, 0)
	if err != nil {
		return err
	}
	code, led, err := t.start(ctx, command, nil)
	if err != nil {
		return err
	}
	for id, passed := range t.passed(batch, code, led) {
		reran[id] = Reran{passed, reran[id].Times + 1}
	}
	return nil
}
