package githubtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/githubtest"
)

const (
	shop = "/repos/octo-org/shop"
	head = "1111111111111111111111111111111111111111"
)

// patch has RIGHT lines 10–13 and 40–42, LEFT lines 10–12 and 39–41.
const patch = `@@ -10,3 +10,4 @@ test('signs in', () => {
   await page.goto('/login');
-  await page.click('#login-btn');
+  await page.click('#sign-in');
+  await page.click('#next');
   await page.waitForURL('/home');
@@ -39,3 +40,3 @@ test('signs out', () => {
   await page.goto('/home');
-  await page.click('#out');
+  await page.click('#sign-out');
   await page.waitForURL('/');
\ No newline at end of file`

func state() githubtest.State {
	return githubtest.State{
		Tokens: []githubtest.Token{
			{Token: "job", Login: "github-actions[bot]", Installation: true},
			{Token: "fork", Login: "github-actions[bot]", Installation: true, ReadOnly: true},
			{Token: "mona", Login: "mona"},
		},
		Repositories: []githubtest.Repository{{
			ID: 4711, FullName: "octo-org/shop", DefaultBranch: "main",
			Permissions: map[string]string{"mona": "maintain", "hubot": "triage", "root": "admin"},
			Contents: []githubtest.Content{
				{Path: "tests/login.spec.ts", Text: "await page.click('#login-btn');\n"},
				{Path: "tests/login.spec.ts", Ref: head, Text: "never: the first fits"},
				{Path: "only.txt", Ref: head, Text: "é"},
			},
			PullRequests: []githubtest.PullRequest{{
				Number: 12, Title: "Rename", Author: "mona", HeadSHA: head, HeadRef: "rename", BaseRef: "main", BaseSHA: strings.Repeat("2", 40),
				Files: []githubtest.File{{Name: "tests/login.spec.ts", Patch: patch}, {Name: "logo.png", Status: "added"}},
			}, {Number: 13, Author: "mona", HeadSHA: strings.Repeat("3", 40), HeadRepository: "mona/shop", HeadRef: "main", BaseRef: "main", Locked: true}},
		}},
	}
}

// site is a server and how to ask it.
type site struct {
	*githubtest.Server
	url    string
	client *http.Client
}

func newSite(t *testing.T, o githubtest.Options) *site {
	t.Helper()
	if o.State.Repositories == nil {
		o.State = state()
	}
	github := githubtest.New(o)
	server := httptest.NewServer(github)
	t.Cleanup(server.Close)
	return &site{github, server.URL + o.Prefix, server.Client()}
}

// answer is what came back, its body as JSON.
type answer struct {
	Status int
	Header http.Header
	Body   any
}

func (a answer) get(t *testing.T, path ...any) any {
	t.Helper()
	at := a.Body
	for _, step := range path {
		switch v := at.(type) {
		case map[string]any:
			at = v[step.(string)]
		case []any:
			at = v[step.(int)]
		default:
			t.Fatalf("no %v in %v", step, a.Body)
		}
	}
	return at
}

func (s *site) ask(t *testing.T, token, method, path string, body any) answer {
	t.Helper()
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, in)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	a := answer{Status: resp.StatusCode, Header: resp.Header}
	if err := json.NewDecoder(resp.Body).Decode(&a.Body); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return a
}

type object = map[string]any

