-- The elements that people accepted for locators which no passing test has used yet.
-- Of a locator the newest counts.
CREATE TABLE accepted (
    id               INTEGER PRIMARY KEY,
    test_id          TEXT NOT NULL,
    locator          TEXT NOT NULL,
    fingerprint_json TEXT NOT NULL,
    who              TEXT NOT NULL,
    at               REAL NOT NULL,
    UNIQUE (test_id, locator, at)
);
