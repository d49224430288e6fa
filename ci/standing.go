package ci

import (
	"context"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// Standing is what Quarantine reads.
type Standing interface {
	Quarantine(ctx context.Context) ([]flaky.Entry, error)
	Evidence(ctx context.Context, info engine.RunInfo) (store.Evidence, error)
}

// Quarantine returns the entries of a database, sorted by test, those by
// evidence with how far they are on their way out.
func Quarantine(ctx context.Context, db Standing) ([]flaky.Entry, error) {
	entries, err := db.Quarantine(ctx)
	if err != nil {
		return nil, err
	}
	past, err := db.Evidence(ctx, engine.RunInfo{})
	if err != nil {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	judge := flaky.NewJudge(0)
	for _, run := range past.Runs {
		judge.Observe(run.Run)
	}
	return past.Progress(judge, entries), nil
}
