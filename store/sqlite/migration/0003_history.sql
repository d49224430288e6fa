-- healing_events: a row the seed appends has NULL in all of these.
ALTER TABLE healing_events ADD COLUMN run INTEGER;
ALTER TABLE healing_events ADD COLUMN outcome TEXT;
ALTER TABLE healing_events ADD COLUMN reason TEXT;
ALTER TABLE healing_events ADD COLUMN event_json TEXT;
ALTER TABLE healing_events ADD COLUMN event_digest BLOB;
CREATE UNIQUE INDEX healing_events_digest ON healing_events (event_digest);

-- NULL: in every environment, as in the seed.
ALTER TABLE quarantine ADD COLUMN environment TEXT;

-- The seed reads every row of healing_events as a heal, so refusals live here.
CREATE TABLE heal_refusals (
    id           INTEGER PRIMARY KEY,
    run          INTEGER NOT NULL,
    test_id      TEXT NOT NULL,
    locator      TEXT NOT NULL,
    confidence   REAL NOT NULL,
    reason       TEXT NOT NULL,
    event_json   TEXT NOT NULL,
    event_digest BLOB NOT NULL UNIQUE,
    timestamp    REAL NOT NULL
);

CREATE TABLE tests (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- Error types and environments, once each.
CREATE TABLE labels (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE runs (
    id              INTEGER PRIMARY KEY,
    repository_id   INTEGER NOT NULL,
    run_id          INTEGER NOT NULL,
    run_attempt     INTEGER NOT NULL,
    workflow        TEXT NOT NULL,
    job             TEXT NOT NULL,
    leg             TEXT NOT NULL,
    report_digest   TEXT NOT NULL,
    ordinal         INTEGER NOT NULL,
    origin          INTEGER NOT NULL,
    repository      TEXT NOT NULL,
    commit_sha      TEXT NOT NULL,
    head_sha        TEXT NOT NULL,
    branch          TEXT NOT NULL,
    pull_request    INTEGER NOT NULL,
    fork            INTEGER NOT NULL,
    incomplete      INTEGER NOT NULL,
    started_at      REAL NOT NULL,
    recorded_at     REAL NOT NULL,
    result_count    INTEGER NOT NULL,
    payload_digest  BLOB NOT NULL,
    UNIQUE (repository_id, run_id, run_attempt, workflow, job, leg, report_digest, ordinal)
);

-- One row an attempt, in the order histories are read.
CREATE TABLE results (
    test        INTEGER NOT NULL,
    run         INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    duration_ms REAL,
    healed      INTEGER NOT NULL,
    error       INTEGER,
    environment INTEGER,
    at          REAL,
    PRIMARY KEY (test, run, attempt)
) WITHOUT ROWID;

CREATE TABLE quarantine_log (
    id        INTEGER PRIMARY KEY,
    at        REAL NOT NULL,
    test_id   TEXT NOT NULL,
    action    TEXT NOT NULL,
    who       TEXT NOT NULL,
    reason    TEXT NOT NULL,
    tier      TEXT NOT NULL,
    flip_rate REAL NOT NULL
);
