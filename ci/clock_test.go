package ci_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store/sqlite"
)

// TestTheClockOfOneRunnerDecidesNothing lets five runs follow each other, the second
// on a machine whose clock is years ahead, where runs are kept for 30 days.
func TestTheClockOfOneRunnerDecidesNothing(t *testing.T) {
	t.Parallel()
	backend, last := state.NewPath(filepath.Join(t.TempDir(), "state")), ""
	for n := range 5 {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "junit.xml"), fmt.Sprintf(`<testsuite name="a.spec.ts"><testcase name="stays" classname="a.spec.ts" time="%d"/>
			<testcase name="of run %[1]d" classname="a.spec.ts"/></testsuite>`, n+1))
		started := time.Date(2026, 11, 1+n, 10, 0, 0, 0, time.UTC)
		last = filepath.Join(dir, "breadcrumb.db")
		cfg := ci.Config{
			JUnit: []string{filepath.Join(dir, "junit.xml")}, DB: last, Repo: dir, Policy: flaky.PolicyEvidence, Missing: ci.MissingWarn,
			DefaultBranch: "main", KeepDays: 30, CommentKey: "default", File: ".breadcrumb.yml", MaxQuarantine: .1 * float64(1+n%2),
			Origins: map[string]ci.Origin{ci.SettingMaxQuarantine: {Place: ".breadcrumb.yml line 1", File: true}},
			Info: engine.RunInfo{Repository: "acme/shop", RepositoryID: 7, RunID: int64(100 + n), RunAttempt: 1, Workflow: "acme/shop/.github/workflows/ci.yml@refs/heads/main",
				Job: "e2e", Commit: fmt.Sprintf("%040d", n), Branch: "main", DefaultBranch: true, StartedAt: started},
		}
		d := deps()
		d.Backend, d.Now = backend, func() time.Time {
			if n == 1 {
				return started.AddDate(60, 0, 0)
			}
			return started.Add(time.Minute)
		}
		if _, err := ci.Run(t.Context(), cfg, d); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sqlite.Open(t.Context(), last, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if stats, err := db.Stats(t.Context()); err != nil || stats.Runs != 5 || stats.Results != 10 {
		t.Errorf("%+v, %v; want 5 runs with 2 results each", stats, err)
	}
	settings, err := db.Settings(t.Context())
	if got := settings[ci.SettingMaxQuarantine+" in .breadcrumb.yml"]; err != nil || got != "0.1" {
		t.Errorf("max-quarantine is %q, %v; want that of the last run", got, err)
	}
}
