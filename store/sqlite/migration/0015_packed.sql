-- The results of one run, a run a row: see package packed. They are what the table of
-- results held, which is gone; its rows are packed when an older file is read.
CREATE TABLE packed_runs (
    run     INTEGER PRIMARY KEY,
    results INTEGER NOT NULL, -- how many attempts
    packed  BLOB NOT NULL
);
DROP TABLE results;
