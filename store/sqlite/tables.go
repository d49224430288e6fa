package sqlite

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/packed"
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
const healColumns = `id int, test_id id, locator id, confidence real, original_json json, healed_json json, timestamp real,
	run int? since 3, event_json json? since 3, event_digest digest? since 3`

// healRowOf makes a row of values that ReadRow has read.
func healRowOf(v []any) record.HealRow {
	r := record.HealRow{ID: v[0], TestID: v[1].(string), Locator: v[2].(string), Confidence: v[3].(float64),
		OriginalJSON: v[4].(string), HealedJSON: v[5].(string), Timestamp: v[6].(float64)}
	if len(v) > 7 {
		r.Run = v[7]
		r.Event, _ = v[8].(string)
		r.Digest, _ = v[9].([]byte)
	}
	return r
}

// maxStatesBytes bounds the page states of one database. Beyond it the oldest
// are deleted, and their fingerprints stay without a page.
const maxStatesBytes = 64 << 20

// checkState refuses a state that does not match its digest, or else one page
// could pass for another. Whether a state can be decoded is seen when it is
// used.
func checkState(v []any, seen *seenIDs) error {
	sum, state := record.DigestOf(v[0]), v[1].([]byte)
	if sum != sha256.Sum256(state) {
		return errors.New("its digest is another's")
	}
	if seen.stateBytes+len(state) > seen.maxStates {
		return fmt.Errorf("page states are more than %d bytes", seen.maxStates)
	}
	seen.stateBytes += len(state)
	seen.states[sum] = true
	return nil
}

// table says how the rows of one table are copied from a file.
type table struct {
	name     string
	since    int  // first schema version that has it
	until    int  // last one, 0 for none
	optional bool // the file is readable without it
	list     string
	columns  []untrusted.Column          // of the list, those that the file's version has
	clash    string                      // ON CONFLICT clause for rows that are there already
	refers   map[string]string           // tables whose ids are in a column
	refuse   func([]any, *seenIDs) error // why a well-typed row is left out; nil: never
}

// maxAttempt bounds the attempts of a test in a run.
const maxAttempt = 1 << 31

// seenIDs holds the ids that rows of later tables may refer to.
type seenIDs struct {
	ids        map[string]map[int64]bool // by table
	states     map[record.Digest]bool
	stateBytes int // of at most maxStates
	maxStates  int
}

