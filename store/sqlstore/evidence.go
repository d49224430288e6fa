package sqlstore

import (
	"context"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Evidence is store.LoadEvidence of this database.
func (s *Store) Evidence(ctx context.Context, info engine.RunInfo) (store.Evidence, error) {
	return store.LoadEvidence(ctx, &evidenceSource{Store: s}, info)
}

// LoadCheckpoint is store.LoadCheckpoint of this database.
func (s *Store) LoadCheckpoint(ctx context.Context, info engine.RunInfo, run int64) (*store.Checkpoint, error) {
	return store.LoadCheckpoint(ctx, &evidenceSource{Store: s}, info, run)
}

// NameTests fills in the ids of the tests with these numbers.
func (s *Store) NameTests(ctx context.Context, e *store.Evidence, tests []int) error {
	return store.NameTests(ctx, &evidenceSource{Store: s}, e, tests)
}

// FindTests fills in the ids of those of the named tests that are in e.
func (s *Store) FindTests(ctx context.Context, e *store.Evidence, names []engine.TestID) error {
	return store.FindTests(ctx, &evidenceSource{Store: s}, e, names)
}

// evidenceSource reads evidence from a database.
type evidenceSource struct {
	*Store
	first any // day on which the first of the runs was recorded, where the database has it
}

// Runs is store.RunSource.Runs.
func (s *evidenceSource) Runs(ctx context.Context, info engine.RunInfo, b *store.EvidenceBuilder) error {
	variants := record.Variants{}
	runs := 0
	for _, trusted := range []bool{true, false} {
		args := Args{"of_repository": info.RepositoryID, "trusted": trusted}
		var all int
		if _, err := scanRow(ctx, s.conn, s.sql.CountRuns, args, &all); err != nil {
			return err
		}
		args["limit"] = store.EvidenceWindow(all)
		added, err := s.runsOf(ctx, args, b, &variants)
		if err != nil {
			return err
		}
		runs += added
	}
	for i := range runs {
		b.SetVariant(i, variants.Name(i))
	}
	return nil
}

// runsOf adds the newest runs of one ledger and returns how many those are.
func (s *evidenceSource) runsOf(ctx context.Context, args Args, b *store.EvidenceBuilder, variants *record.Variants) (added int, err error) {
	var r store.EvidenceRun
	var from, pr int
	var branch, pulls string
	var day any
	var payload []byte
	var key record.RunKey
	var workflow int64
	columns := []any{&r.ID, &day, &r.Started, &r.RunID, &r.Attempt, &r.Incomplete, &key.Workflow, &key.Job, &key.Leg, &key.ReportDigest,
		&workflow, &from, &r.Commit, &branch, &pr, &pulls, &r.Run.Tests, &payload}
	err = s.conn.Each(ctx, s.sql.EvidenceRuns, args, columns, func() error {
		group, err := store.ParseGroup(pulls)
		if err != nil {
			return err
		}
		r.Sources, r.Queued = store.SourceOf(store.Origin(from), branch, pr, group), len(group) > 0
		variants.Add(key, workflow)
		b.AddRun(r, strings.Join([]string{key.Workflow, key.Job, key.Leg, key.ReportDigest}, "\n"), payload)
		s.first = earlierDay(s.first, day)
		added++
		return nil
	})
	return added, err
}

// Moves is store.RunSource.Moves.
func (s *evidenceSource) Moves(ctx context.Context) (string, error) {
	var moves []byte
	_, err := scanRow(ctx, s.conn, s.sql.Moves, nil, &moves)
	return string(moves), err
}

// Failing is store.ResultSource.Failing.
func (s *evidenceSource) Failing(ctx context.Context, runs []int64) ([]int64, error) {
	statement := s.sql.FailingIn
	if runs == nil {
		statement = s.sql.Failing
	}
	return readColumn[int64](ctx, s.conn, statement, Args{"runs": runs})
}

// Results is store.ResultSource.Results.
func (s *evidenceSource) Results(ctx context.Context, b *store.EvidenceBuilder, tests, runs []int64) error {
	labels, err := namesByID[string](ctx, s.conn, s.sql.Labels, nil)
	if err != nil {
		return err
	}
	statement := s.sql.EvidenceIn
	if runs == nil {
		statement = s.sql.Evidence
	}
	group := b.ReadAttempts(labels)
	var test, run, packed, signature, place int64
	args := Args{"day": s.first, "tests": tests, "runs": runs}
	err = s.conn.Each(ctx, statement, args, []any{&test, &run, &packed, &signature, &place}, func() error {
		group.Add(test, run, packed, signature, place)
		return nil
	})
	group.Finish()
	return err
}

// Executions is store.ResultSource.Executions.
func (s *evidenceSource) Executions(ctx context.Context, b *store.EvidenceBuilder, tests []int64) error {
	counter := b.CountExecutions()
	var test, run int64
	args := Args{"day": s.first, "tests": tests, "runs": b.ObservedRuns()}
	return s.conn.Each(ctx, s.sql.Executions, args, []any{&test, &run}, func() error {
		counter.Add(test, run)
		return nil
	})
}

// CountSuite returns how many tests a suite has: see store.Checkpoint.Suite.
func (s *Store) CountSuite(ctx context.Context, c *store.Checkpoint) (tests int, err error) {
	_, err = scanRow(ctx, s.conn, s.sql.CountTests, Args{"runs": c.Suite}, &tests)
	return tests, store.Wrap(err, "count the tests of the suite")
}

// TestsIn returns the tests with results in runs, given by their row ids, each once.
func (s *Store) TestsIn(ctx context.Context, runs []int64) ([]engine.TestID, error) {
	tests, err := readColumn[engine.TestID](ctx, s.conn, s.sql.TestsIn, Args{"runs": runs})
	return tests, store.Wrap(err, "read the tests of runs")
}

// TestNames is store.NameSource.TestNames.
func (s *evidenceSource) TestNames(ctx context.Context, ids []int64) (map[int64]engine.TestID, error) {
	return namesByID[engine.TestID](ctx, s.conn, s.sql.TestsByID, Args{"tests": ids})
}

// TestsNamed is store.NameSource.TestsNamed.
func (s *evidenceSource) TestsNamed(ctx context.Context, names []engine.TestID) (map[int64]engine.TestID, error) {
	list, digests := nameLists(names)
	return namesByID[engine.TestID](ctx, s.conn, s.sql.TestsByName, Args{"names": list, "digests": digests})
}
