package events

import (
	"fmt"
	"strings"

	"github.com/breadcrumb/action/internal/githubtest"
)

// What the tests of a run came to.
const (
	tests = `<testsuite name="shop" timestamp="TIME"><testcase name="pays" classname="pay.spec.ts"/>`
	// green is a run in which all is well.
	green = tests + `<testcase name="held" classname="cart.spec.ts"/><testcase name="decided" classname="cart.spec.ts"/><testcase name="listed" classname="cart.spec.ts"/>
<testcase name="moves" classname="old.spec.ts"/></testsuite>`
	// red is a run in which a test is red that the default branch holds in quarantine,
	// one that a person put there just now and one that the settings of the checkout
	// list. Another one was moved to another file.
	red = tests + `<testcase name="held" classname="cart.spec.ts"><failure message="Error: no"/></testcase>
<testcase name="decided" classname="cart.spec.ts"><failure message="Error: no"/></testcase>
<testcase name="listed" classname="cart.spec.ts"><failure message="Error: no"/></testcase>
<testcase name="moves" classname="new.spec.ts"/></testsuite>`
	// listing are settings that excuse a test of red.
	listing = "quarantine:\n  always: ['cart.spec.ts › shop › listed']\n"
)

// testID returns the identity of a test of the cart.
func testID(name string) string { return "cart.spec.ts › shop › " + name }

// home is the repository in an event.
func home() object {
	return object{"id": repositoryID, "full_name": repository, "default_branch": "main"}
}

// push is a run of the default branch.
func push(id int64) job {
	return job{run: githubtest.WorkflowRun{ID: id, Event: "push", HeadBranch: "main", HeadSHA: mainSHA}, ref: mainRef, sha: mainSHA,
		payload: object{"ref": mainRef, "repository": home()}}
}

// on returns a run of another event on the default branch.
func on(event string, id int64) job {
	j := push(id)
	j.run.Event = event
	return j
}

// judging returns the job with the report of a test run and the settings beside it.
func (j job) judging(report string) job {
	j.report, j.settings = report, listing
	return j
}

// pull is a run of a pull request.
func pull(id int64, number int, branch, head string) job {
	ref := fmt.Sprintf("refs/pull/%d/merge", number)
	return job{run: githubtest.WorkflowRun{ID: id, Event: "pull_request", HeadBranch: branch, HeadSHA: head}, ref: ref, sha: mergeOf(head),
		payload: object{"action": "synchronize", "number": number, "repository": home(), "pull_request": object{
			"number": number, "head": object{"sha": head, "ref": branch, "repo": home()}, "base": object{"sha": mainSHA, "ref": "main", "repo": home()},
		}}}
}

// branchPull is a run of the pull request of a branch.
func branchPull(id int64) job { return pull(id, 7, "feature", headSHA) }

// forkPull is a run of a fork's pull request, whose token may only read.
func forkPull(id int64) job {
	j := pull(id, 9, "main", forkSHA)
	j.run.HeadRepository, j.token.ReadOnly = forkName, true
	j.payload["pull_request"].(object)["head"].(object)["repo"] = object{"id": forkID, "full_name": forkName, "fork": true}
	return j
}

// with returns the job with another field of its pull request.
func (j job) with(field string, value any) job {
	j.payload["pull_request"].(object)[field] = value
	return j
}

// group is a run of a merge group of two pull requests.
func group(id int64) job {
	return job{run: githubtest.WorkflowRun{ID: id, Event: "merge_group", HeadBranch: strings.TrimPrefix(queueRef, "refs/heads/"), HeadSHA: groupSHA}, ref: queueRef, sha: groupSHA,
		payload: object{"action": "checks_requested", "repository": home(), "merge_group": object{"head_sha": groupSHA, "head_ref": queueRef, "base_ref": mainRef, "base_sha": mainSHA}}}
}

// commented is the run that a comment starts.
func commented(id int64, said githubtest.Comment) job {
	j := on("issue_comment", id)
	j.readOnlyCache = true
	j.payload = object{"action": "created", "repository": home(), "issue": object{"number": said.Issue, "pull_request": object{}},
		"comment": object{"id": said.ID, "body": said.Body, "user": object{"login": said.Author, "type": "User"}}, "sender": object{"login": said.Author, "type": "User"}}
	return j
}

// relay is the run that publishes what another one came to.
func relay(id int64, ended job) job {
	j := on("workflow_run", id)
	j.run.Path, j.readOnlyCache = ".github/workflows/told.yml", ended.run.HeadRepository != ""
	from, pulls := home(), []object{}
	if ended.run.HeadRepository != "" {
		from = object{"id": forkID, "full_name": forkName}
	} else if pr, ok := ended.payload["number"]; ok {
		pulls = append(pulls, object{"number": pr})
	}
	j.payload = object{"action": "completed", "repository": home(), "workflow_run": object{
		"id": ended.run.ID, "path": workflowFile, "event": ended.run.Event, "head_branch": ended.run.HeadBranch, "head_sha": ended.run.HeadSHA,
		"pull_requests": pulls, "head_repository": from,
	}}
	return j
}

// called returns the job as one of a workflow that the run calls.
func (j job) called() job {
	j.run.Calls = []string{".github/workflows/test.yml"}
	j.run.Jobs = []githubtest.Job{{ID: 77, Name: "web / e2e"}}
	return j
}
