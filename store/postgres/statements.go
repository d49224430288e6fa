package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlstore"
)

// conn runs statements in the transaction of the run or, when tx is set, in one
// within it.
type conn struct {
	db *DB
	tx pgx.Tx
}

func (c conn) currentTx() pgx.Tx {
	if c.tx != nil {
		return c.tx
	}
	return c.db.tx
}

// argument matches the name of an argument in a statement.
var argument = lazyregexp.New(`@([a-z_]+)`)

// pickArgs returns the arguments that a statement names, with the repository. A
// strict map makes a name without an argument an error; otherwise it is NULL.
func (c conn) pickArgs(statement string, args sqlstore.Args) pgx.StrictNamedArgs {
	named := pgx.StrictNamedArgs{}
	for _, match := range argument.FindAllStringSubmatch(statement, -1) {
		name := match[1]
		if value, given := args[name]; given {
			named[name] = value
		} else if name == "repository" {
			named[name] = c.db.repository
		}
	}
	return named
}

// Writer is sqlstore.Conn.Writer.
func (c conn) Writer() sqlstore.Writer { return writer{c.db, c.tx} }

// Exec is sqlstore.Conn.Exec.
func (c conn) Exec(ctx context.Context, statement string, args sqlstore.Args) (n int, err error) {
	exec := func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, statement, c.pickArgs(statement, args))
		n = int(done.RowsAffected())
		return err
	}
	if c.tx != nil {
		err = exec(c.tx)
		return n, err
	}
	err = c.db.inSavepoint(ctx, exec)
	return n, err
}

// Each is sqlstore.Conn.Each.
func (c conn) Each(ctx context.Context, query string, args sqlstore.Args, columns []any, row func() error) error {
	_, err := pgx.ForEachRow(queryRows(ctx, c.currentTx(), query, c.pickArgs(query, args)), columns, row)
	return err
}

// InTx is sqlstore.Conn.InTx.
func (c conn) InTx(ctx context.Context, fn func(sqlstore.Conn) error) error {
	return c.db.inSavepoint(ctx, func(tx pgx.Tx) error { return fn(conn{c.db, tx}) })
}

const (
	insertEntry = `INSERT INTO breadcrumb_quarantine (repository_id, test_digest, test_id, reason, quarantined_at,
		auto_unquarantine, environment, owner, commits)
		VALUES (@repository, @digest, @test, @reason, @since, @automatic, @environment, @owner, @commits)
		ON CONFLICT (repository_id, test_digest) `
	release   = `DELETE FROM breadcrumb_quarantine WHERE repository_id = @repository AND test_digest = @digest`
	ofVariant = `repository_id = @repository AND CASE WHEN workflow_id <> 0 AND @workflow_id <> 0 THEN workflow_id = @workflow_id
		ELSE left(workflow || '@', length(@file)) = @file END AND leg = @leg AND (job = @job OR job = @called AND workflow_id = 0 AND NOT EXISTS (
			SELECT 1 FROM breadcrumb_runs twin WHERE twin.repository_id = @repository AND twin.run_id = breadcrumb_runs.run_id
			AND twin.run_attempt = breadcrumb_runs.run_attempt AND twin.workflow = breadcrumb_runs.workflow AND twin.job = breadcrumb_runs.job
			AND twin.leg = breadcrumb_runs.leg AND twin.id <> breadcrumb_runs.id))`
	ofTest      = ` FROM breadcrumb_fingerprints WHERE repository_id = @repository AND (@test = '' OR test_id = @test)`
	ofHeals     = ` FROM breadcrumb_heals WHERE repository_id = @repository AND NOT refused` + healsAsked
	ofRefusals  = ` FROM breadcrumb_heals WHERE repository_id = @repository AND refused` + healsAsked + ` AND (NOT @suggested OR suggested)`
	healsAsked  = ` AND (@run = 0 OR run = @run) AND NOT @unclaimed AND (@test = '' OR test_id = @test) AND timestamp >= @since`
	healColumns = `SELECT id, test_id, locator, confidence, '', '', timestamp, event_json`
	newestHeals = ` ORDER BY timestamp DESC, id DESC LIMIT NULLIF(@newest::BIGINT, 0)) AS newest ORDER BY timestamp, id`
)

