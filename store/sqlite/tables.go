package sqlite

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

// What happens to a fingerprint that is there already. In the SET clauses a
// bare name is the old value.
const (
	clashFingerprint = ` ON CONFLICT (test_id, locator) DO UPDATE SET fingerprint_json = excluded.fingerprint_json,
		updated_at = excluded.updated_at`
	// A fingerprint keeps its page when it is written again unchanged.
	replaceFingerprint = clashFingerprint + `,
		page_state = CASE WHEN excluded.page_state IS NOT NULL THEN excluded.page_state
			WHEN fingerprint_json = excluded.fingerprint_json THEN page_state END,
		page_state_of = CASE WHEN excluded.page_state IS NOT NULL THEN excluded.page_state_of
			WHEN fingerprint_json = excluded.fingerprint_json THEN page_state_of END`
	whenNewer     = ` WHERE excluded.updated_at > updated_at`
	unlessTheSame = ` WHERE fingerprint_json <> excluded.fingerprint_json
		OR excluded.page_state IS NOT NULL AND page_state IS NOT excluded.page_state OR ` + notOfToday
	// After a day it is written again, to note that it is still in use.
	notOfToday = `excluded.updated_at NOT BETWEEN updated_at AND updated_at + 86400`
)

var fingerprintColumns = []untrusted.Column{untrusted.Required("test_id", untrusted.ID), untrusted.Required("locator", untrusted.ID),
	untrusted.Required("fingerprint_json", untrusted.JSON), untrusted.Required("updated_at", untrusted.Real)}

// fingerprintsTable is the seed's table; later versions add the page.
func fingerprintsTable(version int) table {
	t := table{name: "fingerprints", since: 1, must: true, clash: clashFingerprint + whenNewer, columns: fingerprintColumns}
	if version >= pagesVersion {
		t.clash = replaceFingerprint + whenNewer
		t.columns = append(fingerprintColumns[:len(fingerprintColumns):len(fingerprintColumns)],
			untrusted.Optional("page_state", untrusted.Digest), untrusted.Optional("page_state_of", untrusted.Digest))
		t.refuse = dropStalePage
	}
	return t
}

// appendedFingerprintsTable is what a seed tool can have written since the
// file was loaded.
func appendedFingerprintsTable() table {
	return table{name: "fingerprints", must: true, clash: replaceFingerprint + whenNewer, columns: fingerprintColumns}
}

// dropStalePage removes the page of a fingerprint that was written anew
// without it, or whose page is missing.
func dropStalePage(v []any, seen *seenIDs) error {
	page, of := record.DigestOf(v[4]), record.DigestOf(v[5])
	if v[4] == nil || v[5] == nil || !seen.states[page] || of != sha256.Sum256([]byte(v[2].(string))) {
		v[4], v[5] = nil, nil
	}
	return nil
}

// healColumns are the columns of the seed, then ours.
var healColumns = []untrusted.Column{
	untrusted.Required("id", untrusted.Int), untrusted.Required("test_id", untrusted.ID), untrusted.Required("locator", untrusted.ID), untrusted.Required("confidence", untrusted.Real),
	untrusted.Required("original_json", untrusted.JSON), untrusted.Required("healed_json", untrusted.JSON), untrusted.Required("timestamp", untrusted.Real),
	untrusted.Optional("run", untrusted.Int), untrusted.Optional("event_json", untrusted.JSON), untrusted.Optional("event_digest", untrusted.Digest),
}

const seedHealColumns = 7

// healColumnsOf returns the columns that a file of the given version has.
func healColumnsOf(version int) []untrusted.Column {
	if version <= seedVersion {
		return healColumns[:seedHealColumns]
	}
	return healColumns
}

