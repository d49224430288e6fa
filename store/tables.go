package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// table says how the rows of one table are taken over from a file.
type table struct {
	name    string
	since   int  // schema version that brought it
	must    bool // its absence makes the file unreadable
	columns []column
	clash   string                      // what a row does that is there already
	refuse  func([]any, *seenIDs) error // nil: every well-typed row is taken

	// Of a table that may be copied wholesale: what refuse allows, in SQL. bounds
	// is of a row by itself; dangling finds rows that refer to nothing.
	bounds, dangling string
}

// maxAttempt bounds the attempts of a test in a run.
const maxAttempt = 1 << 31

// seenIDs holds the ids that later tables may refer to.
type seenIDs struct {
	tests, labels, runs map[int64]bool
	states              map[digest]bool
	stateBytes          int
}

const ignore = " ON CONFLICT DO NOTHING"

// tables returns every table of a schema version whose rows are copied as they
// are, in an order that brings what is referred to first. healing_events is taken over by
// absorbHeals.
func tables(version int) []table {
	return []table{
		{name: "schema_meta", since: 1, must: true, clash: ignore, refuse: refuseVersion, columns: []column{
			{"key", kindID, false}, {"value", kindText, false}}},
		pageStatesTable(),
		fingerprintsTable(version),
		inboxTable(),
		quarantineTable(version),
		{name: "tests", since: 3, must: true, clash: ignore, refuse: seeTest, columns: []column{
			{"id", kindInt, false}, {"name", kindID, false}}},
		{name: "labels", since: 3, must: true, clash: ignore, refuse: seeLabel, columns: []column{
			{"id", kindInt, false}, {"name", kindID, false}}},
		runsTable(),
		resultsTable(version),
		refusalsTable(),
		{name: "derived", since: derivedVersion, clash: ignore, columns: []column{{"name", kindID, false}, {"value", kindDerived, false}}},
		{name: "quarantine_log", since: 3, must: true, clash: ignore, columns: []column{
			{"id", kindInt, false}, {"at", kindReal, false}, {"test_id", kindID, false}, {"action", kindText, false},
			{"who", kindText, false}, {"reason", kindText, false}, {"tier", kindText, false}, {"flip_rate", kindReal, false}}},
		{name: "renames", since: stateVersion, must: true, clash: ignore, columns: []column{
			{"id", kindInt, false}, {"old", kindID, false}, {"new", kindID, false}, {"at", kindReal, false}}},
		{name: "moved", since: stateVersion, must: true, clash: ignore, refuse: refuseMoved, columns: []column{
			{"test", kindInt, false}, {"run", kindInt, false}, {"attempt", kindInt, false}, {"was", kindInt, false}, {"nth", kindInt, false}}},
		{name: "unknown_lines", since: stateVersion, must: true, clash: ignore, columns: []column{
			{"id", kindInt, false}, {"line", kindJSON, false}}},
		{name: "retention", since: stateVersion, must: true, clash: ignore, refuse: refuseRetention, columns: []column{
			{"id", kindInt, false}, {"before", kindReal, false}}},
	}
}

// inboxTable is the seed's test_runs. Its rows are checked when drained.
func inboxTable() table {
	return table{name: "test_runs", since: 2, columns: []column{
		{"test_id", kindID, false}, {"status", kindText, false}, {"duration_ms", kindReal, true},
		{"healing_occurred", kindFlag, false}, {"error_type", kindID, true}, {"environment", kindID, true},
		{"timestamp", kindReal, false}}}
}

func quarantineTable(version int) table {
	t := table{name: "quarantine", since: 2, clash: ignore, columns: []column{
		{"test_id", kindID, false}, {"reason", kindText, false}, {"quarantined_at", kindReal, false},
		{"auto_unquarantine", kindFlag, false}}}
	if version > seedVersion {
		t.columns = append(t.columns, column{"environment", kindID, true})
	}
	if version >= evidenceVersion {
		t.columns = append(t.columns, column{"owner", kindText, true}, column{"commits", kindText, true})
	}
	return t
}

// resultsTable is one row an attempt. The error's signature and place came
// later.
func resultsTable(version int) table {
	t := table{name: "results", since: 3, must: true, clash: ignore, refuse: refuseResult, columns: slices.Clone(resultColumns),
		bounds:   fmt.Sprintf("attempt BETWEEN 1 AND %d AND status BETWEEN 0 AND %d", maxAttempt, len(statuses)-1),
		dangling: "test NOT IN (SELECT id FROM tests) OR run NOT IN (SELECT id FROM runs)"}
	labels := []string{"error", "environment"}
	if version >= evidenceVersion {
		t.columns, labels = append(t.columns, column{"signature", kindInt, true}), append(labels, "signature")
	}
	if version >= placesVersion {
		t.columns, labels = append(t.columns, column{"place", kindInt, true}), append(labels, "place")
	}
	for _, label := range labels {
		t.dangling += fmt.Sprintf(" OR %s IS NOT NULL AND %[1]s NOT IN (SELECT id FROM labels)", label)
	}
	return t
}

