-- The automatic entry of a test that a person holds in quarantine, too. The
-- person's entry counts; once that is released, this one does, unless it was
-- released as well.
CREATE TABLE quarantine_aside (
    test_id        TEXT PRIMARY KEY,
    reason         TEXT NOT NULL,
    quarantined_at REAL NOT NULL,
    environment    TEXT,
    owner          TEXT,
    commits        TEXT
);
