package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/cmdtest"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/sqlite"
)

// Two machines run half of the suite each, from what one run learned before. Judged
// together, as examples/workflows/sharded.yml does, each test, loss and learned element
// of theirs is there, once.
func TestShardsAreJudgedTogether(t *testing.T) {
	t.Parallel()
	const version, tests = "1.60.0", "../../examples/shop"
	before := newSuite(t, version, tests)
	if ran := before.runShop(t, "before", 2); ran.code != 0 {
		t.Fatalf("before the redesign: exit code %d", ran.code)
	}
	judge := newSuite(t, version, tests)
	var losses []loss
	learned := map[string]bool{}
	count, merge := 0, []string{"merge"}
	for i := range 2 {
		shard := newSuite(t, version, tests)
		copyFile(t, filepath.Join(before.folder, database), filepath.Join(shard.folder, database))
		passed := shard.runShop(t, "after", 1, fmt.Sprintf("--shard=%d/2", i+1)).passed
		if len(passed) == 0 || len(passed) == len(redesigned) {
			t.Fatalf("shard %d ran %v", i+1, passed)
		}
		count += len(passed)
		for _, e := range shard.events(t) {
			if !e.Ahead { // what another test will lose
				losses = append(losses, loss{e.TestID, e.Locator, e.Occurrence})
			}
		}
		for _, element := range elements(t, shard.folder) {
			learned[element] = true
		}
		download := filepath.Join(judge.folder, "shards", fmt.Sprint(i+1))
		for _, name := range []string{database, "heals/run.ndjson", "results/playwright.xml"} {
			copyFile(t, filepath.Join(shard.folder, name), filepath.Join(download, name))
		}
		merge = append(merge, filepath.Join(download, database))
	}
	if count != len(redesigned) {
		t.Errorf("the shards ran %d tests, want %d", count, len(redesigned))
	}
	judge.breadcrumb(t, 0, append(merge, "--out", database)...)
	for _, again := range []bool{false, true} {
		judge.breadcrumb(t, 1, "ci", "--junit", "shards/*/results/*.xml", "--heal-events", "shards/*/heals/*.ndjson", "--report", "outcome.json")
		judge.checkOutcome(t, losses, again)
	}
	got := elements(t, judge.folder)
	for _, element := range got {
		delete(learned, element)
	}
	if len(learned) > 0 || len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("of the learned elements are lost: %v", learned)
	}
}

// database is the file that breadcrumb run learns into.
const database = ".breadcrumb.db"

// loss is one lost locator of a test.
type loss struct {
	Test       engine.TestID
	Locator    string
	Occurrence int
}

// checkOutcome demands that the report has each loss, and each test, once, and the
// database the run and its heals, once too when they were judged again.
func (s suite) checkOutcome(t *testing.T, losses []loss, again bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, "outcome.json"))
	var outcome struct {
		Counts                     report.Counts
		Healed, Suggested, Refused []struct {
			TestID engine.TestID `json:"test_id"`
		}
	}
	if err := errors.Join(err, json.Unmarshal(text, &outcome)); err != nil {
		t.Fatal(err)
	}
	want, got := map[engine.TestID]int{}, map[engine.TestID]int{}
	for _, l := range losses {
		want[l.Test]++
	}
	for _, e := range slices.Concat(outcome.Healed, outcome.Suggested, outcome.Refused) {
		got[e.TestID]++
	}
	if diff := cmp.Diff(want, got); diff != "" || len(losses) == 0 {
		t.Errorf("losses by test, again %v (-shards +judged):\n%s", again, diff)
	}
	if n := outcome.Counts.Tests; n != len(redesigned)+1 { // one is skipped
		t.Errorf("%d tests were judged", n)
	}
	db := s.open(t)
	defer db.Close()
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Runs != 1 || stats.Heals+stats.Refusals != len(losses) {
		t.Errorf("again %v: %+v, %v; want 1 run and %d losses", again, stats, err, len(losses))
	}
}

func (s suite) open(t *testing.T) *sqlite.DB {
	t.Helper()
	db, err := sqlite.OpenReading(context.Background(), filepath.Join(s.folder, database), sqlite.Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// elements returns the tests and locators of what a folder's database learned, sorted.
func elements(t *testing.T, folder string) (names []string) {
	t.Helper()
	db := suite{folder}.open(t)
	defer db.Close()
	learned, err := db.Learned(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range learned.Records {
		if f, is := r.(*delta.Fingerprint); is {
			names = append(names, f.Test+" "+f.Locator)
		}
	}
	if len(names) == 0 {
		t.Errorf("nothing was learned in %s", folder)
	}
	slices.Sort(names)
	return names
}

// breadcrumb runs the command in the suite's folder and demands its exit code.
func (s suite) breadcrumb(t *testing.T, code int, args ...string) {
	t.Helper()
	cmd := exec.Command(cmdtest.Program(t), args...)
	cmd.Dir = s.folder
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != code {
		t.Fatalf("breadcrumb %v: %v\n%s", args, err, out)
	}
	t.Log(string(out))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o600)); err != nil {
		t.Fatal(err)
	}
}
