package sqlite

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/storetest"
)

// mergeSets is how many random sets of deltas the properties are tried on.
func mergeSets() int { return promise.Count("merges") }

// randomDelta draws from few runs, tests and times, so that deltas clash.
func randomDelta(r *rand.Rand) *delta.Delta {
	d := &delta.Delta{Schema: schemaVersion}
	add := func(one delta.Record) { d.Records = append(d.Records, one) }
	at := func() float64 { return float64(1_700_000_000 + r.IntN(12)*100_000 + (r.IntN(3)-1)*decade) }
	test := func() string { return fmt.Sprintf("test %d", r.IntN(5)) }
	for range 1 + r.IntN(3) {
		randomRun(r, d, at)
	}
	for range r.IntN(3) {
		add(&delta.Change{Action: []string{"add", "release", "setting"}[r.IntN(3)], At: at(), Test: test(), Who: []string{"breadcrumb", "ada"}[r.IntN(2)],
			Reason: []string{"r", store.MovedTo + "test 9"}[r.IntN(2)]})
		add(&delta.Quarantine{Test: test(), Since: at(), Reason: fmt.Sprint("because ", r.IntN(2)), Auto: r.IntN(2) == 0})
		add(&delta.Rename{Old: test(), New: test(), At: at()})
		page := []byte{byte(r.IntN(3))}
		sum := sha256.Sum256(page)
		add(&delta.Page{State: page, UpdatedAt: at()})
		add(&delta.Fingerprint{Test: test(), Locator: "#x", JSON: fmt.Sprintf(`{"tag":"a%d"}`, r.IntN(2)), Page: sum[:], UpdatedAt: at()})
		add(&delta.Veto{Test: []string{"", test()}[r.IntN(2)], Locator: "#x", Signature: fmt.Sprint("s", r.IntN(2)), Who: []string{"ada", "bob"}[r.IntN(2)], At: at()})
		add(&delta.Accepted{Test: test(), Locator: "#x", JSON: fmt.Sprintf(`{"tag":"b%d"}`, r.IntN(2)), Who: []string{"ada", "bob"}[r.IntN(2)], At: at()})
		add(&delta.Forgotten{Test: test(), Locator: "#x", At: at()})
		add(&delta.Lesson{Was: "sign in", Now: fmt.Sprint("log in ", r.IntN(3)), Who: []string{"ada", "bob"}[r.IntN(2)], At: at()})
		add(&delta.SeedResult{Test: test(), At: float64(1_600_000_000 + r.IntN(3)), Nth: 1 + r.IntN(2), Status: "passed"})
	}
	if r.IntN(4) == 0 {
		add(&delta.Retention{Before: float64(1_700_000_000 + r.IntN(4)*100_000)})
		add(&delta.Unknown{Line: fmt.Sprintf(`{"_":"comet","tail":%d}`, r.IntN(3))})
	}
	return d
}

// skews are how wrong the clocks of runners are, in seconds: a run keeps its
// own, whoever tells of it.
var skews = []int{0, -decade, decade}

const decade = 10 * 365 * 86_400

func randomRun(r *rand.Rand, d *delta.Delta, at func() float64) {
	n := r.IntN(8)
	key := delta.Key{RepositoryID: 7, RunID: int64(n), RunAttempt: 1, Workflow: "ci", Job: "e2e"}
	payload := sha256.Sum256([]byte{byte(r.IntN(2))})
	run := key.ID(payload[:])
	d.Records = append(d.Records, &delta.Run{Key: key, Payload: payload[:], Origin: []int{1, 1, 1, 3}[n%4], PullRequest: n % 2,
		WorkflowID: int64(r.IntN(3)), PullRequests: []string{"", "12", "12 13"}[r.IntN(3)],
		StartedAt: float64(1_700_000_000 + n*100_000 + skews[n%3]), RecordedAt: at(), Results: 3, Branch: fmt.Sprint("b", r.IntN(2))})
	for i := range 3 {
		took := float64(i)
		d.Records = append(d.Records, &delta.Result{Run: run, Test: fmt.Sprintf("test %d", (n+i)%5), Attempt: 1, Status: "failed",
			DurationMS: &took, Healed: r.IntN(3) == 0, Signature: []string{"", "a", "b"}[r.IntN(3)], Place: []string{"", "a:1", "b:1"}[r.IntN(3)]})
	}
	digest := sha256.Sum256([]byte{byte(r.IntN(3))})
	d.Records = append(d.Records, &delta.Heal{Kind: delta.KindHeal, Digest: digest[:], Test: "test 1", Locator: "#x", Run: []string{run, ""}[r.IntN(2)], Timestamp: 1_700_100_000},
		&delta.Heal{Kind: delta.KindRefusal, Digest: digest[:], Test: "test 1", Locator: "#x", Run: run, Timestamp: 1_700_100_000,
			Event: someEvents[r.IntN(len(someEvents))]})
}

