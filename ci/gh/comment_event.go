package gh

import (
	"fmt"

	"github.com/breadcrumb/action/ci/command"
)

// CommentEvent is the event of a comment on an issue or a pull request.
const CommentEvent = "issue_comment"

// InComment reports whether the process runs as a GitHub Actions step because of a
// comment.
func InComment(getenv func(string) string) bool {
	return InActions(getenv) && getenv("GITHUB_EVENT_NAME") == CommentEvent
}

// commentPayload is the part of an issue_comment's event file that a command
// needs: https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment
type commentPayload struct {
	Action  string `json:"action"`
	Issue   *issue `json:"issue"`
	Comment *struct {
		ID   int64  `json:"id"`
		Body string `json:"body"`
		User *user  `json:"user"`
	} `json:"comment"`
	Changes struct {
		Body *struct{ From string } `json:"body"`
	} `json:"changes"`
	Sender *user `json:"sender"`
}

type user struct {
	Login string `json:"login"`
	Type  string `json:"type"` // User, Bot or Organization
}

// LoadComment returns the comment that an issue_comment event is about. A
// comment that is no pull request's, or was deleted, has PullRequest 0.
func LoadComment(getenv func(string) string, readFile func(string) ([]byte, error)) (command.CommandEvent, error) {
	path := getenv("GITHUB_EVENT_PATH")
	p, err := readPayload[commentPayload](path, readFile)
	if err != nil {
		return command.CommandEvent{}, fmt.Errorf("read GitHub event: %w", err)
	}
	if p.Issue == nil || p.Comment == nil || p.Comment.ID <= 0 || p.Comment.User == nil || p.Sender == nil {
		return command.CommandEvent{}, fmt.Errorf("read GitHub event: event file %s has no issue, comment or sender", path)
	}
	event := command.CommandEvent{
		CommentID: p.Comment.ID, Author: p.Comment.User.Login, Body: p.Comment.Body, Edited: p.Action == "edited",
		Sender: p.Sender.Login, Human: p.Sender.Type == "User", Before: p.Comment.Body, Commit: getenv("GITHUB_SHA"),
	}
	if p.Changes.Body != nil {
		event.Before = p.Changes.Body.From
	}
	if p.Issue.PullRequest != nil && (event.Edited || p.Action == "created") {
		event.PullRequest = p.Issue.Number
	}
	return event, nil
}
