// Package sqlstore has what the databases do alike: it runs each one's own
// statements over a narrow connection.
package sqlstore

import (
	"context"

	"github.com/breadcrumb/action/store/record"
)

// Args are the arguments of a statement by name: @name stands for one. The
// connection adds @repository, the number of the repository. Arguments that a
// statement does not use are ignored.
type Args map[string]any

// Conn runs statements in a database or a transaction.
type Conn interface {
	// Exec returns how many rows changed.
	Exec(ctx context.Context, statement string, args Args) (int, error)
	// Each scans every row of a query into columns and calls row.
	Each(ctx context.Context, query string, args Args, columns []any, row func() error) error
	// InTx runs fn so that all its changes are made or none. A server may call it
	// more than once.
	InTx(ctx context.Context, fn func(Conn) error) error
	// Writer writes in the transaction of a Conn that InTx made.
	Writer() Writer
}

// Statements is the SQL of one database. Queries say which columns they select.
type Statements struct {
	Quarantine           string // test, reason, since, automatic, environment, owner, commits
	AddEntry, PutEntry   string // one that is there: AddEntry keeps it, PutEntry replaces it
	Release, ReleaseAuto string // ReleaseAuto leaves an entry that only a person releases
	ReleaseAside         string // what the entry hid; "" where nothing is merged
	ChangeTimes          string // when a test, or a setting of that name, was changed, and since when it has an entry
	MoveEntry            string // from @old to @new, or by their digests; only one by evidence unless @proven
	LogChange            string
	Settings             string // name, value
	QuarantineLog        string // at, who, test, whether released, whether a setting, reason, tier, flip rate

	KnownTests  string // name; of the @run of a @day that Reference selects
	Reference   string // the run's id; on a server the day it was recorded, else NULL; run_id, branch, commit, whether trusted
	LastOfMain  string // id, day as Reference has it, run_id, branch, commit, whether another run has all that tells legs apart; at most two, the newest first
	SameReports string // run_id
	HasTest     string // whether it ran
	LastRun     string // see Store.LastRun
	Stats       string // see Store.Stats

	Tests, Labels      string // id, name
	TestsByID          string // id, name; of @tests
	TestsByName        string // id, name; of @names, or of their @digests
	CountedRuns        string // id, day or NULL; newest first, see countedArgs
	Results, ResultsOf string // test, run, attempt * 4 + status; ResultsOf: of @names, or of their @digests
	FailedLately       string // name
	TimelineRuns       string // see Store.Timeline
	TimelineResults    string // test, run, signature * 8 + status * 2 + healed, duration

	CountRuns            string // of the ledger that @trusted names
	EvidenceRuns         string // see evidenceSource.Runs; the newest of a ledger
	Moves                string // a checksum of what renames moved
	Failing, FailingIn   string // test; FailingIn: of @runs
	Evidence, EvidenceIn string // test, run, attempt * 8 + status * 2 + healed, signature, place; EvidenceIn: of @runs
	Executions           string // test, run of @runs that executed it; by test
	CountTests, TestsIn  string // of @runs, each once: how many, their names

	PutPage           string // one that is there was seen again
	LoadFingerprint   string // fingerprint JSON, page state
	CountFingerprints string
	Fingerprints      string // test, locator, fingerprint JSON
	LocatorUses       string // the same, of all uses of a locator
	Stale             string // their number
	ForgetElement     string // deletes a fingerprint
	NoteForgotten     string // so that a merge does not bring it back; "" where nothing is merged

	Heals, Refusals           string // see Store.Heals
	CountHeals, CountRefusals string

	AddVeto, AddLesson string // one that is there stays as it was said first
	Vetoes             string // test, locator, signature, who, at; of @test, oldest first
	Lessons            string // was, now, who, at; oldest first

	AddAccepted    string
	LoadAccepted   string // fingerprint JSON, of the newest for a locator
	Accepted       string // test, locator, fingerprint JSON; by test and locator
	ForgetAccepted string // deletes those of a locator

	Derived, KeepDerived string // value by name
}

// Store is a database of one repository's history. Both databases embed it.
type Store struct {
	conn   Conn
	sql    *Statements
	name   string // of the database, for notices
	States record.CheckedStates

	// Unsaved holds derived values by name that the database writes when it
	// saves; nil when it writes them at once.
	Unsaved map[string][]byte
}

// New returns a store over a connection to the database of a name.
func New(conn Conn, sql *Statements, name string) *Store {
	return &Store{conn: conn, sql: sql, name: name}
}

// scanRow scans the first row of a query. It reports whether there is one.
func scanRow(ctx context.Context, conn Conn, query string, args Args, columns ...any) (found bool, err error) {
	err = conn.Each(ctx, query, args, columns, func() error {
		found = true
		return nil
	})
	return found, err
}

// readColumn returns the values of a query's one column.
func readColumn[T any](ctx context.Context, conn Conn, query string, args Args) (values []T, err error) {
	var v T
	err = conn.Each(ctx, query, args, []any{&v}, func() error {
		values = append(values, v)
		return nil
	})
	return values, err
}
