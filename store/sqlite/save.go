package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/replace"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/untrusted"
)

// awaitOthers waits until no other program has the database open: what such a
// program writes after the file was replaced would be lost.
func (db *DB) awaitOthers(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, db.opts.LockTimeout)
	defer cancel()
	db.opts.step("wait for other programs")
	for {
		open, err := inUse(db.path)
		if err != nil {
			return fmt.Errorf("look for other programs: %w", err)
		}
		if !open {
			return nil
		}
		if untrusted.Pause(waiting) != nil && ctx.Err() == nil {
			return fmt.Errorf("%s: %w: end it and run again; waited %s", db.path, store.ErrInUse, db.opts.LockTimeout)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// catchUp loads what another program, such as a running test, appended to the
// file since it was loaded. Other Breadcrumbs are locked out, so that only the
// seed's tables can have grown.
func (db *DB) catchUp(ctx context.Context) error {
	now, err := untrusted.Stat(db.path)
	if err != nil {
		return err
	}
	if now.Same(&db.source) {
		return nil
	}
	if !now.Exists() || !db.source.Exists() || !os.SameFile(now.Files[0], db.source.Files[0]) {
		return fmt.Errorf("%s: %w: run again to take over what it holds now", db.path, store.ErrChanged)
	}
	db.opts.step("catch up")
	old := db.source
	if err := db.copySource(ctx); err != nil {
		db.source = old
		return err
	}
	if err := errors.Join(db.readSource(ctx, db.loadAppended), old.Discard()); err != nil {
		return fmt.Errorf("take over what was appended: %w", err)
	}
	return db.releaseSource()
}

// loadAppended reads the tables into which a seed tool writes, of a file that
// grew since load.
func (db *DB) loadAppended(ctx context.Context, r *untrusted.Reader) error {
	version := max(r.Version, seedVersion)
	fingerprints, quarantine := tableNamed("fingerprints", seedVersion), tableNamed("quarantine", version)
	fingerprints.clash = replaceFingerprint + whenNewer
	// What was in quarantine when the file was read first and is not now was
	// released here, and stays released.
	quarantine.refuse = func(v []any, _ *seenIDs) error {
		if db.taken[engine.NewTestID(v[0].(string))] {
			return errOurs
		}
		return nil
	}
	for _, t := range []table{fingerprints, tableNamed("test_runs", version), quarantine} {
		if err := db.copyTable(ctx, r, t, &seenIDs{}); err != nil {
			return err
		}
	}
	if err := inTx(ctx, db.sql, func(tx *sql.Tx) error { return dropForgotten(ctx, tx) }); err != nil {
		return err
	}
	if err := db.loadHeals(ctx, r, false); err != nil {
		return err
	}
	return db.importInbox(ctx)
}

// syncFile makes what was written to file survive a power cut.
func syncFile(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return store.Wrap(errors.Join(f.Sync(), f.Close()), "sync "+file)
}

// dropPageStates deletes the page states that no fingerprint refers to and,
// when there are too many, the oldest ones.
func (db *DB) dropPageStates(ctx context.Context) error {
	return inTx(ctx, db.sql, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM page_states WHERE digest NOT IN
			(SELECT page_state FROM fingerprints WHERE page_state IS NOT NULL)`); err != nil {
			return err
		}
		evicted, err := affectedRows(tx.ExecContext(ctx, `DELETE FROM page_states WHERE digest IN (SELECT digest FROM
			(SELECT digest, sum(length(state)) OVER (ORDER BY updated_at DESC, digest) AS total FROM page_states) WHERE total > ?)`, db.opts.maxStates))
		if err != nil || evicted == 0 {
			return err
		}
		db.notices = append(db.notices, engine.Notice{File: db.path, Severity: engine.SeverityWarning,
			Reason: fmt.Sprintf("%d × page state left out, the oldest: all are more than %d bytes", evicted, db.opts.maxStates)})
		_, err = tx.ExecContext(ctx, `UPDATE fingerprints SET page_state = NULL, page_state_of = NULL
			WHERE page_state NOT IN (SELECT digest FROM page_states)`)
		return err
	})
}

// newFileMode is the mode of a database that did not exist before.
const newFileMode fs.FileMode = 0o644

// Save replaces the file by the content of the working database: written whole
// beside it, synced, renamed. If it is killed at any moment, the old database
// or the new one is there. What another program appended since Open is loaded
// first; a file that was replaced altogether is left alone with ErrChanged.
// The database stays open.
func (db *DB) Save(ctx context.Context) error {
	if db.dir != "" {
		return store.ErrReadOnly
	}
	if err := db.awaitOthers(ctx); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := db.saveOnce(ctx)
		if !errors.Is(err, errGrew) || try == saveTries {
			return err
		}
	}
}

// saveTries is how often saving is tried while the file keeps growing.
const saveTries = 5

// errGrew means that another program appended after the file was loaded.
var errGrew = fmt.Errorf("%w while it was being saved", store.ErrInUse)

func (db *DB) saveOnce(ctx context.Context) error {
	if err := db.catchUp(ctx); err != nil {
		return err
	}
	if err := db.dropPageStates(ctx); err != nil {
		return fmt.Errorf("fold page states: %w", err)
	}
	fresh, err := db.writeCopy(ctx)
	if err != nil {
		return fmt.Errorf("write database: %w", err)
	}
	if err := db.replaceFile(ctx, fresh); err != nil {
		return errors.Join(err, untrusted.RemoveIfThere(fresh))
	}
	return nil
}

// writeCopy makes a synced, compact copy of the working database, without sidecars.
func (db *DB) writeCopy(ctx context.Context) (string, error) {
	db.opts.step("write")
	f, err := os.CreateTemp(filepath.Dir(db.path), tempPrefix(db.path)+"*")
	if err != nil {
		return "", err
	}
	name := f.Name()
	if err := f.Close(); err != nil {
		return "", errors.Join(err, untrusted.RemoveIfThere(name))
	}
	_, err = db.sql.ExecContext(ctx, `VACUUM INTO ?`, name)
	if err == nil {
		err = os.Chmod(name, db.fileMode())
	}
	if err == nil {
		db.opts.step("sync")
		err = syncFile(name)
	}
	if err != nil {
		return "", errors.Join(err, untrusted.RemoveIfThere(name))
	}
	return name, nil
}

func (db *DB) fileMode() fs.FileMode {
	if db.source.Exists() {
		return db.source.Files[0].Mode().Perm()
	}
	return newFileMode
}

// replaceFile renames fresh over the database. SQLite would apply a log or journal
// beside the old file to the new one too. So the old file is first replaced by
// the copy that its log is folded into, which does not change when the log is
// applied again; then the log is removed; then the new file is renamed.
func (db *DB) replaceFile(ctx context.Context, fresh string) error {
	if err := db.checkUnchanged(ctx); err != nil {
		return err
	}
	if db.source.Recovered {
		if err := db.foldOld(); err != nil {
			return fmt.Errorf("fold the old database: %w", err)
		}
	}
	db.opts.step("rename")
	if err := replace.File(fresh, db.path); err != nil {
		return fmt.Errorf("replace database: %w", err)
	}
	db.opts.step("sync directory")
	if err := syncDir(filepath.Dir(db.path)); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	db.opts.step("saved")
	s, err := untrusted.Stat(db.path)
	if err != nil {
		return err
	}
	db.source = s
	return nil
}

// foldOld replaces the old file by its recovered copy and removes the log and
// journal that are folded in.
func (db *DB) foldOld() error {
	old := db.source.File()
	if err := errors.Join(os.Chmod(old, db.fileMode()), syncFile(old)); err != nil {
		return err
	}
	db.opts.step("fold old")
	if err := replace.File(old, db.path); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(db.path)); err != nil {
		return err
	}
	for _, suffix := range []string{untrusted.WALSuffix, untrusted.JournalSuffix, untrusted.SHMSuffix} {
		db.opts.step("remove old" + suffix)
		if err := untrusted.RemoveIfThere(db.path + suffix); err != nil {
			return err
		}
	}
	if err := syncDir(filepath.Dir(db.path)); err != nil {
		return err
	}
	return db.source.Discard()
}

// checkUnchanged returns errGrew unless the file is as it was loaded.
func (db *DB) checkUnchanged(ctx context.Context) error {
	db.opts.step("check unchanged")
	if err := ctx.Err(); err != nil {
		return err
	}
	open, err := inUse(db.path)
	if err != nil {
		return fmt.Errorf("look for other programs: %w", err)
	}
	now, err := untrusted.Stat(db.path)
	if err != nil {
		return err
	}
	if open || !now.Same(&db.source) {
		return fmt.Errorf("%s: %w", db.path, errGrew)
	}
	return nil
}