func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	const comments = shop + "/issues/12/comments"
	tests := []struct {
		name, token, method, path string
		body                      any
		status                    int
		message                   string
	}{
		{"no token", "", "GET", comments, nil, 401, "Bad credentials"},
		{"an unknown token", "x", "GET", comments, nil, 401, "Bad credentials"},
		{"a job writes", "job", "POST", comments, object{"body": "x"}, 201, ""},
		{"a fork's job reads", "fork", "GET", comments, nil, 200, ""},
		{"a fork's job does not write", "fork", "POST", comments, object{"body": "x"}, 403, "Resource not accessible by integration"},
		{"nor review", "fork", "POST", shop + "/pulls/12/reviews", object{"body": "x", "event": "COMMENT"}, 403, "Resource not accessible by integration"},
		{"an installation is no user", "job", "GET", "/user", nil, 403, "Resource not accessible by integration"},
		{"a person is", "mona", "GET", "/user", nil, 200, ""},
		{"a locked conversation", "job", "POST", shop + "/issues/13/comments", object{"body": "x"}, 403, "Unable to create comment because issue is locked."},
		{"an unknown pull request", "job", "GET", shop + "/issues/99/comments", nil, 404, "Not Found"},
		{"an unknown repository", "job", "GET", "/repos/octo-org/none/issues/12/comments", nil, 404, "Not Found"},
		{"an unknown route", "job", "GET", shop + "/nothing", nil, 404, "Not Found"},
		{"an unknown comment", "job", "PATCH", shop + "/issues/comments/5", object{"body": "x"}, 404, "Not Found"},
		{"an empty body", "job", "POST", comments, object{"body": " "}, 422, "Validation Failed"},
		{"a body of the limit", "job", "POST", comments, object{"body": strings.Repeat("é", 65536)}, 201, ""},
		{"one character more", "job", "POST", comments, object{"body": strings.Repeat("é", 65537)}, 422, "Validation Failed"},
		{"no JSON object", "job", "POST", comments, "text", 400, "Problems parsing JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := newSite(t, githubtest.Options{}).ask(t, tt.token, tt.method, tt.path, tt.body)
			if got.Status != tt.status {
				t.Fatalf("status %d: %v", got.Status, got.Body)
			}
			if tt.message != "" && (got.get(t, "message") != tt.message || got.get(t, "status") != fmt.Sprint(tt.status)) {
				t.Errorf("answered %v", got.Body)
			}
		})
	}
}

func TestOptionsForkStopsEveryWrite(t *testing.T) {
	t.Parallel()
	s := newSite(t, githubtest.Options{Fork: true})
	if got := s.ask(t, "job", "POST", shop+"/issues/12/comments", object{"body": "x"}); got.Status != 403 {
		t.Errorf("status %d", got.Status)
	}
}

