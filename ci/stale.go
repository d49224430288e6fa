package ci

import (
	"context"
	"fmt"

	"github.com/breadcrumb/action/engine"
)

// findStale looks for reports that were left from an earlier run, by a runner
// that is not cleaned, a cache or a commit: this run's tests then proved nothing.
// Reports say when they were made, so no two runs write the same bytes. It is an
// InputError, or a notice where missing tests only warn.
func findStale(ctx context.Context, cfg Config, db Database, got collected) ([]engine.Notice, error) {
	if cfg.Info.Relayed || !dated(got) {
		return nil, nil
	}
	earlier, err := db.SameReports(ctx, cfg.Info, reportDigest(got.files))
	if err != nil || earlier == 0 {
		return nil, err
	}
	reason := fmt.Sprintf("the reports are those of run %d, byte for byte: this job's tests wrote none", earlier)
	if cfg.Missing == MissingWarn {
		return []engine.Notice{warning(reason)}, nil
	}
	return nil, InputError{fmt.Errorf(`%s; remove old reports before the tests, or where a build cache replays them on purpose set "missing: warn"`, reason)}
}

// dated reports whether a report says when it was made.
func dated(got collected) bool {
	for _, f := range got.files {
		if f.Started.Year() > 1980 { // a build that hides the clock writes its epoch
			return true
		}
	}
	return false
}
