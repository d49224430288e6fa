CREATE TABLE schema_meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE fingerprints (
    test_id          TEXT NOT NULL,
    locator          TEXT NOT NULL,
    fingerprint_json TEXT NOT NULL,
    updated_at       REAL NOT NULL,
    PRIMARY KEY (test_id, locator)
);

CREATE TABLE healing_events (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    test_id       TEXT NOT NULL,
    locator       TEXT NOT NULL,
    confidence    REAL NOT NULL,
    original_json TEXT NOT NULL,
    healed_json   TEXT NOT NULL,
    timestamp     REAL NOT NULL
);