func TestATooLongBodySaysSoAsGitHubDoes(t *testing.T) {
	t.Parallel()
	got := newSite(t, githubtest.Options{}).ask(t, "job", "POST", shop+"/issues/12/comments", object{"body": strings.Repeat("x", 65537)})
	want := object{"resource": "IssueComment", "field": "data", "code": "unprocessable", "message": "Body is too long (maximum is 65536 characters)"}
	if diff := cmp.Diff(any(want), got.get(t, "errors", 0)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestPagesAreLinked(t *testing.T) {
	t.Parallel()
	s := newSite(t, githubtest.Options{})
	for range 65 {
		s.ask(t, "job", "POST", shop+"/issues/12/comments", object{"body": "x"})
	}
	const list = shop + "/issues/12/comments"
	tests := []struct {
		query string
		items int
		rels  []string
	}{
		{"", 30, []string{"next", "last"}},
		{"?page=2", 30, []string{"prev", "next", "last", "first"}},
		{"?page=3", 5, []string{"prev", "first"}},
		{"?page=9", 0, []string{"prev", "first"}},
		{"?per_page=100", 65, nil},
		{"?per_page=1000", 65, nil},
	}
	for _, tt := range tests {
		got := s.ask(t, "job", "GET", list+tt.query, nil)
		var rels []string
		for _, link := range strings.Split(got.Header.Get("Link"), ", ") {
			if _, rel, ok := strings.Cut(link, `>; rel="`); ok {
				rels = append(rels, strings.TrimSuffix(rel, `"`))
			}
		}
		if n := len(got.Body.([]any)); n != tt.items || !cmp.Equal(rels, tt.rels) {
			t.Errorf("%q: %d items, links %q", tt.query, n, got.Header.Get("Link"))
		}
	}
}

func TestACommentIsEditedAndDeleted(t *testing.T) {
	t.Parallel()
	s := newSite(t, githubtest.Options{})
	made := s.ask(t, "mona", "POST", shop+"/issues/12/comments", object{"body": "one"})
	path := fmt.Sprintf("%s/issues/comments/%.0f", shop, made.get(t, "id"))
	s.ask(t, "job", "PATCH", path, object{"body": "two"})
	got := s.Comments("octo-org/shop")
	want := []githubtest.Comment{{ID: 1, Issue: 12, Author: "mona", Body: "two", Edits: 1, Past: []githubtest.Edit{{Editor: "mona", Body: "one"}, {Editor: "github-actions[bot]", Body: "two"}}, CreatedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), UpdatedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := s.ask(t, "job", "DELETE", path, nil); got.Status != 204 {
		t.Errorf("delete: %d", got.Status)
	}
	if got := s.ask(t, "job", "GET", path, nil); got.Status != 404 {
		t.Errorf("get after delete: %d", got.Status)
	}
}

func TestAReviewStandsOrFallsWhole(t *testing.T) {
	t.Parallel()
	type anchor = object
	const file = "tests/login.spec.ts"
	tests := []struct {
		name   string
		anchor anchor
		reason string
	}{
		{"an added line", anchor{"path": file, "line": 11, "side": "RIGHT"}, ""},
		{"the side is RIGHT unless said", anchor{"path": file, "line": 12}, ""},
		{"a context line", anchor{"path": file, "line": 13, "side": "RIGHT"}, ""},
		{"the second hunk's last line", anchor{"path": file, "line": 42, "side": "RIGHT"}, ""},
		{"lines of one hunk", anchor{"path": file, "start_line": 10, "line": 12, "side": "RIGHT", "start_side": "RIGHT"}, ""},
		{"a deleted line on the left", anchor{"path": file, "line": 11, "side": "LEFT"}, ""},
		{"before the hunk", anchor{"path": file, "line": 9, "side": "RIGHT"}, "Line could not be resolved"},
		{"after the hunk", anchor{"path": file, "line": 14, "side": "RIGHT"}, "Line could not be resolved"},
		{"a line that only the left has", anchor{"path": file, "line": 39, "side": "RIGHT"}, "Line could not be resolved"},
		{"no line", anchor{"path": file, "side": "RIGHT"}, "Line could not be resolved"},
		{"a file outside the diff", anchor{"path": "README.md", "line": 1, "side": "RIGHT"}, "Path could not be resolved"},
		{"a file without a patch", anchor{"path": "logo.png", "line": 1, "side": "RIGHT"}, "Line could not be resolved"},
		{"across two hunks", anchor{"path": file, "start_line": 12, "line": 41, "side": "RIGHT"}, "Pull request review thread start line must be part of the same hunk as the line."},
		{"start after end", anchor{"path": file, "start_line": 12, "line": 11, "side": "RIGHT"}, "Start line must precede the end line."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, githubtest.Options{})
			tt.anchor["body"] = "```suggestion\nx\n```"
			good := anchor{"path": file, "line": 11, "side": "RIGHT", "body": "good"}
			got := s.ask(t, "job", "POST", shop+"/pulls/12/reviews", object{"event": "COMMENT", "commit_id": head, "body": "review", "comments": []any{good, tt.anchor}})
			kept := s.Reviews("octo-org/shop", 12)
			if tt.reason == "" {
				if got.Status != 200 || len(kept) != 1 || len(kept[0].Comments) != 2 {
					t.Errorf("status %d, kept %+v, answered %v", got.Status, kept, got.Body)
				}
				return
			}
			if got.Status != 422 || len(kept) != 0 || got.get(t, "message") != "Unprocessable Entity" || !cmp.Equal(got.get(t, "errors"), any([]any{tt.reason})) {
				t.Errorf("status %d, kept %+v, answered %v", got.Status, kept, got.Body)
			}
		})
	}
}

func TestReviewsAreReadBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, githubtest.Options{})
	comment := object{"path": "tests/login.spec.ts", "line": 41, "start_line": 40, "side": "RIGHT", "body": "try this"}
	made := s.ask(t, "job", "POST", shop+"/pulls/12/reviews", object{"event": "COMMENT", "comments": []any{comment}, "body": "b"})
	listed := s.ask(t, "job", "GET", shop+"/pulls/12/reviews", nil)
	if listed.get(t, 0, "id") != made.get(t, "id") || listed.get(t, 0, "state") != "COMMENTED" {
		t.Errorf("reviews %v", listed.Body)
	}
	for _, path := range []string{fmt.Sprintf("/pulls/12/reviews/%.0f/comments", made.get(t, "id")), "/pulls/12/comments"} {
		got := s.ask(t, "job", "GET", shop+path, nil)
		if got.get(t, 0, "body") != "try this" || !strings.HasPrefix(got.get(t, 0, "diff_hunk").(string), "@@ -39,3 +40,3 @@") {
			t.Errorf("%s: %v", path, got.Body)
		}
	}
	if got := s.ask(t, "job", "POST", shop+"/pulls/12/reviews", object{"event": "COMMENT", "commit_id": strings.Repeat("2", 40), "body": "x"}); got.Status != 422 {
		t.Errorf("another commit: %d", got.Status)
	}
	if got := s.ask(t, "job", "POST", shop+"/pulls/12/reviews", object{"event": "COMMENT"}); got.Status != 422 {
		t.Errorf("an empty review: %d", got.Status)
	}
}