// tables returns the tables of a schema version whose rows are copied as they
// are, those that others refer to first. loadHeals copies healing_events.
func tables(version int) []table {
	all := []table{
		{name: "schema_meta", since: 1, list: "key id, value text", refuse: refuseVersion},
		{name: "page_states", since: pagesVersion, list: "digest digest, state state, updated_at real", refuse: checkState},
		{name: "fingerprints", since: 1, clash: clashFingerprint + whenNewer, list: `test_id id, locator id, fingerprint_json json,
			updated_at real, page_state digest? since 5, page_state_of digest? since 5`},
		// The seed's. Its rows are checked when they are imported.
		{name: "test_runs", since: 2, optional: true, list: `test_id id, status text, duration_ms real?, healing_occurred flag,
			error_type id?, environment id?, timestamp real`},
		{name: "quarantine", since: 2, optional: true, list: `test_id id, reason text, quarantined_at real, auto_unquarantine flag,
			environment id? since 3, owner text? since 4, commits text? since 4`},
		{name: "quarantine_aside", since: asideVersion, list: `test_id id, reason text, quarantined_at real, environment id?, owner text?, commits text?`},
		{name: "tests", since: 3, list: "id int, name id"},
		{name: "labels", since: 3, list: "id int, name id"},
		{name: "runs", since: 3, refuse: refuseRun, list: `id int, repository_id int, run_id int, run_attempt int, workflow id,
			job id, leg id, report_digest id, ordinal int, origin int, repository id, commit_sha id, head_sha id, branch id,
			pull_request int, fork flag, incomplete flag, started_at real, recorded_at real, result_count int, payload_digest digest,
			workflow_id int since 12, pull_requests text since 12`},
		// Its rows are packed, see packResults.
		{name: "results", since: 3, until: packedVersion - 1, refuse: refuseResult, list: `test int, run int, attempt int, status int, duration_ms real?,
			healed flag, error int?, environment int?, at real?, signature int? since 4, place int? since 6`,
			refers: map[string]string{"test": "tests", "run": "runs", "error": "labels", "environment": "labels",
				"signature": "labels", "place": "labels"}},
		{name: "packed_runs", since: packedVersion, list: "run int, results int, packed packed", refuse: refusePacked, refers: map[string]string{"run": "runs"}},
		{name: "heal_refusals", since: 3, list: `run int, test_id id, locator id, confidence real, reason text, event_json json,
			event_digest digest, timestamp real`},
		{name: "derived", since: derivedVersion, optional: true, list: "name id, value derived"},
		{name: "quarantine_log", since: 3, list: `id int, at real, test_id id, action text, who text, reason text, tier text,
			flip_rate real`},
		{name: "renames", since: stateVersion, list: "id int, old id, new id, at real"},
		{name: "moved", since: stateVersion, until: movesVersion - 1, list: "test int, run int, attempt int, was int, nth int",
			refers: map[string]string{"test": "tests", "run": "runs", "was": "tests"}},
		{name: "packed_moves", since: movesVersion, list: "run int, sum int, packed packed", refuse: refuseMoves, refers: map[string]string{"run": "runs"}},
		{name: "vetoes", since: correctionsVersion, list: "id int, test_id id, locator id, signature id, who text, at real"},
		{name: "lessons", since: correctionsVersion, list: "id int, was id, now id, who text, at real"},
		{name: "accepted", since: acceptedVersion, list: "id int, test_id id, locator id, fingerprint_json json, who text, at real"},
		{name: "forgotten", since: forgottenVersion, list: "id int, test_id id, locator id, at real"},
		{name: "unknown_lines", since: stateVersion, list: "id int, line json"},
		{name: "retention", since: stateVersion, list: "id int, before real", refuse: refuseRetention},
	}
	for i := range all {
		t := &all[i]
		t.columns, t.clash = untrusted.Columns(t.list, version), cmp.Or(t.clash, " ON CONFLICT DO NOTHING")
		if t.name == "fingerprints" && version >= pagesVersion {
			t.clash, t.refuse = replaceFingerprint+whenNewer, dropStalePage
		}
	}
	return slices.DeleteFunc(all, func(t table) bool { return t.since > version || t.until != 0 && t.until < version })
}

// tableNamed returns one of the tables of a schema version.
func tableNamed(name string, version int) table {
	all := tables(version)
	return all[slices.IndexFunc(all, func(t table) bool { return t.name == name })]
}

func refuseVersion(v []any, _ *seenIDs) error {
	if v[0] == untrusted.VersionKey || v[0] == untrusted.SinceKey {
		return errOurs
	}
	return nil
}

func refuseRun(v []any, _ *seenIDs) error {
	if k := v[9].(int64); k < 0 || k > int64(store.FromBranch) {
		return fmt.Errorf("origin %d is none", k)
	}
	if len(v) > 21 {
		if _, err := store.ParseGroup(v[22].(string)); err != nil || v[21].(int64) < 0 {
			return errors.New("it is of no workflow or merge group")
		}
	}
	return nil
}

func refuseResult(v []any, _ *seenIDs) error {
	if a := v[2].(int64); a < 1 || a > maxAttempt {
		return fmt.Errorf("attempt %d is none", a)
	}
	if s := v[3].(int64); s < 0 || s >= int64(len(store.Statuses)) {
		return fmt.Errorf("status %d is none", s)
	}
	return nil
}

// refusePacked refuses results that cannot be read or are of no test or label.
func refusePacked(v []any, seen *seenIDs) error {
	rows := int64(0)
	tests, labels := seen.ids["tests"], seen.ids["labels"]
	err := packed.Each(v[2].([]byte), func(r *packed.Row) error {
		rows++
		known := tests[r.Test]
		for _, label := range [...]int64{r.Error, r.Environment, r.Signature, r.Place} {
			known = known && (label == 0 || labels[label])
		}
		if !known {
			return errors.New("it refers to nothing")
		}
		return nil
	})
	if err == nil && rows != v[1] {
		err = fmt.Errorf("it holds %d results and says %d", rows, v[1])
	}
	return err
}

func refuseRetention(v []any, _ *seenIDs) error {
	if v[0].(int64) != 1 {
		return errors.New("there is only one")
	}
	return nil
}

// errOurs leaves a row out without a notice: we write it ourselves.
var errOurs = errors.New("written by the migration")
