package events

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/golden"
)

// document shows what the runs did.
const document = "../../docs/events.md"

// story is an event that can start tests, or tells of tests.
type story struct {
	name   string
	job    job
	before func(*world) // makes what came before the run; nil for nothing
	cached bool         // it is shown for caches, too
}

// stories are the rows of the tables.
func stories() []story {
	const id = 200
	branch, tag := push(id), push(id)
	branch.run.HeadBranch, branch.run.HeadSHA, branch.ref, branch.sha = "feature", headSHA, "refs/heads/feature", headSHA
	tag.run.HeadBranch, tag.ref = "v1.2.3", "refs/tags/v1.2.3"
	elsewhere := branch
	elsewhere.run.Event = "workflow_dispatch"
	dependabot := branchPull(id).with("user", object{"login": "dependabot[bot]", "type": "Bot"})
	pushed := group(id)
	pushed.run.Event, pushed.payload = "push", object{"ref": queueRef, "after": groupSHA, "repository": home()}
	review := branchPull(id)
	review.run.Event = "pull_request_review"
	target := on("pull_request_target", id)
	target.payload, target.readOnlyCache = branchPull(id).payload, true
	return []story{
		{"`push` to the default branch", push(id), nil, true},
		{"`push` to another branch", branch, nil, true},
		{"`push` of a tag", tag, nil, false},
		{"`pull_request` of a branch", branchPull(id), nil, true},
		{"`pull_request` of a branch, a draft", branchPull(id).with("draft", true), nil, false},
		{"`pull_request` of Dependabot", dependabot, nil, false},
		{"`pull_request` of a bot", branchPull(id).with("user", object{"login": "github-actions[bot]", "type": "Bot"}), nil, false},
		{"`pull_request` of a fork", forkPull(id), nil, true},
		{"`pull_request_review`", review, nil, false},
		{"`pull_request_target`", target, nil, true},
		{"`merge_group` of 7 and 8", group(id), nil, true},
		{"`push` to a merge group's branch", pushed, nil, false},
		{"`schedule`", on("schedule", id), nil, false},
		{"`workflow_dispatch` on the default branch", on("workflow_dispatch", id), nil, false},
		{"`workflow_dispatch` on another branch", elsewhere, nil, false},
		{"`repository_dispatch`", on("repository_dispatch", id), nil, true},
		{"`workflow_call`, in a run by `push`", push(id).called(), nil, false},
		{"`workflow_call`, in a run by `pull_request`", branchPull(id).called(), nil, false},
		{"`workflow_run` after a `push`", relay(id, push(150)), after(push(150).judging(green).plain()), false},
		{"`workflow_run` after a branch's `pull_request`", relay(id, branchPull(150)), after(branchPull(150).judging(red)), false},
		{"`workflow_run` after a fork's `pull_request`", relay(id, forkPull(150)), after(forkPull(150).judging(red)), true},
		{"re-run of all jobs, by `push`", again(push(id)), afterAll(push(id).judging(red).plain()), false},
		{"re-run of failed jobs, by `push`", again(push(id)), after(push(id).judging(red).plain()), true},
		{"re-run of all jobs, by `pull_request`", again(branchPull(id)), afterAll(branchPull(id).judging(red)), false},
		{"re-run of failed jobs, by `pull_request`", again(branchPull(id)), after(branchPull(id).judging(red)), true},
		{"re-run of failed jobs, by `merge_group`", again(group(id)), after(group(id).judging(red)), false},
		{"`issue_comment`: a command", job{}, nil, true},
	}
}

// again is the second attempt of a job's run.
func again(j job) job {
	j.attempt = 2
	return j
}

// after has a job run before.
func after(j job) func(*world) { return func(w *world) { w.start(j) } }

// afterAll has a job run before, whose artifacts GitHub takes away where all jobs of
// its run are run again.
func afterAll(j job) func(*world) {
	return func(w *world) {
		had := w.state().Artifacts
		w.start(j)
		w.server.ForgetArtifacts(repository)
		w.server.AddArtifacts(repository, had)
	}
}

// The tables of the document are what the whole action does, event by event.
func TestTheDocumentSaysWhatEachEventDoes(t *testing.T) {
	var tables strings.Builder
	asked, seen := 0, 0
	for _, place := range []string{"artifact", "cache"} {
		settled := settle(t, place)
		alone := settled.world(t).settledBy(nil)
		fmt.Fprintf(&tables, "\nWith `state: %s`:\n\n| event | counts for | settings | excused by | reads | saves | told in | leaves |\n|---|---|---|---|---|---|---|---|\n", place)
		for _, s := range stories() {
			if place == "cache" && !s.cached {
				continue
			}
			asked++
			t.Run(place+"/"+s.name, func(t *testing.T) {
				seen++
				fmt.Fprintf(&tables, "| %s | %s |\n", s.name, strings.Join(s.observe(t, settled, alone).cells(), " | "))
			})
		}
	}
	if seen < asked {
		t.Skipf("%d of %d rows were asked for: the document is not compared", seen, asked)
	}
	checkDocument(t, tables.String())
}

// observe plays the story and says what its run did. alone is the run of the default
// branch that follows where there is no story.
func (s story) observe(t *testing.T, settled history, alone ended) seen {
	t.Helper()
	w := settled.world(t)
	if s.before != nil {
		alone = settled.world(t).settledBy(s.before)
		w = settled.world(t)
		s.before(w)
	}
	j := s.job.judging(red)
	if s.job.run.ID == 0 {
		j = commented(200, w.server.Say(repository, 7, "ada", "/breadcrumb quarantine "+testID("listed")))
	}
	row := w.observe(j)
	row.left = describeLeft(t, j, w.settledBy(nil), alone)
	return row
}

// settledBy plays a story, nil for none, and returns the next run of the default branch.
func (w *world) settledBy(before func(*world)) ended {
	w.t.Helper()
	if before != nil {
		before(w)
	}
	return w.pass(push(300).judging(green).plain())
}

// checkDocument compares the tables with those of the document; -update writes them
// there.
func checkDocument(t *testing.T, tables string) {
	t.Helper()
	const begin, end = "<!-- events: written by go test ./test/events -update -->\n", "\n<!-- end of events -->"
	file := filepath.FromSlash(document)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, behind, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the tables", file)
	}
	golden.Check(t, file, before+begin+tables+end+behind)
}

// history is what GitHub keeps before each story.
type history struct {
	place string
	dump  []byte
}

// keep returns what GitHub keeps now.
func (w *world) keep() history {
	w.t.Helper()
	var dump bytes.Buffer
	if err := w.server.Dump(&dump); err != nil {
		w.t.Fatal(err)
	}
	return history{w.place, dump.Bytes()}
}

// settle returns a repository whose default branch passed twice, holds a test in
// quarantine, and of which a person decided in a comment since that another one is.
func settle(t *testing.T, place string) history {
	t.Helper()
	w := newWorld(t, place)
	w.pass(push(100).judging(green).plain())
	w.say(101, "/breadcrumb quarantine "+testID("held"))
	w.pass(push(102).judging(green).plain())
	w.say(103, "/breadcrumb quarantine "+testID("decided"))
	return w.keep()
}

// plain returns the job without a settings file.
func (j job) plain() job {
	j.settings = ""
	return j
}

// world returns a GitHub with the history.
func (h history) world(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, h.place)
	if err := w.server.Load(bytes.NewReader(h.dump)); err != nil {
		t.Fatal(err)
	}
	return w
}
