-- Few attempts fail, and those of one run are what the next judgement is about.
DROP INDEX results_failing;
CREATE INDEX results_failing ON results (run, test) WHERE status >= 2 OR healed <> 0;
