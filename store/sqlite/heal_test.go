package sqlite

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/storetest"
)

func heals(tb testing.TB, db *DB, q store.HealQuery) []engine.HealEvent {
	tb.Helper()
	events, notices, err := db.Heals(tb.Context(), q)
	if err != nil || len(notices) > 0 {
		tb.Fatal(err, notices)
	}
	return events
}

func tests(events []engine.HealEvent) []string {
	var ids []string
	for _, e := range events {
		ids = append(ids, string(e.TestID))
	}
	return ids
}

func TestHealEventsComeBackWhole(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	run := storetest.Run(1, 1)
	run.Heals = []engine.HealEvent{storetest.Heal("a", 1700000500), storetest.Refusal("b"), storetest.Suggestion("c")}
	recorded := recordRun(t, db, run)
	saved := db.path
	mustSave(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, saved)
	want := record.CanonicalHeal(run.Heals[0])
	want.Source = saved
	if diff := cmp.Diff([]engine.HealEvent{want}, heals(t, db, store.HealQuery{Run: recorded.RunID})); diff != "" {
		t.Errorf("heals (-want +got):\n%s", diff)
	}
	want, other := record.CanonicalHeal(run.Heals[1]), record.CanonicalHeal(run.Heals[2])
	want.Source, other.Source = saved, saved
	if diff := cmp.Diff([]engine.HealEvent{want, other}, heals(t, db, store.HealQuery{Refused: true})); diff != "" {
		t.Errorf("refusals (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]engine.HealEvent{other}, heals(t, db, store.HealQuery{Refused: true, Suggested: true})); diff != "" {
		t.Errorf("suggestions (-want +got):\n%s", diff)
	}
}

func TestASuggestionIsNeverCountedAsAHeal(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	run := storetest.Run(1, 1)
	run.Heals = []engine.HealEvent{storetest.Suggestion("a"), storetest.Suggestion("b")}
	recordRun(t, db, run)
	if err := db.AppendHeals(t.Context(), []engine.HealEvent{storetest.Suggestion("c")}); err != nil {
		t.Fatal(err)
	}
	if got := heals(t, db, store.HealQuery{}); len(got) > 0 {
		t.Errorf("heals of %v", tests(got))
	}
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Heals != 0 || stats.Refusals != 3 {
		t.Errorf("%+v, %v", stats, err)
	}
	for q, want := range map[store.HealQuery]int{{}: 0, {Refused: true}: 3, {Refused: true, Suggested: true}: 3} {
		if n, err := db.CountHeals(t.Context(), q); err != nil || n != want {
			t.Errorf("%+v counts %d, %v; want %d", q, n, err, want)
		}
	}
}

func TestAnOlderVersionReadsASuggestionAsARefusal(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	run := storetest.Run(1, 1)
	run.Heals = []engine.HealEvent{storetest.Suggestion("a")}
	recordRun(t, db, run)
	lines, err := readColumn[string](t.Context(), db.sql, `SELECT event_json FROM heal_refusals`)
	if err != nil || len(lines) != 1 {
		t.Fatal(lines, err)
	}
	events, notices := engine.ReadHeals("older", strings.NewReader(lines[0])) // as every version reads a row
	if len(events) != 1 || events[0].Outcome != engine.OutcomeRefused || len(notices) > 0 {
		t.Errorf("read as %+v, %v", events, notices)
	}
}

func TestARefusalThatCallsItselfASuggestionStaysARefusal(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	run := storetest.Run(1, 1)
	run.Heals = []engine.HealEvent{storetest.Refusal("a")}
	run.Heals[0].Extra = map[string]json.RawMessage{"suggested": json.RawMessage("true")}
	recordRun(t, db, run)
	if got := heals(t, db, store.HealQuery{Refused: true}); len(got) != 1 || got[0].Outcome != engine.OutcomeRefused {
		t.Errorf("read as %+v", got)
	}
	if len(run.Heals[0].Extra) != 1 {
		t.Error("the caller's event was changed")
	}
}

func TestASuggestionTravelsWhole(t *testing.T) {
	t.Parallel()
	first := freshDB(t)
	run := storetest.Run(1, 1)
	run.Heals = []engine.HealEvent{storetest.Heal("a", 1700000500), storetest.Suggestion("b"), storetest.Refusal("c")}
	recordRun(t, first, run)
	want := heals(t, first, store.HealQuery{Refused: true, Suggested: true})
	d, err := first.Delta(t.Context(), run.Info, run.ReportDigest)
	if err != nil || len(want) != 1 {
		t.Fatal(want, err)
	}
	var file bytes.Buffer
	if err := d.Write(&file); err != nil {
		t.Fatal(err)
	}
	if d, err = delta.Read(&file); err != nil {
		t.Fatal(err)
	}
	only := &store.OnlyRun{RunID: run.Info.RunID, RunAttempt: 1, Branch: "topic"}
	for name, trust := range map[string]store.Trust{"trusted": {}, "of another branch": {RepositoryID: 7, Only: only}} {
		db := freshDB(t)
		for range 2 {
			if _, err := db.Import(t.Context(), d, trust, name); err != nil {
				t.Fatal(err)
			}
		}
		mustSave(t, db)
		db = again(t, db)
		if diff := cmp.Diff(want, heals(t, db, store.HealQuery{Refused: true, Suggested: true}), cmpopts.IgnoreFields(engine.HealEvent{}, "Source")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if stats, err := db.Stats(t.Context()); err != nil || stats.Heals != 1 || stats.Refusals != 2 {
			t.Errorf("%s: %+v, %v", name, stats, err)
		}
	}
}

// A test that suggests or refuses knows no run: the run that judges it does, which reads
// the test's file and the event.
func TestARefusalOfNoRunIsMergedAndTaken(t *testing.T) {
	t.Parallel()
	run := storetest.Run(1, 1)
	run.Heals = []engine.HealEvent{storetest.Suggestion("b"), storetest.Refusal("c")}
	tests := freshDB(t)
	if err := tests.AppendHeals(t.Context(), run.Heals); err != nil {
		t.Fatal(err)
	}
	db := freshDB(t)
	trust := store.Trust{RepositoryID: 7, Learned: true, Only: &store.OnlyRun{RunID: run.Info.RunID, RunAttempt: 1, Branch: "topic"}}
	done, err := db.Import(t.Context(), everything(t, tests), trust, "the tests' file")
	if err != nil || len(done.Notices) > 0 {
		t.Errorf("%v, %v", done.Notices, err)
	}
	recordRun(t, db, run)
	if stats, err := db.Stats(t.Context()); err != nil || stats.Refusals != 2 {
		t.Errorf("%+v, %v", stats, err)
	}
	var free int
	if err := db.sql.QueryRow(`SELECT count(*) FROM heal_refusals WHERE run = 0`).Scan(&free); err != nil || free != 0 {
		t.Errorf("%d refusals are of no run, %v", free, err)
	}
}

func TestTheSeedNeverSeesARefusal(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	run := storetest.Run(1, 1)
	run.Heals = []engine.HealEvent{storetest.Refusal("b")}
	recordRun(t, db, run)
	mustSave(t, db)
	var n int
	if err := openSeed(t, db.path).db.QueryRowContext(t.Context(), "SELECT count(*) FROM healing_events").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows in healing_events, %v; want none", n, err)
	}
}

func TestAHealIsCountedOnceHoweverItArrives(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	fromSeed, notices, err := ReadSeedHeals(t.Context(), path)
	if err != nil || len(notices) > 0 || len(fromSeed) != 2 {
		t.Fatal(fromSeed, notices, err)
	}
	db := mustOpen(t, path)
	if diff := cmp.Diff([]string{"a", "b"}, tests(heals(t, db, store.HealQuery{Unclaimed: true}))); diff != "" {
		t.Errorf("rows of the seed in no run (-want +got):\n%s", diff)
	}
	first := storetest.Run(1, 1)
	first.Heals = append(fromSeed, storetest.Heal("c", 1700000700))
	if got := recordRun(t, db, first); got.Heals != 3 {
		t.Errorf("%d heals became the run's, want 3", got.Heals)
	}
	second := storetest.Run(2, 1)
	second.Heals = first.Heals
	if got := recordRun(t, db, second); got.Heals != 0 {
		t.Errorf("%d heals counted again", got.Heals)
	}
	if left := heals(t, db, store.HealQuery{Unclaimed: true}); len(left) > 0 {
		t.Errorf("still in no run: %v", tests(left))
	}
	mustSave(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	own, notices, err := ReadSeedHeals(t.Context(), path)
	if err != nil || len(notices) > 0 || len(own) != 3 {
		t.Fatal(own, notices, err)
	}
	db = mustOpen(t, path)
	third := storetest.Run(3, 1)
	third.Heals = own
	if got := recordRun(t, db, third); got.Heals != 0 {
		t.Errorf("%d heals counted again after being read back from our own file", got.Heals)
	}
}

func TestTwoEqualHealsOfOneSourceStayTwo(t *testing.T) {
	t.Parallel()
	f := newSeed(t, 1)
	f.heal("a", "#x", 1700000000)
	f.heal("a", "#x", 1700000000)
	f.close()
	db := mustOpen(t, f.path)
	if n := len(heals(t, db, store.HealQuery{})); n != 2 {
		t.Errorf("%d heals, want 2", n)
	}
	mustSave(t, db)
	if n := len(heals(t, db, store.HealQuery{})); n != 2 {
		t.Errorf("%d heals after saving, want 2", n)
	}
}

func TestReadSeedHealsTellsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	f := newSeed(t, 1)
	f.heal("good", "#x", 1700000000)
	f.exec(seedInsertHeal, "bad json", "#x", 0.9, "{", "{}", 1.0)
	f.exec(seedInsertHeal, "bad confidence", "#x", 7.0, "{}", "{}", 1.0)
	f.exec(seedInsertHeal, "bad time", "#x", 0.9, "{}", "{}", 1e300)
	f.exec(seedInsertHeal, "bad type", "#x", "high", "{}", "{}", 1.0)
	f.exec(seedInsertHeal, "", "#x", 0.9, "{}", "{}", 1.0)
	f.close()
	before := files(t, f.path)
	events, notices, err := ReadSeedHeals(t.Context(), f.path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, files(t, f.path)); diff != "" {
		t.Errorf("the file was touched:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"good"}, tests(events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if events[0].Outcome != engine.OutcomeHealed || events[0].Source != f.path || events[0].HealedLocator != "" {
		t.Errorf("event %+v", events[0])
	}
	var reasons []string
	for _, n := range notices {
		if n.File != f.path || n.Severity != engine.SeverityWarning {
			t.Errorf("notice %+v", n)
		}
		reasons = append(reasons, n.Reason)
	}
	want := []string{
		"healing_events row 2 left out: original_json is no fingerprint: unexpected end of JSON input",
		`healing_events row 3 left out: heal event left out: field "confidence" is 7; want a ratio from 0 to 1`,
		`healing_events row 4 left out: heal event left out: field "timestamp" is 1e+300; want Unix seconds (not milliseconds)`,
		"healing_events row 5 left out: confidence holds no finite number",
		`healing_events row 6 left out: heal event left out: field "test_id" is missing or empty`,
	}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}
