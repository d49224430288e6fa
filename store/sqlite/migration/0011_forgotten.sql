-- Which elements were forgotten, and when: what was learned of them before does
-- not come back with a merge.
CREATE TABLE forgotten (
    id      INTEGER PRIMARY KEY,
    test_id TEXT NOT NULL,
    locator TEXT NOT NULL,
    at      REAL NOT NULL,
    UNIQUE (test_id, locator, at)
);