// healRowOf makes a row of values that ReadRow has read.
func healRowOf(v []any) record.HealRow {
	r := record.HealRow{ID: v[0], TestID: v[1].(string), Locator: v[2].(string), Confidence: v[3].(float64),
		OriginalJSON: v[4].(string), HealedJSON: v[5].(string), Timestamp: v[6].(float64)}
	if len(v) > seedHealColumns {
		r.Run = v[7]
		r.Event, _ = v[8].(string)
		r.Digest, _ = v[9].([]byte)
	}
	return r
}

// maxStatesBytes bounds the page states of one database. Beyond it the oldest
// are deleted, and their fingerprints stay without a page.
const maxStatesBytes = 64 << 20

func pageStatesTable() table {
	return table{name: "page_states", since: pagesVersion, must: true, clash: ignore, refuse: checkState, columns: []untrusted.Column{
		untrusted.Required("digest", untrusted.Digest), untrusted.Required("state", untrusted.State), untrusted.Required("updated_at", untrusted.Real)}}
}

// checkState refuses a state that does not match its digest, or else one page
// could pass for another. Whether a state can be decoded is seen when it is
// used.
func checkState(v []any, seen *seenIDs) error {
	sum, state := record.DigestOf(v[0]), v[1].([]byte)
	if sum != sha256.Sum256(state) {
		return errors.New("its digest is another's")
	}
	if seen.stateBytes+len(state) > maxStatesBytes {
		return fmt.Errorf("page states are more than %d bytes", maxStatesBytes)
	}
	seen.stateBytes += len(state)
	seen.states[sum] = true
	return nil
}

// table says how the rows of one table are copied from a file.
type table struct {
	name    string
	since   int  // first schema version that has it
	must    bool // the file is unreadable without it
	columns []untrusted.Column
	clash   string                      // ON CONFLICT clause for rows that are there already
	refuse  func([]any, *seenIDs) error // why a well-typed row is left out; nil: never

	// Only of a table for bulkCopy: refuse as SQL. bounds checks a row by
	// itself; dangling finds rows that refer to nothing.
	bounds, dangling string
}

// maxAttempt bounds the attempts of a test in a run.
const maxAttempt = 1 << 31

// seenIDs holds the ids that rows of later tables may refer to.
type seenIDs struct {
	tests, labels, runs map[int64]bool
	states              map[record.Digest]bool
	stateBytes          int
}

const ignore = " ON CONFLICT DO NOTHING"

// tables returns the tables of a schema version whose rows are copied as they
// are, those that others refer to first. loadHeals copies healing_events.
func tables(version int) []table {
	return []table{
		{name: "schema_meta", since: 1, must: true, clash: ignore, refuse: refuseVersion, columns: []untrusted.Column{
			untrusted.Required("key", untrusted.ID), untrusted.Required("value", untrusted.Text)}},
		pageStatesTable(),
		fingerprintsTable(version),
		inboxTable(),
		quarantineTable(version),
		{name: "tests", since: 3, must: true, clash: ignore, refuse: noteTest, columns: []untrusted.Column{
			untrusted.Required("id", untrusted.Int), untrusted.Required("name", untrusted.ID)}},
		{name: "labels", since: 3, must: true, clash: ignore, refuse: noteLabel, columns: []untrusted.Column{
			untrusted.Required("id", untrusted.Int), untrusted.Required("name", untrusted.ID)}},
		runsTable(),
		resultsTable(version),
		refusalsTable(),
		{name: "derived", since: derivedVersion, clash: ignore, columns: []untrusted.Column{untrusted.Required("name", untrusted.ID), untrusted.Required("value", untrusted.Derived)}},
		{name: "quarantine_log", since: 3, must: true, clash: ignore, columns: []untrusted.Column{
			untrusted.Required("id", untrusted.Int), untrusted.Required("at", untrusted.Real), untrusted.Required("test_id", untrusted.ID), untrusted.Required("action", untrusted.Text),
			untrusted.Required("who", untrusted.Text), untrusted.Required("reason", untrusted.Text), untrusted.Required("tier", untrusted.Text), untrusted.Required("flip_rate", untrusted.Real)}},
		{name: "renames", since: stateVersion, must: true, clash: ignore, columns: []untrusted.Column{
			untrusted.Required("id", untrusted.Int), untrusted.Required("old", untrusted.ID), untrusted.Required("new", untrusted.ID), untrusted.Required("at", untrusted.Real)}},
		{name: "moved", since: stateVersion, must: true, clash: ignore, refuse: refuseMoved, columns: []untrusted.Column{
			untrusted.Required("test", untrusted.Int), untrusted.Required("run", untrusted.Int), untrusted.Required("attempt", untrusted.Int), untrusted.Required("was", untrusted.Int), untrusted.Required("nth", untrusted.Int)}},
		{name: "unknown_lines", since: stateVersion, must: true, clash: ignore, columns: []untrusted.Column{
			untrusted.Required("id", untrusted.Int), untrusted.Required("line", untrusted.JSON)}},
		{name: "retention", since: stateVersion, must: true, clash: ignore, refuse: refuseRetention, columns: []untrusted.Column{
			untrusted.Required("id", untrusted.Int), untrusted.Required("before", untrusted.Real)}},
	}
}

