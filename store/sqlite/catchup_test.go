package sqlite

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/storetest"
)

func TestWhatTheSeedAppendsBetweenOpenAndSaveIsKept(t *testing.T) {
	t.Parallel()
	for name, saveFirst := range map[string]bool{"to a seed file": false, "to a file of ours": true} {
		t.Run(name, func(t *testing.T) {
			path := filledSeed(t)
			if saveFirst {
				saveOver(t, path)
			}
			db := mustOpen(t, path)
			run := storetest.Run(1, 3)
			run.Heals = []engine.HealEvent{storetest.Heal("ours", 1700000500)}
			recordRun(t, db, run)
			if _, err := db.QuarantineRelease(t.Context(), "b", "ada", "fixed", time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}

			f := openSeed(t, path)
			f.heal("theirs", "#x", 1700000501)
			f.run("theirs", "failed", 1700000502)
			f.exec(seedSaveFingerprint, "a", "#login-btn", "{}", 1800000000.0)
			f.exec(seedQuarantine, "theirs", "auto", 1700000503.0)
			f.close()

			mustSave(t, db)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = mustOpen(t, path)
			if diff := cmp.Diff([]string{"a", "b", "ours", "theirs"}, tests(heals(t, db, store.HealQuery{}))); diff != "" {
				t.Errorf("heals (-want +got):\n%s", diff)
			}
			stats, err := db.Stats(t.Context())
			want := store.Stats{Fingerprints: 1, Heals: 4, Tests: 6, Runs: 5, Results: 10, Quarantined: 1, QuarantineLog: 1}
			if diff := cmp.Diff(want, stats); err != nil || diff != "" {
				t.Errorf("%v, rows (-want +got):\n%s", err, diff)
			}
			entries, err := db.Quarantine(t.Context())
			if diff := cmp.Diff([]flaky.Entry{{TestID: "theirs", Reason: "auto", Since: store.FromUnix(1700000503), AutoUnquarantine: true}}, entries); err != nil || diff != "" {
				t.Errorf("%v, quarantine (-want +got):\n%s", err, diff)
			}
			var print string
			if err := db.sql.QueryRow(`SELECT fingerprint_json FROM fingerprints`).Scan(&print); err != nil || print != "{}" {
				t.Errorf("fingerprint %s, %v; want the newer", print, err)
			}
		})
	}
}

func TestAFileThatWasReplacedIsLeftAlone(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	db := mustOpen(t, path)
	other := filledSeed(t)
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	want := read(t, path)
	if err := db.Save(t.Context()); !errors.Is(err, store.ErrChanged) {
		t.Errorf("got %v; want ErrChanged", err)
	}
	if read(t, path) != want {
		t.Error("the other file was overwritten")
	}
}

func TestAProgramThatHasTheDatabaseOpenIsNotCutOff(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs another process with SQLite: python3")
	}
	path := filledSeed(t)
	saveOver(t, path)
	cmd := exec.Command(python, "-c", `
import sqlite3, sys
conn = sqlite3.connect(sys.argv[1])
conn.execute("PRAGMA journal_mode=WAL").fetchone()
conn.execute("SELECT count(*) FROM healing_events").fetchone()
print("open", flush=True)
sys.stdin.readline()
conn.execute("INSERT INTO healing_events (test_id, locator, confidence, original_json, healed_json, timestamp) VALUES ('late', 'l', 0.5, '{}', '{}', 1700000600)")
conn.commit()
conn.close()`, path)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
		t.Fatal(line, err)
	}
	impatient, err := Open(t.Context(), path, Options{LockTimeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := impatient.Save(t.Context()); !errors.Is(err, store.ErrInUse) {
		t.Errorf("got %v; want ErrInUse", err)
	}
	if err := impatient.Close(); err != nil {
		t.Fatal(err)
	}
	waits := make(chan struct{})
	patient, err := Open(t.Context(), path, Options{LockTimeout: time.Minute, step: func(name string) {
		if name == "wait for other programs" {
			close(waits)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	recordRun(t, patient, storetest.Run(1, 1))
	saved := make(chan error, 1)
	go func() { saved <- patient.Save(t.Context()) }()
	<-waits
	in.Write([]byte("go\n"))
	if err := errors.Join(<-saved, cmd.Wait(), patient.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "late"}, tests(heals(t, mustOpen(t, path), store.HealQuery{}))); diff != "" {
		t.Errorf("heals (-want +got):\n%s", diff)
	}
}

func TestTheSecondWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	first := mustOpen(t, path)
	if _, err := Open(t.Context(), path, Options{LockTimeout: 50 * time.Millisecond}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("got %v; want ErrLocked", err)
	}
	opened, waits := make(chan error, 1), make(chan struct{})
	go func() {
		db, err := Open(t.Context(), path, Options{LockTimeout: time.Minute, step: func(name string) {
			if name == "lock" {
				close(waits)
			}
		}})
		if err == nil {
			err = db.Close()
		}
		opened <- err
	}()
	<-waits
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

func TestWhatTheSeedAppendsDuringSaveIsKept(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"write", "sync", "check unchanged"} {
		t.Run(at, func(t *testing.T) {
			path := filledSeed(t)
			appended := false
			db, err := Open(t.Context(), path, Options{step: func(name string) {
				if name == at && !appended {
					appended = true
					f := openSeed(t, path)
					f.heal("theirs", "#x", 1700000501)
					f.close()
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			mustSave(t, db)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"a", "b", "theirs"}, tests(heals(t, mustOpen(t, path), store.HealQuery{}))); diff != "" {
				t.Errorf("heals (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFileThatIsWrittenWhileItIsCopiedIsReadWhole(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"copy", "copy-wal"} {
		t.Run(at, func(t *testing.T) {
			path := fileWithLog(t)
			written := false
			db, err := Open(t.Context(), path, Options{step: func(name string) {
				if name != at || written {
					return
				}
				written = true
				f := openSeed(t, path)
				f.exec(`PRAGMA wal_checkpoint(RESTART)`)
				f.heal("late", "#x", 1800000000) // f stays open, so its log stays
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if events := heals(t, db, store.HealQuery{}); len(events) != 41 {
				t.Errorf("%d heals, want 41", len(events))
			}
			stats, err := db.Stats(t.Context())
			if err != nil || stats.Results != 40 || len(db.Notices()) > 0 {
				t.Errorf("%+v, %v, %v; want 40 results", stats, err, db.Notices())
			}
		})
	}
}
