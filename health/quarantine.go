package health

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// SettingMaxQuarantine is the name under which the log keeps which share of the
// suite may be in quarantine.
const SettingMaxQuarantine = "max-quarantine"

// QuarantineSource is what a quarantine is loaded from.
type QuarantineSource interface {
	Quarantine(ctx context.Context) ([]flaky.Entry, error)
	Evidence(ctx context.Context, info engine.RunInfo) (store.Evidence, error)
	Settings(ctx context.Context) (map[string]string, error)
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
	share, err := largestShare(ctx, db)
	if err != nil {
		return Quarantine{}, err
	}
	judge := flaky.NewJudge(share)
	for _, run := range history.Runs {
		judge.Observe(run.Run)
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

// largestShare returns the largest share of the suite that any trusted run allowed
// in quarantine, a ratio in (0,1]: an entry that a larger share let in must have a
// way out, too.
func largestShare(ctx context.Context, db QuarantineSource) (float64, error) {
	settings, err := db.Settings(ctx)
	if err != nil {
		return 0, err
	}
	share := flaky.DefaultShare
	for name, value := range settings {
		if given, err := strconv.ParseFloat(value, 64); err == nil && strings.HasPrefix(name, SettingMaxQuarantine+" ") {
			share = max(share, given)
		}
	}
	return share, nil
}
