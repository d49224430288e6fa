package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// names maps texts to the small integers of one table, adding new ones.
type names struct {
	known map[string]int64
	add   *sql.Stmt
}

// newNames reads a table of (id, name).
func newNames(ctx context.Context, tx *sql.Tx, table string) (*names, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, name FROM "+table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	n := &names{known: map[string]int64{}}
	for rows.Next() {
		var id int64
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, err
		}
		n.known[name] = id
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	n.add, err = tx.PrepareContext(ctx, "INSERT INTO "+table+" (name) VALUES (?)")
	return n, err
}

// id returns the number of name, a new one if need be.
func (n *names) id(ctx context.Context, name string) (int64, error) {
	if id, ok := n.known[name]; ok {
		return id, nil
	}
	done, err := n.add.ExecContext(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("number %.60q: %w", name, err)
	}
	id, err := done.LastInsertId()
	n.known[name] = id
	return id, err
}

// optional is id for a label that may be empty, which is NULL.
func (n *names) optional(ctx context.Context, name string) (any, error) {
	if name == "" {
		return nil, nil
	}
	return n.id(ctx, name)
}

func (n *names) close() { _ = n.add.Close() }
