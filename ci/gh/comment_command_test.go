package gh_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/command"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

const (
	loginSource = "test('a', async ({ page }) => {\n  await page.locator('#one').click();\n  await page.locator('#two').click();\n});\n"
	oldHead     = "1111111111111111111111111111111111111111"
	jobBot      = "github-actions[bot]"
)

// commandWorld is a pull request whose sticky comment offers two edits of one file.
type commandWorld struct {
	*githubtest.Server
	repository *gh.Repository
	sticky     githubtest.Comment
	before     func(*http.Request, []byte) // called before a request is sent
	db         string                      // path of the history, "" for none
	info       engine.RunInfo              // of a command's run
	offered    comment.Offers              // by the run of the old head
}

func (d *commandWorld) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	if d.before != nil {
		d.before(req, body)
	}
	return http.DefaultTransport.RoundTrip(req)
}

// Of implements [command.Offers].
func (d *commandWorld) Of(context.Context, string) ([]comment.Offers, error) {
	return []comment.Offers{d.offered}, nil
}

func newCommandWorld(t *testing.T) *commandWorld {
	t.Helper()
	d := &commandWorld{Server: githubtest.New(githubtest.Options{State: githubtest.State{Repositories: []githubtest.Repository{{
		ID: 42, FullName: "acme/shop", DefaultBranch: "main", Permissions: map[string]string{"ada": "write"},
		Contents:     []githubtest.Content{{Path: "tests/login.spec.ts", Text: loginSource}},
		PullRequests: []githubtest.PullRequest{{Number: 7, HeadRef: "feature", HeadSHA: oldHead, BaseRef: "main", BaseSHA: strings.Repeat("3", 40)}},
	}}}})}
	server := httptest.NewServer(d.Server)
	t.Cleanup(server.Close)
	client, err := gh.NewClient(gh.Options{Token: "t0ken", APIURL: server.URL, HTTP: &http.Client{Transport: d}, Now: func() time.Time { return time.Unix(1e9, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	d.repository = client.Repository("acme/shop")
	run := outcome.Run{Info: engine.RunInfo{HeadSHA: oldHead, PullRequest: 7}}
	for i, old := range []string{"'#one'", "'#two'"} {
		at := strings.Index(loginSource, old)
		edit, err := patch.VerifyEdit("tests/login.spec.ts", []byte(loginSource), at, old, fmt.Sprintf("'#a-longer-%d'", i))
		if err != nil {
			t.Fatal(err)
		}
		run.Proposals = append(run.Proposals, patch.Proposal{Heal: engine.HealEvent{TestID: "a"}, Edit: &edit, Confidence: 1})
		run.Edits = append(run.Edits, outcome.OfferedEdit{
			ID: fmt.Sprintf("0000000%d", i), Proposal: i, Path: edit.File, Edit: edit, Blob: ci.BlobHash([]byte(loginSource)), Tests: []engine.TestID{"a"},
		})
	}
	run.Proposals = append(run.Proposals, patch.Proposal{Heal: engine.HealEvent{TestID: "b", Locator: "#three", Outcome: engine.OutcomeSuggested}})
	run.Unedited = []outcome.UneditedElement{{ID: "00000003", Proposal: 2, Test: "b", Locator: "#three", Signature: "fedcba9876543210"}}
	state := comment.NewState(run, nil, nil)
	d.offered = comment.NewOffers(run)
	d.sticky = d.Say("acme/shop", 7, jobBot, comment.Render(run, comment.Options{State: &state}))
	return d
}

// handle carries out a comment of ada's.
func (d *commandWorld) handle(t *testing.T, event command.CommandEvent) {
	t.Helper()
	event.PullRequest, event.Human, event.Sender = 7, true, "ada"
	err := command.HandleCommand(context.Background(), ci.Config{DB: d.db, Info: d.info}, event, command.Deps{Forge: d.repository, Source: d.repository, Branches: d.repository, Offers: d,
		Now: func() time.Time { return time.Unix(1e9, 0) }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Error(err)
	}
}

// tick is the event of one box being ticked.
func (d *commandWorld) tick(id string) command.CommandEvent {
	return command.CommandEvent{
		CommentID: d.sticky.ID, Edited: true, Author: jobBot, Before: d.sticky.Body,
		Body: strings.Replace(d.sticky.Body, "- [ ] apply `"+id, "- [x] apply `"+id, 1),
	}
}

func (d *commandWorld) last() string {
	all := d.Comments("acme/shop")
	return all[len(all)-1].Body
}

// offer makes the run have offered and named what a comment remembers.
func (d *commandWorld) offer(s comment.State) {
	d.offered = comment.Offers{Head: s.Head, Edits: s.Edits}
	for _, e := range s.Edits {
		d.offered.Elements = append(d.offered.Elements, comment.NamedElement{SavedElement: e.SavedElement, Suggested: e.Changed})
	}
	for _, e := range s.Unedited {
		d.offered.Elements = append(d.offered.Elements, comment.NamedElement{SavedElement: e, Suggested: true})
	}
}

// suggestSecond makes the second edit a suggestion.
func (d *commandWorld) suggestSecond(t *testing.T) {
	t.Helper()
	state, ok := comment.ParseState(d.sticky.Body)
	if !ok {
		t.Fatal("no state")
	}
	s := &state.Edits[1]
	s.Changed, s.Locator, s.Signature, s.Was, s.Now = true, "#two", "0123456789abcdef", "sign", "log"
	s.Accepted = []engine.Fingerprint{{Tag: "button", Text: "log in", TestID: "a", Locator: "#a-longer-1"}}
	d.offer(state)
	body := comment.WithState(d.sticky.Body, state, nil)
	if _, err := d.repository.Update(context.Background(), d.sticky.ID, body); err != nil {
		t.Fatal(err)
	}
	d.sticky.Body = body
}

// corrections returns what people said, as the database at path keeps it.
func corrections(t *testing.T, path string) (vetoes []store.Veto, lessons []store.Lesson) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if vetoes, err = db.Vetoes(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if lessons, err = db.Lessons(t.Context()); err != nil {
		t.Fatal(err)
	}
	return vetoes, lessons
}

// knownText returns what the element says that is known of a locator of test a, "" where
// none is.
func knownText(t *testing.T, path, locator string) string {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	f, _, _, err := db.Recall(t.Context(), "a", locator)
	if err != nil {
		t.Fatal(err)
	}
	return f.Text
}

// newHistory makes an empty database.
func newHistory(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Save(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestASuggestionIsTakenByItsBoxOrItsIDOnlyAndTeaches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string // "" for a tick of its box
		commits string // what they have
		taught  bool
	}{
		{"/breadcrumb apply all", "#a-longer-0", false},
		{"/breadcrumb apply", "#a-longer-0", false},
		{"/breadcrumb apply 00000001", "#a-longer-1", true},
		{"", "#a-longer-1", true},
	} {
		d := newCommandWorld(t)
		d.suggestSecond(t)
		d.db = newHistory(t)
		event := d.tick("00000001")
		if c.text != "" {
			said := d.Say("acme/shop", 7, "ada", c.text)
			event = command.CommandEvent{CommentID: said.ID, Author: "ada", Body: c.text}
		}
		d.handle(t, event)
		commits := d.Commits("acme/shop")
		if len(commits) != 1 || !strings.Contains(fmt.Sprintf("%s", commits), c.commits) || strings.Count(fmt.Sprintf("%s", commits), "to '#a-longer-") != 1 {
			t.Errorf("%q: commits %s", c.text, commits)
		}
		vetoes, lessons := corrections(t, d.db)
		if len(vetoes) != 0 || c.taught != (len(lessons) == 1) {
			t.Errorf("%q: vetoes %+v, lessons %+v", c.text, vetoes, lessons)
		}
		if known := knownText(t, d.db, "#a-longer-1"); c.taught != (known == "log in") {
			t.Errorf("%q: of the new locator %q is known", c.text, known)
		}
		if c.taught && (lessons[0].Was != "sign" || lessons[0].Now != "log" || lessons[0].Who != "ada") {
			t.Errorf("%q taught %+v", c.text, lessons[0])
		}
	}
}

// The runner's clock decides nothing: a decision is as old as GitHub says that its run is.
func TestADecisionHasTheTimeOfItsRun(t *testing.T) {
	t.Parallel()
	d := newCommandWorld(t)
	d.db, d.info.StartedAt = newHistory(t), time.Unix(2e9, 0)
	said := d.Say("acme/shop", 7, "ada", "/breadcrumb quarantine a")
	d.handle(t, command.CommandEvent{CommentID: said.ID, Author: "ada", Body: said.Body})
	db, err := sqlite.OpenReading(t.Context(), d.db, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	entries, err := db.Quarantine(t.Context())
	if err != nil || len(entries) != 1 || !entries[0].Since.Equal(d.info.StartedAt) {
		t.Errorf("%+v, %v", entries, err)
	}
}

func TestASuggestionWithoutAnEditCanBeWrong(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"/breadcrumb wrong 00000003", "/breadcrumb ignore 00000003"} {
		d := newCommandWorld(t)
		d.db = newHistory(t)
		if !strings.Contains(d.sticky.Body, "`/breadcrumb wrong 00000003`") {
			t.Errorf("the comment does not say how: %s", d.sticky.Body)
		}
		said := d.Say("acme/shop", 7, "ada", text)
		d.handle(t, command.CommandEvent{CommentID: said.ID, Author: "ada", Body: text})
		vetoes, _ := corrections(t, d.db)
		if len(vetoes) != 1 || vetoes[0].TestID != "b" || vetoes[0].Locator != "#three" || vetoes[0].Signature != "fedcba9876543210" {
			t.Errorf("%q: vetoes %+v", text, vetoes)
		}
		if state, _ := comment.ParseState(d.Comments("acme/shop")[0].Body); state.Names("00000003") || !slices.Contains(state.Ignored, "00000003") {
			t.Errorf("%q: still remembered: %+v", text, state)
		}
	}
}

func TestAVetoIsUndoneByItsID(t *testing.T) {
	t.Parallel()
	d := newCommandWorld(t)
	d.suggestSecond(t)
	d.db = newHistory(t)
	say := func(text string) {
		d.handle(t, command.CommandEvent{CommentID: d.Say("acme/shop", 7, "ada", text).ID, Author: "ada", Body: text})
	}
	say("/breadcrumb wrong 00000001")
	vetoes, _ := corrections(t, d.db)
	if len(vetoes) != 1 || !strings.Contains(d.last(), "`/breadcrumb undo "+vetoes[0].ID()+"`") {
		t.Fatalf("vetoes %+v, reply %q", vetoes, d.last())
	}
	say("/breadcrumb undo 00000001")
	if still, _ := corrections(t, d.db); len(still) != 1 || !strings.Contains(d.last(), "Nothing is vetoed under `00000001`") {
		t.Errorf("vetoes %+v, reply %q", still, d.last())
	}
	say("/breadcrumb undo " + vetoes[0].ID())
	if left, _ := corrections(t, d.db); len(left) != 0 || !strings.Contains(d.last(), "may be healed or suggested for `#two` again") {
		t.Errorf("vetoes %+v, reply %q", left, d.last())
	}
}

func TestAWrongDismissedOrUntickedSuggestionIsVetoed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string // an id alone is a tick of its box that is taken back
		veto  bool
		reply string
	}{
		{"/breadcrumb wrong 00000001", true, "`00000001` is wrong"},
		{"/breadcrumb ignore 00000001", true, "`00000001` is wrong"},
		{"00000001", true, "`00000001` is wrong"},
		{"/breadcrumb ignore 00000000", false, "is ignored"},
		{"00000000", false, "is ignored"},
		{"/breadcrumb wrong 00000000", false, "its element is not known"},
		{"/breadcrumb wrong 0000000f", false, "There is no edit"},
		{"/breadcrumb apply 00000003", false, "There is no edit"},
		{"/breadcrumb wrong", false, "Say which"},
	} {
		d := newCommandWorld(t)
		d.suggestSecond(t)
		d.db = newHistory(t)
		event := d.tick(c.text)
		event.Before, event.Body = event.Body, event.Before
		if strings.HasPrefix(c.text, "/") {
			event = command.CommandEvent{CommentID: d.Say("acme/shop", 7, "ada", c.text).ID, Author: "ada", Body: c.text}
		}
		d.handle(t, event)
		vetoes, lessons := corrections(t, d.db)
		if len(lessons) != 0 || c.veto != (len(vetoes) == 1) {
			t.Errorf("%q: vetoes %+v, lessons %+v", c.text, vetoes, lessons)
		}
		if c.veto && (vetoes[0].TestID != "a" || vetoes[0].Locator != "#two" || vetoes[0].Signature != "0123456789abcdef" || vetoes[0].Who != "ada") {
			t.Errorf("%q vetoed %+v", c.text, vetoes[0])
		}
		if !strings.Contains(d.last(), c.reply) {
			t.Errorf("%q: reply %q", c.text, d.last())
		}
		state, _ := comment.ParseState(d.Comments("acme/shop")[0].Body)
		if _, offered := state.Find("00000001"); offered == c.veto {
			t.Errorf("%q: the edit is offered: %t", c.text, offered)
		}
	}
}

// What a person accepts says whether its word was new to the suite, whatever the comment
// says, and a no ends that the words are synonyms.
func TestAWordIsAcceptedAsNewOrRefusedForGood(t *testing.T) {
	t.Parallel()
	taught := [2]string{`["aa","name","Save draft","new word",""]`, `["bb","name","Store draft","new word",""]`}
	judged := [2]string{`["aa","name","Save draft"]`, `["bb","name","Store draft"]`}
	for _, c := range []struct {
		text, learned string
		want          [2]string
	}{
		{"/breadcrumb apply 00000001", "save draft", taught},
		{"/breadcrumb apply 00000001", "open store", judged},
		{"/breadcrumb wrong 00000001", "save draft", [2]string{`["save"]`, `["store"]`}},
	} {
		d := newCommandWorld(t)
		d.suggestSecond(t)
		state, _ := comment.ParseState(d.sticky.Body)
		state.Edits[1].Was, state.Edits[1].Now = taught[0], taught[1]
		d.offer(state)
		d.Reword("acme/shop", d.sticky.ID, comment.WithState(d.sticky.Body, state, nil))
		d.db = newHistory(t)
		db, err := sqlite.Open(t.Context(), d.db, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		known := engine.Fingerprint{TestID: "a", Locator: "#known", Tag: "button", Text: c.learned}
		if err := errors.Join(db.SaveFingerprints(t.Context(), []engine.Fingerprint{known}, nil, time.Unix(1, 0)), db.Save(t.Context()), db.Close()); err != nil {
			t.Fatal(err)
		}
		said := d.Say("acme/shop", 7, "ada", c.text)
		d.handle(t, command.CommandEvent{CommentID: said.ID, Author: "ada", Body: c.text})
		_, lessons := corrections(t, d.db)
		if len(lessons) != 1 || lessons[0].Was != c.want[0] || lessons[0].Now != c.want[1] {
			t.Errorf("%s, having learned %q: %+v; %s", c.text, c.learned, lessons, d.last())
		}
	}
}

func TestWithoutAHistoryNothingIsVetoed(t *testing.T) {
	t.Parallel()
	d := newCommandWorld(t)
	d.suggestSecond(t)
	said := d.Say("acme/shop", 7, "ada", "/breadcrumb wrong 00000001")
	d.handle(t, command.CommandEvent{CommentID: said.ID, Author: "ada", Body: said.Body})
	if !strings.Contains(d.last(), "this job has no history") {
		t.Errorf("reply %q", d.last())
	}
}

func isCommit(req *http.Request, body []byte) bool {
	return strings.HasSuffix(req.URL.Path, "/graphql") && bytes.Contains(body, []byte("createCommitOnBranch"))
}

func TestAHeadThatMovesUnderACommandIsNotCommittedTo(t *testing.T) {
	t.Parallel()
	d := newCommandWorld(t)
	d.before = func(req *http.Request, body []byte) {
		if isCommit(req, body) {
			d.Push("acme/shop", 7, strings.Repeat("9", 40), nil, nil)
		}
	}
	c := d.Say("acme/shop", 7, "ada", "/breadcrumb apply all")
	d.handle(t, command.CommandEvent{CommentID: c.ID, Author: "ada", Body: c.Body})
	if n := len(d.Commits("acme/shop")); n != 0 {
		t.Errorf("%d commits", n)
	}
	if want := "the edits are for `1111111`, and the head is now `9999999`"; !strings.Contains(d.last(), want) {
		t.Errorf("reply %q", d.last())
	}
}

// A job of the pull request can write the comment of the run as it likes.
func TestAForgedCommentMakesNoEditThatNoRunOffered(t *testing.T) {
	t.Parallel()
	at := strings.Index(loginSource, "'#one'")
	forgeries := map[string]func(*comment.State){
		"another new text": func(s *comment.State) { s.Edits[0].New = "'#delete-account'" },
		"another place":    func(s *comment.State) { s.Edits[0].Start, s.Edits[0].Old = strings.Index(loginSource, "'a'"), "'a'" },
		"an edit of its own": func(s *comment.State) {
			s.Edits[0] = comment.SavedEdit{SavedElement: s.Edits[0].SavedElement, Path: s.Edits[0].Path, Blob: s.Edits[0].Blob, Line: 2, Start: at, Old: "'#one'", New: "'#x'"}
		},
		"a lesson of its own":    func(s *comment.State) { s.Edits[0].Was, s.Edits[0].Now = "cancel", "delete" },
		"a suggestion as a heal": func(s *comment.State) { s.Edits[0].Test = "another" },
	}
	promise.Tried(t, "comments", 2*len(forgeries))
	for name, forge := range forgeries {
		for _, ticked := range []bool{false, true} {
			d := newCommandWorld(t)
			state, _ := comment.ParseState(d.sticky.Body)
			forge(&state)
			d.sticky.Body = comment.WithState(d.sticky.Body, state, nil)
			if _, err := d.repository.Update(t.Context(), d.sticky.ID, d.sticky.Body); err != nil {
				t.Fatal(err)
			}
			event := d.tick("00000000")
			if !ticked {
				said := d.Say("acme/shop", 7, "ada", "/breadcrumb apply 00000000")
				event = command.CommandEvent{CommentID: said.ID, Author: "ada", Body: said.Body}
			}
			d.handle(t, event)
			if n := len(d.Commits("acme/shop")); n != 0 || !strings.Contains(d.last(), "no run of this workflow offered exactly this edit") {
				t.Errorf("%s, ticked %v: %d commits, reply %q", name, ticked, n, d.last())
			}
		}
	}
}

// Nor does anybody's no reach the history about an element that no run named: it would
// keep another locator from being healed.
func TestAForgedCommentVetoesNoElementThatNoRunNamed(t *testing.T) {
	t.Parallel()
	const changed, moved = "no run of this workflow named exactly this element", "the run on that commit names it anew"
	forgeries := map[string]struct {
		text  string
		forge func(*comment.State)
		reply string
	}{
		"another test":             {"/breadcrumb wrong 00000001", func(s *comment.State) { s.Edits[1].Test = "b" }, changed},
		"another locator":          {"/breadcrumb wrong 00000001", func(s *comment.State) { s.Edits[1].Locator = "#pay" }, changed},
		"another element":          {"/breadcrumb wrong 00000001", func(s *comment.State) { s.Edits[1].Signature = "fedcba9876543210" }, changed},
		"every test":               {"/breadcrumb wrong 00000001", func(s *comment.State) { s.Edits[1].Shared = true }, changed},
		"other words":              {"/breadcrumb wrong 00000001", func(s *comment.State) { s.Edits[1].Was = "cancel" }, changed},
		"another edit's id":        {"/breadcrumb wrong 00000000", func(s *comment.State) { s.Edits[0].SavedElement = s.Edits[1].SavedElement; s.Edits[0].ID = "00000000" }, changed},
		"without an edit":          {"/breadcrumb wrong 00000003", func(s *comment.State) { s.Unedited[0].Locator = "#pay" }, changed},
		"dismissed":                {"/breadcrumb ignore 00000001", func(s *comment.State) { s.Edits[1].Locator = "#pay" }, changed},
		"dismissed, without one":   {"/breadcrumb ignore 00000003", func(s *comment.State) { s.Unedited[0].Test = "a" }, changed},
		"a heal as a suggestion":   {"/breadcrumb ignore 00000000", func(s *comment.State) { s.Edits[0].Changed = true }, "is ignored"},
		"another pull request's":   {"/breadcrumb wrong 00000001", func(s *comment.State) { s.Head = strings.Repeat("7", 40) }, moved},
		"another's, and dismissed": {"/breadcrumb ignore 00000001", func(s *comment.State) { s.Head = strings.Repeat("7", 40) }, moved},
	}
	promise.Tried(t, "vetoes", len(forgeries))
	for name, c := range forgeries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newCommandWorld(t)
			d.suggestSecond(t)
			d.db = newHistory(t)
			state, _ := comment.ParseState(d.sticky.Body)
			state.Edits[0].Locator, state.Edits[0].Signature = "#one", "00112233445566aa"
			d.offer(state)
			c.forge(&state)
			d.Reword("acme/shop", d.sticky.ID, comment.WithState(d.sticky.Body, state, nil))
			said := d.Say("acme/shop", 7, "ada", c.text)
			d.handle(t, command.CommandEvent{CommentID: said.ID, Author: "ada", Body: c.text})
			if vetoes, lessons := corrections(t, d.db); len(vetoes)+len(lessons) > 0 {
				t.Errorf("vetoes %+v, lessons %+v", vetoes, lessons)
			}
			if !strings.Contains(d.last(), c.reply) {
				t.Errorf("reply %q, want %q", d.last(), c.reply)
			}
		})
	}
}

func TestTwoTicksAtOnceAreTwoCommits(t *testing.T) {
	t.Parallel()
	d := newCommandWorld(t)
	first := d.tick("00000000")
	second := d.tick("00000001")
	inner := false
	d.before = func(req *http.Request, body []byte) {
		if isCommit(req, body) && !inner {
			inner = true
			d.handle(t, second)
		}
	}
	d.handle(t, first)
	if n := len(d.Commits("acme/shop")); n != 2 {
		t.Fatalf("%d commits; %s", n, d.last())
	}
	want := strings.NewReplacer("#one", "#a-longer-0", "#two", "#a-longer-1").Replace(loginSource)
	if got := d.FileAt("acme/shop", "feature", "tests/login.spec.ts"); got != want {
		t.Errorf("file\n%s", got)
	}
}

func TestTheSameCommandDeliveredTwiceAtOnceIsOneCommit(t *testing.T) {
	t.Parallel()
	d := newCommandWorld(t)
	c := d.Say("acme/shop", 7, "ada", "/breadcrumb apply all")
	event := command.CommandEvent{CommentID: c.ID, Author: "ada", Body: c.Body}
	inner := false
	d.before = func(req *http.Request, body []byte) {
		if isCommit(req, body) && !inner {
			inner = true
			d.handle(t, event)
		}
	}
	d.handle(t, event)
	if n := len(d.Commits("acme/shop")); n != 1 {
		t.Errorf("%d commits", n)
	}
	if n := len(d.Comments("acme/shop")); n != 3 {
		t.Errorf("%d comments; %s", n, d.last())
	}
}

// Whatever the hidden state says, only what patch.VerifyEdit allows is committed.
func TestAForgedStateCommitsNothing(t *testing.T) {
	t.Parallel()
	blob := ci.BlobHash([]byte(loginSource))
	at := strings.Index(loginSource, "'#one'")
	good := comment.SavedEdit{SavedElement: comment.SavedElement{ID: "00000000", Test: "a"}, Path: "tests/login.spec.ts", Blob: blob, Line: 2, Start: at, Old: "'#one'", New: "'#x'"}
	for name, forge := range map[string]func(*comment.SavedEdit){
		"code":         func(s *comment.SavedEdit) { s.New = "'x'); fetch('//evil'" },
		"another file": func(s *comment.SavedEdit) { s.Path = "tests/other.spec.ts" },
		"a workflow":   func(s *comment.SavedEdit) { s.Path = ".github/workflows/ci.ts" },
		"another text": func(s *comment.SavedEdit) { s.Old = "'#two'" },
		"another spot": func(s *comment.SavedEdit) { s.Start = 0; s.Old = "test" },
		"far away":     func(s *comment.SavedEdit) { s.Start = 1 << 40 },
		"another blob": func(s *comment.SavedEdit) { s.Blob = strings.Repeat("0", 40) },
		"a folder":     func(s *comment.SavedEdit) { s.Path = "tests" },
		"below a file": func(s *comment.SavedEdit) { s.Path = "tests/login.spec.ts/a.ts" },
	} {
		t.Run(name, func(t *testing.T) {
			d := newCommandWorld(t)
			s := good
			forge(&s)
			state := comment.State{Head: oldHead, Edits: []comment.SavedEdit{s}}
			d.Reword("acme/shop", d.sticky.ID, comment.WithState(d.sticky.Body, state, nil))
			c := d.Say("acme/shop", 7, "ada", "/breadcrumb apply all")
			d.handle(t, command.CommandEvent{CommentID: c.ID, Author: "ada", Body: c.Body})
			if n := len(d.Commits("acme/shop")); n != 0 {
				t.Errorf("%d commits", n)
			}
			if !strings.Contains(d.last(), "Left out `00000000`") {
				t.Errorf("reply %q", d.last())
			}
		})
	}
}

func TestSomebodyElsesCommentWithOurMarkerOffersNothing(t *testing.T) {
	t.Parallel()
	d := newCommandWorld(t)
	forged := d.Say("acme/shop", 7, "mallory", d.sticky.Body)
	d.Reword("acme/shop", d.sticky.ID, "gone")
	c := d.Say("acme/shop", 7, "ada", "/breadcrumb apply all")
	d.handle(t, command.CommandEvent{CommentID: c.ID, Author: "ada", Body: c.Body})
	tick := d.tick("00000000")
	tick.CommentID, tick.Author = forged.ID, "mallory"
	d.handle(t, tick)
	if n := len(d.Commits("acme/shop")); n != 0 {
		t.Errorf("%d commits", n)
	}
	if !strings.Contains(d.last(), "There is no edit to apply") {
		t.Errorf("reply %q", d.last())
	}
}
