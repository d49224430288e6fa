-- Which test goes on under which name, and since when.
CREATE TABLE renames (
    id  INTEGER PRIMARY KEY,
    old TEXT NOT NULL,
    new TEXT NOT NULL,
    at  REAL NOT NULL,
    UNIQUE (old, new, at)
);

-- The results that a rename gave to another test, and whose they were, so that
-- a rename which comes late can be followed as if it had been known.
CREATE TABLE moved (
    test    INTEGER NOT NULL,
    run     INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    was     INTEGER NOT NULL,
    nth     INTEGER NOT NULL, -- its attempt there
    PRIMARY KEY (test, run, attempt)
) WITHOUT ROWID;

-- What a newer version wrote into a delta and this one does not know.
CREATE TABLE unknown_lines (
    id   INTEGER PRIMARY KEY,
    line TEXT NOT NULL UNIQUE
);

-- Runs that began before this are not kept. It only ever grows.
CREATE TABLE retention (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    before REAL NOT NULL
);
