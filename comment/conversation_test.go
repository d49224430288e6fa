package comment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// thread is a pull request's comments in memory. It keeps what API promises:
// ids grow, an update of a missing comment is ErrGone.
type thread struct {
	self     string
	comments []Comment
	calls    []string
	gone     map[int64]bool // deleted after they were listed
	fail     map[string]error
	head     string // of the pull request, told to who writes
}

// blindThread is a thread whose forge does not say what a text is written over. Others
// write between a run's reading and its writing, and after that.
type blindThread struct {
	*thread
	before, after []func() // what happens in each update, and after it
}

func (th *blindThread) Update(ctx context.Context, id int64, body string) (Comment, error) {
	read := th.comments[0].Body
	takeNext(&th.before)
	c, err := th.thread.Update(ctx, id, body)
	c.Past, c.Head, c.Blind = []string{read}, "", true
	return c, err
}

func (th *blindThread) Reread(context.Context, int64) (Comment, error) {
	takeNext(&th.after)
	return th.comments[0], th.fail["reread"]
}

// takeNext does the first of the things that are left, if any.
func takeNext(left *[]func()) {
	if len(*left) > 0 {
		(*left)[0]()
		*left = (*left)[1:]
	}
}

func (th *thread) called(call string) error {
	th.calls = append(th.calls, call)
	return th.fail[call]
}

func (th *thread) Self(context.Context) (string, error) { return th.self, th.fail["self"] }

func (th *thread) Comments(_ context.Context, pr int) ([]Comment, error) {
	if pr != 7 {
		return nil, fmt.Errorf("no pull request %d", pr)
	}
	return append([]Comment(nil), th.comments...), th.fail["list"]
}

func (th *thread) Create(_ context.Context, _ int, body string) (Comment, error) {
	id := int64(100 + len(th.comments))
	c := Comment{ID: id, Author: th.self, Body: body, URL: fmt.Sprintf("https://github.com/o/r/pull/7#issuecomment-%d", id)}
	if err := th.called("create"); err != nil {
		return Comment{}, err
	}
	th.comments = append(th.comments, c)
	return c, nil
}

func (th *thread) Update(_ context.Context, id int64, body string) (Comment, error) {
	if err := th.called(fmt.Sprintf("update %d", id)); err != nil {
		return Comment{}, err
	}
	for i := range th.comments {
		if th.comments[i].ID == id && !th.gone[id] {
			th.comments[i].Past = append(th.comments[i].Past, th.comments[i].Body)
			th.comments[i].Body, th.comments[i].Head = body, th.head
			return th.comments[i], nil
		}
	}
	return Comment{}, fmt.Errorf("update comment %d: %w", id, ErrGone)
}

func TestUpsert(t *testing.T) {
	const bot = "github-actions[bot]"
	body := marker(DefaultKey) + "\n### new"
	old := marker(DefaultKey) + "\n### old"
	for _, tt := range []struct {
		name     string
		comments []Comment
		gone     map[int64]bool
		want     []string // calls
		wantID   int64
	}{
		{name: "creates the first", want: []string{"create"}, wantID: 100},
		{name: "updates its own", comments: []Comment{{ID: 3, Author: bot, Body: old}}, want: []string{"update 3"}, wantID: 3},
		{name: "logins have no case", comments: []Comment{{ID: 3, Author: "GitHub-Actions[bot]", Body: old}}, want: []string{"update 3"}, wantID: 3},
		{name: "writes nothing when nothing changed", comments: []Comment{{ID: 3, Author: bot, Body: body}}, wantID: 3},
		{name: "a forge's line endings are no change", comments: []Comment{{ID: 3, Author: bot, Body: strings.ReplaceAll(body, "\n", "\r\n") + "\r\n"}}, wantID: 3},
		{name: "leaves someone else's copy of the marker", comments: []Comment{{ID: 3, Author: "mallory", Body: old}}, want: []string{"create"}, wantID: 101},
		{name: "leaves another key", comments: []Comment{{ID: 3, Author: bot, Body: marker("other") + "\n### old"}}, want: []string{"create"}, wantID: 101},
		{name: "leaves a quoted marker", comments: []Comment{{ID: 3, Author: bot, Body: "> " + old}}, want: []string{"create"}, wantID: 101},
		{
			name:     "after a race keeps the oldest and points the others to it",
			comments: []Comment{{ID: 9, Author: bot, Body: old}, {ID: 5, Author: bot, Body: old}, {ID: 7, Author: "mallory", Body: old}},
			want:     []string{"update 5", "update 9"}, wantID: 5,
		},
		{
			name:     "retires the younger even when the oldest is up to date",
			comments: []Comment{{ID: 5, Author: bot, Body: body}, {ID: 9, Author: bot, Body: old}},
			want:     []string{"update 9"}, wantID: 5,
		},
		{
			name: "creates again what was deleted meanwhile", comments: []Comment{{ID: 3, Author: bot, Body: old}}, gone: map[int64]bool{3: true},
			want: []string{"update 3", "create"}, wantID: 101,
		},
		{
			name: "takes the next when the oldest was deleted meanwhile", comments: []Comment{{ID: 3, Author: bot, Body: old}, {ID: 4, Author: bot, Body: old}},
			gone: map[int64]bool{3: true}, want: []string{"update 3", "update 4"}, wantID: 4,
		},
		{
			name: "a younger one deleted meanwhile is as good as retired", comments: []Comment{{ID: 3, Author: bot, Body: old}, {ID: 4, Author: bot, Body: old}},
			gone: map[int64]bool{4: true}, want: []string{"update 3", "update 4"}, wantID: 3,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			th := &thread{self: bot, comments: tt.comments, gone: tt.gone}
			checkUpsert(t, th, th, body, tt.wantID, tt.want)
		})
	}
}

