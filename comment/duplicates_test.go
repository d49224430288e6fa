package comment

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// awaitingThread is a thread that lists nothing until it is asked again. What others
// write meanwhile is listed then.
type awaitingThread struct {
	thread
	others []Comment // listed with what is created
	never  bool      // what was created is not listed
}

func (th *awaitingThread) Await(_ context.Context, _ int, enough func([]Comment) bool) bool {
	if enough(nil) {
		panic("an empty list was enough")
	}
	th.comments = append(th.comments, th.others...)
	slices.SortFunc(th.comments, func(a, b Comment) int { return int(a.ID - b.ID) })
	listed := slices.Clone(th.comments)
	if th.never {
		listed = slices.DeleteFunc(listed, func(c Comment) bool { return c.ID >= 100 })
	}
	return enough(listed)
}

func (th *awaitingThread) Delete(_ context.Context, id int64) error {
	if err := th.called(fmt.Sprintf("delete %d", id)); err != nil {
		return err
	}
	th.comments = slices.DeleteFunc(th.comments, func(c Comment) bool { return c.ID == id })
	return nil
}

func TestACreatedCommentGivesWayToAnOlderOne(t *testing.T) {
	const bot = "github-actions[bot]"
	body := marker(DefaultKey) + "\n### new"
	old := marker(DefaultKey) + "\n### old"
	for _, tt := range []struct {
		name   string
		others []Comment
		gone   map[int64]bool
		never  bool
		fail   map[string]error
		want   []string // calls
		wantID int64
	}{
		{name: "alone", want: []string{"create"}, wantID: 100},
		{name: "to one of the run before", others: []Comment{{ID: 99, Author: bot, Body: old}}, want: []string{"create", "update 99", "delete 100"}, wantID: 99},
		{name: "to one that says the same", others: []Comment{{ID: 99, Author: bot, Body: body}}, want: []string{"create", "delete 100"}, wantID: 99},
		{
			name: "to the oldest of several", others: []Comment{{ID: 99, Author: bot, Body: old}, {ID: 98, Author: bot, Body: old}},
			want: []string{"create", "update 98", "delete 100", "update 99"}, wantID: 98,
		},
		{
			name: "to the next when the oldest is gone", others: []Comment{{ID: 98, Author: bot, Body: old}, {ID: 99, Author: bot, Body: old}}, gone: map[int64]bool{98: true},
			want: []string{"create", "update 98", "update 99", "delete 100"}, wantID: 99,
		},
		{name: "to none that is gone", others: []Comment{{ID: 99, Author: bot, Body: old}}, gone: map[int64]bool{99: true}, want: []string{"create", "update 99"}, wantID: 100},
		{name: "to an older one though it is not listed itself", others: []Comment{{ID: 99, Author: bot, Body: old}}, never: true, want: []string{"create", "update 99", "delete 100"}, wantID: 99},
		{name: "to nobody else's", others: []Comment{{ID: 99, Author: "mallory", Body: old}}, want: []string{"create"}, wantID: 100},
		{name: "to none of another key", others: []Comment{{ID: 99, Author: bot, Body: marker("other") + "\n### old"}}, want: []string{"create"}, wantID: 100},
		{name: "to no younger one", others: []Comment{{ID: 101, Author: bot, Body: old}}, want: []string{"create", "update 101"}, wantID: 100},
		{name: "to nothing while it is not listed", never: true, want: []string{"create"}, wantID: 100},
		{
			name: "as a pointer where it may not be deleted", others: []Comment{{ID: 99, Author: bot, Body: old}}, fail: map[string]error{"delete 100": fmt.Errorf("403")},
			want: []string{"create", "update 99", "delete 100", "update 100"}, wantID: 99,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			th := &awaitingThread{thread: thread{self: bot, gone: tt.gone, fail: tt.fail}, others: tt.others, never: tt.never}
			checkUpsert(t, th, &th.thread, body, tt.wantID, tt.want)
		})
	}
}
