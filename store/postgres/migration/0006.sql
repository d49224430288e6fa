-- The elements that people accepted for locators which no passing test has used yet.
-- key_digest is the SHA-256 of test id and locator.
CREATE TABLE IF NOT EXISTS breadcrumb_accepted (
    repository_id    BIGINT           NOT NULL,
    key_digest       BYTEA            NOT NULL,
    test_id          TEXT             NOT NULL,
    locator          TEXT             NOT NULL,
    fingerprint_json TEXT             NOT NULL,
    who              TEXT             NOT NULL,
    at               DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (repository_id, key_digest)
);
