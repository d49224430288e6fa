package gh_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/internal/githubtest"
)

// asks returns a fault of the GraphQL requests that hold some text.
func asks(text string, f githubtest.Fault) githubtest.Fault {
	f.Method, f.Path, f.Asks = "POST", "/graphql", text
	return f
}

// restWrites counts what was asked of the REST API but reading.
func (w *world) restWrites() int {
	n := 0
	for _, r := range w.github.Requests() {
		if r.Method != http.MethodGet && r.Path != "/graphql" {
			n++
		}
	}
	return n
}

func TestACommentIsCreatedOnce(t *testing.T) {
	t.Parallel()
	locked := onePull()
	locked.Repositories[0].PullRequests[0].Locked = true
	const broken = `{"data":{"addComment":null},"errors":[{"message":"Something went wrong while executing your query."}]}`
	for _, tt := range []struct {
		name     string
		options  githubtest.Options
		fault    githubtest.Fault
		lost     bool // an error is returned
		comments int
		rest     int // writes by the REST API
	}{
		{"by GraphQL", githubtest.Options{}, githubtest.Fault{}, false, 1, 0},
		{"by GraphQL of an enterprise server", githubtest.Options{Prefix: "/api/v3"}, githubtest.Fault{}, false, 1, 0},
		{"by GraphQL that lists it late", githubtest.Options{CommentLag: 9 * time.Second}, asks("addComment", githubtest.Fault{Drop: githubtest.DropAfter, Times: 1}), false, 1, 0},
		{"where GraphQL's answer is lost", githubtest.Options{}, asks("addComment", githubtest.Fault{Drop: githubtest.DropAfter, Times: 1}), false, 1, 0},
		{"where GraphQL's answer is cut", githubtest.Options{}, asks("addComment", githubtest.Fault{Drop: githubtest.DropMidway, Times: 1}), false, 1, 0},
		{"never again where GraphQL did not hear it", githubtest.Options{}, asks("addComment", githubtest.Fault{Drop: githubtest.DropBefore, Times: 1}), true, 0, 0},
		{"never again where GraphQL is broken", githubtest.Options{}, asks("addComment", githubtest.ServerError(502)), true, 0, 0},
		{"never again where GraphQL went wrong", githubtest.Options{}, asks("addComment", githubtest.Fault{Status: 200, Answer: broken, Times: 1}), true, 0, 0},
		{"never again where GraphQL tells nothing", githubtest.Options{}, asks("addComment", githubtest.Fault{Status: 200, Answer: `{"data":{}}`, Times: 1}), true, 0, 0},
		{"after a limit", githubtest.Options{}, asks("addComment", githubtest.SecondaryLimit(429, "5")), false, 1, 0},
		{"by REST where GraphQL may not", githubtest.Options{}, asks("addComment", githubtest.GraphQLError("FORBIDDEN", "Resource not accessible by integration")), false, 1, 1},
		{"by REST where GraphQL has a limit", githubtest.Options{}, asks("addComment", githubtest.GraphQLError("RATE_LIMITED", "API rate limit exceeded")), false, 1, 1},
		{"by REST where GraphQL forbids", githubtest.Options{}, asks("addComment", githubtest.Fault{Status: 403, Message: "Forbidden"}), false, 1, 1},
		{"by REST without GraphQL", githubtest.Options{}, asks("", githubtest.Fault{Status: 404, Message: "Not Found"}), false, 1, 1},
		{"by REST where GraphQL does not know us", githubtest.Options{}, asks("", githubtest.GraphQLError("UNKNOWN", "this server does not know this query")), false, 1, 1},
		{"not where it may not be", githubtest.Options{State: locked}, githubtest.Fault{}, true, 0, 1},
		{"not of a fork", githubtest.Options{Fork: true}, githubtest.Fault{}, true, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.options)
			if tt.fault.Path != "" {
				w.github.Inject(tt.fault)
			}
			const body = "<!-- breadcrumb:comment v1 key=default -->\ntext"
			made, err := comment.Upsert(t.Context(), w.Conversation(repo, 12), 12, comment.Options{}, body)
			if (err != nil) != tt.lost {
				t.Errorf("error %v", err)
			}
			if err == nil {
				if diff := cmp.Diff(comment.Comment{ID: 1, Author: bot, Body: body, URL: "https://github.com/octo-org/shop/pull/12#issuecomment-1"}, made); diff != "" {
					t.Errorf("made (-want +got)\n%s", diff)
				}
			}
			if n := len(w.github.Comments(repo)); n != tt.comments || w.restWrites() != tt.rest {
				t.Errorf("%d comments by %d writes of the REST API, want %d by %d", n, w.restWrites(), tt.comments, tt.rest)
			}
		})
	}
}

func TestGraphQLRefusesALongBodyAsRESTDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	forge := w.Conversation(repo, 12)
	if _, err := forge.Comments(t.Context(), 12); err != nil {
		t.Fatal(err)
	}
	var api *gh.APIError
	if _, err := forge.Create(t.Context(), 12, strings.Repeat("é", 65537)); !errors.As(err, &api) || api.Status != 422 {
		t.Errorf("got %v", err)
	}
	made, err := forge.Create(t.Context(), 12, strings.Repeat("é", 65536))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := forge.Update(t.Context(), made.ID, strings.Repeat("é", 65537)); !errors.As(err, &api) || api.Status != 422 {
		t.Errorf("got %v", err)
	}
}

