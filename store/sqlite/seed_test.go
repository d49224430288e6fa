package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/breadcrumb/action/store/untrusted"
)

// The seed's schema and statements, word for word from its documents.
const seedV1 = `
CREATE TABLE schema_meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE fingerprints (
    test_id          TEXT NOT NULL,
    locator          TEXT NOT NULL,
    fingerprint_json TEXT NOT NULL,   -- JSON-serialised ElementFingerprint
    updated_at       REAL NOT NULL,   -- Unix timestamp
    PRIMARY KEY (test_id, locator)
);

CREATE TABLE healing_events (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    test_id       TEXT NOT NULL,
    locator       TEXT NOT NULL,
    confidence    REAL NOT NULL,
    original_json TEXT NOT NULL,   -- fingerprint before heal
    healed_json   TEXT NOT NULL,   -- fingerprint after heal
    timestamp     REAL NOT NULL
);`

const seedV2 = `
CREATE TABLE test_runs (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    test_id          TEXT NOT NULL,
    status           TEXT NOT NULL,   -- passed/failed/error/skipped
    duration_ms      REAL,
    healing_occurred INTEGER NOT NULL DEFAULT 0,
    error_type       TEXT,
    environment      TEXT,
    timestamp        REAL NOT NULL
);

CREATE TABLE quarantine (
    test_id           TEXT PRIMARY KEY,
    reason            TEXT NOT NULL,
    quarantined_at    REAL NOT NULL,
    auto_unquarantine INTEGER NOT NULL DEFAULT 1
);`

const (
	seedInsertVersion = `INSERT INTO schema_meta (key, value) VALUES ('schema_version', ?)`
	seedInsertHeal    = `INSERT INTO healing_events ` +
		`(test_id, locator, confidence, original_json, healed_json, timestamp) ` +
		`VALUES (?, ?, ?, ?, ?, ?)`
	seedInsertRun = `INSERT INTO test_runs ` +
		`(test_id, status, duration_ms, healing_occurred, error_type, environment, timestamp) ` +
		`VALUES (?, ?, ?, ?, ?, ?, ?)`
	seedSaveFingerprint = `INSERT INTO fingerprints (test_id, locator, fingerprint_json, updated_at) ` +
		`VALUES (?, ?, ?, ?) ` +
		`ON CONFLICT (test_id, locator) ` +
		`DO UPDATE SET fingerprint_json = excluded.fingerprint_json, ` +
		`             updated_at = excluded.updated_at`
	seedQuarantine = `INSERT OR REPLACE INTO quarantine (test_id, reason, quarantined_at, auto_unquarantine) ` +
		`VALUES (?, ?, ?, 1)`
)

// seedFile is a database in the hands of a seed tool, in WAL mode as it keeps it.
type seedFile struct {
	t    testing.TB
	path string
	db   *sql.DB
}

func openSeed(tb testing.TB, path string) *seedFile {
	tb.Helper()
	db, err := sql.Open("sqlite", untrusted.DSN(path, "_pragma=journal_mode(WAL)", "_pragma=foreign_keys(ON)"))
	if err != nil {
		tb.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	f := &seedFile{t: tb, path: path, db: db}
	tb.Cleanup(f.close)
	return f
}

// newSeed creates a database of the seed at schema version 1 or 2.
func newSeed(tb testing.TB, version int) *seedFile {
	tb.Helper()
	f := openSeed(tb, filepath.Join(tb.TempDir(), ".breadcrumb.db"))
	f.exec(seedV1)
	if version > 1 {
		f.exec(seedV2)
	}
	f.exec(seedInsertVersion, fmt.Sprint(version))
	return f
}

func (f *seedFile) exec(query string, args ...any) {
	f.t.Helper()
	if _, err := f.db.ExecContext(context.Background(), query, args...); err != nil {
		f.t.Fatalf("seed statement %.60q: %v", query, err)
	}
}

func (f *seedFile) close() { _ = f.db.Close() }

func (f *seedFile) run(test, status string, at float64) {
	f.t.Helper()
	f.exec(seedInsertRun, test, status, 120.5, 0, nil, "ci", at)
}

func (f *seedFile) heal(test, locator string, at float64) {
	f.t.Helper()
	f.exec(seedInsertHeal, test, locator, 0.93, seedFingerprint(test, locator, "login-btn"), seedFingerprint(test, locator, "signin"), at)
}

// seedFingerprint is what json.dumps(fingerprint.to_dict()) gives.
func seedFingerprint(test, locator, id string) string {
	return fmt.Sprintf(`{"tag": "button", "text": "sign in", "attributes": [["class", "btn primary"], ["id", %q]], `+
		`"dom_path": ["html", "body", "form"], "siblings": ["input"], "locator": %q, "test_id": %q, `+
		`"bbox": {"x": 10.0, "y": 20.5, "width": 80.0, "height": 24.0}}`, id, locator, test)
}
