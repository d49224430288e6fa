-- What people said for good: this element is not the one that was lost.
CREATE TABLE vetoes (
    id        INTEGER PRIMARY KEY,
    test_id   TEXT NOT NULL, -- '': of all tests
    locator   TEXT NOT NULL,
    signature TEXT NOT NULL,
    who       TEXT NOT NULL,
    at        REAL NOT NULL,
    UNIQUE (test_id, locator, signature)
);

-- Other words for the same, which an accepted edit taught.
CREATE TABLE lessons (
    id  INTEGER PRIMARY KEY,
    was TEXT NOT NULL,
    now TEXT NOT NULL,
    who TEXT NOT NULL,
    at  REAL NOT NULL,
    UNIQUE (was, now)
);
