//go:build unix

package ci

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// BenchmarkRunAtFullAge is all that a complete run of the default branch does where 300
// runs are kept and there are as many, but for the forge: it reads the report and the test
// files of the checkout, restores, records, judges, compares with the base, and saves. In
// some a test of each of the first files has got another title since the run before, or all
// files are in another folder; or one test in 200 is flaky, and others fail once now and then.
func BenchmarkRunAtFullAge(b *testing.B) {
	for name, of := range map[string]struct {
		tests, renamed int
		moves, moved   bool // all files: before every run, or before the first one
		flaky          bool
	}{
		"300x2k": {tests: 2000}, "300x2k/flaky": {tests: 2000, flaky: true}, "300x10k/flaky": {tests: 10_000, flaky: true}, "300x2k/4 renamed": {tests: 2000, renamed: 4}, "300x2k/80 renamed": {tests: 2000, renamed: 80},
		"300x2k/moves": {tests: 2000, moves: true}, "300x2k/moved": {tests: 2000, moved: true},
		"300x10k": {tests: 10_000}, "300x10k/4 renamed": {tests: 10_000, renamed: 4}, "300x10k/moves": {tests: 10_000, moves: true}, "300x10k/moved": {tests: 10_000, moved: true},
	} {
		b.Run(name, func(b *testing.B) {
			s := newAgedSuite(b, of.tests)
			s.flaky = of.flaky
			s.age(b, 300)
			s.run(b) // takes the database in
			if of.moved {
				s.move(b)
				s.run(b)
			}
			for b.Loop() {
				if s.rename(b, of.renamed); of.moves {
					s.move(b)
				}
				peak, before := watchHeap(), processTime(b)
				s.run(b)
				b.ReportMetric((processTime(b) - before).Seconds(), "CPU-s")
				b.ReportMetric(float64(peak())/(1<<20), "heap-MB")
			}
		})
	}
}

// agedSuite is a suite with its checkout and its history.
type agedSuite struct {
	dir     string
	backend state.Backend
	folder  string
	titles  []string // of the tests
	flaky   bool     // some are
	made    int64    // runs
}

func newAgedSuite(b *testing.B, tests int) *agedSuite {
	b.Helper()
	s := &agedSuite{dir: b.TempDir(), backend: state.NewPath(b.TempDir()), folder: "tests"}
	for n := range tests {
		s.titles = append(s.titles, fmt.Sprintf("does thing %d of the shop", n))
	}
	for first := 0; first < tests; first += 25 {
		s.writeSource(b, first)
	}
	return s
}

// rename gives a test of each of the first so many files a title that none had.
func (s *agedSuite) rename(b *testing.B, files int) {
	b.Helper()
	for file := range files {
		s.titles[file*25+12] = fmt.Sprintf("does thing %d of the shop after %d runs", file, s.made)
		s.writeSource(b, file*25)
	}
}

// move gives the folder of the tests a name that it never had.
func (s *agedSuite) move(b *testing.B) {
	b.Helper()
	was := filepath.Join(s.dir, s.folder)
	s.folder = fmt.Sprintf("tests%d", s.made)
	if err := os.Rename(was, filepath.Join(s.dir, s.folder)); err != nil {
		b.Fatal(err)
	}
}

// writeSource writes the file whose first test is named.
func (s *agedSuite) writeSource(b *testing.B, first int) {
	b.Helper()
	var source strings.Builder
	for _, title := range s.titles[first:min(first+25, len(s.titles))] {
		fmt.Fprintf(&source, "test('%s', async ({ page }) => {\n  await page.goto('/');\n  await page.locator('#pay').click();\n});\n\n", title)
	}
	s.write(b, s.fileOf(first), source.String())
}

func (s *agedSuite) write(b *testing.B, name, text string) {
	b.Helper()
	name = filepath.Join(s.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		b.Fatal(err)
	}
}

func (s *agedSuite) fileOf(n int) string { return fmt.Sprintf("%s/page%03d.spec.ts", s.folder, n/25) }

// report returns the JUnit XML of a run, in which each test takes another time.
func (s *agedSuite) report() string {
	var report strings.Builder
	random := rand.New(rand.NewPCG(uint64(s.made), 25))
	report.WriteString("<testsuites>")
	for n, title := range s.titles {
		if n%25 == 0 {
			fmt.Fprintf(&report, "<testsuite name=%q>", s.fileOf(n))
		}
		fmt.Fprintf(&report, "<testcase name=%q classname=%q time=\"%.3f\">", title, s.fileOf(n), 0.2+float64((int64(n)*7919+s.made*104_729)%5000)/1000)
		if s.flaky && (n%200 == 7 && random.IntN(12) == 0 || random.IntN(20_000) == 0) {
			fmt.Fprintf(&report, `<flakyFailure message="timed out" type="TimeoutError">at %s:%d:1</flakyFailure>`, s.fileOf(n), n%25*4+1)
		}
		report.WriteString("</testcase>")
		if n%25 == 24 || n == len(s.titles)-1 {
			report.WriteString("</testsuite>")
		}
	}
	return report.String() + "</testsuites>"
}

// next returns who the next run is.
func (s *agedSuite) next() engine.RunInfo {
	s.made++
	return engine.RunInfo{Repository: "acme/shop", RepositoryID: 7, RunID: s.made, RunAttempt: 1, Workflow: "acme/shop/.github/workflows/e2e.yml@refs/heads/main", WorkflowID: 1,
		Job: "e2e", Commit: fmt.Sprintf("%040x", s.made), Branch: "main", DefaultBranch: true, StartedAt: time.Now().Add(time.Duration(s.made-400) * time.Hour)}
}

// age records runs into the database that the first run finds.
func (s *agedSuite) age(b *testing.B, runs int) {
	b.Helper()
	db, err := sqlite.Open(b.Context(), filepath.Join(s.dir, ".breadcrumb.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for range runs {
		info := s.next()
		parsed, err := junit.Parse("junit.xml", strings.NewReader(s.report()), junit.Options{})
		if err != nil {
			b.Fatal(err)
		}
		results, _ := junit.Merge([]*junit.File{parsed})
		if _, err := db.RecordRun(b.Context(), store.Run{Info: info, ReportDigest: fmt.Sprint(s.made), Results: results, Now: info.StartedAt}); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Save(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
}

// run is a run on a machine of its own, which has the checkout and the history's folder.
func (s *agedSuite) run(b *testing.B) {
	b.Helper()
	info, report, database := s.next(), filepath.Join(s.dir, "junit.xml"), filepath.Join(s.dir, ".breadcrumb.db")
	s.write(b, "junit.xml", s.report())
	result, err := Run(b.Context(), Config{JUnit: []string{report}, DB: database, Repo: s.dir, Policy: flaky.PolicyEvidence, Missing: MissingAuto,
		DefaultBranch: "main", KeepRuns: 300, CommentKey: "e2e", Info: info}, Deps{Backend: s.backend, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil || result.Exit != ExitPass || result.Outcome.Base == nil {
		b.Fatalf("exit %d, base %v: %v", result.Exit, result.Outcome.Base, err)
	}
	if err := os.Remove(database); err != nil {
		b.Fatal(err)
	}
}
