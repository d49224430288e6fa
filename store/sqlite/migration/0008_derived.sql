-- What was worked out from the other tables and can be worked out again.
CREATE TABLE derived (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
);
