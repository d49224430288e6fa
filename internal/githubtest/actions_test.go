package githubtest_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/internal/githubtest"
	runstate "github.com/breadcrumb/action/state"
)

// The backends' own requests, and the server's answers to them, are those of
// GitHub's description.
func TestRequestsForStateFitGitHubsDescription(t *testing.T) {
	t.Parallel()
	needDescription(t)
	s := newSite(t, githubtest.Options{State: githubtest.State{Repositories: []githubtest.Repository{{
		ID: 4711, FullName: "octo-org/shop", DefaultBranch: "main",
		Runs: []githubtest.WorkflowRun{
			{ID: 1, Event: "push", Path: ".github/workflows/ci.yml", HeadBranch: "main", HeadSHA: head},
			{ID: 2, Event: "push", Path: ".github/workflows/ci.yml", HeadBranch: "main", HeadSHA: head},
		},
	}}}})
	service := httptest.NewServer(s.Results())
	t.Cleanup(service.Close)
	s.SetStorage(service.URL)
	client, err := gh.NewClient(gh.Options{
		Token: "job", APIURL: s.url, HTTP: s.client,
		Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	for run := 1; run <= 2; run++ {
		ref := "refs/heads/main"
		if run == 2 {
			ref = "refs/pull/12/merge"
		}
		token := s.RuntimeToken(githubtest.JobRun{Repository: "octo-org/shop", Run: int64(run), Job: "e2e", Scopes: []string{ref, "refs/heads/main"}})
		o := gh.BackendOptions{Repository: "octo-org/shop", RepositoryID: 4711, DefaultBranch: "main", Ref: ref, ResultsURL: service.URL, RuntimeToken: token}
		artifacts, err := client.ArtifactBackend(o)
		if err != nil {
			t.Fatal(err)
		}
		caches, err := client.CacheBackend(o)
		if err != nil {
			t.Fatal(err)
		}
		branch, err := client.BranchBackend(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, backend := range []runstate.Backend{artifacts, caches, branch} {
			use(t, backend, run)
		}
	}
	again, err := client.BranchBackend(gh.BackendOptions{Repository: "octo-org/shop", RepositoryID: 4711, DefaultBranch: "main", Ref: "refs/heads/main"})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Put(t.Context(), runstate.DeltaPrefix+"3-1-a", fstest.MapFS{"a": {Data: []byte("y")}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"GET /repos/{owner}/{repo}/actions/artifacts", "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}",
		"GET /repos/{owner}/{repo}/actions/caches", "GET /repos/{owner}/{repo}/actions/runs/{run_id}", "GET /repos/{owner}/{repo}/actions/runs",
		"POST /repos/{owner}/{repo}/git/blobs", "POST /repos/{owner}/{repo}/git/trees", "POST /repos/{owner}/{repo}/git/commits", "POST /repos/{owner}/{repo}/git/refs",
		"PATCH /repos/{owner}/{repo}/git/refs/{ref}", "GET /repos/{owner}/{repo}/git/ref/{ref}", "GET /repos/{owner}/{repo}/git/trees/{tree_sha}",
		"GET /repos/{owner}/{repo}/git/commits/{commit_sha}", "GET /repos/{owner}/{repo}/git/blobs/{file_sha}",
	}
	checked := s.Checked()
	for _, operation := range want {
		if !slices.Contains(checked, operation) {
			t.Errorf("%s was not checked", operation)
		}
	}
}

// use saves two items where the run may, then lists and reads all.
func use(t *testing.T, backend runstate.Backend, run int) {
	t.Helper()
	saved := 2 * (run - 1)
	for _, leg := range []string{"a", "b"} {
		err := backend.Put(t.Context(), fmt.Sprintf("%s%d-1-%s", runstate.DeltaPrefix, run, leg), fstest.MapFS{"a": {Data: []byte("x")}})
		switch {
		case err == nil:
			saved++
		case !errors.Is(err, runstate.ErrReadOnly):
			t.Fatal(err)
		}
	}
	items, err := backend.List(t.Context(), "breadcrumb-")
	if err != nil || len(items) != saved {
		t.Fatalf("%d items, %v", len(items), err)
	}
	for _, item := range items {
		into, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := backend.Get(t.Context(), item, into); err != nil {
			t.Error(err)
		}
		into.Close()
	}
}
