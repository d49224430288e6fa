-- GitHub's id of the workflow, which outlives a rename of its file, 0 in a row of an
-- older version; and the pull requests of a merge group, ascending, a space
-- between them.
ALTER TABLE breadcrumb_runs ADD COLUMN IF NOT EXISTS workflow_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE breadcrumb_runs ADD COLUMN IF NOT EXISTS pull_requests TEXT NOT NULL DEFAULT '';

-- The rows of one run.
CREATE INDEX IF NOT EXISTS breadcrumb_runs_of_run ON breadcrumb_runs (repository_id, run_id);