// saidFirst keeps, of two equal vetoes or lessons, the one that was said first. Citus
// takes no function here that is not immutable, such as convert_to.
const saidFirst = ` ON CONFLICT (repository_id, key_digest) DO UPDATE SET who = excluded.who, at = excluded.at
	WHERE (excluded.at, excluded.who COLLATE "C") < (old.at, old.who COLLATE "C")`

const (
	counted = ` FROM breadcrumb_runs WHERE repository_id = @repository AND (origin IN ` + store.TrustedOrigins + `
		OR (origin = @of_pull_request AND @pull_request <> 0 AND pull_request = @pull_request))`
	ofLedger = ` FROM breadcrumb_runs WHERE repository_id = @repository AND (origin IN ` + store.TrustedOrigins + `) = @trusted`
	// Ties are broken as a file breaks them, not by what depends on who came first.
	newestRuns = ` ORDER BY started_at DESC, run_id DESC, run_attempt DESC, workflow COLLATE "C" DESC, job COLLATE "C" DESC, leg COLLATE "C" DESC,
		report_digest COLLATE "C" DESC, payload_digest DESC, id DESC LIMIT @limit`
	ofResults = ` FROM breadcrumb_results WHERE repository_id = @repository AND day >= @day`
	byResult  = ` ORDER BY test, run, attempt`
	results   = `SELECT test, run, attempt::bigint * 4 + status` + ofResults
	named     = `SELECT id, name FROM breadcrumb_tests WHERE repository_id = @repository`
	failing   = `SELECT DISTINCT test FROM breadcrumb_results WHERE repository_id = @repository AND (status >= 2 OR healed)`
	evidence  = `SELECT test, run, attempt::bigint * 8 + status * 2 + CASE WHEN healed THEN 1 ELSE 0 END, coalesce(signature, 0), coalesce(place, 0)` +
		ofResults + ` AND test = ANY(@tests)`
)

