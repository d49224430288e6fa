package e2e_test

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

type object = map[string]any

// event writes the payload of a job's event, with the parts that GitHub's have
// (https://docs.github.com/en/webhooks/webhook-events-and-payloads) and that
// workflows or the action read, and returns the file's name.
func (s *story) event(ts *testscript.TestScript, j job) string {
	repository := object{"id": shopID, "name": "shop", "full_name": shop, "default_branch": "main", "fork": false, "owner": object{"login": "acme"}}
	payload := object{"repository": repository, "sender": object{"login": "ada", "type": "User"}}
	switch j.event {
	case "push":
		payload["ref"], payload["after"], payload["deleted"] = "refs/heads/main", s.main, false
	case "pull_request":
		payload["action"], payload["number"], payload["pull_request"] = "synchronize", thePR, s.pullPayload(repository)
	case "issue_comment":
		payload["action"] = "created"
		payload["issue"] = object{"number": s.said.Issue, "pull_request": object{}}
		payload["comment"] = object{"id": s.said.ID, "body": s.said.Body, "user": object{"login": s.said.Author, "type": "User"}, "author_association": "NONE"}
		payload["sender"] = object{"login": s.said.Author, "type": "User"}
	case "workflow_run":
		payload["action"], payload["workflow_run"] = "completed", s.runPayload(repository)
	default:
		ts.Fatalf("no story has the event %s", j.event)
	}
	text, err := json.Marshal(payload)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(".event.json"), text, 0o666))
	return ts.MkAbs(".event.json")
}

// runPayload is the run before, which has ended, as an event has it. Of a fork's
// run it names no pull request.
func (s *story) runPayload(repository object) object {
	ended := s.started(s.before)
	pulls := []any{}
	head := repository
	switch {
	case s.fork && onPull(ended.Event):
		head = s.forkPayload()
	case onPull(ended.Event):
		pulls = append(pulls, object{"number": thePR})
	}
	return object{"id": ended.ID, "event": ended.Event, "path": ended.Path, "status": "completed", "conclusion": s.before.conclusion,
		"head_branch": ended.HeadBranch, "head_sha": ended.HeadSHA, "head_repository": head, "repository": repository, "pull_requests": pulls, "run_attempt": s.before.attempt}
}

func (s *story) forkPayload() object {
	return object{"id": forkID, "full_name": "mallory/shop", "fork": true, "owner": object{"login": "mallory"}}
}

// pullPayload is the pull request as an event has it.
func (s *story) pullPayload(repository object) object {
	head := repository
	if s.fork {
		head = s.forkPayload()
	}
	return object{"number": thePR, "state": "open",
		"head": object{"ref": "redesign", "sha": sha(s.pull), "repo": head, "label": strings.Join([]string{"", "redesign"}, ":")},
		"base": object{"ref": "main", "sha": s.main, "repo": repository}}
}
