package ci_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store/sqlite"
)

// events are what happens to one test, "signs in", run by run: it flakes twice,
// then fails as it did and otherwise, is kept out by the settings and let in.
var events = []struct {
	what  string // of the test
	never bool   // the settings keep it out of the quarantine
}{
	0: {what: `<flakyFailure message="Timeout 300ms exceeded">at login.spec.ts:12:5</flakyFailure>`}, 1: {}, 2: {},
	3: {what: `<flakyFailure message="Timeout 500ms exceeded">at login.spec.ts:12:5</flakyFailure>`}, 4: {},
	5: {what: `<failure message="Timeout 900ms exceeded">at login.spec.ts:12:5</failure>`},
	6: {what: `<failure message="TypeError: x is undefined">at login.spec.ts:40:1</failure>`},
	7: {what: `<failure message="Timeout 901ms exceeded">at login.spec.ts:12:5</failure>`, never: true},
	8: {what: `<failure message="Timeout 902ms exceeded">at login.spec.ts:12:5</failure>`},
}

// reportOf returns the report of run n.
func reportOf(n int) string {
	var xml strings.Builder
	fmt.Fprintf(&xml, `<testsuite name="login.spec.ts"><testcase name="signs in" classname="login.spec.ts" file="login.spec.ts" line="10" time="%d">`, n+1)
	if n >= 6 {
		xml.WriteString(events[n-6].what)
	}
	xml.WriteString(`</testcase>`)
	for i := range 59 {
		fmt.Fprintf(&xml, `<testcase name="case %d" classname="login.spec.ts"/>`, i)
	}
	return xml.String() + `</testsuite>`
}

// deltasAlone is a backend on which no snapshot is ever saved.
type deltasAlone struct{ state.Backend }

func (s deltasAlone) Put(ctx context.Context, name string, files fs.FS) error {
	if strings.HasPrefix(name, state.SnapshotPrefix) {
		return state.ErrExists
	}
	return s.Backend.Put(ctx, name, files)
}

// TestARestoredHistoryGivesTheSameReasons lets the same runs happen on one
// machine with one database and each on a machine of its own that restores the
// state, from snapshots and from deltas alone: every outcome, the quarantine and
// its log are the same to the letter.
func TestARestoredHistoryGivesTheSameReasons(t *testing.T) {
	dir := t.TempDir()
	backends := map[string]state.Backend{"snapshots": state.NewPath(filepath.Join(dir, "state")), "deltas": deltasAlone{state.NewPath(filepath.Join(dir, "deltas"))}}
	one, all := filepath.Join(dir, "one.db"), ""
	for n := range 6 + len(events) {
		report := filepath.Join(dir, fmt.Sprintf("junit-%d.xml", n))
		writeFile(t, report, reportOf(n))
		now := time.Unix(1_750_000_000+int64(n)*3600, 0)
		cfg := ci.Config{
			JUnit: []string{report}, DB: one, Repo: dir, Policy: flaky.PolicyEvidence, Missing: ci.MissingWarn, File: ".breadcrumb.yml",
			DefaultBranch: "main", Info: engine.RunInfo{Repository: "acme/shop", RepositoryID: 42, RunID: int64(100 + n), RunAttempt: 1, Job: "e2e",
				Workflow: "acme/shop/.github/workflows/ci.yml@refs/heads/main", Commit: fmt.Sprintf("%040x", n), Branch: "main", DefaultBranch: true, StartedAt: now},
		}
		if n >= 6 && events[n-6].never {
			cfg.Never = []string{"login.spec.ts"}
			cfg.Origins = map[string]ci.Origin{ci.SettingNever: {Place: ".breadcrumb.yml line 2", File: true}}
		}
		d := ci.Deps{Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}
		want := describeRun(t, cfg, d)
		for from, backend := range backends {
			cfg.DB = filepath.Join(t.TempDir(), "other.db")
			d.Backend = backend
			if diff := cmp.Diff(want, describeRun(t, cfg, d)); diff != "" {
				t.Fatalf("run %d (-one machine +restored from %s):\n%s", n, from, diff)
			}
		}
		all += want
	}
	for _, reason := range []string{"failed then passed", "never seen while it was flaking", "the configuration says never", "set quarantine-never"} {
		if !strings.Contains(all, reason) {
			t.Errorf("no run says %q, so the test shows little", reason)
		}
	}
}

// describeRun returns what a run says and leaves behind, but for the name of its database.
func describeRun(t *testing.T, cfg ci.Config, d ci.Deps) string {
	t.Helper()
	result, err := ci.Run(t.Context(), cfg, d)
	if err != nil {
		t.Fatal(err)
	}
	result.Outcome.Database = ""
	var out bytes.Buffer
	fmt.Fprintf(&out, "exit %d\n", result.Exit)
	if err := report.JSON(&out, result.Outcome); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), cfg.DB, sqlite.Options{Now: d.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	entries, err := db.Quarantine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		fmt.Fprintf(&out, "in %+v\n", e)
	}
	past, err := db.Evidence(t.Context(), cfg.Info)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range past.Runs {
		fmt.Fprintf(&out, "%s %+v\n", run.Commit, run.Observations)
	}
	log, err := db.QuarantineLog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string // those of one moment have no order
	for _, e := range log {
		line := fmt.Sprintf("%s %+v\n", e.At.Format(time.RFC3339), e)
		if e.Setting {
			line = fmt.Sprintf("%s set %s: %+v\n", e.At.Format(time.RFC3339), e.Change.TestID, e)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return out.String() + strings.Join(lines, "")
}
