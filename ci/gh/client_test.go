package gh_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
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

func bodies(comments []githubtest.Comment) []string {
	var all []string
	for _, c := range comments {
		all = append(all, c.Body)
	}
	return all
}

func TestCommentsAreWrittenListedAndUpdated(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/api/v3"} {
		t.Run("prefix "+prefix, func(t *testing.T) {
			w := newWorld(t, githubtest.Options{Prefix: prefix})
			api := w.Client.Comments(repo)
			self, err := api.Self(t.Context())
			if err != nil || self != bot {
				t.Fatalf("self is %q, error %v", self, err)
			}
			if n := w.github.Count("GET", "/user"); n != 0 {
				t.Error("GraphQL was not found where it is")
			}
			made, err := api.Create(t.Context(), 12, "one")
			if err != nil {
				t.Fatal(err)
			}
			want := comment.Comment{ID: 1, Author: bot, Body: "one", URL: "https://github.com/octo-org/shop/pull/12#issuecomment-1"}
			if diff := cmp.Diff(want, made); diff != "" {
				t.Errorf("created (-want +got)\n%s", diff)
			}
			if _, err := api.Update(t.Context(), made.ID, "two"); err != nil {
				t.Fatal(err)
			}
			want.Body = "two"
			got, err := api.Comments(t.Context(), 12)
			if diff := cmp.Diff([]comment.Comment{want}, got); diff != "" || err != nil {
				t.Errorf("error %v, listed (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestUpsertKeepsOneComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	for _, body := range []string{"first", "second", "second"} {
		text := "<!-- breadcrumb:comment v1 key=default -->\n" + body
		if _, err := comment.Upsert(t.Context(), w.Client.Comments(repo), 12, comment.Options{}, text); err != nil {
			t.Fatal(err)
		}
	}
	got := w.github.Comments(repo)
	if len(got) != 1 || !strings.HasSuffix(got[0].Body, "second") || got[0].Edits != 1 {
		t.Errorf("comments %+v", got)
	}
}

func TestCommentsReadsAllPages(t *testing.T) {
	t.Parallel()
	state := onePull()
	for i := range 250 {
		state.Repositories[0].Comments = append(state.Repositories[0].Comments,
			githubtest.Comment{ID: int64(i + 1), Issue: 12 + i%2, Author: "mona", Body: fmt.Sprint(i)},
			githubtest.Comment{ID: int64(i + 1001), Issue: 12, Author: "mona", Body: fmt.Sprint(i)})
	}
	w := newWorld(t, githubtest.Options{State: state})
	got, err := w.Client.Comments(repo).Comments(t.Context(), 12)
	if err != nil || len(got) != 375 {
		t.Errorf("%d comments, error %v", len(got), err)
	}
	if n := w.github.Count("GET", listPath); n != 4 {
		t.Errorf("%d requests for 375 comments", n)
	}
	same, err := w.Conversation(repo, 12).Comments(t.Context(), 12)
	if diff := cmp.Diff(got, same); diff != "" || err != nil {
		t.Errorf("error %v, GraphQL lists (-REST +GraphQL)\n%s", err, diff)
	}
	if n, queries := w.github.Count("GET", listPath), w.github.Count("POST", "/graphql"); n != 4 || queries != 4 {
		t.Errorf("%d requests and %d queries more for 375 comments", n-4, queries)
	}
	w.github.Inject(asks("$after", githubtest.GraphQLError("", "Something went wrong")))
	if same, err = w.Conversation(repo, 12).Comments(t.Context(), 12); err != nil || len(same) != 375 {
		t.Errorf("where GraphQL has one page: %d comments, error %v", len(same), err)
	}
}

func TestCommentsRefusesAnEndlessList(t *testing.T) {
	t.Parallel()
	endless := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := 1
		fmt.Sscan(r.URL.Query().Get("page"), &page)
		w.Header().Set("Link", fmt.Sprintf(`<http://x/?page=%d>; rel="next"`, page+1))
		fmt.Fprint(w, `[{"id":1,"body":"x"}]`)
	})
	server := httptest.NewServer(endless)
	defer server.Close()
	client, err := gh.NewClient(gh.Options{Token: token, APIURL: server.URL, Now: func() time.Time { return start }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Comments(repo).Comments(t.Context(), 12); err == nil || !strings.Contains(err.Error(), "more than 10000 comments") {
		t.Errorf("got %v", err)
	}
}

func TestConversationRefusesAnEndlessList(t *testing.T) {
	t.Parallel()
	const talk = `"comments":{"pageInfo":{"hasNextPage":true,"endCursor":"x"},"nodes":[{"fullDatabaseId":"1","id":"x","author":null,"body":"x","url":"x"}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":{"viewer":{"login":"a"},"repository":{"pullRequest":{"id":"p",`+talk+`}}}}`)
	}))
	defer server.Close()
	client, err := gh.NewClient(gh.Options{Token: token, APIURL: server.URL, Now: func() time.Time { return start }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Conversation(repo, 12).Comments(t.Context(), 12); err == nil || !strings.Contains(err.Error(), "more than 10000 comments") {
		t.Errorf("got %v", err)
	}
}

func TestWithoutPermissionTheErrorSaysSo(t *testing.T) {
	t.Parallel()
	locked := onePull()
	locked.Repositories[0].PullRequests[0].Locked = true
	tests := []struct {
		name    string
		options githubtest.Options
		repo    string
		pr      int
	}{
		{"a fork's token", githubtest.Options{Fork: true}, repo, 12},
		{"a locked conversation", githubtest.Options{State: locked}, repo, 12},
		{"a pull request that is not there", githubtest.Options{}, repo, 13},
		{"a repository that is not there", githubtest.Options{}, "octo-org/secret", 12},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.options)
			_, err := w.Client.Comments(tt.repo).Create(t.Context(), tt.pr, "text")
			if !errors.Is(err, gh.ErrNoPermission) {
				t.Errorf("got %v", err)
			}
			if len(w.sleeps) != 0 || len(w.github.Comments(repo)) != 0 {
				t.Errorf("waited %v, comments %v", w.sleeps, w.github.Comments(repo))
			}
		})
	}
}

