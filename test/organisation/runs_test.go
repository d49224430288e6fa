package organisation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/ci/command"
	"github.com/breadcrumb/action/internal/githubtest"
)

// maxWaiting bounds the jobs that wait for a runner.
const maxWaiting = 60

// start starts the runs that an event causes, whose paths leave out some of the
// workflows.
func (o *organisation) start(by uint32, event workflowRun) {
	for _, w := range o.workflows {
		if len(o.waiting) > maxWaiting {
			o.say("and nobody has time for it")
			return
		}
		if mix(by, w.mark())%5 >= 3 {
			continue
		}
		event.roll = by
		r := o.startOne(w, event)
		for _, spec := range w.jobs {
			o.waiting = append(o.waiting, &job{r, spec, 1})
		}
	}
}

// startOne starts one run of a workflow.
func (o *organisation) startOne(w *workflow, event workflowRun) *workflowRun {
	r := event
	r.id, r.workflow, r.path, r.created, r.attempt, r.done = o.nextID(), w, w.path, o.now, 1, map[string]bool{}
	r.defaultBranch, r.mainNames, r.names = o.main.name, o.mainNames, w.names
	o.runs = append(o.runs, &r)
	from := ""
	if r.pull != nil && r.pull.fork && r.event != "issue_comment" {
		from = forkName
	}
	run := githubtest.WorkflowRun{ID: r.id, Event: r.event, Path: r.path, HeadRepository: from, HeadBranch: r.branch, HeadSHA: r.head, WorkflowID: w.id, Created: r.created}
	for _, spec := range w.jobs {
		if spec.caller == "" {
			continue
		}
		run.Calls = []string{".github/workflows/called.yml"}
		for attempt := range maxAttempts {
			run.Jobs = append(run.Jobs, githubtest.Job{ID: o.nextID(), Name: spec.name(), Attempt: attempt + 1, Runner: runnerName(spec, attempt+1)})
		}
	}
	o.server.StartRun(repository, run)
	return &r
}

// maxAttempts bounds how often a run is attempted.
const maxAttempts = 6

// runnerName is the name of the machine on which a job runs.
func runnerName(spec jobSpec, attempt int) string {
	return fmt.Sprintf("runner %s of attempt %d", spec.name(), attempt)
}

func (o *organisation) startOnMain(event string, by uint32) {
	o.start(by, workflowRun{event: event, ref: "refs/heads/" + o.main.name, branch: o.main.name, isDefault: true, tested: o.main.tip, head: o.main.tip.sha})
}

// startOnPull starts the runs of a pull request, which test it merged.
func (o *organisation) startOnPull(p *pull, by uint32) {
	merged := o.newCommit("merge", o.main.tip.tree.with(p.change), "", o.main.tip.sha, p.head)
	o.start(by, workflowRun{event: "pull_request", ref: fmt.Sprintf("refs/pull/%d/merge", p.number), branch: p.headBranch(), tested: merged, head: p.head, pull: p})
}

func (r *workflowRun) String() string {
	what := r.branch
	switch {
	case r.pull != nil:
		what = r.pull.String()
	case r.group != nil:
		what = fmt.Sprintf("group %v", r.group)
	}
	return fmt.Sprintf("%s run %d on %s at %.7s", strings.TrimPrefix(r.path, ".github/workflows/"), r.id, what, r.tested.sha)
}

// takeWaiting takes a job off those that wait: any of the oldest.
func (o *organisation) takeWaiting(by uint32) (*job, bool) {
	j, ok := choose(o.waiting[:min(len(o.waiting), 24)], by)
	if ok {
		o.waiting = slices.Delete(o.waiting, slices.Index(o.waiting, j), slices.Index(o.waiting, j)+1)
	}
	return j, ok
}

// runWaiting lets a waiting job run, or several at once: the second begins and ends
// while the first one saves, and on a server all save at the same moment.
func (o *organisation) runWaiting(s step) {
	j, ok := o.takeWaiting(s.a)
	if !ok {
		return
	}
	together := []*job{j}
	during := func() {}
	switch {
	case s.kind == runJob:
	case o.setting.place == placePostgres:
		for n := range uint32(3) {
			// One of them comments: who of several is last would be chance.
			if other, ok := o.takeWaiting(mix(s.a, n)); ok && len(other.run.pulls()) == 0 {
				together = append(together, other)
			} else if ok {
				o.waiting = append([]*job{other}, o.waiting...)
			}
		}
	default:
		if other, ok := o.takeWaiting(s.b); ok {
			during = func() {
				o.runJob(other, mix(s.b, 1), func() {})
				o.now = o.now.Add(time.Second) // no two are saved at one moment, by which caches are told apart
			}
		}
	}
	if len(together) > 1 {
		o.runTogether(together, s.b)
		return
	}
	o.runJob(j, s.b, during)
}

