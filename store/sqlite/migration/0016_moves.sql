-- Which results of a run renames gave to other tests, and whose they were, a run a row: see
-- package packed. A folder that is moved moves every result that there is.
CREATE TABLE packed_moves (
    run    INTEGER PRIMARY KEY,
    sum    INTEGER NOT NULL, -- of what is packed
    packed BLOB NOT NULL
);
DROP TABLE moved;
