package sqlstore

import (
	"context"
	"fmt"
	"math"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// KnownTests returns the ids, sorted, of the tests in the last run of info's
// workflow, job and leg, to find tests that are missing now. A workflow is its id
// or, where either run has none, its file, on whatever branch. A run of before that
// has a called job's id alone counts for every caller, unless it was called twice in
// one run. The last run is of info's own pull request or
// branch or, when there is none, a trusted one. This very run (same run id and
// attempt, or locally the same reportDigest), incomplete runs, runs without
// results and rows of seed tools do not count, and those that began after it, by
// whatever clock, only where there is no other.
func (s *Store) KnownTests(ctx context.Context, info engine.RunInfo, reportDigest string) ([]engine.TestID, error) {
	last, _, err := s.LastTests(ctx, info, reportDigest, nil)
	return last.Tests, err
}

// LastTests is KnownTests with the run that they are of, and false when there is
// none. With a base it is the trusted run of that commit or, when there is none,
// the last one before.
func (s *Store) LastTests(ctx context.Context, info engine.RunInfo, reportDigest string, base *store.Base) (last store.LastTests, found bool, err error) {
	var run int64
	var day any
	args := keyArgs(info, reportDigest)
	args["base"], args["base_at"] = "", math.Inf(-1)
	if base != nil {
		args["base"], args["base_at"] = store.CleanID(base.Commit), store.Unix(base.At)
	}
	found, err = scanRow(ctx, s.conn, s.sql.Reference, args, &run, &day, &last.RunID, &last.Branch, &last.Commit, &last.Trusted)
	if err != nil || !found {
		return store.LastTests{}, false, store.Wrap(err, "find last run")
	}
	last.Tests, err = readColumn[engine.TestID](ctx, s.conn, s.sql.KnownTests, Args{"run": run, "day": day})
	return last, true, store.Wrap(err, "read tests of the last run")
}

// Base returns the counts of the newest complete run of the default branch that began
// before info's run, of the same workflow, job and leg, and false when there is none. A
// run is the row id of info's run. None is returned where the legs of that run cannot be
// told apart, and where it lacks a test that the run before it and info's run had: it was
// cut off, and nobody said so.
func (s *Store) Base(ctx context.Context, info engine.RunInfo, reportDigest string, run int64) (base outcome.Base, found bool, err error) {
	args := keyArgs(info, reportDigest)
	args["default_branch"] = int(store.FromDefault)
	var ids []int64
	var id, ofForge int64
	var first, day any
	var branch, commit string
	var mixed, other bool
	err = s.conn.Each(ctx, s.sql.LastOfMain, args, []any{&id, &day, &ofForge, &branch, &commit, &other}, func() error {
		if len(ids) == 0 {
			base, mixed = outcome.Base{RunID: ofForge, Branch: branch, Commit: commit}, other
		}
		ids, first = append(ids, id), earlierDay(first, day)
		return nil
	})
	if err != nil || len(ids) == 0 || mixed || base.Commit == "" {
		return outcome.Base{}, false, store.Wrap(err, "find the last run of the default branch")
	}
	tests := baseTests{run: run, base: ids[0]}
	var test, of, number int64
	var ms float64
	args = Args{"day": first, "runs": append(ids, run)}
	err = s.conn.Each(ctx, s.sql.TimelineResults, args, []any{&test, &of, &number, &ms}, func() error {
		tests.addAttempt(test, of, store.Statuses[number>>1&3], ms)
		return nil
	})
	tests.endTest()
	base.Tests, base.Failing, base.DurationMS = tests.counts.Tests, tests.counts.Failing, math.Round(tests.counts.DurationMS) // a file gives less exact ones
	return base, err == nil && !tests.cutOff, store.Wrap(err, "read the last run of the default branch")
}

// baseTests counts the tests of a base. Attempts are added sorted by test.
type baseTests struct {
	run, base int64 // row ids of the run that is compared, and of its base
	counts    outcome.Base
	cutOff    bool // a test is in the run and in the one before the base, and not in the base

	// Of the test that attempts are being added to.
	test                  int64
	inRun, inBase, before bool
	last                  engine.Status // in the base
}

func (b *baseTests) addAttempt(test, run int64, status engine.Status, ms float64) {
	if test != b.test {
		b.endTest()
		b.test = test
	}
	switch run {
	case b.run:
		b.inRun = true
	case b.base:
		b.inBase, b.last = true, status
		b.counts.DurationMS += ms
	default:
		b.before = true
	}
}

func (b *baseTests) endTest() {
	if b.inBase {
		b.counts.Tests++
		if b.last.Failing() {
			b.counts.Failing++
		}
	}
	b.cutOff = b.cutOff || b.inRun && b.before && !b.inBase
	b.inRun, b.inBase, b.before = false, false, false
}

// keyArgs are the arguments of a statement that looks for runs of the same
// workflow, job and leg.
func keyArgs(info engine.RunInfo, reportDigest string) Args {
	key := record.KeyOf(info, reportDigest)
	return Args{"file": key.WorkflowFile(), "workflow_id": info.WorkflowID, "job": key.Job, "called": engine.CalledJob(key.Job), "leg": key.Leg, "run_id": key.Run, "run_attempt": key.Attempt,
		"started": store.UnixOrLatest(info.StartedAt), "report_digest": key.ReportDigest, "of_repository": key.Repository, "seed": int(store.FromSeed),
		"origin": int(store.OriginOf(info)), "pull_request": info.PullRequest, "branch": store.CleanID(info.Branch)}
}

// SameReports returns the run id of the newest other run of the same workflow,
// job and leg whose reports have this digest; 0 when there is none or info has
// no run id.
func (s *Store) SameReports(ctx context.Context, info engine.RunInfo, reportDigest string) (run int64, err error) {
	_, err = scanRow(ctx, s.conn, s.sql.SameReports, keyArgs(info, reportDigest), &run)
	return run, store.Wrap(err, "look for the reports in earlier runs")
}

// HasTest reports whether the test ever ran.
func (s *Store) HasTest(ctx context.Context, id engine.TestID) (have bool, err error) {
	_, err = scanRow(ctx, s.conn, s.sql.HasTest, Args{"test": id, "digest": record.NameDigest(id)}, &have)
	return have, store.Wrap(err, "look up test")
}

// LastRun returns the run that was recorded last, and false when there is
// none.
func (s *Store) LastRun(ctx context.Context) (store.RunFacts, bool, error) {
	var f store.RunFacts
	var started, recorded float64
	var from int
	var group string
	found, err := scanRow(ctx, s.conn, s.sql.LastRun, nil,
		&f.ID, &f.Info.RepositoryID, &f.Info.Repository, &f.Info.RunID, &f.Info.RunAttempt, &f.Info.Workflow, &f.Info.Job,
		&f.Info.Leg, &f.ReportDigest, &f.Ordinal, &f.Info.Commit, &f.Info.HeadSHA, &f.Info.Branch, &f.Info.PullRequest,
		&f.Info.Fork, &from, &f.Incomplete, &started, &recorded, &f.Results, &f.Info.WorkflowID, &group)
	if err == nil {
		f.Info.MergeGroup, err = store.ParseGroup(group)
	}
	if err != nil {
		return store.RunFacts{}, false, fmt.Errorf("read last run: %w", err)
	}
	if !found {
		return store.RunFacts{}, false, nil
	}
	f.Info.StartedAt, f.RecordedAt, f.Info.DefaultBranch = store.FromUnix(started), store.FromUnix(recorded), store.Origin(from) == store.FromDefault
	return f, true, nil
}

// Stats counts the rows of every table.
func (s *Store) Stats(ctx context.Context) (store.Stats, error) {
	var n store.Stats
	_, err := scanRow(ctx, s.conn, s.sql.Stats, nil, &n.Fingerprints, &n.PageStates, &n.Heals, &n.Refusals, &n.Tests, &n.Runs,
		&n.Results, &n.Quarantined, &n.QuarantineLog)
	return n, store.Wrap(err, "count rows")
}

// KeepOrder saves in which order the tests of a run stand in their sources,
// for the next KnownOrder of its workflow, job and leg.
func (s *Store) KeepOrder(ctx context.Context, info engine.RunInfo, ids []engine.TestID) error {
	order := record.PackOrder(ids)
	if len(order) > store.MaxDerived {
		return nil
	}
	return store.Wrap(s.keepValue(ctx, record.OrderName(info), order), "keep order of tests")
}

// KnownOrder is KnownTests in the order that was saved last; tests without a
// place in it come last.
func (s *Store) KnownOrder(ctx context.Context, info engine.RunInfo, reportDigest string) ([]engine.TestID, error) {
	ids, err := s.KnownTests(ctx, info, reportDigest)
	if err != nil {
		return nil, err
	}
	order, err := s.Derived(ctx, record.OrderName(info))
	if err != nil {
		return nil, fmt.Errorf("read order of tests: %w", err)
	}
	record.SortInOrder(ids, order)
	return ids, nil
}

// KeepPlaces saves where the tests of a run stood, in the order in which KeepOrder has
// them, for the next KnownPlaces of its workflow, job and leg.
func (s *Store) KeepPlaces(ctx context.Context, info engine.RunInfo, ids []engine.TestID, suite store.Suite) error {
	packed := record.PackPlaces(ids, suite)
	if len(packed) > store.MaxDerived {
		return nil
	}
	return store.Wrap(s.keepValue(ctx, record.PlacesName(info), packed), "keep places of tests")
}

// KnownPlaces returns what was saved last of the named tests. The zero value is where
// nothing was.
func (s *Store) KnownPlaces(ctx context.Context, info engine.RunInfo, ids []engine.TestID) (store.Suite, error) {
	order, err := s.Derived(ctx, record.OrderName(info))
	if err != nil {
		return store.Suite{}, fmt.Errorf("read order of tests: %w", err)
	}
	packed, err := s.Derived(ctx, record.PlacesName(info))
	if err != nil {
		return store.Suite{}, fmt.Errorf("read places of tests: %w", err)
	}
	return record.ReadPlaces(ids, order, packed), nil
}

// SaveCheckpoint saves what the judge knows, for the next LoadCheckpoint. The
// judge must have observed every run of the checkpoint.
func (s *Store) SaveCheckpoint(ctx context.Context, h *store.Checkpoint) error {
	kept := h.Encode()
	if kept == nil {
		return nil
	}
	return store.Wrap(s.keepValue(ctx, h.Name, kept), "keep what was judged")
}

func (s *Store) keepValue(ctx context.Context, name string, value []byte) error {
	if s.Unsaved != nil {
		s.Unsaved[name] = value
		return nil
	}
	return s.KeepDerived(ctx, s.conn, name, value)
}

// KeepPast saves what a test command has to know of earlier runs, for the next
// Derived of that name.
func (s *Store) KeepPast(ctx context.Context, name string, past []byte) error {
	return store.Wrap(s.keepValue(ctx, name, past), "keep what earlier runs say of tests")
}

// KeepDerived writes a derived value.
func (s *Store) KeepDerived(ctx context.Context, conn Conn, name string, value []byte) error {
	_, err := conn.Exec(ctx, s.sql.KeepDerived, Args{"name": name, "value": value})
	return err
}

// Derived returns the value saved under a name, nil when there is none.
func (s *Store) Derived(ctx context.Context, name string) (value []byte, err error) {
	if value, unsaved := s.Unsaved[name]; unsaved {
		return value, nil
	}
	_, err = scanRow(ctx, s.conn, s.sql.Derived, Args{"name": name}, &value)
	return value, err
}
