package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/internal/pgtest"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
	"github.com/breadcrumb/action/store/storetest"
)

// TestMain stops the server that the tests started.
func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

func openPostgres(tb testing.TB, url string, repository int64) *DB {
	tb.Helper()
	db, err := Open(tb.Context(), url, repository)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

func openFile(tb testing.TB) *sqlite.DB {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "history.db"), sqlite.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

// both is what the two stores have in common.
type both interface {
	AddAccepted(context.Context, store.Accepted) error
	AddLesson(context.Context, store.Lesson) error
	AddVeto(context.Context, store.Veto) error
	Forget(context.Context, store.Learned, time.Time) ([]store.LearnedElement, error)
	Lessons(context.Context) ([]store.Lesson, error)
	Recall(context.Context, engine.TestID, string) (engine.Fingerprint, []byte, bool, error)
	Vetoes(context.Context, engine.TestID) ([]store.Veto, error)
	WithdrawVeto(context.Context, store.Veto) error
	ApplyChanges(context.Context, []flaky.Change, time.Time) error
	Close() error
	FindTests(context.Context, *store.Evidence, []engine.TestID) error
	LoadCheckpoint(context.Context, engine.RunInfo, int64) (*store.Checkpoint, error)
	SaveCheckpoint(context.Context, *store.Checkpoint) error
	NameTests(context.Context, *store.Evidence, []int) error
	HistoriesSince(context.Context, int, time.Time) ([]flaky.History, int, error)
	Evidence(context.Context, engine.RunInfo) (store.Evidence, error)
	HasTest(context.Context, engine.TestID) (bool, error)
	CountHeals(context.Context, store.HealQuery) (int, error)
	Heals(context.Context, store.HealQuery) ([]engine.HealEvent, []engine.Notice, error)
	FailedLately(context.Context, int, int, engine.RunInfo) ([]engine.TestID, error)
	Histories(context.Context, int, engine.RunInfo) ([]flaky.History, error)
	HistoriesOf(context.Context, []engine.TestID, int, engine.RunInfo) ([]flaky.History, error)
	KeepOrder(context.Context, engine.RunInfo, []engine.TestID) error
	KnownOrder(context.Context, engine.RunInfo, string) ([]engine.TestID, error)
	KeepPlaces(context.Context, engine.RunInfo, []engine.TestID, store.Suite) error
	KnownPlaces(context.Context, engine.RunInfo, []engine.TestID) (store.Suite, error)
	KnownTests(context.Context, engine.RunInfo, string) ([]engine.TestID, error)
	LastRun(context.Context) (store.RunFacts, bool, error)
	LoadFingerprint(context.Context, engine.TestID, string) (engine.Fingerprint, []byte, bool, error)
	LogSetting(context.Context, string, string, string, time.Time) error
	Quarantine(context.Context) ([]flaky.Entry, error)
	QuarantineAdd(context.Context, flaky.Entry, string) error
	QuarantineLog(context.Context) ([]store.LogEntry, error)
	QuarantineRelease(context.Context, engine.TestID, string, string, time.Time) (bool, error)
	RecordRun(context.Context, store.Run) (store.Recorded, error)
	RenameTests(context.Context, []flaky.Rename, time.Time) ([]flaky.Rename, error)
	SameReports(context.Context, engine.RunInfo, string) (int64, error)
	Save(context.Context) error
	SaveFingerprints(context.Context, []engine.Fingerprint, []byte, time.Time) error
	Settings(context.Context) (map[string]string, error)
	Fingerprints(context.Context, engine.TestID, int) (store.Fingerprints, error)
	LocatorUses(context.Context, []string, int) (store.Fingerprints, error)
	Stale(context.Context, time.Time) (int, error)
	Stats(context.Context) (store.Stats, error)
	Timeline(context.Context, int, time.Time) (outcome.Timeline, error)
}

// said writes down what one operation of a store answered.
func said(values ...any) string { return fmt.Sprintf("%+v", values) }

// act performs a random operation and returns what the store said to it. The
// same seed performs the same one.
func act(ctx context.Context, db both, r *rand.Rand, step int) string {
	info := someInfo(r)
	test := fmt.Sprintf("test %d", r.IntN(12))
	at := time.Unix(1_700_000_000, 0).UTC().Add(time.Duration(step) * time.Minute)
	switch r.IntN(13) {
	case 12:
		ids := []engine.TestID{"test 3", engine.TestID(test), "test 0", "test 11"}
		places := store.Suite{RunID: info.RunID, Commit: info.Commit, Reports: step, Tests: map[engine.TestID]store.Place{"test 0": {Title: store.TitleWritten, Reports: 2}}}
		return said(db.KeepOrder(ctx, info, ids), db.KeepPlaces(ctx, info, ids, places))
	case 11:
		return said(facts(ctx, db))
	case 10:
		return said(db.LogSetting(ctx, test, fmt.Sprint(step), "ada", at))
	case 0:
		return said(db.QuarantineAdd(ctx, flaky.Entry{TestID: engine.TestID(test), Reason: "by hand", Since: at, Owner: "@ada",
			AutoUnquarantine: r.IntN(2) == 0, Commits: []string{"a1", "b2"}}, "ada"))
	case 1:
		return said(db.QuarantineRelease(ctx, engine.TestID(test), "bob", "fixed", at))
	case 2:
		return said(db.ApplyChanges(ctx, []flaky.Change{
			{TestID: engine.TestID(test), Reason: "flips", Tier: flaky.TierChronic, FlipRate: 0.5, Owner: "@ada", Commits: []string{"c3"}},
			{TestID: "test 3", Released: true, Reason: "stable"}, {TestID: "test 4", Pending: true}}, at))
	case 3:
		var renames []flaky.Rename // each of other tests, as those of a run
		for names := r.Perm(16)[:2+2*r.IntN(4)]; len(names) > 0; names = names[2:] {
			renames = append(renames, flaky.Rename{Old: engine.TestID(fmt.Sprint("test ", names[0])), New: engine.TestID(fmt.Sprint("test ", names[1])), Proven: r.IntN(2) == 0})
		}
		return said(db.RenameTests(ctx, renames, at))
	case 4:
		print := engine.Fingerprint{TestID: engine.TestID(test), Locator: "#" + test, Tag: "button", Text: fmt.Sprint(r.IntN(2)), Page: fmt.Sprint("/p", step%3)}
		return said(db.SaveFingerprints(ctx, []engine.Fingerprint{print}, nil, at))
	default:
		recorded, err := db.RecordRun(ctx, someRun(r, info, at, step))
		recorded.RunID = 0
		return said(recorded, err)
	}
}

// correct performs a random correction of what was learned, as act does.
func correct(ctx context.Context, db both, r *rand.Rand, step int) string {
	test := engine.TestID(fmt.Sprintf("test %d", r.IntN(12)))
	at := time.Unix(1_700_000_000, 0).UTC().Add(time.Duration(step-60*r.IntN(3)) * time.Minute)
	switch r.IntN(5) {
	case 0:
		what := []store.Learned{{TestID: test}, {TestID: test, Locator: "#" + string(test)}, {Page: "/p1"}}[r.IntN(3)]
		return said(db.Forget(ctx, what, at))
	case 1:
		turn := []func(context.Context, store.Veto) error{db.AddVeto, db.AddVeto, db.WithdrawVeto}[r.IntN(3)]
		return said(turn(ctx, store.Veto{TestID: []engine.TestID{test, ""}[r.IntN(2)], Locator: "#x",
			Signature: fmt.Sprint(r.IntN(2)), Who: []string{"bob", "Ada", "\x00ü"}[r.IntN(3)], At: at}))
	case 2:
		return said(db.AddLesson(ctx, store.Lesson{Was: "sign in", Now: []string{"log in", "Anmelden", "öffnen"}[r.IntN(3)], Who: "ada", At: at}))
	case 3:
		f := engine.Fingerprint{TestID: test, Locator: []string{"#new", "#" + string(test)}[r.IntN(2)], Tag: "button", Text: []string{"Store", "store", "ö"}[r.IntN(3)], Page: "/p1"}
		return said(db.AddAccepted(ctx, store.Accepted{Fingerprint: f, Who: "ada", At: time.Unix(1_700_000_000, 0).UTC().Add(time.Duration(step) * time.Minute)}))
	}
	return ""
}

// facts lets a judge observe the new runs, saves it, and returns what it knows.
func facts(ctx context.Context, db both) ([]string, error) {
	h, err := db.LoadCheckpoint(ctx, engine.RunInfo{RepositoryID: 7}, 0)
	if err != nil {
		return nil, err
	}
	h.ObserveRest()
	if err := errors.Join(db.SaveCheckpoint(ctx, h), db.NameTests(ctx, &h.Evidence, h.Judge.Known()), db.FindTests(ctx, &h.Evidence, []engine.TestID{"test 1", "none"})); err != nil {
		return nil, err
	}
	var known []string
	for _, test := range h.Judge.Known() {
		f, _ := h.Judge.Facts(test)
		known = append(known, fmt.Sprint(h.Tests[test], " ", f, " ", f.Clean, f.Release, h.Judge.Main.Held(test), h.Judge.Pulls.Held(test)))
	}
	slices.Sort(known)
	return known, nil
}

func someInfo(r *rand.Rand) engine.RunInfo {
	info := engine.RunInfo{RepositoryID: 7, Repository: "acme/shop", RunID: int64(1 + r.IntN(20)), RunAttempt: 1 + r.IntN(2),
		Workflow: "ci", Job: "e2e", Commit: fmt.Sprintf("c%d", r.IntN(6)), Branch: "main"}
	info.WorkflowID = int64(r.IntN(3))
	switch r.IntN(5) {
	case 4:
		info.MergeGroup, info.Branch = []int{1, 2}[:1+r.IntN(2)], "gh-readonly-queue/main/pr-1-c1"
	case 0:
		info.PullRequest, info.Branch = 1+r.IntN(2), "topic"
	case 1:
		info.Branch = "release"
	default:
		info.DefaultBranch = true
	}
	return info
}

func someRun(r *rand.Rand, info engine.RunInfo, at time.Time, step int) store.Run {
	run := store.Run{Info: info, ReportDigest: fmt.Sprint(r.IntN(3)), Now: at, Incomplete: r.IntN(5) == 0}
	run.Info.StartedAt = at
	all := []engine.Status{engine.StatusPassed, engine.StatusPassed, engine.StatusPassed, engine.StatusFailed, engine.StatusSkipped, engine.StatusError}
	for i := range r.IntN(12) {
		var result engine.TestResult
		result.ID = engine.TestID(fmt.Sprintf("test %d", i))
		result.File, result.Line = "a.spec.ts", r.IntN(3)
		for range 1 + r.IntN(3) {
			result.Attempts = append(result.Attempts, engine.Attempt{Status: all[r.IntN(len(all))], DurationMS: float64(r.IntN(1000)),
				Message: fmt.Sprintf("Timeout %dms at page %c", r.IntN(100), 'a'+rune(r.IntN(3)))})
		}
		run.Results = append(run.Results, result)
	}
	if r.IntN(3) == 0 {
		run.Heals = []engine.HealEvent{storetest.Heal("test 1", float64(1_700_000_000+r.IntN(5))), storetest.Refusal("test 2"), storetest.Suggestion("test 1")}
	}
	return run
}

// view is everything that can be read of a store.
func view(ctx context.Context, tb testing.TB, db both) map[string]any {
	tb.Helper()
	all := map[string]any{}
	note := func(name string, value any, err error) {
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		all[name] = value
	}
	for name, info := range map[string]engine.RunInfo{
		"main": {RepositoryID: 7, RunID: 99, Workflow: "ci", Job: "e2e", DefaultBranch: true, Branch: "main"},
		"pull": {RepositoryID: 7, RunID: 99, Workflow: "ci", Job: "e2e", PullRequest: 1, Branch: "topic"},
	} {
		histories, err := db.Histories(ctx, 20, info)
		note("histories "+name, histories, err)
		histories, err = db.HistoriesOf(ctx, []engine.TestID{"test 1", "test 9", "none"}, 5, info)
		note("some histories "+name, histories, err)
		failed, err := db.FailedLately(ctx, 5, 100, info)
		slices.Sort(failed)
		note("failed lately "+name, failed, err)
		known, err := db.KnownTests(ctx, info, "x")
		note("known "+name, known, err)
		known, err = db.KnownOrder(ctx, info, "x")
		note("order "+name, known, err)
		places, err := db.KnownPlaces(ctx, info, known)
		note("places "+name, places, err)
		for _, digest := range []string{"0", "1", "2", "x"} {
			run, err := db.SameReports(ctx, info, digest)
			note("reports "+digest+" "+name, run, err)
		}
	}
	timeline, err := db.Timeline(ctx, 5, time.Unix(0, 0))
	note("timeline", timeline, err)
	for _, minutes := range []int{0, 20, 37, 99} {
		histories, runs, err := db.HistoriesSince(ctx, 20, time.Unix(1_700_000_000, 0).Add(time.Duration(minutes)*time.Minute))
		note(fmt.Sprint("histories since ", minutes), said(histories, runs), err)
	}
	known, err := facts(ctx, db)
	note("facts", known, err)
	past, err := db.Evidence(ctx, engine.RunInfo{RepositoryID: 7})
	note("evidence", readable(past), err)
	quarantine, err := db.Quarantine(ctx)
	note("quarantine", quarantine, err)
	log, err := db.QuarantineLog(ctx)
	// The changes of one run have no order.
	slices.SortStableFunc(log, func(a, b store.LogEntry) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(string(a.Change.TestID), string(b.Change.TestID)))
	})
	note("log", log, err)
	for _, refused := range []bool{false, true} {
		for name, q := range map[string]store.HealQuery{"": {}, "suggested": {Suggested: refused}, "of test 1": {Test: "test 1"}, "newest 2": {Newest: 2},
			"since": {Since: time.Unix(1_700_000_000, 0).Add(20 * time.Minute)}, "newest of test 1": {Test: "test 1", Newest: 1}} {
			q.Refused = refused
			events, _, err := db.Heals(ctx, q)
			for i := range events {
				events[i].Source = ""
			}
			note(fmt.Sprint("heals ", name, refused), events, err)
			n, err := db.CountHeals(ctx, q)
			note(fmt.Sprint("count of heals ", name, refused), n, err)
			if q.Newest == 0 && n != len(events) {
				tb.Errorf("%d heals are counted and %d returned", n, len(events))
			}
		}
	}
	for _, test := range []engine.TestID{"", "test 1", "test 5", "none"} {
		vetoes, err := db.Vetoes(ctx, test)
		note(fmt.Sprintf("vetoes of %q", test), vetoes, err)
	}
	lessons, err := db.Lessons(ctx)
	note("lessons", lessons, err)
	last, _, err := db.LastRun(ctx)
	last.ID = 0
	note("last", last, err)
	for i := range 16 {
		test := fmt.Sprintf("test %d", i)
		has, err := db.HasTest(ctx, engine.TestID(test))
		note(test, has, err)
		print, _, _, err := db.LoadFingerprint(ctx, engine.TestID(test), "#"+test)
		note("fingerprint of "+test, print, err)
		print, _, _, err = db.Recall(ctx, engine.TestID(test), "#new")
		note("accepted in "+test, print, err)
	}
	for _, test := range []string{"", "test 1", "none"} {
		some, err := db.Fingerprints(ctx, engine.TestID(test), 3)
		note(fmt.Sprintf("fingerprints of %q", test), some, err)
	}
	for _, locators := range [][]string{{"#test 1", "#test 2"}, {"#x"}, {}} {
		some, err := db.LocatorUses(ctx, locators, 3)
		note(fmt.Sprintf("uses of %q", locators), some, err)
	}
	stale, err := db.Stale(ctx, time.Unix(1_700_000_000, 0).Add(20*time.Minute))
	note("stale", stale, err)
	settings, err := db.Settings(ctx)
	note("settings", settings, err)
	stats, err := db.Stats(ctx)
	note("stats", stats, err)
	return all
}

