package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/breadcrumb/action/store"
)

// schemaVersion is the schema version this package writes.
const schemaVersion = 2

//go:embed migration/*.sql
var migrations embed.FS

// createTries is how often the schema is created anew when others do so at the
// same time: CREATE IF NOT EXISTS can still collide.
const createTries = 20

// migrate brings the schema up to date, in an empty database from nothing, and
// refuses a newer one.
func (db *DB) migrate(ctx context.Context) error {
	var err error
	for range createTries {
		var version int
		if version, err = db.version(ctx); err != nil {
			return fmt.Errorf("read schema version: %w", err)
		}
		if version > schemaVersion {
			return fmt.Errorf("schema %d: %w", version, store.ErrNewerSchema)
		}
		if version == schemaVersion {
			return nil
		}
		if err = db.create(ctx, version); err == nil {
			return nil
		}
		if !collided(err) {
			break
		}
	}
	return fmt.Errorf("create schema: %w", err)
}

// version returns 0 for a database that has no schema of ours.
func (db *DB) version(ctx context.Context) (version int, err error) {
	err = db.conn.QueryRow(ctx, `SELECT version FROM breadcrumb_schema ORDER BY version DESC LIMIT 1`).Scan(&version)
	if code(err) == undefinedTable || errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return version, err
}

// create adds what is missing from schema version from on, each version in one
// transaction.
func (db *DB) create(ctx context.Context, from int) error {
	for version := from + 1; version <= schemaVersion; version++ {
		text, err := migrations.ReadFile(fmt.Sprintf("migration/%04d.sql", version))
		if err != nil {
			return err
		}
		schema := string(text)
		if db.flat {
			schema = strings.ReplaceAll(schema, " PARTITION BY RANGE (day)", "")
		}
		err = pgx.BeginFunc(ctx, db.conn, func(tx pgx.Tx) error {
			// The version is a number of our own making.
			_, err := tx.Exec(ctx, schema+fmt.Sprintf(`
				CREATE TABLE IF NOT EXISTS breadcrumb_schema (version INTEGER PRIMARY KEY);
				INSERT INTO breadcrumb_schema (version) VALUES (%d) ON CONFLICT DO NOTHING;`, version))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// partitions makes sure of today's and tomorrow's partition of results, so
// that midnight finds its own. They are attached rather than created in place:
// that waits for no run in progress.
func (db *DB) partitions(ctx context.Context) error {
	if db.flat {
		return nil
	}
	for _, day := range []time.Time{db.day, db.day.AddDate(0, 0, 1)} {
		if err := db.partition(ctx, day); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) partition(ctx context.Context, day time.Time) error {
	name := "breadcrumb_results_" + day.Format("20060102")
	for range createTries {
		var attached bool
		err := db.conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_inherits
			WHERE inhparent = 'breadcrumb_results'::regclass AND inhrelid = to_regclass($1))`, name).Scan(&attached)
		if err != nil || attached {
			return err
		}
		// The name and the days are digits of our own making.
		_, err = db.conn.Exec(ctx, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %[1]s (LIKE breadcrumb_results INCLUDING DEFAULTS);
			ALTER TABLE breadcrumb_results ATTACH PARTITION %[1]s FOR VALUES FROM ('%[2]s') TO ('%[3]s')`,
			name, day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)))
		if err != nil && !collided(err) {
			return err
		}
	}
	return fmt.Errorf("partition %s: others keep creating it", name)
}

// Codes of errors, from https://www.postgresql.org/docs/current/errcodes-appendix.html.
const (
	undefinedTable  = "42P01"
	duplicateTable  = "42P07"
	duplicateObject = "42710"
	uniqueViolation = "23505"
	wrongObjectType = "42809" // it is a partition already
	deadlock        = "40P01"
)

// code returns the server's error code, empty for other errors.
func code(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}

// collided reports whether another one did the same at the same time.
func collided(err error) bool {
	switch code(err) {
	case duplicateTable, duplicateObject, uniqueViolation, wrongObjectType, deadlock:
		return true
	}
	return false
}
