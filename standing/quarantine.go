package standing

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// SettingMaxQuarantine names the setting of the share of the suite that has room
// in quarantine, as the log has it.
const SettingMaxQuarantine = "max-quarantine"

// Bench is the quarantine and what it rests on.
type Bench interface {
	Quarantine(ctx context.Context) ([]flaky.Entry, error)
	Evidence(ctx context.Context, info engine.RunInfo) (store.Evidence, error)
	Settings(ctx context.Context) (map[string]string, error)
}

// Quarantine returns the entries of a database, sorted by test, those by
// evidence with how far they are on their way out.
func Quarantine(ctx context.Context, db Bench) ([]flaky.Entry, error) {
	h, err := Hear(ctx, db)
	if err != nil {
		return nil, err
	}
	return h.Entries(), nil
}

// Hearing is the quarantine of a database and the evidence it rests on.
type Hearing struct {
	entries []flaky.Entry
	past    store.Evidence
	judge   *flaky.Judge
}

// Hear lets a judge hear the whole past of a database.
func Hear(ctx context.Context, db Bench) (Hearing, error) {
	entries, err := db.Quarantine(ctx)
	if err != nil {
		return Hearing{}, err
	}
	past, err := db.Evidence(ctx, engine.RunInfo{})
	if err != nil {
		return Hearing{}, fmt.Errorf("read evidence: %w", err)
	}
	share, err := shareOf(ctx, db)
	if err != nil {
		return Hearing{}, err
	}
	judge := flaky.NewJudge(share)
	for _, run := range past.Runs {
		judge.Observe(run.Run)
	}
	return Hearing{entries, past, judge}, nil
}

// Entries returns the entries, sorted by test, those by evidence with how far
// they are on their way out.
func (h Hearing) Entries() []flaky.Entry { return h.past.Progress(h.judge, h.entries) }

// Facts returns the evidence against a test: the default branch's where it has
// some, else that of pull requests; false when there is none.
func (h Hearing) Facts(testID string) (flaky.Facts, bool) {
	number, known := h.past.Numbers()[testID]
	if !known {
		return flaky.Facts{}, false
	}
	if f, ok := h.judge.Main.Facts(number); ok && len(f.Evidence) > 0 {
		return f, true
	}
	return h.judge.Pulls.Facts(number)
}

// shareOf returns the largest share of the suite that any trusted run allowed in
// quarantine, a ratio in (0,1]: an entry must not lack its way out because its
// run had more room than the default.
func shareOf(ctx context.Context, db Bench) (float64, error) {
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
