package year

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

const (
	repository   = "octo-org/shop"
	repositoryID = 4711
	workflowFile = ".github/workflows/e2e.yml"
)

// job is what a runner knows of the job it is to do.
type job struct {
	API, Results, Token string // addresses of GitHub, and the job's token
	Run                 int64
	Attempt             int
	Event, Ref, Branch  string
	Commit              string
	Pull                int // 0 where it is of none
	At                  time.Time
	Dir                 string // checkout and report
	KeepRuns            int
}

// cost is what a run took, and how it ended.
type cost struct {
	CPU      float64 // seconds
	Peak     float64 // most memory of its process, in MB
	Requests int64   // to the REST API
	Read     int64   // bytes of artifacts
	Saved    int64   // the same

	Exit     int
	Warnings []string
}

// do is a whole run: restore, record, judge, comment and persist.
func (j job) do(ctx context.Context) (c cost, err error) {
	now := func() time.Time { return j.At }
	calls := &meter{api: j.API}
	client, err := gh.NewClient(gh.Options{Token: "job", APIURL: j.API, HTTP: &http.Client{Transport: calls}, Now: now,
		Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		return c, err
	}
	backend, err := client.ArtifactBackend(gh.BackendOptions{Repository: repository, RepositoryID: repositoryID, DefaultBranch: "main", Workflow: workflowFile,
		Ref: j.Ref, Event: j.Event, Attempt: j.Attempt, RetentionDays: 90, ResultsURL: j.Results, RuntimeToken: j.Token})
	if err != nil {
		return c, err
	}
	cfg := ci.Config{
		JUnit: []string{filepath.Join(j.Dir, reportName)}, DB: filepath.Join(j.Dir, ".breadcrumb.db"), Repo: j.Dir, Policy: flaky.PolicyEvidence,
		Missing: ci.MissingAuto, DefaultBranch: "main", KeepRuns: j.KeepRuns, Comment: true, CommentKey: "e2e", ServerURL: "https://github.com",
		Info: engine.RunInfo{Repository: repository, RepositoryID: repositoryID, RunID: j.Run, RunAttempt: j.Attempt, Workflow: repository + "/" + workflowFile + "@" + j.Ref,
			WorkflowID: 1, Job: "e2e", Commit: j.Commit, Branch: j.Branch, PullRequest: j.Pull, DefaultBranch: j.Branch == "main", StartedAt: j.At},
	}
	deps := ci.Deps{Backend: backend, Now: now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler)}
	if !cfg.Info.Trusted() {
		if deps.Ancestry, err = client.Ancestry(repository, "main"); err != nil {
			return c, err
		}
	}
	if j.Pull != 0 {
		forge := client.Conversation(repository, j.Pull)
		deps.Forge, deps.Changes, deps.Reviews, deps.Runs = forge, forge, forge, forge
	}
	result, err := ci.Run(ctx, cfg, deps)
	if err != nil {
		return c, err
	}
	for _, failed := range result.PublishErrors {
		c.Warnings = append(c.Warnings, failed.Error())
	}
	for _, n := range result.Outcome.Notices {
		if n.Severity == engine.SeverityWarning {
			c.Warnings = append(c.Warnings, n.Reason)
		}
	}
	c.Exit, c.Requests, c.Read, c.Saved = int(result.Exit), calls.requests.Load(), calls.read.Load(), calls.saved.Load()
	return c, nil
}

// meter counts what goes to GitHub and comes from it.
type meter struct {
	api                   string
	requests, read, saved atomic.Int64
}

// RoundTrip implements [http.RoundTripper].
func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	ofAPI := "http://"+r.URL.Host == m.api
	if ofAPI && r.URL.Path != "/graphql" {
		m.requests.Add(1)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && !ofAPI {
		m.saved.Add(max(0, r.ContentLength))
		answer.Body = &countedBody{answer.Body, &m.read}
	}
	return answer, err
}

type countedBody struct {
	io.ReadCloser
	n *atomic.Int64
}

// Read implements [io.Reader].
func (b *countedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.n.Add(int64(n))
	return n, err
}

// doAlone does a job that is described on standard input and writes what it took to
// standard output. Its process is new, as on a runner, so that it says how much memory a
// run needs.
func doAlone() error {
	var j job
	if err := json.NewDecoder(os.Stdin).Decode(&j); err != nil {
		return err
	}
	c, err := j.do(context.Background())
	if err != nil {
		return err
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	c.CPU = time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(line, &c.Peak); err != nil {
		return err
	}
	c.Peak *= 1024.0 / 1e6
	return json.NewEncoder(os.Stdout).Encode(c)
}