func TestFilesPermissionsAndContents(t *testing.T) {
	t.Parallel()
	s := newSite(t, githubtest.Options{})
	files := s.ask(t, "job", "GET", shop+"/pulls/12/files", nil)
	if files.get(t, 0, "patch") != patch || files.get(t, 0, "additions") != 3.0 || files.get(t, 0, "deletions") != 2.0 || files.get(t, 1, "patch") != nil {
		t.Errorf("files %v", files.Body)
	}
	for login, want := range map[string][2]string{"mona": {"write", "maintain"}, "hubot": {"read", "triage"}, "root": {"admin", "admin"}, "eve": {"read", "read"}} {
		got := s.ask(t, "job", "GET", shop+"/collaborators/"+login+"/permission", nil)
		if got.get(t, "permission") != want[0] || got.get(t, "role_name") != want[1] {
			t.Errorf("%s: %v", login, got.Body)
		}
	}
	content := s.ask(t, "job", "GET", shop+"/contents/tests/login.spec.ts", nil)
	// printf "await page.click('#login-btn');\n" | git hash-object --stdin
	if content.get(t, "sha") != "9a6883a005eed1fc9e4f3dfc9ddd77beaca8330e" || content.get(t, "size") != 32.0 {
		t.Errorf("contents %v", content.Body)
	}
	if got := s.ask(t, "job", "GET", shop+"/contents/only.txt", nil); got.Status != 404 {
		t.Errorf("a file of another ref: %d", got.Status)
	}
	if got := s.ask(t, "job", "GET", shop+"/contents/only.txt?ref="+head, nil); got.get(t, "content") != "w6k=" {
		t.Errorf("a file of the ref: %v", got.Body)
	}
	if got := s.ask(t, "job", "GET", shop+"/commits/"+head+"/pulls", nil); got.get(t, 0, "number") != 12.0 {
		t.Errorf("pull requests of a commit: %v", got.Body)
	}
	if got := s.ask(t, "job", "GET", shop+"/pulls?state=open&head=mona:main", nil); got.get(t, 0, "number") != 13.0 || len(got.Body.([]any)) != 1 {
		t.Errorf("pull requests of a head: %v", got.Body)
	}
	if got := s.ask(t, "job", "GET", shop+"/pulls/13", nil); got.get(t, "head", "repo", "full_name") != "mona/shop" || got.get(t, "base", "repo", "id") != 4711.0 {
		t.Errorf("a fork's pull request: %v", got.Body)
	}
}

func TestGraphQLAnswersTheViewer(t *testing.T) {
	t.Parallel()
	s := newSite(t, githubtest.Options{})
	for token, login := range map[string]string{"job": "github-actions[bot]", "mona": "mona"} {
		got := s.ask(t, token, "POST", "/graphql", object{"query": "query { viewer { login } }"})
		if got.get(t, "data", "viewer", "login") != login {
			t.Errorf("%s: %v", token, got.Body)
		}
	}
	if got := s.ask(t, "job", "POST", "/graphql", object{"query": "{ rateLimit { cost } }"}); got.Status != 200 || got.get(t, "errors") == nil {
		t.Errorf("another query: %v", got.Body)
	}
}

func TestAPrefixIsAnEnterpriseServer(t *testing.T) {
	t.Parallel()
	s := newSite(t, githubtest.Options{Prefix: "/api/v3"})
	if got := s.ask(t, "job", "GET", shop+"/pulls/12", nil); got.Status != 200 || !strings.HasPrefix(got.get(t, "url").(string), s.url) {
		t.Errorf("pull request: %v", got.Body)
	}
	if got := s.ask(t, "job", "POST", "/graphql", object{"query": "{viewer{login}}"}); got.Status != 404 {
		t.Errorf("GraphQL under /api/v3: %d", got.Status)
	}
	s.url = strings.TrimSuffix(s.url, "/v3")
	if got := s.ask(t, "job", "POST", "/graphql", object{"query": "{viewer{login}}"}); got.Status != 200 {
		t.Errorf("GraphQL under /api: %d", got.Status)
	}
}

