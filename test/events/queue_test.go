package events

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/githubtest"
)

// flaking is a run in which one test is red and another one is new; steady one in
// which all is well.
const (
	flaking = tests + `<testcase name="waits" classname="cart.spec.ts"><failure message="Error: late"/></testcase><testcase name="new" classname="cart.spec.ts"/></testsuite>`
	late    = tests + `<testcase name="waits" classname="cart.spec.ts"><failure message="Error: late"/></testcase></testsuite>`
	steady  = tests + `<testcase name="waits" classname="cart.spec.ts"/></testsuite>`
)

// sha returns the commit of a number.
func sha(n int64) string { return fmt.Sprintf("c%039d", n) }

// grow lets the default branch pass on so many commits.
func (w *world) grow(first int64, runs int) (last ended) {
	for i := range runs {
		j := push(first + int64(i))
		j.sha = sha(j.run.ID)
		j.run.HeadSHA = j.sha
		w.server.Commit(repository, githubtest.Past{SHA: j.sha, Parents: []string{w.tip()}}, "main")
		last = w.pass(j.judging(steady).plain())
	}
	return last
}

// tip is the newest commit of the default branch.
func (w *world) tip() string { return w.state().Branches[0].SHA }

// queued is a run of a merge group of pull requests, on top of the default branch.
func (w *world) queued(id int64, pulls ...int) job {
	j, head := group(id), sha(id)
	ref := fmt.Sprintf("refs/heads/gh-readonly-queue/main/pr-%d-%s", pulls[len(pulls)-1], w.tip())
	w.server.Commit(repository, githubtest.Past{SHA: head, Parents: []string{w.tip()}}, "")
	var commits []githubtest.QueuedCommit
	for i, pr := range pulls {
		commits = append(commits, githubtest.QueuedCommit{Head: head, SHA: sha(id*10 + int64(i)), Message: fmt.Sprintf("Merge pull request #%d from acme/feature", pr)})
	}
	w.server.Queue(repository, commits)
	j.run.HeadBranch, j.run.HeadSHA, j.sha, j.ref = strings.TrimPrefix(ref, "refs/heads/"), head, head, ref
	j.payload["merge_group"] = object{"head_sha": head, "head_ref": ref, "base_ref": mainRef, "base_sha": w.tip()}
	return j
}

// Three groups are red, green when run again, and thrown out. Each is told on all of
// its pull requests; afterwards the default branch, one of the pull requests and
// another one are as if there had been none.
func TestNothingIsLearnedFromAGroupThatIsThrownOut(t *testing.T) {
	type outcome struct{ main, own, other string }
	var got [2]outcome
	grown := newWorld(t, "artifact")
	for _, number := range []int{17, 18, 27, 28, 29} {
		grown.server.OpenPull(repository, githubtest.PullRequest{Number: number, HeadSHA: otherSHA}, nil)
	}
	grown.grow(100, 11)
	before := grown.keep()
	for i, groups := range [][][]int{nil, {{7, 8}, {17, 18}, {27, 28, 29}}} {
		w := before.world(t)
		for n, pulls := range groups {
			j := w.queued(int64(120+n), pulls...)
			if e := w.start(j.judging(flaking).plain()); e.code != 1 {
				t.Fatalf("the group %v: exit code %d\n%s", pulls, e.code, e.output)
			}
			w.checkTold(pulls, j.run.ID, "❌")
			w.pass(again(j).judging(steady).plain())
			w.checkTold(pulls, j.run.ID, "✅")
		}
		last := w.grow(130, 1)
		var left []string
		for table := range learned {
			left = append(left, fmt.Sprint(table, query(t, last.database(), "SELECT * FROM "+table+" ORDER BY 1, 2")))
		}
		slices.Sort(left)
		got[i] = outcome{strings.Join(left, "\n"), w.excuse(pull(140, 7, "feature", headSHA)), w.excuse(pull(141, 9, "third", otherSHA))}
	}
	if got[0] != got[1] {
		t.Errorf("without groups %+v\nafter them %+v", got[0], got[1])
	}
	if !strings.HasPrefix(got[0].other, "exit code 1") {
		t.Errorf("a test that nothing shows to be flaky: %s", got[0].other)
	}
}

// checkTold demands that each pull request of a group has the comment of its run.
func (w *world) checkTold(pulls []int, run int64, mark string) {
	w.t.Helper()
	var told []int
	for _, c := range w.server.Comments(repository) {
		if strings.Contains(c.Body, mark) && strings.Contains(c.Body, fmt.Sprintf("/actions/runs/%d", run)) {
			told = append(told, c.Issue)
		}
	}
	if !slices.Equal(told, pulls) {
		w.t.Errorf("the group %v is told on %v", pulls, told)
	}
}

// excuse returns how a run ends in which the test is red that flaked in the groups, and
// why.
func (w *world) excuse(j job) string {
	e := w.start(j.judging(late).plain())
	_, told, _ := strings.Cut(e.output, "Breadcrumb:")
	told, _, _ = strings.Cut(told, "Reports")
	return fmt.Sprintf("exit code %d:%s", e.code, told)
}
