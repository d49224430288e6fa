//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/breadcrumb/action/internal/githubtest"
)

// stuck is a server that never answers one kind of request.
type stuck struct {
	http.Handler
	path    string // end of the requests that hang
	reached chan struct{}
	once    sync.Once
}

func (s *stuck) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.path == "" || !strings.HasSuffix(r.URL.Path, s.path) {
		s.Handler.ServeHTTP(w, r)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client is gone
	s.once.Do(func() { close(s.reached) })
	select {
	case <-r.Context().Done():
	case <-time.After(time.Minute):
	}
}

// remoteJob is a command in a job on GitHub, of which one kind of request hangs.
func remoteJob(t *testing.T, dir, hangs string) (*exec.Cmd, *githubtest.Server, chan struct{}) {
	t.Helper()
	g := githubtest.New(githubtest.Options{State: githubtest.State{Repositories: []githubtest.Repository{{ID: 42, FullName: "acme/shop", DefaultBranch: "main",
		Runs: []githubtest.WorkflowRun{{ID: 100, Event: "push", Path: ".github/workflows/ci.yml", HeadBranch: "main", HeadSHA: strings.Repeat("1", 40)}}}}}})
	reached := make(chan struct{})
	api := httptest.NewServer(&stuck{Handler: g, path: hangs, reached: reached})
	service := httptest.NewServer(&stuck{Handler: g.Results(), path: hangs, reached: reached})
	t.Cleanup(api.Close)
	t.Cleanup(service.Close)
	g.SetStorage(service.URL)
	event := filepath.Join(dir, "event.json")
	if err := os.WriteFile(event, []byte(`{"ref": "refs/heads/main", "repository": {"id": 42, "full_name": "acme/shop", "default_branch": "main"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := command(dir, "ci", "--junit", "results.xml", "--missing", "warn")
	cmd.Env = append(cmd.Env, "GITHUB_ACTIONS=true", "GITHUB_REPOSITORY=acme/shop", "GITHUB_REPOSITORY_ID=42", "GITHUB_RUN_ID=100", "GITHUB_RUN_ATTEMPT=1",
		"GITHUB_JOB=e2e", "GITHUB_REF=refs/heads/main", "GITHUB_WORKFLOW_REF=acme/shop/.github/workflows/ci.yml@refs/heads/main", "GITHUB_EVENT_NAME=push",
		"GITHUB_EVENT_PATH="+event, "GITHUB_SHA="+strings.Repeat("1", 40), "GITHUB_TOKEN=t0ken", "GITHUB_API_URL="+api.URL, "GITHUB_SERVER_URL=https://github.com",
		"GITHUB_WORKSPACE="+dir, "GITHUB_OUTPUT="+filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"),
		"ACTIONS_RESULTS_URL="+service.URL, "ACTIONS_RUNTIME_TOKEN="+g.RuntimeToken(githubtest.JobRun{Repository: "acme/shop", Run: 100, Job: "e2e", Scopes: []string{"refs/heads/main"}}))
	return cmd, g, reached
}

// TestASignalEndsARunThatWaitsForGitHub tells a run to end while GitHub does
// not answer: what it recorded is written down, and it does not pass.
func TestASignalEndsARunThatWaitsForGitHub(t *testing.T) {
	for hangs, saves := range map[string]bool{
		"/actions/artifacts": true, // the history cannot be listed, and the delta can be saved
		"/CreateArtifact":    false,
	} {
		dir := t.TempDir()
		writeReport(t, dir, fewCases)
		cmd, g, reached := remoteJob(t, dir, hangs)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-reached
		sent := time.Now()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		took := time.Since(sent)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 3 || took > hangBound {
			t.Errorf("%s: ended with %v after %s; want exit code 3 before the request times out\n%s", hangs, err, took, out.String())
		}
		for _, name := range []string{".breadcrumb.db", ".breadcrumb.db.delta"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("%s: %v\n%s", hangs, err, out.String())
			}
		}
		var state bytes.Buffer
		if err := g.Dump(&state); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(state.String(), "breadcrumb-delta-100-1-"); got != saves {
			t.Errorf("%s: the delta is saved: %v, want %v\n%s", hangs, got, saves, out.String())
		}
		if strings.Contains(state.String(), "breadcrumb-snapshot") {
			t.Errorf("%s: a run that was told to end folded", hangs)
		}
	}
}

// TestAJudgeThatEndsLeavesNoCheckRunPending tells a judging run to end, or kills it,
// while GitHub does not answer. What the second cannot do its workflow's last job does.
func TestAJudgeThatEndsLeavesNoCheckRunPending(t *testing.T) {
	const hangs = "/actions/artifacts"
	for name, c := range map[string]struct {
		signal       syscall.Signal
		first, after string // conclusions: when the run has ended, and after the workflow's last job
		exit         int    // of that job
	}{
		"cancelled": {syscall.SIGTERM, "cancelled", "cancelled", 0},
		"killed":    {syscall.SIGKILL, "", "failure", 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeReport(t, dir, 1)
			cmd, g, reached := remoteJob(t, dir, hangs)
			cmd.Args = append(cmd.Args, "--check-run", "browser tests")
			last := exec.Command(os.Args[0], "ci", "--check-run", "browser tests", "--check-run-end", "cancelled")
			last.Dir, last.Env = cmd.Dir, cmd.Env
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-reached
			if all := g.CheckRuns("acme/shop"); len(all) != 1 || all[0].Status != "in_progress" {
				t.Errorf("while it judges: %+v", all)
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the run passed")
			}
			if all := g.CheckRuns("acme/shop"); len(all) != 1 || all[0].Conclusion != c.first {
				t.Errorf("when it has ended: %+v, want the conclusion %q", all, c.first)
			}
			out, err := last.CombinedOutput()
			if code := last.ProcessState.ExitCode(); code != c.exit {
				t.Errorf("the last job ended with %v, want exit code %d\n%s", err, c.exit, out)
			}
			if all := g.CheckRuns("acme/shop"); len(all) != 1 || all[0].Conclusion != c.after || all[0].Status != "completed" {
				t.Errorf("at the end: %+v, want the conclusion %q", all, c.after)
			}
		})
	}
}