// inboxTable is the seed's test_runs. Its rows are checked when they are imported.
func inboxTable() table {
	return table{name: "test_runs", since: 2, columns: []untrusted.Column{
		untrusted.Required("test_id", untrusted.ID), untrusted.Required("status", untrusted.Text), untrusted.Optional("duration_ms", untrusted.Real),
		untrusted.Required("healing_occurred", untrusted.Flag), untrusted.Optional("error_type", untrusted.ID), untrusted.Optional("environment", untrusted.ID),
		untrusted.Required("timestamp", untrusted.Real)}}
}

func quarantineTable(version int) table {
	t := table{name: "quarantine", since: 2, clash: ignore, columns: []untrusted.Column{
		untrusted.Required("test_id", untrusted.ID), untrusted.Required("reason", untrusted.Text), untrusted.Required("quarantined_at", untrusted.Real),
		untrusted.Required("auto_unquarantine", untrusted.Flag)}}
	if version > seedVersion {
		t.columns = append(t.columns, untrusted.Optional("environment", untrusted.ID))
	}
	if version >= evidenceVersion {
		t.columns = append(t.columns, untrusted.Optional("owner", untrusted.Text), untrusted.Optional("commits", untrusted.Text))
	}
	return t
}

// resultsTable has one row an attempt. Later versions add the signature and
// the place of the error.
func resultsTable(version int) table {
	t := table{name: "results", since: 3, must: true, clash: ignore, refuse: refuseResult, columns: slices.Clone(resultColumns),
		bounds:   fmt.Sprintf("attempt BETWEEN 1 AND %d AND status BETWEEN 0 AND %d", maxAttempt, len(store.Statuses)-1),
		dangling: "test NOT IN (SELECT id FROM tests) OR run NOT IN (SELECT id FROM runs)"}
	labels := []string{"error", "environment"}
	if version >= evidenceVersion {
		t.columns, labels = append(t.columns, untrusted.Optional("signature", untrusted.Int)), append(labels, "signature")
	}
	if version >= placesVersion {
		t.columns, labels = append(t.columns, untrusted.Optional("place", untrusted.Int)), append(labels, "place")
	}
	for _, label := range labels {
		t.dangling += fmt.Sprintf(" OR %s IS NOT NULL AND %[1]s NOT IN (SELECT id FROM labels)", label)
	}
	return t
}

