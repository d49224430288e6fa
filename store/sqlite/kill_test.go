package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/internal/pgtest"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/store/storetest"
	"github.com/breadcrumb/action/store/untrusted"
)

// The test binary doubles as the process that is killed.
const (
	killPath  = "STORE_TEST_PATH"
	killStep  = "STORE_TEST_KILL_STEP"  // number of the step to die before
	killFirst = "STORE_TEST_FIRST_RUN"  // first run to record
	killRuns  = "STORE_TEST_RUNS"       // how many sessions, one run each
	killSize  = "STORE_TEST_RUN_LENGTH" // results a run
)

func TestMain(m *testing.M) {
	if path := os.Getenv(killPath); path != "" {
		if err := session(path); err != nil {
			fmt.Println("fault:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

func env(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return n
}

// session records and saves runs, telling each on standard output once saved.
func session(path string) error {
	dieAt, steps := env(killStep), 0
	step := func(name string) {
		if steps++; steps == dieAt {
			fmt.Println("dying before:", name)
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}
	}
	for i := range env(killRuns) {
		number := env(killFirst) + i
		if err := recordOne(path, number, env(killSize), step); err != nil {
			return err
		}
		fmt.Println("saved", number)
	}
	if dieAt > 0 && dieAt > steps {
		fmt.Println("all steps done")
	}
	return nil
}

func recordOne(path string, number, size int, step func(string)) error {
	ctx := context.Background()
	db, err := Open(ctx, path, Options{step: step, LockTimeout: 20 * time.Minute})
	if err != nil {
		return err
	}
	if _, err := db.RecordRun(ctx, storetest.Run(number, size)); err != nil {
		return err
	}
	if err := db.QuarantineAdd(ctx, storetest.Entry(number), "tester"); err != nil {
		return err
	}
	if err := db.Save(ctx); err != nil {
		return err
	}
	step("close")
	return db.Close()
}

// helper starts the test binary as a session on path.
func helper(path string, vars ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append([]string{killPath + "=" + path}, vars...)...)
	return cmd
}

// startStates are the files that a session may find.
var startStates = map[string]func(testing.TB) string{
	"no file":   noFile,
	"seed file": filledSeed,
	"own file":  smallFile,
	"file with a write-ahead log left behind":     fileWithLog,
	"own file with a write-ahead log left behind": ownFileWithLog,
	"file with a hot rollback journal":            fileWithJournal,
}

func noFile(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), ".breadcrumb.db")
}

func smallFile(tb testing.TB) string {
	tb.Helper()
	return bigFile(tb, 2, 20)
}

func ownFileWithLog(tb testing.TB) string {
	tb.Helper()
	f := openSeed(tb, bigFile(tb, 3, 300))
	f.exec(`PRAGMA wal_autocheckpoint=0`)
	f.exec(`CREATE INDEX IF NOT EXISTS idx_healing ON healing_events (test_id)`)
	for i := range 50 {
		f.heal("a", strings.Repeat("#login-btn ", 50), float64(1700000000+i))
	}
	return copyFiles(tb, f.path)
}

// fileWithLog is a seed database whose rows are mostly in the log of a killed
// program.
func fileWithLog(tb testing.TB) string {
	tb.Helper()
	f := newSeed(tb, 2)
	f.exec(`PRAGMA wal_autocheckpoint=0`)
	f.exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	for i := range 40 {
		f.run(fmt.Sprintf("test %d", i%7), "passed", 1700000000+float64(i))
		f.heal("a", "#login-btn", 1700000000+float64(i))
	}
	path := copyFiles(tb, f.path)
	if info, err := os.Stat(path + untrusted.WALSuffix); err != nil || info.Size() == 0 {
		tb.Fatalf("no log was left behind: %v", err)
	}
	return path
}

// fileWithJournal is a database whose last, uncommitted transaction has
// reached the file and must be rolled back.
func fileWithJournal(tb testing.TB) string {
	tb.Helper()
	f := openSeed(tb, filledSeed(tb))
	f.exec(`PRAGMA journal_mode=DELETE`)
	f.exec(`PRAGMA cache_size=1`)
	f.exec(`PRAGMA cache_spill=1`)
	f.exec(`BEGIN`)
	f.exec(`UPDATE test_runs SET status = 'failed'`)
	for i := range 200 {
		f.heal("uncommitted", strings.Repeat("#x", 500), float64(i))
	}
	path := copyFiles(tb, f.path)
	f.exec(`ROLLBACK`)
	if info, err := os.Stat(path + untrusted.JournalSuffix); err != nil || info.Size() == 0 {
		tb.Fatalf("no journal was left behind: %v", err)
	}
	return path
}

func TestKilledBetweenAnyTwoStepsLeavesOldOrNew(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process for every step")
	}
	for name, start := range startStates {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origin := start(t)
			before := dumpFile(t, copyFiles(t, origin))
			finished := copyFiles(t, origin)
			if err := recordOne(finished, 77, 30, func(string) {}); err != nil {
				t.Fatal(err)
			}
			after := dumpFile(t, finished)
			if before == after {
				t.Fatal("the session changes nothing, so the test shows nothing")
			}
			killAtEveryStep(t, origin, before, after)
		})
	}
}

