package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// KeepOrder keeps in which order the tests of a run stand in their sources, for
// the next KnownOrder of its workflow, job and leg.
func (db *DB) KeepOrder(ctx context.Context, info engine.RunInfo, ids []string) error {
	order := packOrder(ids)
	if len(order) > maxDerived {
		return nil
	}
	if _, err := db.sql.ExecContext(ctx, `INSERT OR REPLACE INTO derived (name, value) VALUES (?, ?)`, orderName(info), order); err != nil {
		return fmt.Errorf("keep order of tests: %w", err)
	}
	return nil
}

// KnownOrder is KnownTests in the order that was kept last, tests that are not
// in it behind the others.
func (db *DB) KnownOrder(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error) {
	return knownOrder(ctx, db, info, reportDigest)
}

// KeepOrder is DB.KeepOrder. Save writes it, as what Keep keeps.
func (db *Postgres) KeepOrder(_ context.Context, info engine.RunInfo, ids []string) error {
	if order := packOrder(ids); len(order) <= maxDerived {
		db.kept[orderName(info)] = order
	}
	return nil
}

// KnownOrder is DB.KnownOrder.
func (db *Postgres) KnownOrder(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error) {
	return knownOrder(ctx, db, info, reportDigest)
}

// ordered is a store that knows the tests of the last run and keeps what was
// derived from the past.
type ordered interface {
	KnownTests(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error)
	derived(ctx context.Context, name string) ([]byte, error)
}

func knownOrder(ctx context.Context, db ordered, info engine.RunInfo, reportDigest string) ([]string, error) {
	ids, err := db.KnownTests(ctx, info, reportDigest)
	if err != nil {
		return nil, err
	}
	order, err := db.derived(ctx, orderName(info))
	if err != nil {
		return nil, fmt.Errorf("read order of tests: %w", err)
	}
	inOrder(ids, order)
	return ids, nil
}

// orderPrefix begins the name of every kept order.
const orderPrefix = "order "

func orderName(info engine.RunInfo) string {
	key := keyOf(info, "")
	return fmt.Sprintf("%s%x", orderPrefix, keyDigest(key.repository, key.workflowFile(), key.job, key.leg)[:16])
}

// orderBytes is what a test takes in a kept order: a hash of its identity. Two
// tests of one hash stand side by side.
const orderBytes = 4

func packOrder(ids []string) []byte {
	packed := make([]byte, 0, orderBytes*len(ids))
	for _, id := range ids {
		packed = binary.BigEndian.AppendUint32(packed, nameHash(id))
	}
	return packed
}

func nameHash(id string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(CleanID(id)))
	return h.Sum32()
}

// inOrder sorts ids by a packed order.
func inOrder(ids []string, packed []byte) {
	place := make(map[uint32]int, len(packed)/orderBytes)
	for i := 0; i+orderBytes <= len(packed); i += orderBytes {
		hash := binary.BigEndian.Uint32(packed[i:])
		if _, twice := place[hash]; !twice {
			place[hash] = i
		}
	}
	places := make(map[string]int, len(ids))
	for _, id := range ids {
		at, known := place[nameHash(id)]
		if !known {
			at = len(packed)
		}
		places[id] = at
	}
	slices.SortStableFunc(ids, func(a, b string) int { return places[a] - places[b] })
}
