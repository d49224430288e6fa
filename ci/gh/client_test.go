package gh_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/internal/githubtest"
)

const (
	repo  = "octo-org/shop"
	token = "ghs_0123456789abcdefSECRET"
	bot   = "github-actions[bot]"

	listPath   = "/repos/octo-org/shop/issues/12/comments"
	updatePath = "/repos/octo-org/shop/issues/comments/*"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a client and the GitHub it speaks to. Its sleep takes no time and
// moves its clock on.
type world struct {
	*gh.Client
	github *githubtest.Server
	log    bytes.Buffer

	mu     sync.Mutex
	now    time.Time
	sleeps []time.Duration
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sleeps = append(w.sleeps, d)
	w.now = w.now.Add(d)
	return ctx.Err()
}

func onePull() githubtest.State {
	return githubtest.State{Repositories: []githubtest.Repository{{
		ID: 4711, FullName: repo, DefaultBranch: "main",
		PullRequests: []githubtest.PullRequest{{Number: 12, Author: "mona", HeadSHA: strings.Repeat("1", 40)}},
	}}}
}

func newWorld(t *testing.T, o githubtest.Options) *world {
	t.Helper()
	if o.State.Repositories == nil {
		o.State = onePull()
	}
	w := &world{now: start}
	if o.Now == nil {
		o.Now = w.clock
	}
	w.github = githubtest.New(o)
	server := httptest.NewServer(w.github)
	t.Cleanup(server.Close)
	client, err := gh.NewClient(gh.Options{
		Token: token, APIURL: server.URL + o.Prefix, Now: w.clock, Sleep: w.sleep,
		HTTP: server.Client(), Log: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Client = client
	t.Cleanup(func() {
		if strings.Contains(w.log.String(), token) {
			t.Errorf("the token is in the log:\n%s", &w.log)
		}
	})
	return w
}

func TestTheTokenIsNowhereInErrors(t *testing.T) {
	t.Parallel()
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprintf(w, `{"message":"you sent %s\n::error::x","errors":[{"message":%q}]}`, r.Header.Get("Authorization"), r.Header.Get("Authorization"))
	})
	server := httptest.NewServer(echo)
	client, err := gh.NewClient(gh.Options{Token: token, APIURL: server.URL, Now: func() time.Time { return start },
		Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	_, answered := client.Comments(repo).Create(t.Context(), 12, "text")
	_, self := client.Self(t.Context())
	server.Close()
	_, refused := client.Comments(repo).Comments(t.Context(), 12)
	_, bad := gh.NewClient(gh.Options{Token: token + "\n" + token, Now: func() time.Time { return start }})
	_, noURL := gh.NewClient(gh.Options{Token: token, APIURL: "https://x:" + token + "@ghe.test", Now: func() time.Time { return start }})
	_, badURL := gh.NewClient(gh.Options{Token: token, APIURL: "https://\x7f" + token, Now: func() time.Time { return start }})
	for what, err := range map[string]error{"answer": answered, "self": self, "connection": refused, "token": bad, "user in URL": noURL, "bad URL": badURL} {
		if err == nil {
			t.Errorf("%s: no error", what)
			continue
		}
		if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, token) || strings.Contains(text, "\n::error") {
			t.Errorf("%s: %s", what, text)
		}
	}
}

func TestTheTokenGoesToTheAPIOnly(t *testing.T) {
	t.Parallel()
	elsewhere := ""
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere = "asked " + r.Header.Get("Authorization")
		fmt.Fprint(w, "[]")
	}))
	defer other.Close()
	var given string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given = r.Header.Get("Authorization")
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer api.Close()
	client, err := gh.NewClient(gh.Options{Token: token, APIURL: api.URL, Now: func() time.Time { return start }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Comments(repo).Comments(t.Context(), 12); err != nil {
		t.Fatal(err)
	}
	if given != "Bearer "+token || elsewhere != "asked " {
		t.Errorf("the API got %q, the other host %q", given, elsewhere)
	}
}

func TestNewClientNamesABadOption(t *testing.T) {
	t.Parallel()
	clock := func() time.Time { return start }
	tests := []struct {
		options gh.Options
		want    string
	}{
		{gh.Options{Now: clock}, "no token"},
		{gh.Options{Token: " ", Now: clock}, "no token"},
		{gh.Options{Token: "a\x00b", Now: clock}, "characters that no token has"},
		{gh.Options{Token: token}, "no clock"},
		{gh.Options{Token: token, Now: clock, APIURL: "ftp://x"}, "GITHUB_API_URL"},
		{gh.Options{Token: token, Now: clock, APIURL: "api.github.com"}, "GITHUB_API_URL"},
		{gh.Options{Token: token, Now: clock, APIURL: "https://x/?a=b"}, "GITHUB_API_URL"},
	}
	for _, tt := range tests {
		if _, err := gh.NewClient(tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v", tt.want, err)
		}
	}
}
