-- What people said for good: this element is not the one that was lost.
-- key_digest is the SHA-256 of test id, locator and signature.
CREATE TABLE IF NOT EXISTS breadcrumb_vetoes (
    repository_id BIGINT           NOT NULL,
    key_digest    BYTEA            NOT NULL,
    test_id       TEXT             NOT NULL, -- '': of all tests
    locator       TEXT             NOT NULL,
    signature     TEXT             NOT NULL,
    who           TEXT             NOT NULL,
    at            DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (repository_id, key_digest)
);

-- Other words for the same, which an accepted edit taught. key_digest is the
-- SHA-256 of both.
CREATE TABLE IF NOT EXISTS breadcrumb_lessons (
    repository_id BIGINT           NOT NULL,
    key_digest    BYTEA            NOT NULL,
    was           TEXT             NOT NULL,
    now           TEXT             NOT NULL,
    who           TEXT             NOT NULL,
    at            DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (repository_id, key_digest)
);
