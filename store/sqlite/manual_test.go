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
