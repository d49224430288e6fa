package store

import (
	"context"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// Hear is DB.Hear. The server reads the past anew each time, so the judge has
// never heard anything and every test has its name.
func (db *Postgres) Hear(ctx context.Context, info engine.RunInfo, share float64, _ int64) (*Hearing, error) {
	past, err := db.Evidence(ctx, info)
	if err != nil {
		return nil, err
	}
	return &Hearing{Evidence: past, Judge: flaky.NewJudge(share)}, nil
}

// Keep is DB.Keep; it keeps nothing.
func (db *Postgres) Keep(context.Context, *Hearing) error { return nil }

// NameTests is DB.NameTests; all have their names.
func (db *Postgres) NameTests(context.Context, *Evidence, []int) error { return nil }

// FindTests is DB.FindTests; all have their names.
func (db *Postgres) FindTests(context.Context, *Evidence, []string) error { return nil }
