-- GitHub's id of the workflow, which outlives a rename of its file, 0 in a row of an
-- older version; and the pull requests of a merge group, ascending, a space
-- between them.
ALTER TABLE runs ADD COLUMN workflow_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN pull_requests TEXT NOT NULL DEFAULT '';
