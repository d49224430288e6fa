// Package postgres keeps the history of many repositories on a PostgreSQL
// server. It answers as store/sqlite does.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// IsURL reports whether a database is named by a PostgreSQL URL and not
// by a path.
func IsURL(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://")
}

// DB is the history of one repository in a database that many share. All
// that is read and written between OpenPostgres and Save is one transaction,
// read committed: runs at the same time see what the others saved, and a run
// that is killed leaves nothing. Its methods are those of DB; they may not be
// called concurrently.
type DB struct {
	name       string // the URL without user and password
	conn       *pgx.Conn
	tx         pgx.Tx
	repository int64
	flat       bool      // the server has no partitions
	day        time.Time // the server's, UTC
	states     record.CheckedStates
	kept       map[string][]byte // by name: what Save keeps
}

// Open connects to the database that a URL names and brings its schema
// up to date. Repository is GitHub's id of the repository whose history is
// meant, 0 outside GitHub; the URL's own parameter repository takes its place
// there and may not contradict it. The error wraps ErrNewerSchema when a newer
// Breadcrumb has been there, and never holds the password.
func Open(ctx context.Context, url string, repository int64) (*DB, error) {
	return connect(ctx, url, repository, (*DB).begin)
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
	db := &DB{name: nameOf(config), repository: repository, kept: map[string][]byte{}}
	if db.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", db.name, withoutPassword(err))
	}
	if err := begin(db, ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", db.name, err), db.Close())
	}
	return db, nil
}

// repositoryOf takes our own parameter out of the URL's.
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

// Name returns a database's URL without user and password, "" for what is
// no such URL.
func Name(url string) string {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return ""
	}
	return nameOf(config)
}

func nameOf(c *pgx.ConnConfig) string {
	return fmt.Sprintf("postgres://%s:%d/%s", c.Host, c.Port, c.Database)
}

// withoutPassword returns what a failed connection may say: the server's own
// words, or the kind of failure.
func withoutPassword(err error) error {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return errors.New(server.Message)
	}
	return err
}

// begin migrates and starts the run's transaction.
func (db *DB) begin(ctx context.Context) error {
	var version string
	err := db.conn.QueryRow(ctx, `SELECT version(), current_date`).Scan(&version, &db.day)
	if err != nil {
		return fmt.Errorf("ask for the server's version: %w", err)
	}
	db.flat = strings.Contains(version, "CockroachDB")
	if err := db.migrate(ctx); err != nil {
		return err
	}
	if err := db.partitions(ctx); err != nil {
		return fmt.Errorf("add the day's partition: %w", err)
	}
	db.tx, err = db.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return nil
}

// Notices returns what could not be used: nothing, since rows are checked as
// they are read.
func (db *DB) Notices() []engine.Notice { return nil }

// Path returns the database's URL without user and password.
func (db *DB) Path() string { return db.name }

// Save commits what was recorded and starts the next transaction.
func (db *DB) Save(ctx context.Context) error {
	if err := db.saveKept(ctx); err != nil {
		return fmt.Errorf("save to %s: %w", db.name, err)
	}
	if err := db.tx.Commit(ctx); err != nil {
		return fmt.Errorf("save to %s: %w", db.name, err)
	}
	var err error
	if db.tx, err = db.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return nil
}

// closeTimeout is how long Close waits for a server that does not answer.
const closeTimeout = 2 * time.Second

// Close gives up the connection. What was not saved is gone. Closing twice
// does nothing.
func (db *DB) Close() error {
	if db.conn == nil {
		return nil
	}
	// The run's own context may be over already.
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := db.conn.Close(ctx)
	db.conn, db.tx = nil, nil
	if err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}

// within runs fn so that it leaves all its changes or none, and the run's
// transaction usable.
func (db *DB) within(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, db.tx, fn)
}
