package postgres

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/internal/pgtest"
	"github.com/breadcrumb/action/store/storetest"
)

// BenchmarkPostgresRunAtFullAge is what a run asks of a server that has 300 runs: it
// records, judges and saves, also what it judged. The figures to look at are those of the
// client: cpu-s/op, the most memory it held, and s/op where nothing else runs.
func BenchmarkPostgresRunAtFullAge(b *testing.B) {
	for name, tests := range map[string]int{"300x2k": 2000, "300x10k": 10_000} {
		b.Run(name, func(b *testing.B) {
			url := pgtest.URL(b)
			const runs = 300
			for n := range runs {
				db := openPostgres(b, url, 7)
				_, err := db.RecordRun(b.Context(), storetest.Run(n, tests))
				if err := errors.Join(err, db.Save(b.Context()), db.Close()); err != nil {
					b.Fatal(err)
				}
			}
			judgeOneRun(b, url, runs, tests)
			debug.FreeOSMemory()
			if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600); err != nil { // the peak so far is forgotten
				b.Fatal(err)
			}
			start := clientSeconds(b)
			n := runs
			for b.Loop() {
				n++
				judgeOneRun(b, url, n, tests)
			}
			b.ReportMetric((clientSeconds(b)-start)/float64(n-runs), "cpu-s/op")
			status, err := os.ReadFile("/proc/self/status")
			if err != nil {
				b.Fatal(err)
			}
			_, line, _ := strings.Cut(string(status), "VmHWM:")
			var kib float64
			if _, err := fmt.Sscan(line, &kib); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(kib*1024/1e6, "MB-peak")
		})
	}
}

func judgeOneRun(b *testing.B, url string, n, tests int) {
	b.Helper()
	db := openPostgres(b, url, 7)
	run := storetest.Run(n, tests)
	recorded, err := db.RecordRun(b.Context(), run)
	if err != nil {
		b.Fatal(err)
	}
	known, err := db.KnownTests(b.Context(), run.Info, run.ReportDigest)
	if err != nil || len(known) != tests {
		b.Fatal(len(known), err)
	}
	judged, err := db.LoadCheckpoint(b.Context(), run.Info, recorded.RunID)
	if err != nil {
		b.Fatal(err)
	}
	judged.ObserveRest()
	err = db.SaveCheckpoint(b.Context(), judged)
	if err := errors.Join(err, db.Save(b.Context()), db.Close()); err != nil {
		b.Fatal(err)
	}
}

func clientSeconds(b *testing.B) float64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// BenchmarkPostgresMovedFolder gives 2,000 tests of 30 runs other names, as a folder does
// that is moved; known says that a pull request ran them under those names before.
func BenchmarkPostgresMovedFolder(b *testing.B) {
	const tests, runs = 2000, 30
	for name, known := range map[string]bool{"new names": false, "known names": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				url := pgtest.URL(b)
				db := openPostgres(b, url, 7)
				for n := range runs {
					if _, err := db.RecordRun(b.Context(), storetest.Run(n, tests)); err != nil {
						b.Fatal(err)
					}
				}
				pull := storetest.Run(runs, tests)
				pull.Info.DefaultBranch, pull.Info.PullRequest = false, 12
				var renames []flaky.Rename
				for i := range pull.Results {
					r := &pull.Results[i]
					renames = append(renames, flaky.Rename{Old: r.ID, New: "e2e/" + r.ID, Proven: true})
					r.ID = "e2e/" + r.ID
				}
				if known {
					if _, err := db.RecordRun(b.Context(), pull); err != nil {
						b.Fatal(err)
					}
				}
				b.StartTimer()
				made, err := db.RenameTests(b.Context(), renames, time.Unix(1_900_000_000, 0))
				if err := errors.Join(err, db.Save(b.Context()), db.Close()); err != nil || len(made) != tests {
					b.Fatalf("%d renames, %v", len(made), err)
				}
			}
		})
	}
}