func TestUpdateWithoutPermissionAndOfAGoneComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	if _, err := w.Client.Comments(repo).Update(t.Context(), 99, "x"); !errors.Is(err, comment.ErrGone) || errors.Is(err, gh.ErrNoPermission) {
		t.Errorf("gone comment: %v", err)
	}
	fork := newWorld(t, githubtest.Options{Fork: true})
	if _, err := fork.Client.Comments(repo).Update(t.Context(), 1, "x"); !errors.Is(err, gh.ErrNoPermission) {
		t.Errorf("fork: %v", err)
	}
}

func TestCreateTellsWhatGitHubRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	_, err := w.Client.Comments(repo).Create(t.Context(), 12, strings.Repeat("é", 65537))
	var api *gh.APIError
	if !errors.As(err, &api) || api.Status != 422 || !strings.Contains(err.Error(), "Body is too long (maximum is 65536 characters)") {
		t.Errorf("got %v", err)
	}
	if errors.Is(err, gh.ErrNoPermission) {
		t.Error("a body that is too long is no missing permission")
	}
	if _, err := w.Client.Comments(repo).Create(t.Context(), 12, strings.Repeat("é", 65536)); err != nil {
		t.Errorf("65536 characters: %v", err)
	}
}

func TestABadRepositoryNameIsSentNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	for _, name := range []string{"", "shop", "a/b/c", "a/../../x", "a/b?x=1", "a b/c"} {
		api := w.Client.Comments(name)
		_, err1 := api.Comments(t.Context(), 12)
		_, err2 := api.Create(t.Context(), 12, "x")
		_, err3 := api.Update(t.Context(), 12, "x")
		if err1 == nil || err2 == nil || err3 == nil {
			t.Errorf("%q: %v, %v, %v", name, err1, err2, err3)
		}
	}
	if n := w.github.Count("", ""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestSelf(t *testing.T) {
	t.Parallel()
	person := onePull()
	person.Tokens = []githubtest.Token{{Token: token, Login: "mona"}}
	forbidden := githubtest.Fault{Method: "POST", Path: "/graphql", Status: 403, Message: "Resource not accessible by integration"}
	missing := githubtest.Fault{Method: "POST", Path: "/graphql", Status: 404, Message: "Not Found"}
	tests := []struct {
		name    string
		state   githubtest.State
		faults  []githubtest.Fault
		want    string
		wantErr string
	}{
		{"GraphQL knows a person", person, nil, "mona", ""},
		{"GraphQL knows the bot", onePull(), nil, bot, ""},
		{"without GraphQL a person is asked by REST", person, []githubtest.Fault{missing}, "mona", ""},
		{"an installation that may ask neither is the job's own", onePull(), []githubtest.Fault{forbidden}, bot, ""},
		{"without GraphQL too", onePull(), []githubtest.Fault{missing}, bot, ""},
		{"without GraphQL a broken server is no bot", onePull(), []githubtest.Fault{missing, {Path: "/user", Status: 502, Message: "Bad Gateway"}}, "", "502"},
		{"an unknown token is no bot", githubtest.State{Repositories: person.Repositories, Tokens: []githubtest.Token{{Token: "other"}}}, nil, "", "401"},
		{"a broken server is no bot", onePull(), []githubtest.Fault{{Status: 502, Message: "Bad Gateway"}}, "", "502"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, githubtest.Options{State: tt.state})
			for _, f := range tt.faults {
				w.github.Inject(f)
			}
			got, err := w.Self(t.Context())
			if got != tt.want || (err != nil) != (tt.wantErr != "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("self %q, error %v", got, err)
			}
		})
	}
}

