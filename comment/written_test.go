package comment

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

var (
	headA = strings.Repeat("a", 40)
	headB = strings.Repeat("b", 40)
	headC = strings.Repeat("c", 40)
)

func TestTheNewestRunHasTheLastWord(t *testing.T) {
	t.Parallel()
	run := func(id int64, attempt, at int, head string) Writer {
		return Writer{Run: id, Attempt: attempt, At: int64(at), Head: head, Job: strings.Repeat("0", 16)}
	}
	group := func(w Writer) Writer {
		w.Group = true
		return w
	}
	for name, c := range map[string]struct {
		ours, theirs Writer
		head         string // of the pull request now
		outdated     bool
	}{
		"a later run of the head":                 {run(2, 1, 20, headA), run(1, 1, 10, headA), headA, false},
		"an earlier run of the head":              {run(1, 1, 10, headA), run(2, 1, 20, headA), headA, true},
		"the same run again":                      {run(1, 1, 10, headA), run(1, 1, 10, headA), headA, false},
		"a rerun":                                 {run(1, 2, 10, headA), run(1, 1, 10, headA), headA, false},
		"an attempt that was rerun":               {run(1, 1, 10, headA), run(1, 2, 10, headA), headA, true},
		"the time before the id":                  {run(1, 1, 20, headA), run(2, 1, 10, headA), headA, false},
		"an earlier run of the head that is back": {run(1, 1, 10, headA), run(2, 1, 20, headB), headA, false},
		"a rerun of the head before":              {run(3, 2, 30, headA), run(2, 1, 20, headB), headB, true},
		"later, and neither is of the head":       {run(3, 1, 30, headA), run(2, 1, 20, headB), headC, false},
		"earlier, and the head is not known":      {run(1, 1, 10, headA), run(2, 1, 20, headB), "", true},
		"an older version's, later":               {run(1, 1, 10, headA), Writer{Run: 2}, headA, true},
		"an older version's, earlier":             {run(2, 1, 10, headA), Writer{Run: 1}, headA, false},
		"nobody's":                                {run(2, 1, 10, headA), Writer{}, headA, false},
		"a merge group after the head's":          {group(run(2, 1, 20, headC)), run(1, 1, 10, headA), headA, false},
		"a rerun of the head before the group":    {run(1, 2, 10, headA), group(run(2, 1, 20, headC)), headA, true},
		"a new head after the group":              {run(3, 1, 30, headB), group(run(2, 1, 20, headC)), headB, false},
	} {
		if got := c.ours.isOutdated(c.theirs, c.head); got != c.outdated {
			t.Errorf("%s: outdated %v, want %v", name, got, c.outdated)
		}
	}
}

// writtenBy is the comment of a key that a run writes.
func writtenBy(key string, info engine.RunInfo) string {
	run := greenRun()
	run.Info = info
	return Render(run, Options{Key: key, State: &State{Writer: NewWriter(info)}})
}

func TestAnOlderRunThatEndsLaterWritesNothing(t *testing.T) {
	t.Parallel()
	info := engine.RunInfo{RunID: 2, RunAttempt: 1, HeadSHA: headA, StartedAt: time.Unix(20, 0)}
	older := info
	older.RunID, older.StartedAt = 1, time.Unix(10, 0)
	th := &thread{self: "bot"}
	for _, one := range []engine.RunInfo{info, older} {
		kept, err := Upsert(t.Context(), th, 7, Options{Key: "k"}, writtenBy("k", one))
		if want := one.RunID == 1; errors.Is(err, ErrNewer) != want || kept.ID != 100 {
			t.Errorf("run %d: comment %d, %v", one.RunID, kept.ID, err)
		}
	}
	if diff := cmp.Diff([]string{"create"}, th.calls); diff != "" {
		t.Error(diff)
	}
}

// Runs that have all read the conversation before any of them writes leave the newest
// one's verdict, whatever the order in which they write.
func TestTheNewestRunHasTheLastWordOfARace(t *testing.T) {
	t.Parallel()
	info := func(id int64, head string) engine.RunInfo {
		return engine.RunInfo{RunID: id, RunAttempt: 1, HeadSHA: head, StartedAt: time.Unix(10*id, 0)}
	}
	// The third run is of a head that was pushed after the others had read.
	before, runs := info(1, headA), []engine.RunInfo{info(2, headA), info(3, headA), info(4, headB)}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		th := &thread{self: "bot", comments: []Comment{{ID: 1, Author: "bot", Body: writtenBy("k", before)}}, head: headB}
		var said []Conversation
		for _, one := range runs {
			s, err := LoadConversation(t.Context(), th, 7)
			if err != nil {
				t.Fatal(err)
			}
			s.Head = one.HeadSHA
			said = append(said, s)
		}
		var newest error
		for _, i := range order {
			_, err := said[i].Upsert(t.Context(), th, Options{Key: "k"}, writtenBy("k", runs[i]))
			if err != nil && !errors.Is(err, ErrNewer) {
				t.Fatal(err)
			}
			if i == 2 {
				newest = err
			}
		}
		if got := th.comments[0].Body; newest != nil || got != writtenBy("k", runs[2]) {
			t.Errorf("written in the order %v: %v, and it says %q", order, newest, got)
		}
	}
}

