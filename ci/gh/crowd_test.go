package gh_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/sqlite"
)

// crowd is a GitHub on which many whole runs happen at once, every third of
// them of a pull request, and which lists what was saved ten minutes late.
type crowd struct {
	*actions
	open func(*gh.Client, gh.BackendOptions) (state.Backend, error)

	suite string  // that has the one test; "": a.spec.ts
	want  ci.Exit // of a run
	// workflow says which workflow file a run is of; nil: e2e.yml.
	workflow func(n int) string

	most, mostOfPulls atomic.Int64 // requests to the REST API of one run
}

const firstOfCrowd = 10_000

func newCrowd(t *testing.T, open func(*gh.Client, gh.BackendOptions) (state.Backend, error)) *crowd {
	t.Helper()
	c := &crowd{actions: newActions(t, githubtest.Options{ListingLag: 10 * time.Minute}), open: open}
	c.change(t, func(r *githubtest.Repository) {
		r.PullRequests = []githubtest.PullRequest{{Number: 12, Author: "mona", HeadSHA: strings.Repeat("2", 40), HeadRef: "rename", BaseRef: "main", BaseSHA: mainSHA}}
	})
	return c
}

func ofPull(n int) bool { return n%3 == 2 }

// counting counts the requests to the REST API.
type counting struct {
	host string
	n    atomic.Int64
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	if "http://"+r.URL.Host == c.host && r.URL.Path != "/graphql" {
		c.n.Add(1)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// run does the whole of run n on a machine of its own, and returns its
// database.
func (c *crowd) run(t *testing.T, n int) string {
	t.Helper()
	if err := c.sleep(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	ref, file := "refs/heads/main", ".github/workflows/e2e.yml"
	if c.workflow != nil {
		file = ".github/workflows/" + c.workflow(n)
	}
	started := githubtest.WorkflowRun{ID: int64(firstOfCrowd + n), Event: "push", Path: file, HeadBranch: "main", HeadSHA: mainSHA}
	if ofPull(n) {
		ref = "refs/pull/12/merge"
		started.Event, started.HeadBranch, started.HeadSHA = "pull_request", "rename", strings.Repeat("2", 40)
	}
	c.StartRun(shopName, started)
	_, o := c.job(t, int64(firstOfCrowd+n), ref)
	o.Workflow = file
	calls := &counting{host: c.api}
	client, err := gh.NewClient(gh.Options{Token: "job", APIURL: c.api, HTTP: &http.Client{Timeout: 30 * time.Second, Transport: calls}, Now: c.now, Sleep: c.sleep})
	if err != nil {
		t.Fatal(err)
	}
	backend, err := c.open(client, o)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	report := fmt.Sprintf(`<testsuite name="%[1]s"><testcase name="passes" classname="%[1]s" time="%[2]d"/></testsuite>`, cmp.Or(c.suite, "a.spec.ts"), n)
	if err := os.WriteFile(filepath.Join(dir, "junit.xml"), []byte(report), 0o666); err != nil {
		t.Fatal(err)
	}
	cfg := ci.Config{
		JUnit: []string{filepath.Join(dir, "junit.xml")}, DB: filepath.Join(dir, "breadcrumb.db"), Repo: dir, DefaultBranch: "main", KeepRuns: 300,
		Policy: flaky.PolicyEvidence, Missing: ci.MissingAuto, Comment: true, CommentKey: fmt.Sprint("run-", n),
		Info: engine.RunInfo{Repository: shopName, RepositoryID: shopID, RunID: int64(firstOfCrowd + n), RunAttempt: 1, Workflow: shopName + "/" + file + "@refs/heads/main",
			Job: "e2e", Commit: mainSHA, Branch: "main", DefaultBranch: true, StartedAt: c.now()},
	}
	d := ci.Deps{Backend: backend, Now: c.now, Log: slog.New(slog.DiscardHandler)}
	most := &c.most
	if ofPull(n) {
		cfg.Info.PullRequest, cfg.Info.DefaultBranch, cfg.Info.Branch = 12, false, "rename"
		forge := client.Conversation(shopName, 12)
		d.Forge, d.Changes, d.Reviews = forge, forge, forge
		most = &c.mostOfPulls
	}
	result, err := ci.Run(t.Context(), cfg, d)
	if err != nil || result.Exit != c.want {
		t.Errorf("run %d: exit %d, %v", n, result.Exit, err)
	}
	for _, publishErr := range result.PublishErrors {
		t.Errorf("run %d: %v", n, publishErr)
	}
	for _, notice := range result.Outcome.Notices {
		if strings.Contains(notice.Reason, "save ") {
			t.Errorf("run %d: %s", n, notice.Reason)
		}
	}
	for n := calls.n.Load(); n > most.Load(); {
		most.Store(n)
	}
	return cfg.DB
}

// TestACrowdOnGitHubLosesNoRow lets many runs restore, judge, comment and
// persist at once, and then looks for each in what later runs get to know.
func TestACrowdOnGitHubLosesNoRow(t *testing.T) {
	t.Parallel()
	runs, later := promise.Count("crowd on GitHub"), 60
	for name, open := range map[string]func(*gh.Client, gh.BackendOptions) (state.Backend, error){
		"artifact": func(c *gh.Client, o gh.BackendOptions) (state.Backend, error) { return c.ArtifactBackend(o) },
		"branch":   func(c *gh.Client, o gh.BackendOptions) (state.Backend, error) { return c.BranchBackend(o) },
		"cache":    func(c *gh.Client, o gh.BackendOptions) (state.Backend, error) { return c.CacheBackend(o) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, open)
			gate := make(chan struct{}, 8)
			var all sync.WaitGroup
			for n := range runs {
				gate <- struct{}{}
				all.Go(func() {
					defer func() { <-gate }()
					c.run(t, n)
				})
			}
			all.Wait()
			if name == "branch" { // runs that race for it begin anew
				t.Logf("at most %d requests a run in the crowd", c.most.Swap(0))
			}
			lost := runs
			for n := runs; n < runs+later && lost > 0; n++ {
				if ofPull(n) {
					continue
				}
				if err := c.sleep(t.Context(), time.Hour); err != nil {
					t.Fatal(err)
				}
				lost = c.missing(t, c.run(t, n), runs, name == "artifact")
			}
			t.Logf("%d runs lost; at most %d requests a run on the default branch, %d on a pull request", lost, c.most.Load(), c.mostOfPulls.Load())
			most := int64(23)
			if name == "artifact" { // asks which commits were the branch's tip
				most++
			}
			if lost > 0 || c.most.Load() > most || c.mostOfPulls.Load() > 6 {
				t.Errorf("want none, %d and 6", most)
			}
		})
	}
}

// missing counts the runs that are not in a database. Where pull requests may
// not save, theirs are not looked for.
func (c *crowd) missing(t *testing.T, path string, runs int, pulls bool) int {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all, err := db.Everything(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	there := map[int64]bool{}
	for _, r := range all.Records {
		if run, ok := r.(*delta.Run); ok {
			there[run.Key.RunID] = true
		}
	}
	lost := 0
	for n := range runs {
		if !there[int64(firstOfCrowd+n)] && (pulls || !ofPull(n)) {
			lost++
		}
	}
	return lost
}

// TestNoWorkflowLosesItsHistoryToAnother lets a workflow run once, another one many
// times, and then the first again.
func TestNoWorkflowLosesItsHistoryToAnother(t *testing.T) {
	t.Parallel()
	const others = 30
	for name, open := range map[string]func(*gh.Client, gh.BackendOptions) (state.Backend, error){
		"artifact": func(c *gh.Client, o gh.BackendOptions) (state.Backend, error) { return c.ArtifactBackend(o) },
		"branch":   func(c *gh.Client, o gh.BackendOptions) (state.Backend, error) { return c.BranchBackend(o) },
		"cache":    func(c *gh.Client, o gh.BackendOptions) (state.Backend, error) { return c.CacheBackend(o) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, open)
			c.workflow = func(n int) string {
				if n == 0 || n > others {
					return "api.yml"
				}
				return "e2e.yml"
			}
			for n := range others + 1 {
				c.run(t, n)
				if n == 0 { // nobody looks for deltas as old as this
					if err := c.sleep(t.Context(), 48*time.Hour); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := c.sleep(t.Context(), time.Hour); err != nil {
				t.Fatal(err)
			}
			n := others + 1
			for ofPull(n) {
				n++
			}
			if lost := c.missing(t, c.run(t, n), 1, true); lost > 0 {
				t.Error("the first run of api.yml is lost")
			}
		})
	}
}

// TestARenamedWorkflowIsComparedWithItsLastRun renames the workflow's file, after
// which a suite is gone.
func TestARenamedWorkflowIsComparedWithItsLastRun(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, func(c *gh.Client, o gh.BackendOptions) (state.Backend, error) { return c.ArtifactBackend(o) })
	c.change(t, func(r *githubtest.Repository) {
		r.Contents = append(r.Contents, githubtest.Content{Ref: "main", Path: ".github/workflows/tests.yml", Text: "on: push"})
	})
	c.run(t, 0)
	if err := c.sleep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	c.workflow, c.suite = func(int) string { return "tests.yml" }, "b.spec.ts"
	c.want = ci.ExitBlocked
	if lost := c.missing(t, c.run(t, 1), 1, true); lost > 0 {
		t.Error("the run before the rename is lost")
	}
}

// TestAQuietRepositoryLosesNoRow lets nothing run for a while, again and again: most
// snapshots are gone then, and are still listed.
func TestAQuietRepositoryLosesNoRow(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, rest := range map[string]time.Duration{"a weekend": 3 * day, "weeks": 20 * day, "87 days": 87 * day} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, func(c *gh.Client, o gh.BackendOptions) (state.Backend, error) { return c.ArtifactBackend(o) })
			const first, later = 40, 4
			for n := range first {
				c.run(t, n)
				if err := c.sleep(t.Context(), 20*time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.sleep(t.Context(), rest); err != nil {
				t.Fatal(err)
			}
			lost := first
			for n := first; n < first+later && lost > 0; n++ {
				if !ofPull(n) {
					lost = c.missing(t, c.run(t, n), first, true)
				}
				if err := c.sleep(t.Context(), time.Hour); err != nil {
					t.Fatal(err)
				}
			}
			if lost > 0 || c.most.Load() > 24 || c.mostOfPulls.Load() > 6 {
				t.Errorf("%d runs lost; at most %d requests a run, %d on a pull request", lost, c.most.Load(), c.mostOfPulls.Load())
			}
		})
	}
}
