// Package ci performs one CI run, from the reports that its tests wrote to the
// comment on the pull request. Call Run, which reads from top to bottom what
// happens; each step is a file of its own.
package ci

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Run performs one run. The error is an InputError when the user's input gives
// no verdict, and otherwise Breadcrumb's own fault; failing tests are in
// Result.Outcome.Verdict. A Result that comes with an error still holds what
// was found.
func Run(ctx context.Context, cfg Config, d Deps) (Result, error) {
	checkout, err := os.OpenRoot(cfg.Repo)
	if err != nil {
		return Result{Exit: ExitUsage}, InputError{fmt.Errorf("checkout: %w", err)}
	}
	defer checkout.Close()
	r := &run{cfg: cfg, deps: d, source: checkout.FS(), ending: ctx}
	lasting, cancel := withGrace(ctx)
	defer cancel()

	// After an error no step up to propose is done any more. What was recorded is
	// saved all the same, and people are told how the run ended.
	err = r.load(lasting)
	if r.unspare != nil {
		defer r.unspare()
	}
	if err == nil {
		err = r.record(lasting)
	}
	if err == nil {
		err = r.judge(lasting)
	}
	if err == nil {
		err = r.propose(lasting)
	}
	err = r.save(lasting, err)
	r.persist(ctx, err)
	r.publish(ctx, err)
	return r.result, err
}

// grace is how long a run that is told to end still has to write down what it
// recorded: a cancelled job is killed 7.5 s after the first signal.
const grace = 2500 * time.Millisecond

// withGrace returns a context that ends some time after ctx.
func withGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return longer, func() { stop(); cancel() }
}
