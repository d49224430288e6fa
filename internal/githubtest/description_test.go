package githubtest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/internal/githubtest"
)

// needDescription skips a test that shows nothing where GitHub's description is
// missing. In CI it must be there.
func needDescription(t *testing.T) *githubtest.Description {
	t.Helper()
	d, err := githubtest.FindDescription()
	switch {
	case errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "":
		t.Skipf("make description fetches what this is checked against: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	return d
}

func TestTheDescriptionFindsWhatGitHubDoesNotHave(t *testing.T) {
	t.Parallel()
	d := needDescription(t)
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		answer                   string
		want                     string
	}{
		{"a good request", "POST", "/repos/a/b/git/refs", `{"ref": "refs/heads/x", "sha": "1"}`, 201,
			`{"ref": "refs/heads/x", "node_id": "x", "url": "https://x", "object": {"type": "commit", "sha": "1111111111111111111111111111111111111111", "url": "https://x"}}`, ""},
		{"no such operation", "GET", "/repos/a/b/nothing", "", 200, `{}`, "GitHub has no GET /repos/a/b/nothing"},
		{"a request without what is required", "POST", "/repos/a/b/git/refs", `{"ref": "refs/heads/x"}`, 201, `{}`, `property "sha" is missing`},
		{"a request of the wrong type", "POST", "/repos/a/b/issues/1/comments", `{"body": 1}`, 201, `{}`, "value must be a string"},
		{"a wrong request that was refused", "POST", "/repos/a/b/git/refs", `{}`, 404, `{"message": "Not Found"}`, ""},
		{"an answer without what is required", "GET", "/repos/a/b/git/blobs/1", "", 200, `{"content": "x"}`, `property "encoding" is missing`},
		{"a status that is not described", "GET", "/repos/a/b/git/blobs/1", "", 299, `{}`, "status is not supported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "https://api.github.com"+c.path, nil)
			answer := httptest.NewRecorder()
			answer.Header().Set("Content-Type", "application/json")
			answer.Code = c.status
			answer.Body.WriteString(c.answer)
			_, err := d.Check(r, []byte(c.body), answer)
			if got := fmt.Sprint(err); (err != nil) != (c.want != "") || !strings.Contains(got, c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestAnswersHaveTheShapesOfGitHubsDescription(t *testing.T) {
	t.Parallel()
	needDescription(t)
	s := newSite(t, githubtest.Options{})

	place := object{"path": "tests/login.spec.ts", "line": 12, "start_line": 11, "side": "RIGHT", "start_side": "RIGHT", "body": "x"}
	steps := []struct {
		token, method, path string
		body                any
		status              int
	}{
		{"mona", "GET", "/user", nil, 200},
		{"job", "GET", "/user", nil, 403},
		{"job", "POST", "/issues/12/comments", object{"body": "text"}, 201},
		{"job", "GET", "/issues/12/comments?per_page=100&page=1", nil, 200},
		{"job", "GET", "/issues/comments/1", nil, 200},
		{"job", "PATCH", "/issues/comments/1", object{"body": "other"}, 200},
		{"fork", "POST", "/issues/12/comments", object{"body": "text"}, 403},
		{"job", "POST", "/issues/12/comments", object{"body": strings.Repeat("x", 65537)}, 422},
		{"job", "GET", "/issues/99/comments", nil, 404},
		{"job", "POST", "/pulls/12/reviews", object{"event": "COMMENT", "commit_id": head, "body": "text", "comments": []any{place}}, 200},
		{"job", "POST", "/pulls/12/reviews", object{"event": "COMMENT", "body": "text", "comments": []any{object{"path": "none", "line": 1, "body": "x"}}}, 422},
		{"job", "GET", "/pulls/12/reviews", nil, 200},
		{"job", "GET", "/pulls/12/reviews/2/comments", nil, 200},
		{"job", "GET", "/pulls/12/comments", nil, 200},
		{"job", "GET", "/pulls/12/files", nil, 200},
		{"job", "GET", "/pulls/12", nil, 200},
		{"job", "GET", "/commits/" + head + "/pulls", nil, 200},
		{"job", "GET", "/collaborators/mona/permission", nil, 200},
		{"job", "GET", "/contents/tests/login.spec.ts?ref=main", nil, 200},
		{"job", "GET", "/contents/none", nil, 404},
		{"job", "DELETE", "/issues/comments/1", nil, 204},
		{"job", "DELETE", "/pulls/comments/3", nil, 204},
		{"job", "DELETE", "/pulls/comments/3", nil, 404},
		{"job", "GET", "/git/trees/" + head, nil, 200},
		{"job", "GET", "/git/trees/" + strings.Repeat("8", 40), nil, 404},
		{"job", "GET", "/git/blobs/" + gitBlob("é"), nil, 200},
		{"job", "POST", "/git/refs", object{"ref": "refs/heads/breadcrumb/heal-12", "sha": head}, 201},
		{"job", "POST", "/git/refs", object{"ref": "refs/heads/breadcrumb/heal-12", "sha": head}, 422},
		{"job", "POST", "/pulls", object{"title": "Heal", "head": "breadcrumb/heal-12", "base": "rename", "body": "text"}, 201},
		{"job", "POST", "/pulls", object{"title": "Heal", "head": "none", "base": "rename"}, 422},
	}
	for _, step := range steps {
		path := step.path
		if path != "/user" {
			path = shop + path
		}
		if got := s.ask(t, step.token, step.method, path, step.body); got.Status != step.status {
			t.Errorf("%s %s: %d, want %d: %v", step.method, step.path, got.Status, step.status, got.Body)
		}
	}
	if got := s.Checked(); len(got) != 20 {
		t.Errorf("%d operations were checked: %v", len(got), got)
	}
}

// gitBlob is git's hash of a file, as ci computes it.
func gitBlob(text string) string { return ci.BlobHash([]byte(text)) }

func TestOurRequestsFitGitHubsDescription(t *testing.T) {
	t.Parallel()
	needDescription(t)
	s := newSite(t, githubtest.Options{})
	client, err := gh.NewClient(gh.Options{
		Token: "job", APIURL: s.url, HTTP: s.client,
		Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Inject(githubtest.Fault{Method: "POST", Path: "/graphql", Status: 403, Message: "Resource not accessible by integration"})
	api := client.Comments("octo-org/shop")
	if self, err := api.Self(t.Context()); err != nil || self != "github-actions[bot]" {
		t.Errorf("self %q, error %v", self, err)
	}
	made, err := api.Create(t.Context(), 12, "text")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.Update(t.Context(), made.ID, "other"); err != nil {
		t.Error(err)
	}
	if _, err := api.Comments(t.Context(), 12); err != nil {
		t.Error(err)
	}
	repository := client.Repository("octo-org/shop")
	if p, err := repository.Permission(t.Context(), "mona"); err != nil || p != "write" {
		t.Errorf("permission %q, error %v", p, err)
	}
	if _, err := repository.Diff(t.Context(), 12); err != nil {
		t.Error(err)
	}
	if err := repository.Review(t.Context(), 12, head, []comment.Draft{{Path: "tests/login.spec.ts", Line: 11, Body: "text"}}); err != nil {
		t.Error(err)
	}
	there, err := repository.ReviewComments(t.Context(), 12)
	if err != nil || len(there) != 1 {
		t.Fatalf("review comments %+v, error %v", there, err)
	}
	if err := repository.Retract(t.Context(), there[0]); err != nil {
		t.Error(err)
	}
	if file, err := repository.File(t.Context(), head, "tests/login.spec.ts"); err != nil || len(file.Text) == 0 {
		t.Errorf("file %+v, error %v", file, err)
	}
	if err := repository.Branch(t.Context(), "breadcrumb/heal-12", head); err != nil {
		t.Error(err)
	}
	if url, err := repository.Open(t.Context(), "breadcrumb/heal-12", "rename", "Heal", "text"); err != nil || url == "" {
		t.Errorf("pull request %q, error %v", url, err)
	}
	if got := s.Checked(); len(got) != 15 {
		t.Errorf("%d operations were checked: %v", len(got), got)
	}
}
