-- Where a failure happened, "file:line"; NULL when unknown and in a row of an
-- older version.
ALTER TABLE results ADD COLUMN place INTEGER;