func TestSelfTakesNoPersonForTheBot(t *testing.T) {
	t.Parallel()
	github := githubtest.New(githubtest.Options{State: onePull()})
	github.Inject(githubtest.Fault{Status: 403, Message: "Resource protected by organization SAML enforcement."})
	client, err := gh.NewClient(gh.Options{Token: "ghp_person", APIURL: "https://github.test", Now: time.Now, HTTP: &http.Client{Transport: inProcess{github}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := client.Self(t.Context()); !errors.Is(err, gh.ErrNoPermission) {
		t.Errorf("self %q, error %v", got, err)
	}
}

func TestWaitsAsGitHubAsks(t *testing.T) {
	t.Parallel()
	day := func(d time.Duration) string { return start.Add(d).UTC().Format(http.TimeFormat) }
	with := func(f githubtest.Fault, header, value string) githubtest.Fault {
		f.Header[header] = value
		return f
	}
	plain429 := githubtest.Fault{Status: 429, Message: "Too many requests", Times: 1}
	tests := []struct {
		name  string
		fault githubtest.Fault
		want  []time.Duration
	}{
		{"Retry-After in seconds", githubtest.SecondaryLimit(403, "7"), []time.Duration{7 * time.Second}},
		{"Retry-After as a date", githubtest.SecondaryLimit(429, day(9*time.Second)), []time.Duration{9 * time.Second}},
		{"Retry-After in the past", githubtest.SecondaryLimit(429, day(-time.Hour)), []time.Duration{time.Second}},
		{"Retry-After before the reset", with(githubtest.PrimaryLimit(start.Add(50*time.Second)), "Retry-After", "3"), []time.Duration{3 * time.Second}},
		{"the reset of a used-up limit", githubtest.PrimaryLimit(start.Add(20 * time.Second)), []time.Duration{21 * time.Second}},
		{"a reset in the past", githubtest.PrimaryLimit(start.Add(-time.Hour)), []time.Duration{time.Second}},
		{"a minute when nothing is asked", githubtest.SecondaryLimit(429, ""), []time.Duration{time.Minute}},
		{"the reset says nothing while requests remain", with(githubtest.SecondaryLimit(403, ""), "X-RateLimit-Reset", "1"), []time.Duration{time.Minute}},
		{"403 known by its words alone", githubtest.Fault{Status: 403, Message: "You have exceeded a secondary rate limit", Times: 1}, []time.Duration{time.Minute}},
		{"403 known by Retry-After alone", githubtest.Fault{Status: 403, Message: "Forbidden", Times: 1, Header: map[string]string{"Retry-After": "5"}}, []time.Duration{5 * time.Second}},
		{"429 without words", plain429, []time.Duration{time.Minute}},
		{"nonsense in Retry-After", githubtest.SecondaryLimit(429, "soon"), []time.Duration{time.Minute}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, githubtest.Options{})
			w.github.Inject(tt.fault)
			if _, err := w.Client.Comments(repo).Create(t.Context(), 12, "text"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, w.sleeps); diff != "" {
				t.Errorf("waits (-want +got)\n%s", diff)
			}
			if got := bodies(w.github.Comments(repo)); !cmp.Equal(got, []string{"text"}) {
				t.Errorf("comments %q", got)
			}
			if !strings.Contains(w.log.String(), "waiting for GitHub") {
				t.Error("the wait is not told")
			}
		})
	}
}

func TestWaitingIsCapped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fault  githubtest.Fault
		sleeps []time.Duration
	}{
		{"one wait that is too long", githubtest.SecondaryLimit(403, "121"), nil},
		{"a wait beyond all clocks", githubtest.SecondaryLimit(403, "99999999999999999999"), []time.Duration{time.Minute}},
		{"a reset in an hour", githubtest.PrimaryLimit(start.Add(time.Hour)), nil},
		{"backoff that doubles", githubtest.SecondaryLimit(429, ""), []time.Duration{time.Minute}},
		{"many short waits", githubtest.SecondaryLimit(429, "50"), []time.Duration{50 * time.Second, 50 * time.Second}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, githubtest.Options{})
			tt.fault.Times = 0
			w.github.Inject(tt.fault)
			_, err := w.Client.Comments(repo).Create(t.Context(), 12, "text")
			var wait *gh.WaitError
			if !errors.As(err, &wait) || errors.Is(err, gh.ErrNoPermission) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(tt.sleeps, w.sleeps); diff != "" {
				t.Errorf("waits (-want +got)\n%s", diff)
			}
		})
	}
}

