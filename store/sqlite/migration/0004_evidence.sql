-- What stays the same of a failure's error from run to run; NULL in a row of
-- an older version.
ALTER TABLE results ADD COLUMN signature INTEGER;

-- Few attempts fail, and evidence of flakiness is in those alone.
CREATE INDEX results_failing ON results (test) WHERE status >= 2 OR healed <> 0;

-- Who looks after a quarantined test, and the commits that put it there, a
-- space between them.
ALTER TABLE quarantine ADD COLUMN owner TEXT;
ALTER TABLE quarantine ADD COLUMN commits TEXT;
