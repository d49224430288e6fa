-- A suggestion is a row that is refused, too: what is no heal is never counted as one.
ALTER TABLE breadcrumb_heals ADD COLUMN IF NOT EXISTS suggested BOOLEAN NOT NULL DEFAULT FALSE;