// checkUpsert upserts body and checks which comment it came to, what was written
// on the way, and that one comment of the key is left.
func checkUpsert(t *testing.T, api API, th *thread, body string, wantID int64, want []string) {
	t.Helper()
	got, err := Upsert(t.Context(), api, 7, Options{}, body)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != wantID || normalizedBody(got.Body) != body {
		t.Errorf("got %+v, want comment %d with the body", got, wantID)
	}
	if diff := cmp.Diff(want, th.calls); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if ours := currentOf(th); ours != 1 {
		t.Errorf("%d comments of this key afterwards", ours)
	}
}

// currentOf counts the comments of the default key that th still shows as ours.
func currentOf(th *thread) (n int) {
	for _, c := range th.comments {
		if key, ok := parseMarker(c.Body); ok && key == DefaultKey && strings.EqualFold(c.Author, th.self) && !th.gone[c.ID] {
			n++
		}
	}
	return n
}

func TestUpsertKeepsOneCommentPerKeyOverManyRuns(t *testing.T) {
	th := &thread{self: "bot"}
	for i, key := range []string{"", "e2e", "default", "e2e", ""} {
		o := Options{Key: key}
		run := greenRun()
		run.Counts.Passed = i
		if _, err := Upsert(t.Context(), th, 7, o, Render(run, o)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"create", "create", "update 100", "update 101", "update 100"}, th.calls); diff != "" {
		t.Error(diff)
	}
}

func TestARedirectedCommentHasNoVerdictAndNoMarker(t *testing.T) {
	for url, want := range map[string]string{
		"https://github.com/o/r/pull/7#issuecomment-5": "Breadcrumb reports on this pull request in [an earlier comment](https://github.com/o/r/pull/7#issuecomment-5).",
		"":                            "Breadcrumb reports on this pull request in an earlier comment.",
		"javascript:alert(1)":         "Breadcrumb reports on this pull request in an earlier comment.",
		"https://x/) [y](https://z/)": "Breadcrumb reports on this pull request in an earlier comment.",
	} {
		if got := redirection(Comment{URL: url}); got != want {
			t.Errorf("%q: %s", url, got)
		}
	}
}

func TestUpsertErrorsNameTheStep(t *testing.T) {
	broken := errors.New("503")
	own := Comment{ID: 3, Author: "bot", Body: marker(DefaultKey) + "\nold"}
	younger := Comment{ID: 4, Author: "bot", Body: marker(DefaultKey) + "\nold"}
	for _, tt := range []struct {
		name, fail string
		comments   []Comment
		o          Options
		body       string
		want       string
	}{
		{name: "who we are", fail: "self", want: "find out who comments: 503"},
		{name: "the list", fail: "list", want: "list comments of pull request 7: 503"},
		{name: "the creation", fail: "create", want: "create comment on pull request 7: 503"},
		{name: "the update", fail: "update 3", comments: []Comment{own}, want: "update comment 3 on pull request 7: 503"},
		{name: "a younger one", fail: "update 4", comments: []Comment{own, younger}, want: "retire comment 4, which another job wrote at the same time: 503"},
		{name: "a bad key", o: Options{Key: "a b"}, want: `comment key "a b": use 1 to 64 letters, digits, dots, underscores or hyphens`},
		{name: "a body of another key", o: Options{Key: "e2e"}, want: `comment body does not begin with the marker of key "e2e": render it with the same key`},
		{name: "a body without a marker", body: "### x", want: `comment body does not begin with the marker of key "default": render it with the same key`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			th := &thread{self: "bot", comments: tt.comments, fail: map[string]error{tt.fail: broken}}
			body := tt.body
			if body == "" {
				body = marker(DefaultKey) + "\nnew"
			}
			_, err := Upsert(t.Context(), th, 7, tt.o, body)
			if err == nil || err.Error() != tt.want {
				t.Fatalf("got %v, want %s", err, tt.want)
			}
			if tt.fail != "" && !errors.Is(err, broken) {
				t.Error("the cause is lost")
			}
		})
	}
}

func TestWithoutALoginNothingIsOurs(t *testing.T) {
	th := &thread{comments: []Comment{{ID: 3, Body: marker(DefaultKey) + "\nold"}}}
	if _, err := Upsert(t.Context(), th, 7, Options{}, marker(DefaultKey)+"\nnew"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"create"}, th.calls); diff != "" {
		t.Error(diff)
	}
}