func TestNoWaitIsAskedForEver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	fault := githubtest.SecondaryLimit(429, "0")
	fault.Times = 0
	w.github.Inject(fault)
	_, err := w.Client.Comments(repo).Create(t.Context(), 12, "text")
	if err == nil || errors.Is(err, gh.ErrNoPermission) {
		t.Errorf("got %v", err)
	}
	if n := w.github.Count("POST", listPath); n != 6 {
		t.Errorf("%d attempts", n)
	}
}

// go-github would refuse to send anything until the reset it once saw.
func TestALimitThatIsUsedUpIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	last := githubtest.PrimaryLimit(time.Now().Add(time.Hour)) // go-github reads the real clock
	last.Status = http.StatusCreated
	w.github.Inject(last)
	for range 2 {
		if _, err := w.Client.Comments(repo).Create(t.Context(), 12, "text"); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.github.Count("POST", listPath); n != 2 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestFaultsAreRepeatedOnlyWhereThatIsSafe(t *testing.T) {
	t.Parallel()
	drop := func(d githubtest.Drop) githubtest.Fault { return githubtest.Fault{Drop: d, Times: 1} }
	seeded := onePull()
	seeded.Repositories[0].Comments = []githubtest.Comment{{ID: 5, Issue: 12, Author: bot, Body: "old"}}
	list := func(api *gh.IssueComments) error { _, err := api.Comments(t.Context(), 12); return err }
	update := func(api *gh.IssueComments) error { _, err := api.Update(t.Context(), 5, "new"); return err }
	create := func(api *gh.IssueComments) error { _, err := api.Create(t.Context(), 12, "new"); return err }
	self := func(api *gh.IssueComments) error { _, err := api.Self(t.Context()); return err }
	tests := []struct {
		name         string
		method, path string
		fault        githubtest.Fault
		do           func(*gh.IssueComments) error
		wantErr      bool
		attempts     int // at the faulty route
		comments     int
	}{
		{"a list after 502", "GET", listPath, githubtest.ServerError(502), list, false, 2, 1},
		{"a list broken off midway", "GET", listPath, drop(githubtest.DropMidway), list, false, 2, 1},
		{"an update after 503", "PATCH", updatePath, githubtest.ServerError(503), update, false, 2, 1},
		{"an update whose answer is lost", "PATCH", updatePath, drop(githubtest.DropAfter), update, false, 2, 1},
		{"a query, though it is a POST", "POST", "/graphql", githubtest.ServerError(502), self, false, 2, 1},
		{"not what is not implemented", "GET", listPath, githubtest.ServerError(501), list, true, 1, 1},
		{"a new comment is not repeated after 502", "POST", listPath, githubtest.ServerError(502), create, true, 1, 1},
		{"a lost new comment is not repeated", "POST", listPath, drop(githubtest.DropBefore), create, true, 1, 1},
		{"but found when it was written", "POST", listPath, drop(githubtest.DropAfter), create, false, 1, 2},
		{"also when the answer broke off", "POST", listPath, drop(githubtest.DropMidway), create, false, 1, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, githubtest.Options{State: seeded})
			tt.fault.Method, tt.fault.Path = tt.method, tt.path
			w.github.Inject(tt.fault)
			err := tt.do(w.Client.Comments(repo))
			if (err != nil) != tt.wantErr {
				t.Errorf("error %v", err)
			}
			if n := w.github.Count(tt.method, tt.path); n != tt.attempts {
				t.Errorf("%d attempts, want %d", n, tt.attempts)
			}
			if n := len(w.github.Comments(repo)); n != tt.comments {
				t.Errorf("%d comments, want %d", n, tt.comments)
			}
		})
	}
}

func TestFaultsThatLastEndInAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	w.github.Inject(githubtest.Fault{Status: 500, Message: "Server Error"})
	_, err := w.Client.Comments(repo).Comments(t.Context(), 12)
	var api *gh.APIError
	if !errors.As(err, &api) || api.Status != 500 {
		t.Errorf("got %v", err)
	}
	want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}
	if diff := cmp.Diff(want, w.sleeps); diff != "" {
		t.Errorf("waits (-want +got)\n%s", diff)
	}
}

// refusing fails the first dials as a closed port does.
type refusing struct {
	http.RoundTripper
	left int
}

func (r *refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.left > 0 {
		r.left--
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	return r.RoundTripper.RoundTrip(req)
}

func TestANewCommentIsRepeatedWhenItWasNeverSent(t *testing.T) {
	t.Parallel()
	github := githubtest.New(githubtest.Options{State: onePull()})
	server := httptest.NewServer(github)
	defer server.Close()
	client, err := gh.NewClient(gh.Options{
		Token: token, APIURL: server.URL, Now: func() time.Time { return start },
		HTTP:  &http.Client{Transport: &refusing{http.DefaultTransport, 2}},
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Comments(repo).Create(t.Context(), 12, "text"); err != nil {
		t.Fatal(err)
	}
	if got := bodies(github.Comments(repo)); !cmp.Equal(got, []string{"text"}) {
		t.Errorf("comments %q", got)
	}
}

// inProcess answers without a network, as a synctest bubble needs it.
type inProcess struct{ http.Handler }

func (h inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	inbound := req.Clone(req.Context())
	if inbound.Body == nil {
		inbound.Body = http.NoBody
	}
	h.ServeHTTP(recorder, inbound)
	return recorder.Result(), nil
}

func TestTheRealSleepWaitsAndEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		github := githubtest.New(githubtest.Options{State: onePull()})
		client, err := gh.NewClient(gh.Options{
			Token: token, APIURL: "https://github.test/", Now: time.Now, HTTP: &http.Client{Transport: inProcess{github}, Timeout: 5 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		github.Inject(githubtest.SecondaryLimit(429, "40"))
		begin := time.Now()
		if _, err := client.Comments(repo).Create(t.Context(), 12, "text"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 40*time.Second {
			t.Errorf("waited %s", took)
		}
		github.Inject(githubtest.SecondaryLimit(429, "70"))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begin = time.Now()
		if _, err := client.Comments(repo).Create(ctx, 12, "text"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("a cancelled wait took %s", took)
		}
	})
}

// hanging never answers.
type hanging struct{}

func (hanging) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func TestAnAttemptIsLimitedInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, err := gh.NewClient(gh.Options{Token: token, Now: time.Now, HTTP: &http.Client{Transport: hanging{}, Timeout: 3 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if _, err := client.Comments(repo).Comments(t.Context(), 12); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took, want := time.Since(begin), (6*3+1+2+4+8+16)*time.Second; took != want {
			t.Errorf("took %s, want %s", took, want)
		}
	})
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

func TestALongAnswerIsNotRead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		block := bytes.Repeat([]byte(" "), 1<<20)
		for range 65 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	client, err := gh.NewClient(gh.Options{Token: token, APIURL: server.URL, Now: func() time.Time { return start }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Comments(repo).Comments(t.Context(), 12)
	var fault *url.Error
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("got %v", err)
	}
}
