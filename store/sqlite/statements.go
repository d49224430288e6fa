package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlstore"
)

// conn runs statements on the working database or, when tx is set, in a
// transaction.
type conn struct {
	db *DB
	tx *sql.Tx
}

func (c conn) currentTx() interface {
	queryer
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
} {
	if c.tx != nil {
		return c.tx
	}
	return c.db.sql
}

// namedArgs returns arguments for the driver: a list as json_each reads it.
func namedArgs(args sqlstore.Args) []any {
	named := make([]any, 0, len(args))
	for name, value := range args {
		switch list := value.(type) {
		case []int64, []string:
			text, _ := json.Marshal(list) // numbers and strings always marshal
			value = string(text)
		case [][]byte:
			continue // digests of names, which a file has no use for
		}
		named = append(named, sql.Named(name, value))
	}
	return named
}

// Writer is sqlstore.Conn.Writer.
func (c conn) Writer() sqlstore.Writer { return newWriter(c.tx) }

// Exec is sqlstore.Conn.Exec.
func (c conn) Exec(ctx context.Context, statement string, args sqlstore.Args) (int, error) {
	return affectedRows(c.currentTx().ExecContext(ctx, statement, namedArgs(args)...))
}

// Each is sqlstore.Conn.Each.
func (c conn) Each(ctx context.Context, query string, args sqlstore.Args, columns []any, row func() error) error {
	if c.tx == nil && query == statements.LoadFingerprint {
		loading, err := c.db.prepareLoading(ctx)
		if err != nil {
			return err
		}
		return forEachRow(ctx, prepared{loading}, columns, row, query, namedArgs(args)...)
	}
	if ask, isResults := resultQueries[query]; isResults {
		return ask(resultQuery{c.currentTx(), args, columns, row}, ctx)
	}
	return forEachRow(ctx, c.currentTx(), columns, row, query, namedArgs(args)...)
}

// prepared is a statement that was read before; the text of a query is its own.
type prepared struct{ *sql.Stmt }

func (p prepared) QueryContext(ctx context.Context, _ string, args ...any) (*sql.Rows, error) {
	return p.Stmt.QueryContext(ctx, args...)
}

// prepareLoading returns the statement that a test asks for at each of its locators:
// SQLite takes longer to read it than to carry it out.
func (db *DB) prepareLoading(ctx context.Context) (*sql.Stmt, error) {
	db.loadingMu.Lock()
	defer db.loadingMu.Unlock()
	var err error
	if db.loading == nil {
		db.loading, err = db.sql.PrepareContext(ctx, statements.LoadFingerprint)
	}
	return db.loading, err
}

// InTx is sqlstore.Conn.InTx.
func (c conn) InTx(ctx context.Context, fn func(sqlstore.Conn) error) error {
	return inTx(ctx, c.db.sql, func(tx *sql.Tx) error { return fn(conn{c.db, tx}) })
}

const (
	insertEntry = `INSERT INTO quarantine (test_id, reason, quarantined_at, auto_unquarantine, environment, owner, commits)
		VALUES (@test, @reason, @since, @automatic, nullif(@environment, ''), nullif(@owner, ''), nullif(@commits, '')) ON CONFLICT (test_id) `
	release   = `DELETE FROM quarantine WHERE test_id = @test`
	ofVariant = `CASE WHEN workflow_id <> 0 AND @workflow_id <> 0 THEN workflow_id = @workflow_id
		ELSE substr(workflow || '@', 1, length(@file)) = @file END AND leg = @leg AND (job = @job OR job = @called AND workflow_id = 0 AND NOT EXISTS (
			SELECT 1 FROM runs twin WHERE twin.run_id = runs.run_id AND twin.run_attempt = runs.run_attempt AND twin.repository_id = runs.repository_id
			AND twin.workflow = runs.workflow AND twin.job = runs.job AND twin.leg = runs.leg AND twin.id <> runs.id))`
	ofTest      = ` FROM fingerprints WHERE @test = '' OR test_id = @test`
	healsAsked  = ` WHERE (@run = 0 OR run = @run) AND (NOT @unclaimed OR run IS NULL) AND (@test = '' OR test_id = @test) AND timestamp >= @since`
	newestHeals = ` ORDER BY timestamp DESC, id DESC LIMIT coalesce(nullif(@newest, 0), -1)) ORDER BY timestamp, id`
	// The event alone says what it is, so that a file cannot say two things.
	refusalsAsked = healsAsked + ` AND (NOT @suggested OR CASE WHEN json_valid(event_json) THEN json_extract(event_json, '$.suggested') IS 1 END)`
)

