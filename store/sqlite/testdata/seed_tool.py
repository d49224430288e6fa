"""Opens a database, reads it and appends to it the way a seed tool does."""
import json
import sqlite3
import sys

conn = sqlite3.connect(sys.argv[1])
conn.row_factory = sqlite3.Row
conn.execute("PRAGMA journal_mode=WAL")
conn.execute("PRAGMA foreign_keys=ON")
conn.executescript("""
CREATE TABLE IF NOT EXISTS schema_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fingerprints (
    test_id TEXT NOT NULL, locator TEXT NOT NULL, fingerprint_json TEXT NOT NULL,
    updated_at REAL NOT NULL, PRIMARY KEY (test_id, locator));
CREATE TABLE IF NOT EXISTS healing_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, test_id TEXT NOT NULL, locator TEXT NOT NULL,
    confidence REAL NOT NULL, original_json TEXT NOT NULL, healed_json TEXT NOT NULL,
    timestamp REAL NOT NULL);
CREATE TABLE IF NOT EXISTS test_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, test_id TEXT NOT NULL, status TEXT NOT NULL,
    duration_ms REAL, healing_occurred INTEGER NOT NULL DEFAULT 0, error_type TEXT,
    environment TEXT, timestamp REAL NOT NULL);
CREATE INDEX IF NOT EXISTS idx_test_runs ON test_runs (test_id, timestamp);
CREATE TABLE IF NOT EXISTS quarantine (
    test_id TEXT PRIMARY KEY, reason TEXT NOT NULL, quarantined_at REAL NOT NULL,
    auto_unquarantine INTEGER NOT NULL DEFAULT 1);
""")
row = conn.execute("SELECT value FROM schema_meta WHERE key = 'schema_version'").fetchone()
print("version", int(row[0]))

heals = conn.execute("SELECT * FROM healing_events ORDER BY timestamp DESC").fetchall()
prints = conn.execute("SELECT fingerprint_json FROM fingerprints").fetchall()
print("heals", len(heals), "fingerprints", len(prints))
for p in prints:
    data = json.loads(p[0])
    frozenset(tuple(a) for a in data["attributes"]), tuple(data["dom_path"]), tuple(data["siblings"]), data["bbox"]
healed = json.loads(heals[0]["healed_json"])
tuple(healed["dom_path"]), tuple(healed["siblings"]), frozenset(tuple(p) for p in healed["attributes"])
print("newest heal", heals[0]["locator"], healed["tag"])

fingerprint = json.dumps({"tag": "a", "text": "", "attributes": [], "dom_path": [], "siblings": [],
                          "locator": "#py", "test_id": "py", "bbox": None})
conn.execute(
    "INSERT INTO fingerprints (test_id, locator, fingerprint_json, updated_at) "
    "VALUES (?, ?, ?, ?) "
    "ON CONFLICT (test_id, locator) "
    "DO UPDATE SET fingerprint_json = excluded.fingerprint_json, "
    "             updated_at = excluded.updated_at",
    ("py", "#py", fingerprint, 1800000000.5))
conn.execute(
    "INSERT INTO healing_events "
    "(test_id, locator, confidence, original_json, healed_json, timestamp) "
    "VALUES (?, ?, ?, ?, ?, ?)",
    ("py", "#py", 0.75, fingerprint, fingerprint, 1800000000.5))
conn.execute(
    "INSERT INTO test_runs "
    "(test_id, status, duration_ms, healing_occurred, error_type, environment, timestamp) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)",
    ("py", "passed", 12.5, 1, None, "ci", 1800000001.5))
conn.execute(
    "INSERT INTO test_runs "
    "(test_id, status, duration_ms, healing_occurred, error_type, environment, timestamp) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)",
    ("a", "failed", None, 0, "AssertionError", None, 1800000002.5))
conn.execute(
    "INSERT OR REPLACE INTO quarantine (test_id, reason, quarantined_at, auto_unquarantine) "
    "VALUES (?, ?, ?, 1)", ("py", "auto: Flaky (fliprate threshold 0.30)", 1800000000.0))
conn.commit()
conn.close()
print("saved")