// Where the forge does not say what a text is written over, the newest of two runs that
// write at the same moment has the last word all the same.
func TestTheNewestRunHasTheLastWordOfABlindRace(t *testing.T) {
	t.Parallel()
	text := func(id int64) string {
		return writtenBy("k", engine.RunInfo{RunID: id, RunAttempt: 1, HeadSHA: headA, StartedAt: time.Unix(10*id, 0)})
	}
	before, older, newer := text(1), text(2), text(3)
	for name, c := range map[string]struct {
		ours             string
		at               func(th *blindThread, write func(body string))
		keeps            string
		outdated, unread bool
	}{
		"alone":                          {ours: newer, keeps: newer, at: func(*blindThread, func(string)) {}},
		"the newer one has just written": {ours: older, keeps: newer, outdated: true, at: func(_ *blindThread, write func(string)) { write(newer) }},
		"the older one has just written": {ours: newer, keeps: newer, at: func(_ *blindThread, write func(string)) { write(older) }},
		"the older one writes after": {ours: newer, keeps: newer, at: func(th *blindThread, write func(string)) {
			th.after = []func(){func() { write(older) }}
		}},
		"the older one writes after, and again": {ours: newer, keeps: newer, at: func(th *blindThread, write func(string)) {
			th.after = []func(){func() { write(older) }, func() { write(older) }}
		}},
		"the newer one writes after": {ours: older, keeps: newer, outdated: true, at: func(th *blindThread, write func(string)) {
			th.after = []func(){func() { write(newer) }}
		}},
		"the newer one writes unseen and looks again": {ours: older, keeps: newer, outdated: true, at: func(th *blindThread, write func(string)) {
			th.before, th.after = []func(){func() { write(newer) }}, []func(){func() { write(newer) }}
		}},
		"the comment is retired after": {ours: newer, keeps: "retired", at: func(th *blindThread, write func(string)) {
			th.after = []func(){func() { write("retired") }}
		}},
		"it cannot be read again": {ours: newer, keeps: newer, unread: true, at: func(*blindThread, func(string)) {}},
	} {
		th := &blindThread{thread: &thread{self: "bot", comments: []Comment{{ID: 1, Author: "bot", Body: before}}, fail: map[string]error{}}}
		if c.unread {
			th.fail["reread"] = errors.New("gone away")
		}
		said, err := LoadConversation(t.Context(), th, 7)
		if err != nil {
			t.Fatal(err)
		}
		c.at(th, func(body string) { th.comments[0].Body = body })
		if _, err := said.Upsert(t.Context(), th, Options{Key: "k"}, c.ours); errors.Is(err, ErrNewer) != c.outdated || err != nil && !c.outdated {
			t.Errorf("%s: %v", name, err)
		}
		if got := th.comments[0].Body; got != c.keeps {
			t.Errorf("%s: it says %q", name, got)
		}
	}
}

func TestAFormerCommentGivesItsPlaceWhereItIsOurs(t *testing.T) {
	t.Parallel()
	info := engine.RunInfo{RepositoryID: 7, Repository: "o/r", RunID: 9, RunAttempt: 1, Job: "e2e", WorkflowID: 5, HeadSHA: headA, StartedAt: time.Unix(90, 0)}
	other, renamed := info, info
	other.RunID, other.WorkflowID = 3, 6
	renamed.RunID = 4
	run := greenRun()
	run.Info = engine.RunInfo{Repository: "o/r", RunID: 8, PullRequest: 7}
	said := Conversation{PR: 7, Self: "bot", Ours: []Comment{
		{ID: 1, Author: "bot", Body: Render(run, Options{Key: "e2e"})},
		{ID: 2, Author: "bot", Body: writtenBy("was.e2e", renamed)},
		{ID: 3, Author: "bot", Body: writtenBy("other.e2e", other)},
		{ID: 4, Author: "bot", Body: Render(run, Options{Key: "chosen"})},
	}}
	ours, ask := said.FormerKeys(Options{Key: "now.e2e"}, info, "e2e")
	if diff := cmp.Diff([]string{"was.e2e"}, ours); diff != "" {
		t.Errorf("ours (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Former{{"e2e", 8}}, ask); diff != "" {
		t.Errorf("asked (-want +got)\n%s", diff)
	}
	th := &thread{self: "bot", comments: said.Ours}
	o := Options{Key: "now.e2e", Former: []string{"was.e2e", "e2e"}}
	kept, err := said.Upsert(t.Context(), th, o, writtenBy("now.e2e", info))
	if err != nil || kept.ID != 2 {
		t.Errorf("comment %d, %v", kept.ID, err)
	}
	if diff := cmp.Diff([]string{"update 2", "update 1"}, th.calls); diff != "" {
		t.Errorf("writes (-want +got)\n%s", diff)
	}
}

func TestARunIsReadFromNoTextOfATest(t *testing.T) {
	t.Parallel()
	run := greenRun()
	run.Info = engine.RunInfo{}
	body := Render(run, Options{}) + strings.Repeat("\n", factLines) + "[job log](https://github.com/o/r/actions/runs/99/attempts/2)"
	if w, told := parseWriter(body); w.Run != 0 || told {
		t.Errorf("%+v, %v", w, told)
	}
	hostile := State{Writer: &Writer{Run: 1, Head: "x", Job: strings.Repeat("0", 16)}}
	line, _ := hostile.hiddenLine()
	if w, told := parseWriter(marker("k") + "\n" + line + "\n"); told {
		t.Errorf("%+v", w)
	}
}
