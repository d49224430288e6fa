package gh_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slices"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/internal/githubtest"
)

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

func TestCreateReportsWhatGitHubRefuses(t *testing.T) {
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

// firstComment is the id of the first comment on the GitHub of [newActions].
const firstComment = 100_001

// meeting lets nobody create a comment before all are about to.
type meeting struct {
	all *sync.WaitGroup
}

func (m meeting) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if bytes.Contains(body, []byte("addComment")) || r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/comments") {
		m.all.Done()
		m.all.Wait()
	}
	return http.DefaultTransport.RoundTrip(r)
}

// Runs that create a comment at the same moment end in one, the oldest, with the
// text of one of them.
func TestRunsAtOnceLeaveOneComment(t *testing.T) {
	t.Parallel()
	for _, lag := range []time.Duration{0, 5 * time.Second} {
		for _, graphQL := range []bool{true, false} {
			for runs := 2; runs <= 4; runs++ {
				t.Run(fmt.Sprintf("%d runs, lag %s, GraphQL %v", runs, lag, graphQL), func(t *testing.T) {
					a := newActions(t, githubtest.Options{CommentLag: lag})
					a.change(t, func(r *githubtest.Repository) {
						r.PullRequests = []githubtest.PullRequest{{Number: 12, HeadSHA: strings.Repeat("2", 40)}}
					})
					if !graphQL {
						a.Inject(githubtest.Fault{Method: "POST", Path: "/graphql", Status: 404, Message: "Not Found"})
					}
					all := &sync.WaitGroup{}
					all.Add(runs)
					texts := make([]string, runs)
					var running sync.WaitGroup
					for n := range runs {
						texts[n] = fmt.Sprintf("<!-- breadcrumb:comment v1 key=default -->\nrun %d", n)
						running.Go(func() {
							client, err := gh.NewClient(gh.Options{Token: "job", APIURL: a.api, HTTP: &http.Client{Transport: meeting{all}}, Now: a.now, Sleep: a.sleep})
							if err != nil {
								t.Error(err)
								return
							}
							if _, err := comment.Upsert(t.Context(), client.Conversation(shopName, 12), 12, comment.Options{}, texts[n]); err != nil {
								t.Error(err)
							}
						})
					}
					running.Wait()
					left := a.Comments(shopName)
					if len(left) != 1 || left[0].ID != firstComment || !slices.Contains(texts, left[0].Body) {
						t.Errorf("left %+v", left)
					}
				})
			}
		}
	}
}

// A comment that is never listed is waited for 15 seconds, or as long as there
// is waiting left, and is there.
func TestACommentThatIsNeverListedIsKept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		most time.Duration
		want []time.Duration
	}{
		{"within the bound", 0, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}},
		{"within what is left", 5 * time.Second, []time.Duration{time.Second, 2 * time.Second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newActions(t, githubtest.Options{CommentLag: 10 * time.Minute})
			a.change(t, func(r *githubtest.Repository) {
				r.PullRequests = []githubtest.PullRequest{{Number: 12, HeadSHA: strings.Repeat("2", 40)}}
			})
			var waits []time.Duration
			client, err := gh.NewClient(gh.Options{Token: "job", APIURL: a.api, Now: a.now, MaxWait: tt.most, Sleep: func(ctx context.Context, d time.Duration) error {
				waits = append(waits, d)
				return a.sleep(ctx, d)
			}})
			if err != nil {
				t.Fatal(err)
			}
			made, err := comment.Upsert(t.Context(), client.Conversation(shopName, 12), 12, comment.Options{}, "<!-- breadcrumb:comment v1 key=default -->\ntext")
			if err != nil || made.ID != firstComment || len(a.Comments(shopName)) != 1 {
				t.Errorf("made %+v, left %+v, error %v", made, a.Comments(shopName), err)
			}
			if diff := cmp.Diff(tt.want, waits); diff != "" {
				t.Errorf("waits (-want +got)\n%s", diff)
			}
		})
	}
}