// cancel cancels the rest of a run.
func (o *organisation) cancel(s step) {
	if j, ok := choose(o.waiting, s.a); ok {
		o.waiting = slices.DeleteFunc(o.waiting, func(w *job) bool { return w.run == j.run })
		o.server.EndRun(repository, j.run.id, o.now)
		o.say("%s is cancelled", j.run)
	}
}

// addArtifacts saves artifacts of others by the hundred.
func (o *organisation) addArtifacts(s step) {
	n := 100 * (1 + int(s.a%3))
	all := make([]githubtest.Artifact, n)
	for i := range all {
		all[i] = githubtest.Artifact{Name: fmt.Sprint("screenshots-", i), Created: o.now, Content: []byte("PK")}
	}
	o.server.AddArtifacts(repository, all)
	o.say("%d artifacts of others", n)
}

// betweenRenames is how long a default branch keeps a name, at the least: of one that went
// before a run of each workflow saved a snapshot under it, not all is followed.
const betweenRenames = 14 * 24 * time.Hour

// renameDefaultBranch gives the default branch its next name.
func (o *organisation) renameDefaultBranch() {
	if o.mainNames > 0 && o.now.Sub(o.renamed) < betweenRenames {
		return
	}
	names := []string{"main", "trunk", "stable", "next"}
	was := o.main.name
	at := slices.Index(names, was) + 1
	if at == len(names) && o.setting.place == placeCache {
		return // GitHub would give it the caches of its first name back
	}
	o.main.name, o.renamed = names[at%len(names)], o.now
	o.mainNames++
	o.server.RenameDefaultBranch(repository, o.main.name)
	o.say("%s is now %s", was, o.main.name)
}

// renameFile gives the file of a workflow another name.
func (o *organisation) renameFile(w *workflow) {
	was := w.path
	o.made++
	w.path = fmt.Sprintf(".github/workflows/%s-%d.yml", strings.SplitN(strings.TrimSuffix(strings.TrimPrefix(was, ".github/workflows/"), ".yml"), "-", 2)[0], o.made)
	w.id = o.nextID() // GitHub takes it for another workflow
	w.names++
	w.renamed = append(w.renamed, o.now)
	o.server.MoveFile(repository, was, w.path)
	o.say("%s is now %s", was, w.path)
}

// decide lets a person hold or release a test, by a comment on a pull request.
func (o *organisation) decide(s step) {
	p, ok := choose(o.openPulls(), s.a)
	if !ok {
		return
	}
	areas := map[string]*workflow{"shop": o.workflows[0], "api": o.workflows[1]}
	area := []string{"shop", "shop", "api"}[s.b%3]
	test, w := testName(area, int(s.b/3)%firstSuite[area]), areas[area]
	verb := "quarantine"
	if s.kind == releaseTest {
		verb = "release"
		if held := o.model.heldByHand(); len(held) > 0 { // what is in may come out
			test = held[int(s.b)%len(held)]
			if w = areas["shop"]; strings.HasPrefix(test, "api") {
				w = areas["api"]
			}
		}
	}
	o.command(o.startCommand(p, w), verb, test, s.b)
}

// startCommand starts the run of a comment that a person is going to write.
func (o *organisation) startCommand(p *pull, w *workflow) *workflowRun {
	return o.startOne(w, workflowRun{event: "issue_comment", ref: "refs/heads/" + o.main.name, branch: o.main.name, isDefault: true, head: o.main.tip.sha, tested: o.main.tip, pull: p})
}

// command lets a person write a comment that holds or releases a test, whose run r is.
func (o *organisation) command(r *workflowRun, verb, test string, by uint32) {
	number := r.pull.number
	said := o.server.Say(repository, number, "ada", fmt.Sprintf("/breadcrumb %s `%s`", verb, testID(test)))
	o.say("ada says %s %q", verb, test)
	o.runCommand(r, command.CommandEvent{PullRequest: number, CommentID: said.ID, Author: "ada", Sender: "ada", Human: true, Body: said.Body}, by)
	o.now = o.now.Add(time.Minute)
	all := commentsOn(o.server, number)
	if answer := all[len(all)-1].Body; strings.Contains(answer, "the history could not be read whole") {
		o.say("it is refused: the history could not be read whole")
		return
	}
	o.model.decided(test, r, verb == "quarantine", o.now)
}