func runsTable() table {
	return table{name: "runs", since: 3, must: true, clash: ignore, refuse: checkRun, columns: []untrusted.Column{
		untrusted.Required("id", untrusted.Int), untrusted.Required("repository_id", untrusted.Int), untrusted.Required("run_id", untrusted.Int),
		untrusted.Required("run_attempt", untrusted.Int), untrusted.Required("workflow", untrusted.ID), untrusted.Required("job", untrusted.ID), untrusted.Required("leg", untrusted.ID),
		untrusted.Required("report_digest", untrusted.ID), untrusted.Required("ordinal", untrusted.Int), untrusted.Required("origin", untrusted.Int),
		untrusted.Required("repository", untrusted.ID), untrusted.Required("commit_sha", untrusted.ID), untrusted.Required("head_sha", untrusted.ID),
		untrusted.Required("branch", untrusted.ID), untrusted.Required("pull_request", untrusted.Int), untrusted.Required("fork", untrusted.Flag),
		untrusted.Required("incomplete", untrusted.Flag), untrusted.Required("started_at", untrusted.Real), untrusted.Required("recorded_at", untrusted.Real),
		untrusted.Required("result_count", untrusted.Int), untrusted.Required("payload_digest", untrusted.Digest)}}
}

func refusalsTable() table {
	return table{name: "heal_refusals", since: 3, must: true, clash: ignore, columns: []untrusted.Column{
		untrusted.Required("run", untrusted.Int), untrusted.Required("test_id", untrusted.ID), untrusted.Required("locator", untrusted.ID),
		untrusted.Required("confidence", untrusted.Real), untrusted.Required("reason", untrusted.Text), untrusted.Required("event_json", untrusted.JSON),
		untrusted.Required("event_digest", untrusted.Digest), untrusted.Required("timestamp", untrusted.Real)}}
}

var resultColumns = []untrusted.Column{
	untrusted.Required("test", untrusted.Int), untrusted.Required("run", untrusted.Int), untrusted.Required("attempt", untrusted.Int), untrusted.Required("status", untrusted.Int),
	untrusted.Optional("duration_ms", untrusted.Real), untrusted.Required("healed", untrusted.Flag), untrusted.Optional("error", untrusted.Int),
	untrusted.Optional("environment", untrusted.Int), untrusted.Optional("at", untrusted.Real)}

func refuseVersion(v []any, _ *seenIDs) error {
	if v[0] == "schema_version" {
		return errOurs
	}
	return nil
}

func noteTest(v []any, seen *seenIDs) error { seen.tests[v[0].(int64)] = true; return nil }

func noteLabel(v []any, seen *seenIDs) error { seen.labels[v[0].(int64)] = true; return nil }

func checkRun(v []any, seen *seenIDs) error {
	if k := v[9].(int64); k < 0 || k > int64(store.FromBranch) {
		return fmt.Errorf("origin %d is none", k)
	}
	seen.runs[v[0].(int64)] = true
	return nil
}

func refuseResult(v []any, seen *seenIDs) error {
	known := func(id any, in map[int64]bool) bool { return id == nil || in[id.(int64)] }
	if !seen.tests[v[0].(int64)] || !seen.runs[v[1].(int64)] || !known(v[6], seen.labels) || !known(v[7], seen.labels) {
		return errors.New("it refers to nothing")
	}
	for _, label := range v[len(resultColumns):] {
		if !known(label, seen.labels) {
			return errors.New("it refers to nothing")
		}
	}
	if a := v[2].(int64); a < 1 || a > maxAttempt {
		return fmt.Errorf("attempt %d is none", a)
	}
	if s := v[3].(int64); s < 0 || s >= int64(len(store.Statuses)) {
		return fmt.Errorf("status %d is none", s)
	}
	return nil
}

func refuseMoved(v []any, seen *seenIDs) error {
	if !seen.tests[v[0].(int64)] || !seen.runs[v[1].(int64)] || !seen.tests[v[3].(int64)] {
		return errors.New("it refers to nothing")
	}
	return nil
}

func refuseRetention(v []any, _ *seenIDs) error {
	if v[0].(int64) != 1 {
		return errors.New("there is only one")
	}
	return nil
}

// errOurs leaves a row out without a notice: we write it ourselves.
var errOurs = errors.New("written by the migration")