// A comment's id has more bits than GraphQL's databaseId holds.
func TestACommentIsUpdatedAndDeletedByGraphQL(t *testing.T) {
	t.Parallel()
	const id = 1<<32 + 5
	forbidden := githubtest.GraphQLError("FORBIDDEN", "Resource not accessible by integration")
	for _, tt := range []struct {
		name  string
		fault githubtest.Fault
		rest  int // writes by the REST API
	}{
		{"at once", githubtest.Fault{}, 0},
		{"again after 502", asks("IssueComment(", githubtest.ServerError(502)), 0},
		{"again where the answer was lost", asks("IssueComment(", githubtest.Fault{Drop: githubtest.DropAfter, Times: 1}), 0},
		{"by REST where GraphQL stays broken", asks("updateIssueComment(", githubtest.Fault{Status: 502}), 1},
		{"by REST where GraphQL may not", asks("IssueComment(", forbidden), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seeded := onePull()
			seeded.Repositories[0].Comments = []githubtest.Comment{{ID: id, Issue: 12, Author: bot, Body: "old"}}
			w := newWorld(t, githubtest.Options{State: seeded})
			if tt.fault.Path != "" {
				w.github.Inject(tt.fault)
			}
			forge := w.Conversation(repo, 12)
			if all, err := forge.Comments(t.Context(), 12); err != nil || len(all) != 1 || all[0].ID != id {
				t.Fatalf("comments %+v, %v", all, err)
			}
			if c, err := forge.Update(t.Context(), id, "new"); err != nil || c.ID != id || c.Body != "new" {
				t.Errorf("updated %+v, %v", c, err)
			}
			if got := bodies(w.github.Comments(repo)); !cmp.Equal(got, []string{"new"}) {
				t.Errorf("comments %q", got)
			}
			if err := forge.Delete(t.Context(), id); err != nil || len(w.github.Comments(repo)) != 0 {
				t.Errorf("after deleting %+v, %v", w.github.Comments(repo), err)
			}
			if n := w.restWrites(); n != tt.rest {
				t.Errorf("%d writes of the REST API, want %d", n, tt.rest)
			}
			if err := forge.Delete(t.Context(), id); err != nil {
				t.Errorf("deleting what is gone: %v", err)
			}
			if _, err := forge.Update(t.Context(), id, "x"); !errors.Is(err, comment.ErrGone) {
				t.Errorf("updating what is gone: %v", err)
			}
		})
	}
}

// Of two runs that have both read the conversation before either writes, the newer one
// has the last word, whoever is the last to write.
func TestTheNewerOfTwoRunsAtOnceHasTheLastWord(t *testing.T) {
	t.Parallel()
	text := func(run int64) (outcome.Run, string) {
		one := outcome.Run{Info: engine.RunInfo{RunID: run, RunAttempt: 1, HeadSHA: shaOf("a"), StartedAt: time.Unix(run, 0)}}
		return one, comment.Render(one, comment.Options{State: &comment.State{Writer: comment.NewWriter(one.Info)}})
	}
	_, before := text(1)
	_, older := text(2)
	_, newer := text(3)
	for name, c := range map[string]struct {
		order []string
		fault githubtest.Fault
	}{
		"the older one last":                                 {order: []string{newer, older}},
		"the newer one last":                                 {order: []string{older, newer}},
		"the older one last, without GraphQL":                {[]string{newer, older}, asks("", githubtest.Fault{Status: 404, Message: "Not Found"})},
		"the newer one last, without GraphQL":                {[]string{older, newer}, asks("", githubtest.Fault{Status: 404, Message: "Not Found"})},
		"the older one last, which GraphQL refuses to write": {[]string{newer, older}, asks("updateIssueComment(", githubtest.GraphQLError("FORBIDDEN", "Resource not accessible by integration"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			order := c.order
			w := newWorld(t, githubtest.Options{})
			if c.fault.Path != "" {
				w.github.Inject(c.fault)
			}
			if _, err := comment.Upsert(t.Context(), w.Conversation(repo, 12), 12, comment.Options{}, before); err != nil {
				t.Fatal(err)
			}
			said := map[string]comment.Conversation{}
			forges := map[string]comment.API{}
			for _, body := range order {
				forge := w.Conversation(repo, 12)
				read, err := comment.LoadConversation(t.Context(), forge, 12)
				if err != nil {
					t.Fatal(err)
				}
				said[body], forges[body] = read, forge
			}
			for _, body := range order {
				_, err := said[body].Upsert(t.Context(), forges[body], comment.Options{}, body)
				if lost := body == older && order[1] == older; errors.Is(err, comment.ErrNewer) != lost {
					t.Errorf("%v", err)
				}
			}
			if got := bodies(w.github.Comments(repo)); len(got) != 1 || got[0] != newer {
				t.Errorf("the comments are %q", got)
			}
		})
	}
}