func runsTable() table {
	return table{name: "runs", since: 3, must: true, clash: ignore, refuse: seeRun, columns: []column{
		{"id", kindInt, false}, {"repository_id", kindInt, false}, {"run_id", kindInt, false},
		{"run_attempt", kindInt, false}, {"workflow", kindID, false}, {"job", kindID, false}, {"leg", kindID, false},
		{"report_digest", kindID, false}, {"ordinal", kindInt, false}, {"origin", kindInt, false},
		{"repository", kindID, false}, {"commit_sha", kindID, false}, {"head_sha", kindID, false},
		{"branch", kindID, false}, {"pull_request", kindInt, false}, {"fork", kindFlag, false},
		{"incomplete", kindFlag, false}, {"started_at", kindReal, false}, {"recorded_at", kindReal, false},
		{"result_count", kindInt, false}, {"payload_digest", kindDigest, false}}}
}

func refusalsTable() table {
	return table{name: "heal_refusals", since: 3, must: true, clash: ignore, columns: []column{
		{"run", kindInt, false}, {"test_id", kindID, false}, {"locator", kindID, false},
		{"confidence", kindReal, false}, {"reason", kindText, false}, {"event_json", kindJSON, false},
		{"event_digest", kindDigest, false}, {"timestamp", kindReal, false}}}
}

var resultColumns = []column{
	{"test", kindInt, false}, {"run", kindInt, false}, {"attempt", kindInt, false}, {"status", kindInt, false},
	{"duration_ms", kindReal, true}, {"healed", kindFlag, false}, {"error", kindInt, true},
	{"environment", kindInt, true}, {"at", kindReal, true}}

func refuseVersion(v []any, _ *seenIDs) error {
	if v[0] == "schema_version" {
		return errOurs
	}
	return nil
}

func seeTest(v []any, seen *seenIDs) error  { seen.tests[v[0].(int64)] = true; return nil }
func seeLabel(v []any, seen *seenIDs) error { seen.labels[v[0].(int64)] = true; return nil }

func seeRun(v []any, seen *seenIDs) error {
	if k := v[9].(int64); k < 0 || k > int64(fromBranch) {
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
	if s := v[3].(int64); s < 0 || s >= int64(len(statuses)) {
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

// errOurs leaves a row out without a word: we write it ourselves.
var errOurs = errors.New("written by the migration")

// copyTables copies the tables of a file of schema version base.
func (db *DB) copyTables(ctx context.Context, r *reader, base int) error {
	seen := &seenIDs{tests: map[int64]bool{}, labels: map[int64]bool{}, runs: map[int64]bool{}, states: map[digest]bool{}}
	for _, t := range tables(base) {
		if t.since > base {
			continue
		}
		if err := db.copyTable(ctx, r, t, seen); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) copyTable(ctx context.Context, r *reader, t table, seen *seenIDs) error {
	there, err := r.check(ctx, t.name, t.columns)
	if err == nil && !there && t.must {
		err = fmt.Errorf("it has no table %s", t.name)
	}
	if err != nil {
		return unreadable(db.path, err)
	}
	if !there {
		return nil
	}
	if t.bounds != "" {
		if whole, err := db.copyWholesale(ctx, r, t); whole || err != nil {
			return err
		}
	}
	left := leftOut{what: "row of " + t.name}
	err = inTx(ctx, db.sql, func(tx *sql.Tx) error { return copyRows(ctx, tx, r, t, seen, &left) })
	if n := left.notice(db.path); n != nil {
		db.notices = append(db.notices, *n)
	}
	var fault workError
	if errors.As(err, &fault) {
		return fmt.Errorf("copy %s: %w", t.name, fault.error)
	}
	if err != nil {
		return unreadable(db.path, fmt.Errorf("table %s: %w", t.name, err))
	}
	return nil
}

// workError marks a fault of the working database apart from one of the file.
type workError struct{ error }

// Unwrap returns the fault.
func (e workError) Unwrap() error { return e.error }

func copyRows(ctx context.Context, tx *sql.Tx, r *reader, t table, seen *seenIDs, left *leftOut) error {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	insert, err := newBatch(ctx, tx, "INSERT INTO "+t.name+" ("+strings.Join(names, ", ")+") VALUES ", len(names), t.clash)
	if err != nil {
		return workError{err}
	}
	defer insert.close()
	err = r.rows(ctx, t.name, t.columns, func(values []any) error {
		err := readRow(t.columns, values)
		if err == nil && t.refuse != nil {
			err = t.refuse(values, seen)
		}
		if err != nil {
			left.add(err)
			return nil
		}
		return insert.add(ctx, values)
	})
	if err != nil {
		return err
	}
	return insert.flush(ctx)
}

// leftOut counts what could not be used and keeps the first reason.
type leftOut struct {
	what  string
	count int
	first error
}

func (l *leftOut) add(err error) {
	if errors.Is(err, errOurs) {
		return
	}
	if l.count++; l.first == nil {
		l.first = err
	}
}

// err returns nil when nothing was left out.
func (l *leftOut) err() error {
	if l.count == 0 {
		return nil
	}
	return fmt.Errorf("%d × %s %w; the first: %w", l.count, l.what, ErrLeftOut, l.first)
}

func (l *leftOut) notice(file string) *engine.Notice {
	if l.count == 0 {
		return nil
	}
	return &engine.Notice{File: file, Severity: engine.SeverityWarning,
		Reason: fmt.Sprintf("%d × %s left out; the first: %v", l.count, l.what, l.first)}
}
