-- What was worked out from the other tables and can be worked out again.
CREATE TABLE IF NOT EXISTS breadcrumb_derived (
    repository_id BIGINT NOT NULL,
    name          TEXT   NOT NULL,
    value         BYTEA  NOT NULL,
    PRIMARY KEY (repository_id, name)
);
