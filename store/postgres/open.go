package postgres

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlstore"
)

// IsURL reports whether a database is named by a PostgreSQL URL, not by a
// path.
func IsURL(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://")
}

// Open connects to the database that a URL names and migrates its schema.
// Repository is GitHub's id of the repository, 0 outside GitHub, where the
// URL's own parameter repository takes its place; the two may not differ. The
// error wraps ErrNewerSchema when a newer Breadcrumb has migrated the schema to one
// that this version cannot read, and never holds the password.
func Open(ctx context.Context, url string, repository int64) (*DB, error) {
	return connect(ctx, url, repository, (*DB).beginRun)
}

func connect(ctx context.Context, url string, repository int64, begin func(*DB, context.Context) error) (*DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The cause quotes the URL.
		return nil, fmt.Errorf("%w: it is no postgres://user@host:port/name?options", store.ErrURL)
	}
	if repository, err = repositoryOf(config, repository); err != nil {
		return nil, err
	}
	config.RuntimeParams["application_name"] = "breadcrumb"
	db := &DB{name: formatName(config), repository: repository}
	db.Store = sqlstore.New(conn{db: db}, &statements, db.name)
	db.Unsaved = map[string][]byte{}
	if db.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", db.name, withoutPassword(err))
	}
	if err := begin(db, ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", db.name, err), db.Close())
	}
	return db, nil
}

// repositoryOf removes our own parameter from the URL's and returns the id.
func repositoryOf(c *pgx.ConnConfig, known int64) (int64, error) {
	const parameter = "repository"
	text, given := c.RuntimeParams[parameter]
	delete(c.RuntimeParams, parameter)
	if !given {
		return known, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0, fmt.Errorf("%w: its parameter repository is no repository id", store.ErrURL)
	}
	if known != 0 && id != known {
		return 0, fmt.Errorf("%w: it is for repository %d, and this run is of %d", store.ErrURL, id, known)
	}
	return id, nil
}

// Name returns the URL of a database without user and password, "" for what is
// no such URL.
func Name(url string) string {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return ""
	}
	return formatName(config)
}

func formatName(c *pgx.ConnConfig) string {
	return fmt.Sprintf("postgres://%s:%d/%s", c.Host, c.Port, c.Database)
}

// withoutPassword returns an error without the connection's settings: the
// server's own message, or the kind of failure.
func withoutPassword(err error) error {
	if server, is := errors.AsType[*pgconn.PgError](err); is {
		return errors.New(server.Message)
	}
	return err
}

// beginRun migrates the schema and starts the transaction of the run.
func (db *DB) beginRun(ctx context.Context) error {
	var version string
	if err := db.conn.QueryRow(ctx, `SELECT version(), current_date`).Scan(&version, &db.day); err != nil {
		return fmt.Errorf("ask for the server's version: %w", err)
	}
	db.flat = strings.Contains(version, "CockroachDB")
	if err := db.migrate(ctx); err != nil {
		return err
	}
	if err := db.addPartitions(ctx); err != nil {
		return fmt.Errorf("add the day's partition: %w", err)
	}
	return db.startTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
}

// OpenReading connects to the database that a URL names to read one state of
// it. Its schema must be this version's: nothing is created. Repository and
// errors are as for Open.
func OpenReading(ctx context.Context, url string, repository int64) (*DB, error) {
	return connect(ctx, url, repository, (*DB).beginReading)
}

// beginReading starts a read-only transaction that sees one state.
func (db *DB) beginReading(ctx context.Context) error {
	version, err := db.readVersion(ctx)
	if err != nil {
		return err
	}
	if version < schemaVersion {
		return fmt.Errorf("%w: its schema is %d, this version reads %d; the next `breadcrumb ci` brings it up to date", store.ErrUnreadable, version, schemaVersion)
	}
	if err := db.conn.QueryRow(ctx, `SELECT current_date`).Scan(&db.day); err != nil {
		return fmt.Errorf("ask for the server's day: %w", err)
	}
	return db.startTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
}

// schemaVersion is the schema version this package writes, compatibleSince the oldest one
// whose Breadcrumb can read and write it. A migration that only adds tables and columns
// leaves that, if rows without a value in them are good; any other raises it to its own
// version.
const (
	schemaVersion   = 6
	compatibleSince = 6
)

//go:embed migration/*.sql
var migrations embed.FS

// createTries is how often the schema is created again when others do so at
// the same time: CREATE IF NOT EXISTS can still collide.
const createTries = 20