// statements are those of a server. No seed tool writes there, so no heal is
// ever unclaimed.
var statements = sqlstore.Statements{
	Quarantine: `SELECT test_id, reason, quarantined_at, auto_unquarantine, environment, owner, commits
		FROM breadcrumb_quarantine WHERE repository_id = @repository ORDER BY test_id COLLATE "C"`,
	AddEntry: insertEntry + `DO NOTHING`,
	PutEntry: insertEntry + `DO UPDATE SET reason = excluded.reason, quarantined_at = excluded.quarantined_at,
		auto_unquarantine = excluded.auto_unquarantine, environment = excluded.environment,
		owner = excluded.owner, commits = excluded.commits`,
	Release:     release,
	ReleaseAuto: release + ` AND auto_unquarantine`,
	ChangeTimes: `SELECT at FROM breadcrumb_quarantine_log WHERE repository_id = @repository AND test_id = @test
		UNION ALL SELECT quarantined_at FROM breadcrumb_quarantine WHERE repository_id = @repository AND test_digest = @digest`,
	MoveEntry: `UPDATE breadcrumb_quarantine SET test_id = @new, test_digest = @new_digest
		WHERE repository_id = @repository AND test_digest = @old_digest AND (@proven::boolean OR auto_unquarantine AND coalesce(commits, '') <> '')
		AND NOT EXISTS (SELECT 1 FROM breadcrumb_quarantine WHERE repository_id = @repository AND test_digest = @new_digest)`,
	LogChange: `INSERT INTO breadcrumb_quarantine_log (repository_id, at, test_id, action, who, reason, tier, flip_rate)
		VALUES (@repository, @at, @test, @action, @who, @reason, @tier, @flip_rate)`,
	Settings: `SELECT test_id, reason FROM breadcrumb_quarantine_log
		WHERE repository_id = @repository AND action = @setting ORDER BY at, id`,
	QuarantineLog: `SELECT at, who, test_id, action = 'release', action = @setting, reason, tier, flip_rate
		FROM breadcrumb_quarantine_log WHERE repository_id = @repository ORDER BY at, id`,

	KnownTests: `SELECT name FROM breadcrumb_tests WHERE repository_id = @repository AND id IN
		(SELECT test FROM breadcrumb_results WHERE repository_id = @repository AND run = @run AND day = @day) ORDER BY name COLLATE "C"`,
	Reference: `SELECT id, day, run_id, branch, commit_sha, origin IN ` + store.TrustedOrigins + ` FROM breadcrumb_runs WHERE ` + ofVariant + ` AND result_count > 0 AND NOT incomplete AND origin <> @seed
		AND NOT (run_id = @run_id AND run_attempt = @run_attempt AND (run_id <> 0 OR report_digest = @report_digest))
		AND (origin IN ` + store.TrustedOrigins + ` OR (origin = @origin AND pull_request = @pull_request AND (pull_request <> 0 OR branch = @branch)))
		AND (@base = '' OR origin IN ` + store.TrustedOrigins + ` AND (commit_sha = @base OR started_at <= @base_at))
		ORDER BY origin IN ` + store.TrustedOrigins + `, @base <> '' AND commit_sha = @base DESC, started_at > @started, started_at DESC, run_id DESC, run_attempt DESC, id DESC LIMIT 1`,
	LastOfMain: `SELECT id, day, run_id, branch, commit_sha, EXISTS (SELECT 1 FROM breadcrumb_runs other WHERE other.repository_id = @repository
		AND other.run_id = breadcrumb_runs.run_id AND other.run_attempt = breadcrumb_runs.run_attempt AND other.workflow = breadcrumb_runs.workflow
		AND other.job = breadcrumb_runs.job AND other.leg = breadcrumb_runs.leg AND other.id <> breadcrumb_runs.id)
		FROM breadcrumb_runs WHERE ` + ofVariant + ` AND result_count > 0 AND NOT incomplete AND origin = @default_branch
		AND NOT (run_id = @run_id AND run_attempt = @run_attempt) AND started_at <= @started ORDER BY started_at DESC, run_id DESC, run_attempt DESC, id DESC LIMIT 2`,
	SameReports: `SELECT run_id FROM breadcrumb_runs WHERE ` + ofVariant + ` AND report_digest = @report_digest
		AND run_id NOT IN (0, @run_id) AND @run_id <> 0 ORDER BY started_at DESC, run_id DESC LIMIT 1`,
	HasTest: `SELECT EXISTS (SELECT 1 FROM breadcrumb_tests WHERE repository_id = @repository AND name_digest = @digest)`,
	LastRun: `SELECT id, repository_id, repository, run_id, run_attempt, workflow, job, leg,
		report_digest, ordinal, commit_sha, head_sha, branch, pull_request, fork, origin, incomplete, started_at,
		recorded_at, result_count, workflow_id, pull_requests FROM breadcrumb_runs WHERE repository_id = @repository ORDER BY recorded_at DESC, id DESC LIMIT 1`,
	Stats: `SELECT (SELECT count(*) FROM breadcrumb_fingerprints WHERE repository_id = @repository),
		(SELECT count(*) FROM breadcrumb_page_states WHERE repository_id = @repository),
		(SELECT count(*) FROM breadcrumb_heals WHERE repository_id = @repository AND NOT refused),
		(SELECT count(*) FROM breadcrumb_heals WHERE repository_id = @repository AND refused),
		(SELECT count(*) FROM breadcrumb_tests WHERE repository_id = @repository),
		(SELECT count(*) FROM breadcrumb_runs WHERE repository_id = @repository),
		(SELECT count(*) FROM breadcrumb_results WHERE repository_id = @repository),
		(SELECT count(*) FROM breadcrumb_quarantine WHERE repository_id = @repository),
		(SELECT count(*) FROM breadcrumb_quarantine_log WHERE repository_id = @repository)`,

	Tests:       named,
	TestsByID:   named + ` AND id = ANY(@tests)`,
	TestsByName: named + ` AND name_digest = ANY(@digests)`,
	Labels:      `SELECT id, name FROM breadcrumb_labels WHERE repository_id = @repository`,
	CountedRuns: `SELECT id, day` + counted + ` AND started_at >= @since` + newestRuns,
	Results:     results + byResult,
	ResultsOf: results + ` AND test IN (SELECT id FROM breadcrumb_tests WHERE repository_id = @repository AND name_digest = ANY(@digests))` +
		byResult,
	FailedLately: `SELECT name FROM (SELECT test, count(*) AS often FROM breadcrumb_results
			WHERE repository_id = @repository AND (status >= 2 OR healed) AND run IN (SELECT id` + counted + `
				ORDER BY started_at DESC, id DESC LIMIT @runs) GROUP BY test) AS failing
		JOIN breadcrumb_tests ON repository_id = @repository AND id = test ORDER BY often DESC, test LIMIT @limit`,
	TimelineRuns: `SELECT id, day, repository_id, run_id, run_attempt, workflow, started_at, repository, commit_sha, branch` +
		counted + ` AND started_at >= @since` + newestRuns,
	TimelineResults: `SELECT test, run, coalesce(signature, 0)::bigint * 8 + status * 2 + CASE WHEN healed THEN 1 ELSE 0 END, coalesce(duration_ms, 0)` + ofResults +
		` AND run = ANY(@runs)` + byResult,

	CountRuns: `SELECT count(*)` + ofLedger,
	EvidenceRuns: `SELECT id, day, started_at, run_id, run_attempt, incomplete, workflow, job, leg, report_digest, workflow_id, origin, commit_sha, branch,
		pull_request, pull_requests, result_count, payload_digest` + ofLedger + newestRuns,
	Moves:      `SELECT value FROM breadcrumb_derived WHERE repository_id = @repository AND name = '` + movesName + `'`,
	Failing:    failing + ` ORDER BY test`,
	FailingIn:  failing + ` AND run = ANY(@runs) ORDER BY test`,
	Evidence:   evidence + byResult,
	EvidenceIn: evidence + ` AND run = ANY(@runs)` + byResult,
	Executions: `SELECT DISTINCT test, run` + ofResults + ` AND test = ANY(@tests) AND status <> 1 AND run = ANY(@runs) ORDER BY test`,
	TestsIn: `SELECT name FROM breadcrumb_tests WHERE repository_id = @repository AND id IN
		(SELECT test FROM breadcrumb_results WHERE repository_id = @repository AND run = ANY(@runs)) ORDER BY name COLLATE "C"`,
	CountTests: `SELECT count(DISTINCT test) FROM breadcrumb_results WHERE repository_id = @repository AND run = ANY(@runs)`,

	PutPage: `INSERT INTO breadcrumb_page_states AS old (repository_id, digest, state, updated_at)
		VALUES (@repository, @digest, @state, @at) ON CONFLICT (repository_id, digest) DO UPDATE SET updated_at = excluded.updated_at
		WHERE excluded.updated_at NOT BETWEEN old.updated_at AND old.updated_at + 86400`,
	LoadFingerprint: `SELECT fingerprint_json, state FROM breadcrumb_fingerprints f LEFT JOIN breadcrumb_page_states p
		ON p.repository_id = f.repository_id AND p.digest = f.page_state
		WHERE f.repository_id = @repository AND f.key_digest = @digest`,
	CountFingerprints: `SELECT count(*)` + ofTest,
	Fingerprints: `SELECT test_id, locator, fingerprint_json` + ofTest + `
		ORDER BY convert_to(test_id, 'UTF8'), convert_to(locator, 'UTF8') LIMIT @limit`,
	LocatorUses: `SELECT test_id, locator, fingerprint_json FROM breadcrumb_fingerprints
		WHERE repository_id = @repository AND (locator IN (SELECT jsonb_array_elements_text(@locators::jsonb))
			OR rtrim(rtrim(locator, '0123456789'), ' #') IN (SELECT jsonb_array_elements_text(@locators::jsonb)))
		ORDER BY convert_to(test_id, 'UTF8'), convert_to(locator, 'UTF8') LIMIT @limit`,
	Stale:         `SELECT count(*) FROM breadcrumb_fingerprints WHERE repository_id = @repository AND updated_at < @since`,
	ForgetElement: `DELETE FROM breadcrumb_fingerprints WHERE repository_id = @repository AND key_digest = @digest`,

	Heals:         `SELECT * FROM (` + healColumns + ofHeals + newestHeals,
	Refusals:      `SELECT * FROM (` + healColumns + ofRefusals + newestHeals,
	CountHeals:    `SELECT count(*)` + ofHeals,
	CountRefusals: `SELECT count(*)` + ofRefusals,

	AddVeto: `INSERT INTO breadcrumb_vetoes AS old (repository_id, key_digest, test_id, locator, signature, who, at)
		VALUES (@repository, @digest, @test, @locator, @signature, @who, @at)` + saidFirst,
	AddLesson: `INSERT INTO breadcrumb_lessons AS old (repository_id, key_digest, was, now, who, at)
		VALUES (@repository, @digest, @was, @now, @who, @at)` + saidFirst,
	Vetoes: `SELECT * FROM (SELECT test_id, locator, signature, who, at FROM breadcrumb_vetoes
		WHERE repository_id = @repository AND (@test = '' OR test_id IN (@test, ''))
		ORDER BY at DESC, test_id COLLATE "C", locator COLLATE "C", signature COLLATE "C" LIMIT @limit) AS newest
		ORDER BY at, test_id COLLATE "C", locator COLLATE "C", signature COLLATE "C"`,
	Lessons: `SELECT * FROM (SELECT was, now, who, at FROM breadcrumb_lessons WHERE repository_id = @repository
		ORDER BY at DESC, was COLLATE "C", now COLLATE "C" LIMIT @limit) AS newest ORDER BY at, was COLLATE "C", now COLLATE "C"`,

	AddAccepted: `INSERT INTO breadcrumb_accepted AS old (repository_id, key_digest, test_id, locator, fingerprint_json, who, at)
		VALUES (@repository, @digest, @test, @locator, @fingerprint, @who, @at) ON CONFLICT (repository_id, key_digest) DO UPDATE SET
		fingerprint_json = excluded.fingerprint_json, who = excluded.who, at = excluded.at
		WHERE (excluded.at, excluded.fingerprint_json COLLATE "C") > (old.at, old.fingerprint_json COLLATE "C")`,
	LoadAccepted: `SELECT fingerprint_json FROM breadcrumb_accepted WHERE repository_id = @repository AND key_digest = @digest`,
	Accepted: `SELECT test_id, locator, fingerprint_json FROM breadcrumb_accepted WHERE repository_id = @repository AND (@test = '' OR test_id = @test)
		ORDER BY convert_to(test_id, 'UTF8'), convert_to(locator, 'UTF8')`,
	ForgetAccepted: `DELETE FROM breadcrumb_accepted WHERE repository_id = @repository AND key_digest = @digest`,

	Derived: `SELECT value FROM breadcrumb_derived WHERE repository_id = @repository AND name = @name`,
	KeepDerived: `INSERT INTO breadcrumb_derived (repository_id, name, value) VALUES (@repository, @name, @value)
		ON CONFLICT (repository_id, name) DO UPDATE SET value = excluded.value`,
}