// someEvents are events of a row that clash: none, a refusal and a suggestion.
var someEvents = []string{"", eventOf(storetest.Refusal("test 1")), eventOf(storetest.Suggestion("test 1"))}

func eventOf(e engine.HealEvent) string {
	row, err := record.HealRowOf(e)
	if err != nil {
		panic(err)
	}
	return row.Event
}

func mergeAll(t *testing.T, db *DB, deltas ...*delta.Delta) {
	t.Helper()
	for i, d := range deltas {
		if _, err := db.Import(t.Context(), d, store.Trust{}, fmt.Sprint("delta ", i)); err != nil {
			t.Fatal(err)
		}
	}
}

// canonicalDump is all a database holds, as text.
func canonicalDump(t *testing.T, db *DB) string {
	t.Helper()
	all, err := db.Everything(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	body, _, err := all.Body()
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func everything(t *testing.T, db *DB) *delta.Delta {
	t.Helper()
	all, err := db.Everything(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sameHistories wants two databases to be judged alike.
func sameHistories(t *testing.T, a, b *DB) {
	t.Helper()
	info := engine.RunInfo{RepositoryID: 7}
	first, err := a.Histories(t.Context(), 20, info)
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.Histories(t.Context(), 20, info)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("histories differ: %s", diff)
	}
	suggested := store.HealQuery{Refused: true, Suggested: true}
	if diff := cmp.Diff(heals(t, a, suggested), heals(t, b, suggested), cmpopts.IgnoreFields(engine.HealEvent{}, "Source")); diff != "" {
		t.Errorf("suggestions differ: %s", diff)
	}
}

func TestMergeForgetsOrderRepetitionAndGrouping(t *testing.T) {
	t.Parallel()
	for seed := range mergeSets() {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		var deltas []*delta.Delta
		for range 2 + r.IntN(4) {
			deltas = append(deltas, randomDelta(r))
		}
		inOrder := freshDB(t)
		mergeAll(t, inOrder, deltas...)
		want := canonicalDump(t, inOrder)

		shuffled := freshDB(t)
		order := append(r.Perm(len(deltas)), r.Perm(len(deltas))...)
		for _, i := range order {
			mergeAll(t, shuffled, deltas[i])
		}
		if diff := cmp.Diff(want, canonicalDump(t, shuffled)); diff != "" {
			t.Fatalf("set %d in the order %v: %s", seed, order, diff)
		}
		left, right := freshDB(t), freshDB(t)
		cut := r.IntN(len(deltas))
		mergeAll(t, left, deltas[:cut]...)
		mergeAll(t, right, deltas[cut:]...)
		mergeAll(t, right, everything(t, left))
		if diff := cmp.Diff(want, canonicalDump(t, right)); diff != "" {
			t.Fatalf("set %d cut at %d: %s", seed, cut, diff)
		}
		sameHistories(t, inOrder, shuffled)
		sameHistories(t, inOrder, right)
		for _, db := range []*DB{inOrder, shuffled, left, right} {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestWhatIsLetGoStaysAwayWhateverComesLate(t *testing.T) {
	t.Parallel()
	keep := store.Retention{Runs: 2, Before: time.Unix(1_700_150_000, 0)}
	for seed := range mergeSets() {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		var deltas []*delta.Delta
		for range 5 {
			deltas = append(deltas, randomDelta(r))
		}
		whole, parts := freshDB(t), freshDB(t)
		mergeAll(t, whole, deltas...)
		if err := whole.Retain(t.Context(), keep); err != nil {
			t.Fatal(err)
		}
		for _, i := range append(r.Perm(5), r.Perm(5)...) {
			mergeAll(t, parts, deltas[i])
			if err := parts.Retain(t.Context(), keep); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(canonicalDump(t, whole), canonicalDump(t, parts)); diff != "" {
			t.Fatalf("set %d: %s", seed, diff)
		}
		sameHistories(t, whole, parts)
		if err := whole.Close(); err != nil {
			t.Fatal(err)
		}
		if err := parts.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnUntrustedDeltaSpeaksForItsOwnRunAlone(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	before := canonicalDump(t, db)
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		only := &store.OnlyRun{RunID: 4, RunAttempt: 1, Branch: "feature"}
		if _, err := db.Import(t.Context(), randomDelta(r), store.Trust{RepositoryID: 7, Only: only}, "forged"); err != nil {
			t.Fatal(err)
		}
	}
	after := canonicalDump(t, db)
	if before == after {
		t.Fatal("nothing was taken, so the test shows nothing")
	}
	for line := range strings.Lines(after) {
		for _, kind := range []string{"quarantine", "change", "rename", "fingerprint", "page", "retention", "seed_result", "comet", "veto", "lesson", "forgotten"} {
			if strings.HasPrefix(line, `{"_":"`+kind+`"`) {
				t.Errorf("taken: %s", line)
			}
		}
	}
	histories, err := db.Histories(t.Context(), 20, engine.RunInfo{RepositoryID: 7, DefaultBranch: true})
	if err != nil || len(histories) != 0 {
		t.Errorf("the default branch sees %v, %v", histories, err)
	}
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Runs != 2 {
		t.Errorf("%d runs, want the run's own under two payloads; %v", stats.Runs, err)
	}
}

func TestADeltaHoldsWhatIsNewSinceTheMark(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	first := mustOpen(t, path)
	recordRun(t, first, storetest.Run(1, 20))
	mustSave(t, first)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	db := mustOpen(t, path)
	base := everything(t, db)
	recordRun(t, db, storetest.Run(2, 20))
	if err := db.QuarantineAdd(t.Context(), storetest.Entry(3), "ada"); err != nil {
		t.Fatal(err)
	}
	d, err := db.Delta(t.Context(), storetest.Run(2, 20).Info, storetest.Run(2, 20).ReportDigest)
	if err != nil {
		t.Fatal(err)
	}
	_, counts, err := d.Body()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"run": 1, "result": 20, "quarantine": 1, "change": 1}, counts); diff != "" {
		t.Error(diff)
	}
	other := freshDB(t)
	mergeAll(t, other, d, base)
	if diff := cmp.Diff(canonicalDump(t, db), canonicalDump(t, other)); diff != "" {
		t.Error(diff)
	}
}

func TestAFileIsMergedIntoWhatBeginBrought(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	local, snapshot := filepath.Join(dir, "local.db"), filepath.Join(dir, "snapshot.db")
	for number, path := range []string{local, snapshot} {
		db := mustOpen(t, path)
		recordRun(t, db, storetest.Run(number, 10))
		mustSave(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db, err := Open(t.Context(), local, Options{Begin: func(ctx context.Context, db *DB) error { return db.LoadFile(ctx, snapshot) }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for number := range 2 {
		if !recordRun(t, db, storetest.Run(number, 10)).Duplicate {
			t.Errorf("run %d is not there", number)
		}
	}
	d, err := db.Delta(t.Context(), storetest.Run(0, 1).Info, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, counts, _ := d.Body(); counts["run"] != 1 || counts["result"] != 10 {
		t.Errorf("the delta holds %v, want what the file added to the snapshot", counts)
	}
	mustSave(t, db)
}
