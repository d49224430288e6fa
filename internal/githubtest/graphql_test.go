package githubtest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/internal/githubtest"
)

func TestTheSchemaFindsWhatGraphQLDoesNotHave(t *testing.T) {
	t.Parallel()
	d := needDescription(t)
	const (
		pull     = `{"query": "query($n:Int!){repository(owner:\"a\",name:\"b\"){pullRequest(number:$n){%s}}}", "variables": {"n": %s}}`
		answered = `{"data": {"repository": {"pullRequest": %s}}}`
		remove   = `{"query": "mutation($input:DeleteIssueCommentInput!){deleteIssueComment(input:$input){clientMutationId}}", "variables": {"input": {"id": "x"%s}}}`
		removed  = `{"data": {"deleteIssueComment": {"clientMutationId": null}}}`
	)
	ask := func(fields, n string) string { return fmt.Sprintf(pull, fields, n) }
	answer := func(fields string) string { return fmt.Sprintf(answered, fields) }
	for _, c := range []struct{ name, request, answer, want string }{
		{"no JSON", ask("id", "1"), "<html>", "invalid character"},
		{"a good query", ask("id comments(last:1){nodes{fullDatabaseId author{__typename login}}}", "1"),
			answer(`{"id": "x", "comments": {"nodes": [{"fullDatabaseId": "1", "author": {"__typename": "User", "login": "a"}}, null]}}`), ""},
		{"a good mutation", fmt.Sprintf(remove, ""), removed, ""},
		{"a field that is not there", ask("nodeId", "1"), answer(`{"nodeId": "x"}`), `Cannot query field "nodeId"`},
		{"a field that will go", ask("databaseId", "1"), answer(`{"databaseId": 1}`), "databaseId is deprecated"},
		{"an object without fields", ask("comments", "1"), answer(`{"comments": {}}`), "must have a selection of subfields"},
		{"a variable of another type", ask("id", "true"), answer(`{"id": "x"}`), "cannot use bool as Int"},
		{"an unknown field of the input", fmt.Sprintf(remove, `, "why": "x"`), removed, "unknown field"},
		{"a refused query", ask("nodeId", "1"), `{"data": null, "errors": [{"message": "no"}]}`, ""},
		{"an answer with too little", ask("id title", "1"), answer(`{"id": "x"}`), "no title"},
		{"an answer with too much", ask("id", "1"), answer(`{"id": "x", "title": "y"}`), "1 fields were asked, and 2 are answered"},
		{"an answer of the wrong type", ask("fullDatabaseId", "1"), answer(`{"fullDatabaseId": 1}`), "1 is no BigInt"},
		{"an answer with a large number", ask("number", "1"), answer(`{"number": 4294967301}`), "is no Int"},
		{"an answer with a word that is none", ask("state", "1"), answer(`{"state": "GONE"}`), "GONE is no PullRequestState"},
		{"null for what is always there", ask("id", "1"), answer(`{"id": null}`), "null, which no ID! is"},
		{"an object for a list", ask("comments(last:1){nodes{id}}", "1"), answer(`{"comments": {"nodes": {}}}`), "is no list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := httptest.NewRecorder()
			answer.Body.WriteString(c.answer)
			_, err := d.Check(httptest.NewRequest(http.MethodPost, "https://api.github.com/graphql", nil), []byte(c.request), answer)
			if got := fmt.Sprint(err); (err != nil) != (c.want != "") || !strings.Contains(got, c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// Every query and mutation of ours, answered here, is as GitHub's schema has it.
func TestOurQueriesFitGitHubsSchema(t *testing.T) {
	t.Parallel()
	needDescription(t)
	start := state()
	start.Tokens = []githubtest.Token{{Token: "job", Login: "github-actions[bot]", Installation: true, NoDelete: true}}
	s := newSite(t, githubtest.Options{State: start})
	client, err := gh.NewClient(gh.Options{
		Token: "job", APIURL: s.url, HTTP: s.client,
		Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Self(t.Context()); err != nil {
		t.Error(err)
	}
	for range 101 {
		s.Say("octo-org/shop", 13, "mona", "text")
	}
	if all, err := client.Conversation("octo-org/shop", 13).Comments(t.Context(), 13); err != nil || len(all) != 101 {
		t.Errorf("%d comments, error %v", len(all), err)
	}
	talk := client.Conversation("octo-org/shop", 12)
	if err := talk.Review(t.Context(), 12, head, []comment.Draft{{Path: "tests/login.spec.ts", Line: 11, Body: "text"}}); err != nil {
		t.Error(err)
	}
	lines, err := talk.ReviewComments(t.Context(), 12)
	if err != nil || len(lines) != 1 {
		t.Fatalf("%d comments on lines, error %v", len(lines), err)
	}
	if err := talk.Retract(t.Context(), lines[0]); err != nil {
		t.Error(err)
	}
	made, err := talk.Create(t.Context(), 12, "text")
	if err != nil || !talk.Await(t.Context(), 12, func(all []comment.Comment) bool { return len(all) == 1 }) {
		t.Errorf("made %+v, error %v", made, err)
	}
	if _, err := talk.Update(t.Context(), made.ID, "other"); err != nil {
		t.Error(err)
	}
	if err := talk.Delete(t.Context(), made.ID); err != nil {
		t.Error(err)
	}
	s.ask(t, "job", "POST", "/graphql", object{"query": commitMutation, "variables": object{"input": commitOn("rename", head)}})
	got := slices.DeleteFunc(s.Checked(), func(operation string) bool { return !strings.HasPrefix(operation, "GraphQL ") })
	want := []string{
		"GraphQL addComment", "GraphQL createCommitOnBranch", "GraphQL deleteIssueComment", "GraphQL minimizeComment",
		"GraphQL repository", "GraphQL updateIssueComment", "GraphQL viewer", "GraphQL viewer repository",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checked (-want +got)\n%s", diff)
	}
}

// What GraphQL's mutations of a comment refuse, they do not carry out.
func TestCommentMutationsAreStrict(t *testing.T) {
	t.Parallel()
	const (
		fields = `{fullDatabaseId id author{__typename login}body url}`
		add    = `mutation($input:AddCommentInput!){addComment(input:$input){commentEdge{node` + fields + `}}}`
		edits  = `{diff editor{__typename login}}`
		edit   = `mutation($input:UpdateIssueCommentInput!){updateIssueComment(input:$input){issueComment{fullDatabaseId id author{__typename login}body url pullRequest{headRefOid}` +
			`newest:userContentEdits(first:10){nodes` + edits + `}oldest:userContentEdits(last:10){nodes` + edits + `}}}}`
		remove = `mutation($input:DeleteIssueCommentInput!){deleteIssueComment(input:$input){clientMutationId}}`
	)
	s := newSite(t, githubtest.Options{})
	talk := s.ask(t, "job", "GET", shop+"/pulls/12", nil).get(t, "node_id")
	locked := s.ask(t, "job", "GET", shop+"/pulls/13", nil).get(t, "node_id")
	there := s.Say("octo-org/shop", 12, "mona", "text")
	comment := s.ask(t, "job", "GET", fmt.Sprintf("%s/issues/comments/%d", shop, there.ID), nil).get(t, "node_id")
	for _, tt := range []struct {
		name, token, mutation string
		input                 object
		refusal               string
	}{
		{"no such pull request", "job", add, object{"subjectId": "x", "body": "b"}, "NOT_FOUND"},
		{"a locked one", "job", add, object{"subjectId": locked, "body": "b"}, "UNPROCESSABLE"},
		{"a body that is empty", "job", add, object{"subjectId": talk, "body": " "}, "UNPROCESSABLE"},
		{"a body that is too long", "job", edit, object{"id": comment, "body": strings.Repeat("é", 65537)}, "UNPROCESSABLE"},
		{"a field that is not there", "job", add, object{"subject": talk, "body": "b"}, "INVALID"},
		{"no such comment to edit", "job", edit, object{"id": "x", "body": "b"}, "NOT_FOUND"},
		{"no such comment to delete", "job", remove, object{"id": talk}, "NOT_FOUND"},
		{"a fork's addition", "fork", add, object{"subjectId": talk, "body": "b"}, "FORBIDDEN"},
		{"a fork's edit", "fork", edit, object{"id": comment, "body": "b"}, "FORBIDDEN"},
		{"a fork's deletion", "fork", remove, object{"id": comment}, "FORBIDDEN"},
		{"other fields than ours", "job", strings.Replace(add, "url", "bodyHTML", 1), object{"subjectId": talk, "body": "b"}, "UNKNOWN"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := s.ask(t, tt.token, "POST", "/graphql", object{"query": tt.mutation, "variables": object{"input": tt.input}})
			if kind := got.get(t, "errors", 0, "type"); got.Status != 200 || kind != tt.refusal {
				t.Errorf("refused as %v with status %d, want %s", kind, got.Status, tt.refusal)
			}
			if diff := cmp.Diff([]githubtest.Comment{there}, s.Comments("octo-org/shop")); diff != "" {
				t.Errorf("comments (-want +got)\n%s", diff)
			}
		})
	}
}
