CREATE TABLE test_runs (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    test_id          TEXT NOT NULL,
    status           TEXT NOT NULL,
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
);
