package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/store"
)

// OpenReading connects to the database that a URL names to read one
// state of it. Its schema must be this version's: nothing is created. Repository
// and errors are those of OpenPostgres.
func OpenReading(ctx context.Context, url string, repository int64) (*DB, error) {
	return connect(ctx, url, repository, (*DB).beginReading)
}

// beginReading starts a transaction that sees one state and cannot write.
func (db *DB) beginReading(ctx context.Context) error {
	version, err := db.version(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("read schema version: %w", err)
	case version > schemaVersion:
		return fmt.Errorf("schema %d: %w", version, store.ErrNewerSchema)
	case version < schemaVersion:
		return fmt.Errorf("%w: its schema is %d, this version reads %d; the next `breadcrumb ci` brings it up to date", store.ErrUnreadable, version, schemaVersion)
	}
	if err := db.conn.QueryRow(ctx, `SELECT current_date`).Scan(&db.day); err != nil {
		return fmt.Errorf("ask for the server's day: %w", err)
	}
	db.tx, err = db.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return nil
}
