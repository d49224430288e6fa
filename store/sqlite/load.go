package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

// loadSource fills the working database from the file at the path.
func (db *DB) loadSource(ctx context.Context) error {
	if err := db.copySource(ctx); err != nil {
		return err
	}
	if !db.source.Exists() {
		return db.makeTables(ctx)
	}
	db.opts.step("read")
	if err := db.readSource(ctx, db.loadDatabase); err != nil {
		return err
	}
	return db.releaseSource()
}

// maxLocalResults is how many results of the file at the path a run hands on in its
// delta.
const maxLocalResults = 200_000

// mergeSource merges the private copy of the file at the path. Where it brings more
// results than a delta should hold, as an old history does to a state that is new, they
// are for the snapshot alone.
func (db *DB) mergeSource(ctx context.Context) error {
	other := makeDB(db.path, db.opts)
	other.source = db.source
	results, err := 0, other.createWorking()
	if err == nil {
		err = other.readSource(ctx, other.loadDatabase)
	}
	if err == nil {
		results, err = db.mergeFrom(ctx, other, db.opts.Local)
	}
	other.source.Dir = "" // it stays ours
	if err := errors.Join(err, other.Close()); err != nil || results <= db.opts.maxLocal {
		return err
	}
	db.notices = append(db.notices, engine.Notice{File: db.path, Severity: engine.SeverityWarning,
		Reason: fmt.Sprintf("its %d results are too many for a delta: they go into the snapshot", results)})
	return store.Wrap(db.sql.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM runs`).Scan(&db.marked.run), "mark runs")
}

// MergeFrom merges everything that another open database holds.
func (db *DB) MergeFrom(ctx context.Context, other *DB) error {
	_, err := db.mergeFrom(ctx, other, store.Trust{})
	return err
}

// MergeDelta merges a delta whose origin is trusted. File names it in notices.
func (db *DB) MergeDelta(ctx context.Context, d *delta.Delta, file string) error {
	return db.importDelta(ctx, d, store.Trust{}, file)
}

func (db *DB) importDelta(ctx context.Context, d *delta.Delta, trust store.Trust, file string) error {
	done, err := db.Import(ctx, d, trust, file)
	db.notices = append(db.notices, done.Notices...)
	return err
}

// LoadFile fills a working database into which nothing was merged yet from a
// database file of our own making that may have been tampered with, such as a
// snapshot. The file must have no log beside it and must not change meanwhile.
// After an error the working database is empty again. Errors to branch on:
// ErrNewerSchema, ErrUnreadable.
func (db *DB) LoadFile(ctx context.Context, file string) error {
	if err := db.loadFile(ctx, file); err != nil {
		return errors.Join(err, db.Restart(ctx))
	}
	return nil
}

func (db *DB) loadFile(ctx context.Context, file string) error {
	if db.made {
		if err := db.clearWorking(); err != nil {
			return err
		}
		if err := db.createWorking(); err != nil {
			return fmt.Errorf("create working database: %w", err)
		}
	}
	schema := db.fileSchema
	err := readFile(ctx, file, filepath.Base(file), db.loadDatabase)
	db.fileSchema = schema // that of the file at the path
	return err
}

// Restart begins with an empty working database again.
func (db *DB) Restart(ctx context.Context) error {
	db.notices = nil
	if err := db.clearWorking(); err != nil {
		return err
	}
	if err := db.createWorking(); err != nil {
		return err
	}
	return db.makeTables(context.WithoutCancel(ctx))
}

// makeTables makes the tables of the working database unless they are there: a file
// that is loaded brings its own.
func (db *DB) makeTables(ctx context.Context) error {
	if db.made {
		return nil
	}
	db.made = true
	return db.begin(ctx, schemaVersion)
}

// copySource copies the file at the path for private use.
func (db *DB) copySource(ctx context.Context) (err error) {
	copier := untrusted.Copier{Path: db.path, Parent: db.tempParent(), Pattern: tempPrefix(db.path) + "*",
		Limit: db.opts.MaxBytes, Step: db.opts.step}
	db.source, err = copier.Copy(ctx)
	return err
}

// releaseSource removes the private copy unless Save will put it in the place
// of file and log.
func (db *DB) releaseSource() error {
	if db.source.Recovered {
		return nil
	}
	return db.source.Discard()
}

// readSource calls read with the private copy of the file at the path.
func (db *DB) readSource(ctx context.Context, read func(context.Context, *untrusted.Reader) error) error {
	if db.source.Files[0].Size() == 0 {
		return untrusted.Unreadable(db.path, errors.New("the file is empty"))
	}
	return readFile(ctx, db.source.File(), db.path, read)
}

// readFile opens a private file, refuses one that this version cannot read, and
// calls read with it. Path names the file in errors.
func readFile(ctx context.Context, file, path string, read func(context.Context, *untrusted.Reader) error) error {
	r, err := untrusted.OpenReader(ctx, file)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	if err != nil {
		return untrusted.Unreadable(path, err)
	}
	err = checkSince(r)
	if err == nil {
		err = read(ctx, r)
	}
	if err = errors.Join(err, r.Close()); ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && r.Version > schemaVersion {
		return fmt.Errorf("%s: %w: schema %d, this version knows up to %d: %w; update Breadcrumb", path, store.ErrNewerSchema, r.Version, schemaVersion, err)
	}
	return err
}

// loadDatabase reads a whole database, ours or the seed's, into the empty working
// database.
func (db *DB) loadDatabase(ctx context.Context, r *untrusted.Reader) error {
	db.fileSchema, db.made = r.Version, true
	base := max(min(r.Version, schemaVersion), seedVersion)
	if err := db.begin(ctx, base); err != nil {
		return err
	}
	if r.Version > schemaVersion {
		if err := db.declareNewer(ctx, r); err != nil {
			return err
		}
	}
	seen, err := db.copyTables(ctx, r, base)
	if err != nil {
		return err
	}
	if err := migrate(ctx, db.sql, base, schemaVersion); err != nil {
		return err
	}
	if base > seedVersion && base < packedVersion {
		if err := db.packResults(ctx, r, tableNamed("results", base), seen); err != nil {
			return err
		}
	}
	if base >= stateVersion && base < movesVersion {
		if err := db.packMoves(ctx, r, tableNamed("moved", base), seen); err != nil {
			return err
		}
	}
	if base < acceptedVersion {
		if err := db.adoptLines(ctx); err != nil {
			return err
		}
	}
	if err := db.loadHeals(ctx, r, true); err != nil {
		return err
	}
	if err := db.importInbox(ctx); err != nil {
		return fmt.Errorf("read test_runs: %w", err)
	}
	return db.rememberQuarantine(ctx)
}

// copyTables copies the tables of a file with the schema version base, but for those of
// which the rows are packed now, and returns which rows they have.
func (db *DB) copyTables(ctx context.Context, r *untrusted.Reader, base int) (*seenIDs, error) {
	seen := &seenIDs{ids: map[string]map[int64]bool{"tests": {}, "labels": {}, "runs": {}}, states: map[record.Digest]bool{}, maxStates: db.opts.maxStates}
	all := tables(base)
	for _, t := range db.newer.tables {
		all = append(all, t.table())
	}
	for _, t := range all {
		if t.name == "results" || t.name == "moved" { // their rows are packed
			continue
		}
		if t.columns = append(t.columns, db.newer.columnsOf(t.name)...); t.name == "schema_meta" && db.newer.version != 0 {
			t.refuse = nil // it stays of its version
		}
		if err := db.copyTable(ctx, r, t, seen); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// rememberQuarantine notes which tests are in quarantine now, for
// loadAppended.
func (db *DB) rememberQuarantine(ctx context.Context) error {
	entries, err := db.Quarantine(ctx)
	for _, e := range entries {
		db.taken[e.TestID] = true
	}
	return err
}

// checkSince returns an error unless the file is of a version that this one can read and
// write.
func checkSince(r *untrusted.Reader) error {
	switch {
	case r.Version <= schemaVersion:
		return nil
	case r.Since == 0:
		return errors.New("it does not say that an older one can read it")
	case r.Since > schemaVersion:
		return fmt.Errorf("only a Breadcrumb that knows schema %d can read it", r.Since)
	}
	return nil
}
