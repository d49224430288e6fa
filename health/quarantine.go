package health

import (
	"context"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// QuarantineSource is what a quarantine is loaded from.
type QuarantineSource interface {
	Quarantine(ctx context.Context) ([]flaky.Entry, error)
	Evidence(ctx context.Context, info engine.RunInfo) (store.Evidence, error)
}

// Quarantine is the tests in quarantine and the evidence for it.
type Quarantine struct {
	entries []flaky.Entry
	history store.Evidence
	judge   *flaky.Judge
}

// LoadQuarantine reads a quarantine and judges the whole history for it.
func LoadQuarantine(ctx context.Context, db QuarantineSource) (Quarantine, error) {
	entries, err := db.Quarantine(ctx)
	if err != nil {
		return Quarantine{}, err
	}
	history, err := db.Evidence(ctx, engine.RunInfo{})
	if err != nil {
		return Quarantine{}, fmt.Errorf("read evidence: %w", err)
	}
	judge := flaky.NewJudge()
	for _, c := range history.Commits() {
		judge.Observe(c)
	}
	return Quarantine{entries, history, judge}, nil
}

// Entries returns the entries sorted by test. Those by evidence say how far they
// are on their way out.
func (q Quarantine) Entries() []flaky.Entry { return q.history.Progress(q.judge, q.entries) }

// Evidence returns the evidence against a test: the default branch's where it has
// some, else that of pull requests; false when there is none.
func (q Quarantine) Evidence(testID engine.TestID) (flaky.Facts, bool) {
	number, known := q.history.Numbers()[testID]
	if !known {
		return flaky.Facts{}, false
	}
	if f, ok := q.judge.Main.Facts(number); ok && len(f.Evidence) > 0 {
		return f, true
	}
	return q.judge.Pulls.Facts(number)
}