// migrate creates or updates the schema. A newer one stays as it is.
func (db *DB) migrate(ctx context.Context) error {
	var err error
	for range createTries {
		var version int
		if version, err = db.readVersion(ctx); err != nil || version >= schemaVersion {
			return err
		}
		if err = db.createSchema(ctx, version); err == nil {
			return nil
		}
		if !collided(err) {
			break
		}
	}
	return fmt.Errorf("create schema: %w", err)
}

// readVersion returns 0 for a database that has no schema of ours, and refuses a newer
// one that this version cannot read.
func (db *DB) readVersion(ctx context.Context) (version int, err error) {
	err = db.conn.QueryRow(ctx, `SELECT version FROM breadcrumb_schema ORDER BY version DESC LIMIT 1`).Scan(&version)
	if errorCode(err) == undefinedTable || errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err == nil && version > schemaVersion {
		err = db.admitNewer(ctx, version)
	}
	return version, store.Wrap(err, "read schema version")
}

// admitNewer refuses a newer schema unless it says that this version can read and write it.
func (db *DB) admitNewer(ctx context.Context, version int) error {
	var since *int
	if err := db.conn.QueryRow(ctx, `SELECT compatible_since FROM breadcrumb_schema WHERE version = $1`, version).Scan(&since); err != nil || since == nil {
		return fmt.Errorf("schema %d: %w, and does not say that an older one can read it; update Breadcrumb", version, store.ErrNewerSchema)
	}
	if *since > schemaVersion {
		return fmt.Errorf("schema %d: %w, and only one that knows schema %d can read it; update Breadcrumb", version, store.ErrNewerSchema, *since)
	}
	db.newer = version
	return nil
}

// createSchema makes the schema versions after from, each in one transaction.
func (db *DB) createSchema(ctx context.Context, from int) error {
	for _, statement := range []string{
		`CREATE TABLE IF NOT EXISTS breadcrumb_schema (version INTEGER PRIMARY KEY)`,
		`ALTER TABLE breadcrumb_schema ADD COLUMN IF NOT EXISTS compatible_since INTEGER`,
		`INSERT INTO breadcrumb_schema (version, compatible_since) VALUES (0, 0) ON CONFLICT DO NOTHING`,
	} {
		if _, err := db.conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	for version := from + 1; version <= schemaVersion; version++ {
		if err := pgx.BeginFunc(ctx, db.conn, func(tx pgx.Tx) error { return db.createVersion(ctx, tx, version) }); err != nil {
			return err
		}
	}
	return nil
}

// createVersion waits for others that create the schema. PostgreSQL would name the sequence of
// an identity breadcrumb_tests_id_seq1 while another's is there and not yet committed, and
// every later statement would miss it.
func (db *DB) createVersion(ctx context.Context, tx pgx.Tx, version int) error {
	text, err := migrations.ReadFile(fmt.Sprintf("migration/%04d.sql", version))
	if err != nil {
		return err
	}
	schema := string(text)
	if db.flat {
		schema = strings.ReplaceAll(schema, " PARTITION BY RANGE (day)", "")
	}
	if _, err := tx.Exec(ctx, `SELECT version FROM breadcrumb_schema WHERE version = 0 FOR UPDATE`); err != nil {
		return err
	}
	// The versions are numbers of our own making.
	_, err = tx.Exec(ctx, schema+fmt.Sprintf(`
		INSERT INTO breadcrumb_schema (version, compatible_since) VALUES (%d, %d) ON CONFLICT DO NOTHING;`, version, min(version, compatibleSince)))
	return err
}

// addPartitions creates the partitions of results for today and tomorrow, so that
// midnight finds its own. They are attached rather than created in place,
// which waits for no run in progress.
func (db *DB) addPartitions(ctx context.Context) error {
	if db.flat {
		return nil
	}
	return cmp.Or(db.addPartition(ctx, db.day), db.addPartition(ctx, db.day.AddDate(0, 0, 1)))
}

func (db *DB) addPartition(ctx context.Context, day time.Time) error {
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

// errorCode returns the server's error code, empty for other errors.
func errorCode(err error) string {
	if server, is := errors.AsType[*pgconn.PgError](err); is {
		return server.Code
	}
	return ""
}

// collided reports whether another process did the same at the same time.
func collided(err error) bool {
	return slices.Contains([]string{duplicateTable, duplicateObject, uniqueViolation, wrongObjectType, deadlock}, errorCode(err))
}
