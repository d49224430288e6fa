package ci_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// An older version kept the directory of the checkout in the names of Pester's tests.
func TestATestIsKnownUnderTheNameThatHadTheCheckoutsDirectory(t *testing.T) {
	const file = "/home/runner/work/shop/shop/tests/Cart.Tests.ps1"
	dir, at := t.TempDir(), time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	info := engine.RunInfo{RepositoryID: 7, Repository: "acme/shop", RunID: 1, RunAttempt: 1, Job: "e2e", Commit: "c", Branch: "main", DefaultBranch: true, StartedAt: at}
	cfg := ci.Config{JUnit: []string{filepath.Join(dir, "report.xml")}, DB: filepath.Join(dir, ".breadcrumb.db"), Repo: dir, Policy: flaky.PolicyEvidence, Missing: ci.MissingFail}
	db, err := sqlite.Open(t.Context(), cfg.DB, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := store.Run{Info: info, Now: at, ReportDigest: "x"}
	for _, name := range []string{"adds", "removes"} {
		before.Results = append(before.Results, engine.TestResult{ID: engine.TestID(file + " › Cart." + name), Attempts: []engine.Attempt{{Status: engine.StatusPassed}}})
	}
	if _, err := db.RecordRun(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if err := db.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "tests", "Cart.Tests.ps1"), "Describe 'Cart' { It 'adds' {} It 'removes' {} }")
	for number, change := range []func(*engine.RunInfo){
		func(i *engine.RunInfo) { i.RunID, i.PullRequest, i.DefaultBranch = 2, 12, false },
		func(i *engine.RunInfo) { i.RunID = 3 },
	} {
		writeFile(t, cfg.JUnit[0], fmt.Sprintf(`<testsuite name="%[1]s" time="%[2]d"><testcase name="Cart.adds" classname="%[1]s"/><testcase name="Cart.removes" classname="%[1]s"/></testsuite>`, file, number))
		cfg.Info = info
		change(&cfg.Info)
		d := deps()
		d.Now = func() time.Time { return at.Add(time.Hour) }
		result, err := ci.Run(t.Context(), cfg, d)
		if err != nil || result.Exit != ci.ExitPass {
			t.Errorf("run %d: exit %d, missing %q, %v", number, result.Exit, result.Outcome.Verdict.Missing, err)
		}
	}
}
