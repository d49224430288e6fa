package store

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

func freshDB(tb testing.TB) *DB {
	tb.Helper()
	return mustOpen(tb, filepath.Join(tb.TempDir(), ".breadcrumb.db"))
}

func result(id string, attempts ...engine.Status) engine.TestResult {
	r := engine.TestResult{ID: id}
	for _, s := range attempts {
		r.Attempts = append(r.Attempts, engine.Attempt{Status: s, DurationMS: 10})
	}
	return r
}

func TestTheSameRunTwiceChangesNothing(t *testing.T) {
	local := runOf(1, 20)
	local.Info = engine.RunInfo{StartedAt: local.Info.StartedAt}
	for name, run := range map[string]Run{"in CI": runOf(1, 20), "locally": local} {
		t.Run(name, func(t *testing.T) {
			run.Heals = []engine.HealEvent{healOf("a", 1700000500), healOf("a", 1700000500), healOf("b", 0), refusalOf("c")}
			db := freshDB(t)
			first := record(t, db, run)
			before := dump(t, db.sql)

			run.Now = run.Now.AddDate(0, 0, 1)
			run.Results = append(run.Results[10:len(run.Results):len(run.Results)], run.Results[:10]...)
			again := record(t, db, run)
			if diff := cmp.Diff(Recorded{RunID: first.RunID, At: first.At, Duplicate: true}, again); diff != "" {
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
			if !record(t, db, run).Duplicate {
				t.Error("not known any more after saving")
			}
			if diff := cmp.Diff(before, dump(t, db.sql)); diff != "" {
				t.Errorf("database after saving (-before +after):\n%s", diff)
			}
		})
	}
}

func TestTheSameKeyWithOtherResultsKeepsBoth(t *testing.T) {
	db := freshDB(t)
	run := runOf(1, 3)
	first := record(t, db, run)
	run.Results = run.Results[:2]
	second := record(t, db, run)
	if !second.Conflict || second.Duplicate || second.RunID == first.RunID {
		t.Errorf("recorded %+v; want a conflict kept apart from run %d", second, first.RunID)
	}
	if again := record(t, db, run); !again.Duplicate || again.RunID != second.RunID {
		t.Errorf("recorded %+v; want the duplicate of run %d", again, second.RunID)
	}
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Runs != 2 || stats.Results != 5 {
		t.Errorf("%+v, %v; want 2 runs, 5 results", stats, err)
	}
}

func TestEveryPartOfTheRunKeyTellsRunsApart(t *testing.T) {
	for name, change := range map[string]func(*Run){
		"repository": func(r *Run) { r.Info.RepositoryID++ },
		"run id":     func(r *Run) { r.Info.RunID++ },
		"attempt":    func(r *Run) { r.Info.RunAttempt++ },
		"workflow":   func(r *Run) { r.Info.Workflow += "2" },
		"job":        func(r *Run) { r.Info.Job += "2" },
		"leg":        func(r *Run) { r.Info.Leg += "2" },
		"reports":    func(r *Run) { r.ReportDigest += "2" },
	} {
		t.Run(name, func(t *testing.T) {
			db := freshDB(t)
			run := runOf(1, 2)
			record(t, db, run)
			change(&run)
			if got := record(t, db, run); got.Duplicate || got.Conflict {
				t.Errorf("another %s counts as the same run: %+v", name, got)
			}
		})
	}
}

func TestEveryAttemptIsAnExecution(t *testing.T) {
	db := freshDB(t)
	run := Run{ReportDigest: "r", Results: []engine.TestResult{
		result("retried", "failed", "error", "passed"),
		result("none"),
		result("strange", "exploded"),
		result("twice", "passed"), result("twice", "failed"),
	}}
	if got := record(t, db, run); got.Results != 7 {
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
	db := freshDB(t)
	huge := strings.Repeat("é", 1<<20)
	run := Run{ReportDigest: "r", Results: []engine.TestResult{
		result("nul \x00 byte", "passed"), result("bad \xff\xfe utf-8", "passed"),
		result(huge, "passed"), result(huge+"!", "failed"), result("", "failed"), result("'; DROP TABLE results; --", "failed"),
	}}
	run.Results[0].Attempts[0].DurationMS = math.NaN()
	run.Results[1].Attempts[0].DurationMS = math.Inf(1)
	run.Results[3].Attempts[0].ErrorType = huge
	bad := healOf("a", math.NaN())
	long := healOf("b", 5)
	long.TestID, long.Locator = huge, huge
	run.Heals = []engine.HealEvent{bad, long, healOf(huge, 5)}
	got := record(t, db, run)
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
		if len(h.TestID) > maxID {
			t.Errorf("an id of %d bytes was stored", len(h.TestID))
		}
	}
}

func TestCleanIDKeepsIdsApartAndIsStable(t *testing.T) {
	long := strings.Repeat("é", maxID)
	for _, id := range []string{"", "plain", "a › b", "nul\x00", "\xff", long, long + "!", strings.Repeat("\xff", maxID)} {
		got := CleanID(id)
		if CleanID(got) != got {
			t.Errorf("CleanID is not stable for %.20q", id)
		}
		if len(got) > maxID || strings.ContainsRune(got, 0) || strings.ToValidUTF8(got, "") != got {
			t.Errorf("CleanID(%.20q) = %.20q", id, got)
		}
	}
	if CleanID(long) == CleanID(long+"!") {
		t.Error("two long ids became one")
	}
}
