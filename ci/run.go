// Package ci performs one CI run, from the reports that its tests wrote to the
// comment on the pull request. Call Run, which reads from top to bottom what
// happens; each step is a file of its own.
package ci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/store"
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
	r := newRun(ctx, cfg, d, checkout.FS())
	lasting, cancel := withGrace(ctx)
	defer cancel()

	err = r.load(lasting)
	if err == nil {
		err = r.record(lasting)
	}
	if err == nil {
		err = r.judge(lasting)
	}
	if err == nil {
		r.propose()
	}
	err = r.save(lasting, err)
	r.publish(ctx, err)
	r.persist(ctx, err)
	return r.result, err
}

// run is one run in progress: its connections, and what the steps so far found
// out for those after them.
type run struct {
	cfg    Config
	deps   Deps
	source fs.FS           // the checkout
	root   string          // of the checkout inside its repository, see rootOf
	ending context.Context // done when the run is told to end

	// Set by load.
	collected collected
	notices   []engine.Notice    // of all steps, in order; see note
	session   *StateSession      // nil until it is open
	heals     []engine.HealEvent // that belong to this run, see recentHeals
	index     *identity.Index    // finds the test of a heal event

	// Set by record.
	now        time.Time // when the run is recorded
	missing    []string  // tests that should have run and block
	recorded   store.Recorded
	quarantine quarantine

	// outcome is set by judge; propose adds to it. It stays nil where the run
	// proved nothing.
	outcome *outcome.Run

	facts   store.Facts // of the saved database
	notKept error       // why later runs do not find this one's delta
	result  Result
}

func newRun(ctx context.Context, cfg Config, d Deps, source fs.FS) *run {
	return &run{cfg: cfg, deps: d, source: source, root: rootOf(cfg.Repo), ending: ctx}
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

// errEnded ends a run that was told to end: there is time to write down what
// it recorded, not to judge it.
var errEnded = errors.New("told to end before it was judged; it is recorded")

// progress says what the run does next.
func (r *run) progress(what string) {
	if r.deps.Progress != nil {
		r.deps.Progress(what)
	}
}

// note adds notices for people. All notices of a run come through here.
func (r *run) note(notices ...engine.Notice) { r.notices = append(r.notices, notices...) }

// warn adds a notice that changes nothing else.
func (r *run) warn(format string, args ...any) { r.note(warning(fmt.Sprintf(format, args...))) }

func warning(reason string) engine.Notice {
	return engine.Notice{Severity: engine.SeverityWarning, Reason: reason}
}

// anyBlocks reports whether one of the notices keeps the run from passing.
func anyBlocks(notices []engine.Notice) bool {
	return slices.ContainsFunc(notices, func(n engine.Notice) bool { return n.Severity != engine.SeverityWarning })
}
