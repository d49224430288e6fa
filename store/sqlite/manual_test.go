package sqlite

import (
	"testing"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
)

func TestAManualDeltaBringsOnlyWhatAPersonDecided(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	run, pass := leg(1, "chromium", attempts("a", 1, "passed")), "passed"
	other := freshDB(t)
	recordRun(t, other, run)
	d := everything(t, other)
	d.Records = append(d.Records,
		&delta.Quarantine{Test: "by hand", Reason: "r", Since: 5}, &delta.Change{Action: "add", Test: "by hand", Who: "ada", At: 5},
		&delta.Quarantine{Test: "by evidence", Reason: "r", Since: 5, Auto: true}, &delta.Change{Action: "add", Test: "by evidence", Who: store.Automatic, At: 5},
		&delta.Change{Action: "setting", Test: "max-quarantine", Reason: "100", Who: "ada", At: 5},
		&delta.Veto{Test: "a", Locator: "#x", Signature: "s", Who: "ada", At: 5}, &delta.Lesson{Was: "sign in", Now: "log in", Who: "ada", At: 5},
		&delta.SeedResult{Test: "a", Status: pass, Nth: 1}, &delta.Rename{Old: "a", New: "b", At: 5},
	)
	if _, err := db.Import(t.Context(), d, store.Trust{RepositoryID: 7, Manual: true}, "delta"); err != nil {
		t.Fatal(err)
	}
	entries, err := db.Quarantine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].TestID != "by hand" {
		t.Errorf("in quarantine: %v", entries)
	}
	log, err := db.QuarantineLog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(log) != 1 || log[0].Who != "ada" {
		t.Errorf("log: %v", log)
	}
	vetoes, err := db.Vetoes(t.Context(), "")
	if err != nil || len(vetoes) != 1 {
		t.Errorf("vetoes: %v, %v", vetoes, err)
	}
	lessons, err := db.Lessons(t.Context())
	if err != nil || len(lessons) != 1 {
		t.Errorf("lessons: %v, %v", lessons, err)
	}
	if stats, err := db.Stats(t.Context()); err != nil || stats.Runs+stats.Results+stats.Tests != 0 {
		t.Errorf("rows %+v, %v", stats, err)
	}
}

func TestOnlyReleasesAreTakenFromWhatAnotherWorkflowSaved(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		record delta.Record
		held   bool // the test that a person holds
		log    int  // lines beside that of the hold
	}{
		"a person's release":  {&delta.Change{Action: "release", Test: "held", Who: "ada", At: 6}, false, 1},
		"a release by rule":   {&delta.Change{Action: "release", Test: "held", Who: store.Automatic, At: 6}, true, 0},
		"a hold":              {&delta.Quarantine{Test: "b", Reason: "r", Since: 6}, true, 0},
		"a line of a hold":    {&delta.Change{Action: "add", Test: "b", Who: "ada", At: 6}, true, 0},
		"a veto":              {&delta.Veto{Test: "a", Locator: "#x", Signature: "s", Who: "ada", At: 6}, true, 0},
		"an accepted meaning": {&delta.Lesson{Was: "sign in", Now: "log in", Who: "ada", At: 6}, true, 0},
		"a run":               {&delta.SeedResult{Test: "a", Status: "passed", Nth: 1}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := freshDB(t)
			d := everything(t, freshDB(t))
			hold := *d
			hold.Records = append(hold.Records, &delta.Quarantine{Test: "held", Reason: "r", Since: 5}, &delta.Change{Action: "add", Test: "held", Who: "ada", At: 5})
			if _, err := db.Import(t.Context(), &hold, store.Trust{RepositoryID: 7, Manual: true}, "delta"); err != nil {
				t.Fatal(err)
			}
			d.Records = append(d.Records, tt.record)
			if _, err := db.Import(t.Context(), d, store.Trust{RepositoryID: 7, Releases: true}, "delta"); err != nil {
				t.Fatal(err)
			}
			entries, err := db.Quarantine(t.Context())
			if err != nil || len(entries) > 1 || (len(entries) == 1) != tt.held {
				t.Errorf("in quarantine: %v, %v", entries, err)
			}
			log, err := db.QuarantineLog(t.Context())
			if err != nil || len(log) != 1+tt.log {
				t.Errorf("log: %v, %v", log, err)
			}
			vetoes, err := db.Vetoes(t.Context(), "")
			lessons, otherErr := db.Lessons(t.Context())
			if err != nil || otherErr != nil || len(vetoes)+len(lessons) > 0 {
				t.Errorf("vetoes %v, lessons %v, %v, %v", vetoes, lessons, err, otherErr)
			}
		})
	}
}