func TestFaultsComeWhenTheyAreDue(t *testing.T) {
	t.Parallel()
	s := newSite(t, githubtest.Options{})
	fault := githubtest.ServerError(502)
	fault.Method, fault.Path, fault.Skip = "GET", shop+"/pulls/*", 1
	s.Inject(fault)
	var got []int
	for range 3 {
		got = append(got, s.ask(t, "job", "GET", shop+"/pulls/12", nil).Status)
	}
	if !cmp.Equal(got, []int{200, 502, 200}) {
		t.Errorf("statuses %v", got)
	}
	s.Inject(githubtest.Fault{Status: 500})
	s.ClearFaults()
	if got := s.ask(t, "job", "GET", shop+"/pulls/12", nil).Status; got != 200 {
		t.Errorf("after ClearFaults: %d", got)
	}
	limit := githubtest.SecondaryLimit(403, "3")
	s.Inject(limit)
	if got := s.ask(t, "job", "GET", shop+"/pulls/12", nil); got.Header.Get("Retry-After") != "3" || !strings.Contains(got.get(t, "documentation_url").(string), "secondary-rate-limits") {
		t.Errorf("secondary limit: %v %v", got.Header, got.Body)
	}
}

func TestDroppedWritesAreDoneOrNot(t *testing.T) {
	t.Parallel()
	for drop, done := range map[githubtest.Drop]int{githubtest.DropBefore: 0, githubtest.DropAfter: 1, githubtest.DropMidway: 1} {
		s := newSite(t, githubtest.Options{})
		s.Inject(githubtest.Fault{Drop: drop, Times: 1})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+shop+"/issues/12/comments", strings.NewReader(`{"body":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer job")
		resp, err := s.client.Do(req)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if n := len(s.Comments("octo-org/shop")); err == nil || n != done {
			t.Errorf("drop %d: error %v, %d comments", drop, err, n)
		}
	}
}

func TestRequestsAreLogged(t *testing.T) {
	t.Parallel()
	s := newSite(t, githubtest.Options{})
	s.ask(t, "mona", "POST", shop+"/issues/12/comments", object{"body": "x"})
	s.ask(t, "", "GET", shop+"/pulls/12?x=1", nil)
	want := []githubtest.Request{
		{Method: "POST", Path: shop + "/issues/12/comments", Body: `{"body":"x"}`, Login: "mona", Status: 201},
		{Method: "GET", Path: shop + "/pulls/12", Query: "x=1", Status: 401},
	}
	if diff := cmp.Diff(want, s.Requests()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.Count("POST", "/repos/*/*/issues/*/comments") != 1 || s.Count("", "") != 2 || s.Count("GET", shop) != 0 {
		t.Error("counts differ from the log")
	}
}

func TestStateIsLoadedAndDumped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newSite(t, githubtest.Options{})
	s.ask(t, "job", "POST", shop+"/issues/12/comments", object{"body": "<!-- x -->\na & b"})
	file := filepath.Join(dir, "state.json")
	var want bytes.Buffer
	if err := s.Dump(&want); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, want.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	again := githubtest.New(githubtest.Options{})
	if err := again.LoadFile(file); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := again.Dump(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(got.String(), `"<!-- x -->\na & b"`) {
		t.Errorf("comments are not readable: %s", &got)
	}
	if err := again.Load(strings.NewReader(`{"repositorys":[]}`)); err == nil {
		t.Error("a misspelt field was taken")
	}
}

func TestOptionsAreNotShared(t *testing.T) {
	t.Parallel()
	options := githubtest.Options{State: state()}
	s := newSite(t, options)
	s.ask(t, "job", "POST", shop+"/issues/12/comments", object{"body": "x"})
	s.ask(t, "job", "POST", shop+"/pulls/12/reviews", object{"body": "x", "event": "COMMENT"})
	if diff := cmp.Diff(state(), options.State); diff != "" {
		t.Errorf("the caller's state changed\n%s", diff)
	}
}

func TestRequestsBeyondTheHourlyLimitAreRefusedUntilItsEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	with := state()
	with.RateLimit = 2
	server := httptest.NewServer(githubtest.New(githubtest.Options{State: with, Now: func() time.Time { return now }}))
	defer server.Close()
	get := func() (status int, remaining, reset string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodGet, server.URL+shop+"/pulls/12", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer job")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode, resp.Header.Get("X-RateLimit-Remaining"), resp.Header.Get("X-RateLimit-Reset")
	}
	for i, want := range []struct {
		status    int
		remaining string
	}{{200, "1"}, {200, "0"}, {403, "0"}, {403, "0"}} {
		if status, remaining, reset := get(); status != want.status || remaining != want.remaining || reset != "1767229200" {
			t.Errorf("request %d: %d, %s remaining until %s", i+1, status, remaining, reset)
		}
	}
	now = now.Add(time.Hour)
	if status, remaining, _ := get(); status != http.StatusOK || remaining != "1" {
		t.Errorf("an hour later: %d, %s remaining", status, remaining)
	}
}