// saidFirst keeps, of two equal vetoes or lessons, the one that was said first. A
// bare name is that of the row that is there.
const saidFirst = ` DO UPDATE SET who = excluded.who, at = excluded.at WHERE (excluded.at, excluded.who) < (at, who)`

// largerAccepted makes one of two elements that were accepted for a locator at one time,
// the same one in whatever order they come.
const largerAccepted = ` ON CONFLICT (test_id, locator, at) DO UPDATE SET fingerprint_json = excluded.fingerprint_json, who = excluded.who
	WHERE (excluded.fingerprint_json, excluded.who) > (fingerprint_json, who)`

// notForgotten passes over accepted elements that were forgotten since. A merge leaves
// them, so that it is the same in whatever order renames and forgotten elements come.
const notForgotten = ` AND NOT EXISTS (SELECT 1 FROM forgotten f WHERE f.test_id = a.test_id AND f.locator = a.locator AND f.at >= a.at)`

const (
	counted = ` FROM runs WHERE ((origin IN ` + store.TrustedOrigins + ` AND (@of_repository = 0 OR repository_id IN (0, @of_repository)))
		OR (origin = @of_pull_request AND @pull_request <> 0 AND pull_request = @pull_request AND repository_id = @of_repository))`
	// newestFirst orders runs by time. Ties are broken by columns that are the same
	// in every copy of the history, which row ids and ordinals are not.
	newestFirst = `started_at DESC, run_id DESC, run_attempt DESC, workflow DESC, job DESC, leg DESC, report_digest DESC, payload_digest DESC`
	oldestFirst = `started_at, run_id, run_attempt, workflow, job, leg, report_digest, payload_digest`
	newestRuns  = ` ORDER BY ` + newestFirst + `, id DESC`
	ofLedger    = ` FROM runs WHERE (@of_repository = 0 OR repository_id IN (0, @of_repository)) AND (origin IN ` + store.TrustedOrigins + `) = @trusted`
)

