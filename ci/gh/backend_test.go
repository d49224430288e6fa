package gh_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/state/statetest"
)

const (
	shopName = "octo-org/shop"
	shopID   = 4711
	mainRun  = 1000
	pullRun  = 2000
	forkRun  = 3000
	mainSHA  = "1111111111111111111111111111111111111111"
)

// actions is a GitHub with its results service, and a client of one job.
type actions struct {
	*githubtest.Server
	api, service string

	mu     sync.Mutex
	clock  time.Time
	waited time.Duration
}

func (a *actions) now() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.clock
}

// newActions returns a GitHub that knows a run on the default branch, one of a
// pull request and one of a fork's branch of the default branch's name.
func newActions(t *testing.T, o githubtest.Options) *actions {
	t.Helper()
	a := &actions{clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	if o.Now == nil {
		o.Now = a.now
	}
	o.State = githubtest.State{Repositories: []githubtest.Repository{{
		ID: shopID, FullName: shopName, DefaultBranch: "main",
		Runs: []githubtest.WorkflowRun{
			{ID: mainRun, Event: "push", Path: ".github/workflows/e2e.yml", HeadBranch: "main", HeadSHA: mainSHA},
			{ID: pullRun, Event: "pull_request", Path: ".github/workflows/e2e.yml", HeadBranch: "rename", HeadSHA: strings.Repeat("2", 40)},
			{ID: forkRun, Event: "pull_request", Path: ".github/workflows/e2e.yml", HeadBranch: "main", HeadRepository: "mona/shop", HeadSHA: strings.Repeat("3", 40)},
		},
	}}}
	a.Server = githubtest.New(o)
	api, service := httptest.NewServer(a.Server), httptest.NewServer(a.Results())
	t.Cleanup(api.Close)
	t.Cleanup(service.Close)
	a.SetStorage(service.URL)
	a.api, a.service = api.URL, service.URL
	return a
}

// job returns a client and the options of a job of the run.
func (a *actions) job(t *testing.T, run int64, ref string) (*gh.Client, gh.BackendOptions) {
	t.Helper()
	client, err := gh.NewClient(gh.Options{
		Token: "job", APIURL: a.api, HTTP: &http.Client{Timeout: 10 * time.Second}, Now: a.now, Sleep: a.sleep,
	})
	if err != nil {
		t.Fatal(err)
	}
	scopes := []string{ref}
	if ref != "refs/heads/main" {
		scopes = append(scopes, "refs/heads/main")
	}
	token := a.RuntimeToken(githubtest.JobRun{Repository: shopName, Run: run, Job: "e2e", Scopes: scopes})
	return client, gh.BackendOptions{Repository: shopName, RepositoryID: shopID, DefaultBranch: "main", Workflow: ".github/workflows/e2e.yml", Ref: ref, ResultsURL: a.service, RuntimeToken: token}
}

func (a *actions) artifacts(t *testing.T, run int64) *gh.ArtifactBackend {
	t.Helper()
	client, o := a.job(t, run, "refs/heads/main")
	backend, err := client.ArtifactBackend(o)
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

func (a *actions) caches(t *testing.T, ref string) *gh.CacheBackend {
	t.Helper()
	client, o := a.job(t, mainRun, ref)
	backend, err := client.CacheBackend(o)
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

func (a *actions) branch(t *testing.T) *gh.BranchBackend {
	t.Helper()
	client, o := a.job(t, mainRun, "refs/heads/main")
	backend, err := client.BranchBackend(o)
	if err != nil {
		t.Fatal(err)
	}
	return backend
}

func TestEveryBackendKeepsTheContract(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T, *actions) state.Backend{
		"artifact": func(t *testing.T, a *actions) state.Backend { t.Helper(); return a.artifacts(t, mainRun) },
		"cache":    func(t *testing.T, a *actions) state.Backend { t.Helper(); return a.caches(t, "refs/heads/main") },
		"branch":   func(t *testing.T, a *actions) state.Backend { t.Helper(); return a.branch(t) },
	} {
		t.Run(name, func(t *testing.T) {
			statetest.Suite(t, func(t *testing.T) state.Backend {
				t.Helper()
				return open(t, newActions(t, githubtest.Options{}))
			})
		})
	}
}

// sleep lets the clock run instead of waiting.
func (a *actions) sleep(ctx context.Context, d time.Duration) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock = a.clock.Add(d)
	a.waited += d
	return ctx.Err()
}

func mapFS(content map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range content {
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return m
}

// onlyItem returns the one item of a backend whose name begins with prefix.
func onlyItem(t *testing.T, s state.Backend, prefix string) state.Item {
	t.Helper()
	items, err := s.List(t.Context(), prefix)
	if err != nil || len(items) != 1 {
		t.Fatalf("List(%s) = %d items, %v", prefix, len(items), err)
	}
	return items[0]
}

func getItem(t *testing.T, s state.Backend, item state.Item) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := getInto(t, s, item, dir); err != nil {
		t.Fatalf("Get %s: %v", item.Name, err)
	}
	return readDir(t, dir)
}

func getInto(t *testing.T, s state.Backend, item state.Item, dir string) error {
	t.Helper()
	into, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer into.Close()
	return s.Get(t.Context(), item, into)
}

func parseState(t *testing.T, text []byte) githubtest.State {
	t.Helper()
	var s githubtest.State
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func marshal(t *testing.T, s githubtest.State) io.Reader {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text)
}