// readable is evidence without the numbers that a store chooses.
func readable(past store.Evidence) []string {
	var lines []string
	for _, run := range past.Runs {
		var observations []string
		for _, o := range run.Observations {
			name := past.Tests[o.Test]
			o.Test = 0
			observations = append(observations, fmt.Sprintf("%s %+v", name, o))
		}
		for i, name := range past.Tests {
			if run.Ran(i) {
				observations = append(observations, string(name+" ran"))
			}
		}
		slices.Sort(observations)
		lines = append(lines, fmt.Sprintln(run.Attempt, run.Commit, run.Tests, run.Sources, run.At, strings.Join(observations, "\n")))
	}
	return lines
}

func TestBothStoresAnswerAlike(t *testing.T) {
	t.Parallel()
	postgres := pgtest.URL(t)
	for _, seed := range []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 28, 56} { // the last two renamed on and broke ties otherwise
		lite := openFile(t)
		big := openPostgres(t, postgres, 7)
		clearPostgres(t, big)
		for _, db := range []both{lite, big} {
			if err := db.Save(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		r1, r2 := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 1))
		c1, c2 := rand.New(rand.NewPCG(seed, 2)), rand.New(rand.NewPCG(seed, 2))
		for step := range 40 {
			a := act(t.Context(), lite, r1, step) + correct(t.Context(), lite, c1, step)
			b := act(t.Context(), big, r2, step) + correct(t.Context(), big, c2, step)
			if a != b {
				t.Fatalf("seed %d, step %d:\nSQLite     %s\nPostgreSQL %s", seed, step, a, b)
			}
		}
		if err := big.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(view(t.Context(), t, lite), view(t.Context(), t, big), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d (-SQLite +PostgreSQL):\n%s", seed, diff)
		}
		if err := big.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAJudgeResumedFromAServerKnowsWhatANewOneDoes(t *testing.T) {
	t.Parallel()
	kept, anew := 0, 0
	for seed := range uint64(3) {
		url := pgtest.URL(t)
		k, a := storetest.CompareResumedAndNew(t, seed, func() storetest.Database { return openPostgres(t, url, 7) }, nil)
		kept, anew = kept+k, anew+a
	}
	if kept < 40 || anew < 8 {
		t.Errorf("%d checkpoints were resumed and %d judges began anew: too few to show anything", kept, anew)
	}
}

func TestTheOrderOfArrivalChangesNothingOfTheJudge(t *testing.T) {
	t.Parallel()
	storetest.CompareArrivals(t, 1, func() storetest.Database { return openPostgres(t, pgtest.URL(t), 7) })
}

func clearPostgres(tb testing.TB, db *DB) {
	tb.Helper()
	for _, table := range []string{"tests", "labels", "runs", "results", "heals", "quarantine", "quarantine_log", "page_states", "fingerprints", "derived", "vetoes", "lessons", "accepted"} {
		if _, err := db.tx.Exec(tb.Context(), "DELETE FROM breadcrumb_"+table); err != nil {
			tb.Fatal(err)
		}
	}
}

func TestWhatIsNotSavedLeavesNothing(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openPostgres(t, url, 7)
	if _, err := db.RecordRun(t.Context(), storetest.Run(1, 10)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	stats, err := openPostgres(t, url, 7).Stats(t.Context())
	if err != nil || stats != (store.Stats{}) {
		t.Errorf("after an unsaved run: %+v, %v", stats, err)
	}
}

func TestRepositoriesDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	mine := openPostgres(t, url, 7)
	if _, err := mine.RecordRun(t.Context(), storetest.Run(1, 10)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(mine.QuarantineAdd(t.Context(), storetest.Entry(1), "ada"), mine.Save(t.Context())); err != nil {
		t.Fatal(err)
	}
	other := openPostgres(t, url, 8)
	stats, err := other.Stats(t.Context())
	if err != nil || stats != (store.Stats{}) {
		t.Errorf("another repository sees %+v, %v", stats, err)
	}
	if _, err := other.RecordRun(t.Context(), storetest.Run(1, 10)); err != nil {
		t.Errorf("the same run key in another repository: %v", err)
	}
}

// TestRunsAtTheSameTimeLoseNothing lets legs of one matrix, which know the same
// tests in another order, record at once into an empty database, and records
// each of them twice.
func TestRunsAtTheSameTimeLoseNothing(t *testing.T) {
	t.Parallel()
	const legs, tests = 12, 50
	url := pgtest.URL(t)
	var all sync.WaitGroup
	failures := make(chan error, 2*legs)
	for leg := range 2 * legs {
		all.Go(func() { failures <- recordLeg(t.Context(), url, leg%legs, tests) })
	}
	all.Wait()
	close(failures)
	for err := range failures {
		if err != nil {
			t.Error(err)
		}
	}
	stats, err := openPostgres(t, url, 7).Stats(t.Context())
	if want := (store.Stats{Tests: tests, Runs: legs, Results: legs * tests}); err != nil || stats != want {
		t.Errorf("stored %+v, want %+v (%v)", stats, want, err)
	}
}

func recordLeg(ctx context.Context, url string, leg, tests int) error {
	db, err := Open(ctx, url, 7)
	if err != nil {
		return err
	}
	run := storetest.Run(1, tests)
	run.Info.Leg = fmt.Sprint(leg)
	rand.New(rand.NewPCG(uint64(leg), 1)).Shuffle(tests, func(i, j int) {
		run.Results[i], run.Results[j] = run.Results[j], run.Results[i]
	})
	_, err = db.RecordRun(ctx, run)
	if err == nil {
		err = db.Save(ctx)
	}
	return errors.Join(err, db.Close())
}

func TestDatabaseURLsAreRefusedWithoutTellingThePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://ada:geheim@127.0.0.1:1/none?connect_timeout=1",
		"postgres://ada:geheim@[::1:1/none",
		"postgres://ada:geheim@host/none?sslmode=geheim-mode",
		"postgres://ada:geheim@127.0.0.1:port/none",
		"postgres://ada:geheim@127.0.0.1/none?repository=x",
		"postgres://ada:geheim@127.0.0.1/none?repository=8",
	} {
		db, err := Open(t.Context(), url, 7)
		if err == nil || db != nil {
			t.Fatalf("%s: opened", url)
		}
		if strings.Contains(err.Error(), "geheim") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

func TestANewerPostgresSchemaIsReadWhereItSaysSo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		since any
		says  string // "" where it is read
	}{
		"one more table and column": {schemaVersion, ""},
		"readable by older ones":    {1, ""},
		"another one":               {schemaVersion + 1, fmt.Sprint("only one that knows schema ", schemaVersion+1)},
		"one that says nothing":     {nil, "does not say"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.URL(t)
			db := openPostgres(t, url, 7)
			for _, s := range []string{`ALTER TABLE breadcrumb_runs ADD COLUMN mood TEXT NOT NULL DEFAULT 'grey'`, `CREATE TABLE breadcrumb_comets (tail INT)`, `INSERT INTO breadcrumb_comets VALUES (3)`} {
				if _, err := db.tx.Exec(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := db.tx.Exec(t.Context(), `INSERT INTO breadcrumb_schema (version, compatible_since) VALUES ($1, $2)`, schemaVersion+2, c.since); err != nil {
				t.Fatal(err)
			}
			if err := db.Save(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, open := range []func(context.Context, string, int64) (*DB, error){Open, OpenReading} {
				db, err := open(t.Context(), url, 7)
				if c.says != "" {
					if !errors.Is(err, store.ErrNewerSchema) || !strings.Contains(err.Error(), c.says) {
						t.Errorf("got %v, want ErrNewerSchema", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				if n := db.Notices(); len(n) != 1 || !strings.Contains(n[0].Reason, fmt.Sprint("schema ", schemaVersion+2)) || n[0].Reason != db.Newer() || db.FileSchema() != schemaVersion+2 {
					t.Errorf("said %v of schema %d", n, db.FileSchema())
				}
			}
			if c.says != "" {
				return
			}
			again := openPostgres(t, url, 7)
			if _, err := again.RecordRun(t.Context(), storetest.Run(1, 3)); err != nil {
				t.Fatal(err)
			}
			if err := again.Save(t.Context()); err != nil {
				t.Fatal(err)
			}
			var kept int
			if err := again.tx.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM breadcrumb_runs WHERE mood = 'grey') + (SELECT count(*) FROM breadcrumb_comets)`).Scan(&kept); err != nil || kept != 2 {
				t.Errorf("%d rows, %v", kept, err)
			}
		})
	}
}

func TestAPostgresSchemaWithoutSuggestionsIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openPostgres(t, url, 7)
	run := storetest.Run(1, 1)
	run.Heals = []engine.HealEvent{storetest.Refusal("a")}
	storetest.Record(t, db, run)
	if _, err := db.tx.Exec(t.Context(), `ALTER TABLE breadcrumb_heals DROP COLUMN suggested; DELETE FROM breadcrumb_schema WHERE version > 2`); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Save(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
	db = openPostgres(t, url, 7)
	run = storetest.Run(2, 1)
	run.Heals = []engine.HealEvent{storetest.Suggestion("b")}
	storetest.Record(t, db, run)
	for q, want := range map[store.HealQuery]int{{}: 0, {Refused: true}: 2, {Refused: true, Suggested: true}: 1} {
		if n, err := db.CountHeals(t.Context(), q); err != nil || n != want {
			t.Errorf("%+v counts %d, %v; want %d", q, n, err, want)
		}
	}
}

func TestARunsIdentityIsKept(t *testing.T) {
	t.Parallel()
	storetest.CheckIdentity(t, openPostgres(t, pgtest.URL(t), 7))
}

func TestACalledJobHasTheHistoryOfItsCaller(t *testing.T) {
	t.Parallel()
	storetest.CheckCallers(t, openPostgres(t, pgtest.URL(t), 7))
}

func TestARunIsComparedWithTheLastWholeOneOfTheDefaultBranch(t *testing.T) {
	storetest.CheckBase(t, openPostgres(t, pgtest.URL(t), 7))
}

func TestRowsOfVersion4AreReadAsTheyWere(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openPostgres(t, url, 7)
	run := storetest.Run(1, 3)
	storetest.Record(t, db, run)
	if _, err := db.tx.Exec(t.Context(), `ALTER TABLE breadcrumb_runs DROP COLUMN workflow_id, DROP COLUMN pull_requests;
		DELETE FROM breadcrumb_schema WHERE version > 4`); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Save(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
	db = openPostgres(t, url, 7)
	now := run.Info
	now.RunID, now.WorkflowID = 1, 5
	if known, err := db.KnownTests(t.Context(), now, "x"); err != nil || len(known) != 3 {
		t.Errorf("%d tests are known, %v; want the 3 of the row of before", len(known), err)
	}
	if last, _, err := db.LastRun(t.Context()); err != nil || last.Info.WorkflowID != 0 || last.Info.MergeGroup != nil {
		t.Errorf("%+v, %v", last.Info, err)
	}
}

func TestAPostgresSchemaOfVersion1IsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := openPostgres(t, url, 7)
	run := storetest.Record(t, db, storetest.Run(1, 50)).RunID
	if _, err := db.tx.Exec(t.Context(), `DROP TABLE breadcrumb_derived; DELETE FROM breadcrumb_schema WHERE version > 1`); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Save(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
	if h := storetest.ObserveAll(t, openPostgres(t, url, 7), run); len(h.Runs) != 1 {
		t.Errorf("%d runs are to be observed, want the one there was", len(h.Runs))
	}
}

func TestHostileNamesAreStoredAsText(t *testing.T) {
	t.Parallel()
	db := openPostgres(t, pgtest.URL(t), 7)
	run := storetest.Run(1, 0)
	for _, id := range []string{"'; DROP TABLE breadcrumb_tests; --", "a\x00b", strings.Repeat("ü", 5000), "\xff\xfe", "\\N", "tab\tline\n"} {
		run.Results = append(run.Results, engine.TestResult{ID: engine.NewTestID(id), Environment: id, Attempts: []engine.Attempt{{Status: "failed", Message: id, ErrorType: id}}})
		if err := db.QuarantineAdd(t.Context(), flaky.Entry{TestID: engine.NewTestID(id), Reason: id, Environment: id, Owner: id}, id); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.RecordRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	for _, r := range run.Results {
		if has, err := db.HasTest(t.Context(), r.ID); err != nil || !has {
			t.Errorf("%.20q is not there: %v", r.ID, err)
		}
	}
}

// BenchmarkPostgresRecord100k records 100,000 results of 20,000 tests and
// commits them.
func BenchmarkPostgresRecord100k(b *testing.B) {
	url := pgtest.URL(b)
	n := 0
	results := 0
	for b.Loop() {
		db := openPostgres(b, url, 7)
		for range 5 {
			n++
			recorded, err := db.RecordRun(b.Context(), storetest.Run(n, 20_000))
			if err != nil {
				b.Fatal(err)
			}
			results += recorded.Results
		}
		if err := errors.Join(db.Save(b.Context()), db.Close()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(results)/b.Elapsed().Seconds(), "results/s")
}