// statements are those of a file, which has the runs of one repository or, of
// old, of several: @of_repository selects those of one.
var statements = sqlstore.Statements{
	Quarantine: `SELECT test_id, reason, quarantined_at, auto_unquarantine <> 0,
		coalesce(environment, ''), coalesce(owner, ''), coalesce(commits, '') FROM quarantine ORDER BY test_id`,
	AddEntry: insertEntry + `DO NOTHING`,
	PutEntry: insertEntry + `DO UPDATE SET reason = excluded.reason, quarantined_at = excluded.quarantined_at,
		auto_unquarantine = excluded.auto_unquarantine, environment = excluded.environment,
		owner = excluded.owner, commits = excluded.commits`,
	Release:      release,
	ReleaseAuto:  release + ` AND auto_unquarantine <> 0`,
	ReleaseAside: `DELETE FROM quarantine_aside WHERE test_id = @test`,
	ChangeTimes: `SELECT at FROM quarantine_log WHERE test_id = @test UNION ALL SELECT quarantined_at FROM quarantine WHERE test_id = @test
		UNION ALL SELECT quarantined_at FROM quarantine_aside WHERE test_id = @test`,
	MoveEntry: `UPDATE OR IGNORE quarantine SET test_id = @new WHERE test_id = @old
		AND (@proven OR auto_unquarantine <> 0 AND coalesce(commits, '') <> '')`,
	LogChange: `INSERT INTO quarantine_log (at, test_id, action, who, reason, tier, flip_rate)
		VALUES (@at, @test, @action, @who, @reason, @tier, @flip_rate)`,
	Settings: `SELECT test_id, reason FROM quarantine_log WHERE action = @setting ORDER BY at, id`,
	QuarantineLog: `SELECT at, who, test_id, action = 'release', action = @setting, reason, tier, flip_rate
		FROM quarantine_log ORDER BY at, id`,

	KnownTests: knownTests,
	Reference: `SELECT id, NULL, run_id, branch, commit_sha, origin IN ` + store.TrustedOrigins + ` FROM runs WHERE ` + ofVariant + ` AND result_count > 0 AND NOT incomplete AND origin <> @seed
		AND (@of_repository = 0 OR repository_id IN (0, @of_repository))
		AND NOT (run_id = @run_id AND run_attempt = @run_attempt AND (run_id <> 0 OR report_digest = @report_digest))
		AND (origin IN ` + store.TrustedOrigins + ` OR (origin = @origin AND pull_request = @pull_request AND (pull_request <> 0 OR branch = @branch)))
		AND (@base = '' OR origin IN ` + store.TrustedOrigins + ` AND (commit_sha = @base OR started_at <= @base_at))
		ORDER BY origin IN ` + store.TrustedOrigins + `, @base <> '' AND commit_sha = @base DESC, started_at > @started, started_at DESC, run_id DESC, run_attempt DESC, id DESC LIMIT 1`,
	LastOfMain: `SELECT id, NULL, run_id, branch, commit_sha, EXISTS (SELECT 1 FROM runs other WHERE other.repository_id = runs.repository_id AND other.run_id = runs.run_id
		AND other.run_attempt = runs.run_attempt AND other.workflow = runs.workflow AND other.job = runs.job AND other.leg = runs.leg AND other.id <> runs.id)
		FROM runs WHERE ` + ofVariant + ` AND result_count > 0 AND NOT incomplete AND origin = @default_branch AND (@of_repository = 0 OR repository_id IN (0, @of_repository))
		AND NOT (run_id = @run_id AND run_attempt = @run_attempt) AND started_at <= @started ORDER BY started_at DESC, run_id DESC, run_attempt DESC, id DESC LIMIT 2`,
	SameReports: `SELECT run_id FROM runs WHERE ` + ofVariant + ` AND report_digest = @report_digest
		AND run_id NOT IN (0, @run_id) AND @run_id <> 0 AND (@of_repository = 0 OR repository_id = @of_repository)
		ORDER BY started_at DESC, run_id DESC LIMIT 1`,
	HasTest: hasTest,
	LastRun: `SELECT id, repository_id, repository, run_id, run_attempt, workflow, job, leg,
		report_digest, ordinal, commit_sha, head_sha, branch, pull_request, fork, origin, incomplete, started_at,
		recorded_at, result_count, workflow_id, pull_requests FROM runs ORDER BY recorded_at DESC, id DESC LIMIT 1`,
	Stats: `SELECT (SELECT count(*) FROM fingerprints), (SELECT count(*) FROM page_states),
		(SELECT count(*) FROM healing_events), (SELECT count(*) FROM heal_refusals),
		0, (SELECT count(*) FROM runs), (SELECT coalesce(sum(results), 0) FROM packed_runs),
		(SELECT count(*) FROM quarantine), (SELECT count(*) FROM quarantine_log)`, // the tests are counted by DB.Stats

	Tests:       `SELECT id, name FROM tests`,
	TestsByID:   `SELECT id, name FROM tests WHERE id IN (SELECT value FROM json_each(@tests))`,
	TestsByName: `SELECT id, name FROM tests WHERE name IN (SELECT value FROM json_each(@names))`,
	Labels:      `SELECT id, name FROM labels`,
	CountedRuns: `SELECT id, NULL` + counted + ` AND started_at >= @since` + newestRuns,
	Results:     allResults, ResultsOf: resultsOf, FailedLately: failedLately,
	TimelineRuns: `SELECT id, NULL, repository_id, run_id, run_attempt, workflow, started_at, repository, commit_sha, branch` +
		counted + ` AND started_at >= @since` + newestRuns,
	TimelineResults: timelineResults,

	CountRuns: `SELECT count(*)` + ofLedger,
	EvidenceRuns: `SELECT id, NULL, started_at, run_id, run_attempt, incomplete, workflow, job, leg, report_digest, workflow_id, origin, commit_sha, branch,
		pull_request, pull_requests, result_count, payload_digest` + ofLedger + newestRuns + ` LIMIT @limit`,
	Moves:   `SELECT count(*) || ' ' || coalesce(sum(sum), 0) FROM packed_moves`,
	Failing: failing, FailingIn: failingIn, Evidence: evidence, EvidenceIn: evidenceIn, Executions: executions, CountTests: countTests, TestsIn: namesIn,

	PutPage: `INSERT INTO page_states (digest, state, updated_at) VALUES (@digest, @state, @at)
		ON CONFLICT (digest) DO UPDATE SET updated_at = excluded.updated_at WHERE ` + notOfToday,
	LoadFingerprint: `SELECT fingerprint_json, state FROM fingerprints LEFT JOIN page_states ON digest = page_state
		WHERE test_id = @test AND locator = @locator`,
	CountFingerprints: `SELECT count(*)` + ofTest,
	Fingerprints:      `SELECT test_id, locator, fingerprint_json` + ofTest + ` ORDER BY test_id, locator LIMIT @limit`,
	LocatorUses: `SELECT test_id, locator, fingerprint_json FROM fingerprints
		WHERE locator IN (SELECT value FROM json_each(@locators)) OR rtrim(rtrim(locator, '0123456789'), ' #') IN (SELECT value FROM json_each(@locators))
		ORDER BY test_id, locator LIMIT @limit`,
	Stale:         `SELECT count(*) FROM fingerprints WHERE updated_at < @since`,
	ForgetElement: `DELETE FROM fingerprints WHERE test_id = @test AND locator = @locator`,
	NoteForgotten: `INSERT INTO forgotten (test_id, locator, at) VALUES (@test, @locator, @at) ON CONFLICT DO NOTHING`,

	Heals: `SELECT * FROM (SELECT id, test_id, locator, confidence, original_json, healed_json, timestamp, coalesce(event_json, '')
		FROM healing_events` + healsAsked + newestHeals,
	Refusals: `SELECT * FROM (SELECT id, test_id, locator, confidence, '', '', timestamp, event_json
		FROM heal_refusals` + refusalsAsked + newestHeals,
	CountHeals:    `SELECT count(*) FROM healing_events` + healsAsked,
	CountRefusals: `SELECT count(*) FROM heal_refusals` + refusalsAsked,

	AddVeto: `INSERT INTO vetoes (test_id, locator, signature, who, at) VALUES (@test, @locator, @signature, @who, @at)
		ON CONFLICT (test_id, locator, signature)` + saidFirst,
	AddLesson: `INSERT INTO lessons (was, now, who, at) VALUES (@was, @now, @who, @at) ON CONFLICT (was, now)` + saidFirst,
	Vetoes: `SELECT * FROM (SELECT test_id, locator, signature, who, at FROM vetoes WHERE @test = '' OR test_id IN (@test, '')
		ORDER BY at DESC, test_id, locator, signature LIMIT @limit) ORDER BY at, test_id, locator, signature`,
	AddAccepted: `INSERT INTO accepted (test_id, locator, fingerprint_json, who, at) VALUES (@test, @locator, @fingerprint, @who, @at)` + largerAccepted,
	LoadAccepted: `SELECT fingerprint_json FROM accepted a WHERE test_id = @test AND locator = @locator` + notForgotten + `
		ORDER BY at DESC LIMIT 1`,
	Accepted: `SELECT test_id, locator, fingerprint_json FROM accepted a WHERE (@test = '' OR test_id = @test)` + notForgotten + `
		ORDER BY test_id, locator, at`,
	ForgetAccepted: `DELETE FROM accepted WHERE test_id = @test AND locator = @locator`,
	Lessons:        `SELECT * FROM (SELECT was, now, who, at FROM lessons ORDER BY at DESC, was, now LIMIT @limit) ORDER BY at, was, now`,

	Derived:     `SELECT value FROM derived WHERE name = @name`,
	KeepDerived: `INSERT OR REPLACE INTO derived (name, value) VALUES (@name, @value)`,
}
