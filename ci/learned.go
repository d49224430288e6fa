package ci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// RestoredElements is what RestoreLearned found.
type RestoredElements struct {
	Elements int             // in the database file, as many as tests learned
	Notices  []engine.Notice // what of the history could not be used
}

// RestoreLearned adds what earlier runs learned to the database file cfg.DB, for a test
// command that heals: elements, what people said of them, and what ReadPast returns. No
// run is added: the judge restores them itself. What the file holds stays. The error is an
// InputError where the user has to act.
func RestoreLearned(ctx context.Context, cfg Config, d Deps) (found RestoredElements, err error) {
	dir, err := os.MkdirTemp("", "breadcrumb-restore-*")
	if err != nil {
		return found, fmt.Errorf("make temporary directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	history := cfg
	history.DB = filepath.Join(dir, "history.db")
	session := &StateSession{Config: history, Backend: d.Backend, Now: d.Now, Ending: ctx, Self: state.Self{Info: cfg.Info, DefaultBranch: cfg.DefaultBranch}}
	if err := session.Open(ctx); err != nil {
		return found, err
	}
	defer session.DB.Close()
	found.Notices = session.Notices
	learned, err := session.DB.(*sqlite.DB).Learned(ctx) // a server has no name in a folder
	if err != nil {
		return found, err
	}
	past, err := pastOf(ctx, session.DB.(*sqlite.DB), cfg.Info)
	if err != nil {
		return found, err
	}
	kept := &StateSession{Config: cfg, Now: d.Now}
	if err := kept.Open(ctx); err != nil {
		return found, err
	}
	defer kept.DB.Close()
	db := kept.DB.(*sqlite.DB)
	if err := errors.Join(db.MergeDelta(ctx, learned, "the history"), past.keep(ctx, db)); err != nil {
		return found, err
	}
	found.Notices = append(found.Notices, db.Notices()...)
	if err := db.Save(ctx); err != nil {
		return found, fmt.Errorf("save database: %w", err)
	}
	stats, err := db.Stats(ctx)
	found.Elements = stats.Fingerprints
	return found, err
}

// keep writes it into a database file, unless it is larger than store.MaxDerived.
func (p Past) keep(ctx context.Context, db *sqlite.DB) error {
	kept, err := json.Marshal(p)
	if err != nil || len(kept) > store.MaxDerived {
		return err
	}
	return db.KeepPast(ctx, pastName, kept)
}
