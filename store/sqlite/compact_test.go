package sqlite

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/store/delta"
)

// newer makes a delta one of the next version: it says so, has fields that this
// version does not know, and records of a kind that it does not know.
func newer(r *rand.Rand, d *delta.Delta) {
	d.Schema = schemaVersion + 1
	for _, record := range d.Records {
		if run, ok := record.(*delta.Run); ok {
			d.Records = append(d.Records, &delta.Unknown{Line: fmt.Sprintf(`{"_":"comet","tail":%d}`, r.IntN(3))},
				&delta.Unknown{Line: fmt.Sprintf(`{"_":"result","attempt":1,"browser":"b%d","run":%q,"test":"test 1"}`, r.IntN(2), run.Key.ID(run.Payload))})
			return
		}
	}
}

// olderFile saves a database as a version before corrections wrote it, and closes it. That
// version kept the records and fields that it did not know as lines.
func olderFile(t *testing.T, db *DB) string {
	t.Helper()
	dump := canonicalDump(t, db)
	mustSave(t, db)
	path := db.Path()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f := openSeed(t, path)
	f.exec("PRAGMA journal_mode=DELETE")
	unpackResults(t, f)
	f.exec("DROP TABLE derived")
	f.exec("DROP TABLE vetoes")
	f.exec("DROP TABLE lessons")
	f.exec("DROP TABLE forgotten")
	f.exec("DROP TABLE accepted")
	f.exec("DROP TABLE quarantine_aside")
	for line := range strings.Lines(dump) {
		if part := runIdentity(t, line); part != "" {
			f.exec("INSERT INTO unknown_lines (line) VALUES (?)", part)
		}
		if strings.HasPrefix(line, `{"_":"veto"`) || strings.HasPrefix(line, `{"_":"lesson"`) || strings.HasPrefix(line, `{"_":"accepted"`) ||
			strings.HasPrefix(line, `{"_":"forgotten"`) {
			f.exec("INSERT INTO unknown_lines (line) VALUES (?)", strings.TrimSuffix(line, "\n"))
		}
	}
	f.exec("ALTER TABLE runs DROP COLUMN workflow_id")
	f.exec("ALTER TABLE runs DROP COLUMN pull_requests")
	f.exec("UPDATE schema_meta SET value = ? WHERE key = 'schema_version'", fmt.Sprint(correctionsVersion-1))
	f.close()
	return path
}

// runIdentity returns the line that a version which does not know the workflow's id and
// the pull requests of a merge group keeps of a run that has them, "" for none.
func runIdentity(t *testing.T, line string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		t.Fatal(err)
	}
	if fields["_"] != delta.KindRun || fields["workflow_id"] == nil && fields["pull_requests"] == nil {
		return ""
	}
	part := map[string]any{}
	for _, key := range []string{"_", "key", "payload", "workflow_id", "pull_requests"} {
		if fields[key] != nil {
			part[key] = fields[key]
		}
	}
	text, err := json.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// snapshotOf compacts deltas: it is all that a database holds into which they
// were merged, by way of a file of this version or of the one before.
func snapshotOf(t *testing.T, r *rand.Rand, deltas []*delta.Delta) *delta.Delta {
	t.Helper()
	db := mustOpen(t, filepath.Join(t.TempDir(), "part.db"))
	mergeAll(t, db, deltas...)
	if r.IntN(3) == 0 {
		return everything(t, db)
	}
	path, aside := db.Path(), 0
	if err := db.sql.QueryRowContext(t.Context(), `SELECT count(*) FROM quarantine_aside`).Scan(&aside); err != nil {
		t.Fatal(err)
	}
	if r.IntN(2) == 0 && aside == 0 { // an older version keeps one entry of a test
		path = olderFile(t, db)
	} else {
		mustSave(t, db)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again := freshDB(t)
	defer again.Close()
	if err := again.LoadFile(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return everything(t, again)
}

// TestAnyPartitionCompactedIsTheWhole merges deltas of this version, the one
// before and the next one, part by part in any order: it is all the same
// whether a part was compacted.
func TestAnyPartitionCompactedIsTheWhole(t *testing.T) {
	t.Parallel()
	for seed := range mergeSets() {
		r := rand.New(rand.NewPCG(uint64(seed), 13))
		var deltas []*delta.Delta
		parts := make([][]*delta.Delta, 1+r.IntN(4))
		for range 2 + r.IntN(6) {
			d := randomDelta(r)
			switch r.IntN(3) {
			case 0:
				d.Schema = schemaVersion - 1
			case 1:
				newer(r, d)
			}
			at := r.IntN(len(parts))
			deltas, parts[at] = append(deltas, d), append(parts[at], d)
		}
		whole := freshDB(t)
		mergeAll(t, whole, deltas...)
		compacted := freshDB(t)
		for _, i := range r.Perm(len(parts)) {
			mergeAll(t, compacted, snapshotOf(t, r, parts[i]))
		}
		if diff := cmp.Diff(canonicalDump(t, whole), canonicalDump(t, compacted)); diff != "" {
			t.Fatalf("set %d: %s", seed, diff)
		}
		sameHistories(t, whole, compacted)
		for _, db := range []*DB{whole, compacted} {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
