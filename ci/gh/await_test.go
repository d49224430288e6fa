package gh_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/internal/githubtest"
)

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
