package ghtest_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/ci/gh/ghtest"
	"github.com/breadcrumb/action/comment"
)

// specFile is GitHub's own OpenAPI description; it is not part of the
// repository.
const specFile = "../../../../shared/e2e/gh.json.gz"

// spec checks what goes through it against the description.
type spec struct {
	next http.RoundTripper
	doc  *openapi3.T
	seen map[string]bool // operations that were checked
	t    *testing.T

	elsewhere string // address of what is no API
}

func loadSpec(t *testing.T) *spec {
	t.Helper()
	f, err := os.Open(specFile)
	if err != nil {
		t.Skipf("GitHub's OpenAPI description is not here: %v", err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return &spec{next: http.DefaultTransport, doc: doc, seen: map[string]bool{}, t: t}
}

// operation returns the most literal operation that answers the path, with the
// values of its parameters.
func (s *spec) operation(method, path string) (*routers.Route, map[string]string) {
	var best *routers.Route
	var values map[string]string
	for template, item := range s.doc.Paths.Map() {
		got, ok := fill(template, path)
		if ok && item.GetOperation(method) != nil && (best == nil || len(got) < len(values)) {
			best = &routers.Route{Spec: s.doc, Server: &openapi3.Server{}, Path: template, PathItem: item, Method: method, Operation: item.GetOperation(method)}
			values = got
		}
	}
	return best, values
}

// fill matches a path with a template; the {path} of a file and
// the {ref} of git take the rest.
func fill(template, path string) (map[string]string, bool) {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	takesRest := strings.HasSuffix(template, "/{path}") || strings.HasSuffix(template, "/git/ref/{ref}") || strings.HasSuffix(template, "/git/refs/{ref}")
	if takesRest && len(got) > len(want) {
		got = append(got[:len(want)-1:len(want)-1], strings.Join(got[len(want)-1:], "/"))
	}
	if len(want) != len(got) {
		return nil, false
	}
	values := map[string]string{}
	for i := range want {
		if strings.HasPrefix(want[i], "{") {
			value, err := url.PathUnescape(got[i])
			if err != nil {
				return nil, false
			}
			values[strings.Trim(want[i], "{}")] = value
		} else if want[i] != got[i] {
			return nil, false
		}
	}
	return values, true
}

func (s *spec) RoundTrip(req *http.Request) (*http.Response, error) {
	s.t.Helper()
	if req.URL.Path == "/graphql" || s.elsewhere != "" && strings.HasPrefix(req.URL.String(), s.elsewhere) { // described elsewhere
		return s.next.RoundTrip(req)
	}
	route, values := s.operation(req.Method, req.URL.Path)
	if route == nil {
		s.t.Errorf("GitHub has no %s %s", req.Method, req.URL.Path)
		return s.next.RoundTrip(req)
	}
	name := route.Method + " " + route.Path
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		req.Body.Close()
	}
	copyOf := func() *http.Request {
		r := req.Clone(req.Context())
		if body != nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		return r
	}
	input := &openapi3filter.RequestValidationInput{Request: copyOf(), PathParams: values, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true, IncludeResponseStatus: true}}
	if err := openapi3filter.ValidateRequest(req.Context(), input); err != nil {
		s.t.Errorf("%s: request: %s", name, brief(err))
	}
	resp, err := s.next.RoundTrip(copyOf())
	if err != nil {
		return nil, err
	}
	if strings.Contains(req.Header.Get("Accept"), "raw") { // bytes, described in words
		s.seen[name] = true
		return resp, nil
	}
	answer, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	output := &openapi3filter.ResponseValidationInput{RequestValidationInput: input, Status: resp.StatusCode, Header: resp.Header, Options: input.Options}
	output.SetBodyBytes(answer)
	if err := openapi3filter.ValidateResponse(req.Context(), output); err != nil {
		s.t.Errorf("%s: answer %d: %s", name, resp.StatusCode, brief(err))
	}
	s.seen[name] = true
	return resp, nil
}

// brief leaves the schema out of a validation error.
func brief(err error) string {
	var lines []string
	skip := false
	for _, line := range strings.Split(err.Error(), "\n") {
		skip = strings.HasPrefix(line, "Schema:") || skip && strings.HasPrefix(line, " ")
		if !skip {
			lines = append(lines, line)
		}
	}
	text := strings.Join(lines, " ")
	return text[:min(len(text), 1500)]
}

func TestAnswersHaveTheShapesOfGitHubsDescription(t *testing.T) {
	checked := loadSpec(t)
	s := newSite(t, ghtest.Options{})
	checked.next = s.client.Transport
	s.client = &http.Client{Transport: checked}

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
	if len(checked.seen) != 20 {
		t.Errorf("%d operations were checked: %v", len(checked.seen), checked.seen)
	}
}

// gitBlob is git's hash of a file, as ci computes it.
func gitBlob(text string) string { return ci.BlobHash([]byte(text)) }

func TestOurRequestsFitGitHubsDescription(t *testing.T) {
	checked := loadSpec(t)
	s := newSite(t, ghtest.Options{})
	checked.next = s.client.Transport
	client, err := gh.NewClient(gh.Options{
		Token: "job", APIURL: s.url, HTTP: &http.Client{Transport: checked},
		Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Inject(ghtest.Fault{Method: "POST", Path: "/graphql", Status: 403, Message: "Resource not accessible by integration"})
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
	if len(checked.seen) != 14 {
		t.Errorf("%d operations were checked: %v", len(checked.seen), checked.seen)
	}
}
