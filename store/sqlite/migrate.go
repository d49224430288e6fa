package sqlite

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"

	"github.com/breadcrumb/action/store/untrusted"
)

// schemaVersion is the version this package writes. Beside it are the last one
// of the seed and the first ones that keep something more.
const (
	schemaVersion      = 16
	seedVersion        = 2
	pagesVersion       = 5  // page states
	stateVersion       = 7  // renames and lines of newer versions
	derivedVersion     = 8  // derived values, such as checkpoints
	correctionsVersion = 10 // vetoes and lessons
	forgottenVersion   = 11 // which elements were forgotten
	identityVersion    = 12 // the workflow's id, the pull requests of a merge group
	asideVersion       = 13 // automatic entries of the quarantine under one by hand
	acceptedVersion    = 14 // accepted elements
	packedVersion      = 15 // packed results
	movesVersion       = 16 // packed moves
)

// compatibleSince is the oldest version whose Breadcrumb can read and write what this one
// writes. A migration that only adds tables and columns leaves it, if what it adds needs
// no value in rows that an older one writes, stays true when the older one changes the
// rest of a row or deletes it, and names runs and tests by their keys and names, as row
// ids differ between databases. Any other migration raises it to its own version.
const compatibleSince = movesVersion

//go:embed migration/*.sql
var migrations embed.FS

// packedEmpty is a database without rows of schemaVersion, packed by gzip, as the
// migrations make it.
//
//go:embed migration/empty.db.gz
var packedEmpty []byte

var unpackEmpty = sync.OnceValues(func() ([]byte, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(packedEmpty))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unpacked)
})

// begin makes the tables of a schema version in the empty working file, to which
// nothing is connected yet. To copy those of the last version takes a tenth of the time
// that the migrations take.
func (db *DB) begin(ctx context.Context, version int) error {
	if version < schemaVersion {
		return migrate(ctx, db.sql, 0, version)
	}
	empty, err := unpackEmpty()
	if err == nil {
		err = os.WriteFile(db.work, empty, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write tables of schema %d: %w", version, err)
	}
	return nil
}

// migrate brings a working database from one schema version to another, one
// transaction a step.
func migrate(ctx context.Context, db *sql.DB, from, to int) error {
	names, err := fs.Glob(migrations, "migration/*.sql")
	if err != nil {
		return fmt.Errorf("list migrations: %w", err)
	}
	for v := from + 1; v <= to; v++ {
		if err := migrateOne(ctx, db, names[v-1], v); err != nil {
			return fmt.Errorf("migrate to schema %d: %w", v, err)
		}
	}
	return nil
}

func migrateOne(ctx context.Context, db *sql.DB, name string, version int) error {
	text, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return err
		}
		since := 0
		if version == schemaVersion {
			since = compatibleSince
		}
		return declareVersions(ctx, tx, version, since)
	})
}

// declareVersions writes into schema_meta the version of the schema and the oldest one whose
// Breadcrumb can read and write it, 0 for none that is older.
func declareVersions(ctx context.Context, tx *sql.Tx, version, since int) error {
	for _, declared := range []struct {
		key     string
		version int
	}{{untrusted.VersionKey, version}, {untrusted.SinceKey, since}} {
		if declared.version == 0 {
			continue
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO schema_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
			declared.key, strconv.Itoa(declared.version)); err != nil {
			return err
		}
	}
	return nil
}
