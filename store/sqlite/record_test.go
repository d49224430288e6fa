package sqlite

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/storetest"
)

func freshDB(tb testing.TB) *DB {
	tb.Helper()
	return mustOpen(tb, filepath.Join(tb.TempDir(), ".breadcrumb.db"))
}

func TestTheSameRunTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	local := storetest.Run(1, 20)
	local.Info = engine.RunInfo{StartedAt: local.Info.StartedAt}
	for name, run := range map[string]store.Run{"in CI": storetest.Run(1, 20), "locally": local} {
		t.Run(name, func(t *testing.T) {
			run.Heals = []engine.HealEvent{storetest.Heal("a", 1700000500), storetest.Heal("a", 1700000500), storetest.Heal("b", 0), storetest.Refusal("c")}
			db := freshDB(t)
			first := recordRun(t, db, run)
			before := dump(t, db.sql)

			run.Now = run.Now.AddDate(0, 0, 1)
			run.Results = append(run.Results[10:len(run.Results):len(run.Results)], run.Results[:10]...)
			again := recordRun(t, db, run)
			if diff := cmp.Diff(store.Recorded{RunID: first.RunID, At: first.At, Duplicate: true}, again); diff != "" {
				t.Errorf("second time (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, dump(t, db.sql)); diff != "" {
				t.Errorf("database (-before +after):\n%s", diff)
			}
			mustSave(t, db)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = mustOpen(t, db.path)
			if !recordRun(t, db, run).Duplicate {
				t.Error("not known any more after saving")
			}
			if diff := cmp.Diff(before, dump(t, db.sql)); diff != "" {
				t.Errorf("database after saving (-before +after):\n%s", diff)
			}
		})
	}
}

func TestTheSameKeyWithOtherResultsKeepsBoth(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	run := storetest.Run(1, 3)
	first := recordRun(t, db, run)
	run.Results = run.Results[:2]
	second := recordRun(t, db, run)
	if !second.Conflict || second.Duplicate || second.RunID == first.RunID {
		t.Errorf("recorded %+v; want a conflict kept apart from run %d", second, first.RunID)
	}
	if again := recordRun(t, db, run); !again.Duplicate || again.RunID != second.RunID {
		t.Errorf("recorded %+v; want the duplicate of run %d", again, second.RunID)
	}
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Runs != 2 || stats.Results != 5 {
		t.Errorf("%+v, %v; want 2 runs, 5 results", stats, err)
	}
}

func TestEveryPartOfTheRunKeyTellsRunsApart(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*store.Run){
		"repository": func(r *store.Run) { r.Info.RepositoryID++ },
		"run id":     func(r *store.Run) { r.Info.RunID++ },
		"attempt":    func(r *store.Run) { r.Info.RunAttempt++ },
		"workflow":   func(r *store.Run) { r.Info.Workflow += "2" },
		"job":        func(r *store.Run) { r.Info.Job += "2" },
		"leg":        func(r *store.Run) { r.Info.Leg += "2" },
		"reports":    func(r *store.Run) { r.ReportDigest += "2" },
	} {
		t.Run(name, func(t *testing.T) {
			db := freshDB(t)
			run := storetest.Run(1, 2)
			recordRun(t, db, run)
			change(&run)
			if got := recordRun(t, db, run); got.Duplicate || got.Conflict {
				t.Errorf("another %s counts as the same run: %+v", name, got)
			}
		})
	}
}

func TestEveryAttemptIsAnExecution(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	run := store.Run{ReportDigest: "r", Results: []engine.TestResult{
		storetest.Result("retried", "failed", "error", "passed"),
		storetest.Result("none"),
		storetest.Result("strange", "exploded"),
		storetest.Result("twice", "passed"), storetest.Result("twice", "failed"),
	}}
	if got := recordRun(t, db, run); got.Results != 7 {
		t.Errorf("%d attempts recorded, want 7", got.Results)
	}
	want := []flaky.History{
		{TestID: "none", Statuses: []engine.Status{"error"}},
		{TestID: "retried", Statuses: []engine.Status{"failed", "error", "passed"}},
		{TestID: "strange", Statuses: []engine.Status{"error"}},
		{TestID: "twice", Statuses: []engine.Status{"passed", "failed"}},
	}
	checkHistories(t, db, 20, engine.RunInfo{}, want)
}

func TestHostileTextsAndNumbersAreRecordedBounded(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	huge := strings.Repeat("é", 1<<20)
	run := store.Run{ReportDigest: "r", Results: []engine.TestResult{
		storetest.Result("nul \x00 byte", "passed"), storetest.Result("bad \xff\xfe utf-8", "passed"),
		storetest.Result(huge, "passed"), storetest.Result(huge+"!", "failed"), storetest.Result("", "failed"), storetest.Result("'; DROP TABLE results; --", "failed"),
	}}
	run.Results[0].Attempts[0].DurationMS = math.NaN()
	run.Results[1].Attempts[0].DurationMS = math.Inf(1)
	run.Results[3].Attempts[0].ErrorType = huge
	bad := storetest.Heal("a", math.NaN())
	long := storetest.Heal("b", 5)
	long.TestID, long.Locator = engine.TestID(huge), huge
	run.Heals = []engine.HealEvent{bad, long, storetest.Heal(huge, 5)}
	got := recordRun(t, db, run)
	if got.Results != 6 || got.Heals != 1 || len(got.Notices) != 2 {
		t.Errorf("recorded %+v; want 6 results, 1 heal and 2 notices", got)
	}
	mustSave(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, db.path)
	histories, err := db.Histories(t.Context(), 20, engine.RunInfo{})
	if err != nil || len(histories) != 6 || len(db.Notices()) != 0 {
		t.Fatalf("%d histories, %v, %v; want 6", len(histories), err, db.Notices())
	}
	for _, h := range histories {
		if len(h.TestID) > store.MaxID {
			t.Errorf("an id of %d bytes was stored", len(h.TestID))
		}
	}
}
