-- What pages looked like, each once for all the fingerprints taken on it.
CREATE TABLE page_states (
    digest     BLOB PRIMARY KEY,  -- SHA-256 of state
    state      BLOB NOT NULL,     -- as engine's Page.State packs it
    updated_at REAL NOT NULL
);

-- The page a fingerprint was taken on, and the SHA-256 of the fingerprint_json
-- that is said of. The seed rewrites fingerprint_json alone, so a page_state
-- whose page_state_of is another's is stale.
ALTER TABLE fingerprints ADD COLUMN page_state BLOB;
ALTER TABLE fingerprints ADD COLUMN page_state_of BLOB;