func killAtEveryStep(t *testing.T, origin, before, after string) {
	t.Helper()
	outcomes := map[string]int{}
	for step := 1; ; step++ {
		path := copyFiles(t, origin)
		out, _ := helper(path, fmt.Sprintf("%s=%d", killStep, step), killFirst+"=77", killRuns+"=1", killSize+"=30").Output()
		text := strings.TrimSpace(string(out))
		switch got := dumpFile(t, path); got {
		case before:
			outcomes["old"]++
		case after:
			outcomes["new"]++
		default:
			t.Fatalf("step %d (%s): neither the old nor the new database:\n%s", step, text, got)
		}
		for file := range files(t, path) {
			if strings.Contains(file, ".tmp-") {
				t.Errorf("step %d (%s): %s is left after the next Open", step, text, file)
			}
		}
		if strings.Contains(text, "all steps done") {
			break
		}
		if !strings.Contains(text, "dying before") {
			t.Fatalf("step %d: the helper neither died nor ended: %s", step, text)
		}
	}
	if outcomes["old"] < 5 || outcomes["new"] < 2 {
		t.Errorf("outcomes %v: the kills did not fall on both sides", outcomes)
	}
}

// TestKilledAtRandomLosesNothingSaved kills processes. How many runs a process saves before it is killed is drawn, not
// measured: a busy machine changes only where in the next one the kill falls.
func TestKilledAtRandomLosesNothingSaved(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("kills processes")
	}
	path := fileWithLog(t)
	session := timeOfSession(t, copyFiles(t, path))
	saved, next := map[int]bool{}, 0
	random := rand.New(rand.NewPCG(1, 2))
	kills := promise.Count("kills")
	for range kills {
		cmd := helper(path, fmt.Sprintf("%s=%d", killFirst, next), killRuns+"=1000", killSize+"=200")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		before, within := random.IntN(7), time.Duration(random.Int64N(int64(session)))
		kill := func() { time.AfterFunc(within, func() { _ = cmd.Process.Kill() }) }
		readSaved(t, out, saved, before, kill)
		_ = cmd.Wait()
		next += 1000
	}
	db := mustOpen(t, path)
	if len(db.Notices()) > 0 {
		t.Errorf("after the kills: %v", db.Notices())
	}
	for number := range saved {
		if !recordRun(t, db, storetest.Run(number, 200)).Duplicate {
			t.Errorf("run %d was saved and is gone", number)
		}
	}
	var check string
	if err := openReadOnly(t, path).QueryRow(`PRAGMA integrity_check`).Scan(&check); err != nil || check != "ok" {
		t.Errorf("integrity %q, %v", check, err)
	}
	t.Logf("%d processes killed, %d runs saved, none lost", kills, len(saved))
	if len(saved) < kills/3 {
		t.Errorf("only %d runs were saved in %d processes", len(saved), kills)
	}
}

// timeOfSession returns how long one session from start to save takes here, so
// that kills fall into sessions on a slow machine as on a fast one.
func timeOfSession(tb testing.TB, path string) time.Duration {
	tb.Helper()
	start := time.Now()
	if out, err := helper(path, killFirst+"=0", killRuns+"=1", killSize+"=200").CombinedOutput(); err != nil {
		tb.Fatalf("helper: %v: %s", err, out)
	}
	return time.Since(start)
}

// readSaved notes the runs that a process tells it saved, until it ends. It calls
// kill once, when there are so many.
func readSaved(t *testing.T, out io.Reader, saved map[int]bool, before int, kill func()) {
	t.Helper()
	lines := bufio.NewScanner(out)
	for told := 0; ; told++ {
		if told == before {
			kill()
		}
		if !lines.Scan() {
			break
		}
		var number int
		if _, err := fmt.Sscanf(lines.Text(), "saved %d", &number); err != nil {
			t.Errorf("helper says %q", lines.Text())
			continue
		}
		saved[number] = true
	}
}

func TestTwoProcessesLoseNoRow(t *testing.T) {
	t.Parallel()
	path := fileWithLog(t)
	const each = 6
	var running []*exec.Cmd
	for p := range 2 {
		cmd := helper(path, fmt.Sprintf("%s=%d", killFirst, p*100), fmt.Sprintf("%s=%d", killRuns, each), killSize+"=50")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	failed := make(chan error, 2)
	for p := range 2 {
		go func() {
			var err error
			for i := range each {
				if e := recordOne(path, 1000+p*100+i, 50, func(string) {}); e != nil {
					err = e
				}
			}
			failed <- err
		}()
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	stats, err := mustOpen(t, path).Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := 40 + 4*each*50; stats.Results != want || stats.Heals != 40 {
		t.Errorf("%d results and %d heals, want %d and 40", stats.Results, stats.Heals, want)
	}
}
