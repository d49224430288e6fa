"""Writes the example's database: the shop's past, in the first tool's schema v2.

Usage: history.py TESTS.json BASELINE.json HEALS_FOLDER OUT.db

TESTS.json names the tests (breadcrumb junit --format json), BASELINE.json holds
the fingerprints learned on the old release. The past itself is made up: fourteen
nightly runs before the reported one. The heal events of the pytest run move from
HEALS_FOLDER into the database, where a healing library for Python keeps them.
"""

import json
import pathlib
import sqlite3
import sys

SCHEMA = """
CREATE TABLE schema_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE fingerprints (
    test_id TEXT NOT NULL, locator TEXT NOT NULL, fingerprint_json TEXT NOT NULL, updated_at REAL NOT NULL,
    PRIMARY KEY (test_id, locator));
CREATE TABLE healing_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, test_id TEXT NOT NULL, locator TEXT NOT NULL, confidence REAL NOT NULL,
    original_json TEXT NOT NULL, healed_json TEXT NOT NULL, timestamp REAL NOT NULL);
CREATE TABLE test_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, test_id TEXT NOT NULL, status TEXT NOT NULL, duration_ms REAL,
    healing_occurred INTEGER NOT NULL DEFAULT 0, error_type TEXT, environment TEXT, timestamp REAL NOT NULL);
CREATE TABLE quarantine (
    test_id TEXT PRIMARY KEY, reason TEXT NOT NULL, quarantined_at REAL NOT NULL,
    auto_unquarantine INTEGER NOT NULL DEFAULT 1);
INSERT INTO schema_meta VALUES ('schema_version', '2');
"""

# How the tests went that did not always pass, oldest run first.
SUGGESTIONS = "python/test_search.py::TestSearch::test_suggestions"
WRONG_PASSWORD = "python/test_login.py::TestLogin::test_wrong_password"
RUNS = 14
PAST = {SUGGESTIONS: "PFPFPPFPPPPPPP", WRONG_PASSWORD: "PFPFPPPPPPPPPP"}
DAY = 24 * 60 * 60


def main(tests: str, baseline: str, heals: str, out: str) -> None:
    cases = [case for file in json.loads(pathlib.Path(tests).read_text())["files"] for case in file["cases"]]
    events_file = pathlib.Path(heals, "pytest.ndjson")
    events = [json.loads(line) for line in events_file.read_text().splitlines()]
    db = sqlite3.connect(out)
    db.executescript(SCHEMA)
    now = events[0]["timestamp"]
    write_runs(db, cases, now)
    write_quarantine(db, now)
    write_fingerprints(db, json.loads(pathlib.Path(baseline).read_text()), now)
    write_heals(db, events)
    db.commit()
    db.close()
    events_file.unlink()


def write_runs(db: sqlite3.Connection, cases: list[dict], now: float) -> None:
    for run in range(RUNS):
        for case in cases:
            past = PAST.get(case["id"], ("S" if case["status"] == "skipped" else "P") * RUNS)[run]
            status = {"P": "passed", "F": "failed", "S": "skipped"}[past]
            db.execute(
                "INSERT INTO test_runs (test_id, status, duration_ms, error_type, environment, timestamp) VALUES (?, ?, ?, ?, 'ci', ?)",
                (case["id"], status, case["duration_ms"], "AssertionError" if past == "F" else None, now - (RUNS - run) * DAY),
            )


def write_quarantine(db: sqlite3.Connection, now: float) -> None:
    for test in PAST:
        db.execute("INSERT INTO quarantine VALUES (?, 'auto: Chronic (fliprate threshold 0.30)', ?, 1)", (test, now - 10 * DAY))


def write_fingerprints(db: sqlite3.Connection, baseline: dict[str, dict], now: float) -> None:
    for key, fingerprint in baseline.items():
        runner, test, locator = key.split("\n")
        if runner == "pytest":
            known = {**fingerprint, "locator": locator, "test_id": test}
            db.execute("INSERT INTO fingerprints VALUES (?, ?, ?, ?)", (test, locator, json.dumps(known), now - DAY))


def write_heals(db: sqlite3.Connection, events: list[dict]) -> None:
    for event in events:
        db.execute(
            "INSERT INTO healing_events (test_id, locator, confidence, original_json, healed_json, timestamp) VALUES (?, ?, ?, ?, ?, ?)",
            (event["test_id"], event["locator"], event["confidence"], json.dumps(event["original"]), json.dumps(event["healed"]), event["timestamp"]),
        )


main(*sys.argv[1:])
