package gh

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/state"
)

// ErrNoPermission is wrapped by errors of calls that the token may not make: a
// fork's read-only token, a missing permission, a locked conversation, or a
// private thing that GitHub says is not there. The run goes on without them.
var ErrNoPermission = errors.New("the token has no permission")

// APIError is an answer of GitHub's API other than success.
type APIError struct {
	Op      string // what was tried: "create comment"
	Status  int    // HTTP status
	Message string // GitHub's words, without the token
	kind    error
}

func (e *APIError) Error() string {
	text := fmt.Sprintf("%s: GitHub answered %d", e.Op, e.Status)
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.kind != nil {
		text += " (" + e.kind.Error() + ")"
	}
	return text
}

// Unwrap returns the sentinel for the status, nil without one.
func (e *APIError) Unwrap() error { return e.kind }

// GraphQLError is GraphQL's refusal of a query, which comes with status 200.
type GraphQLError struct {
	Op      string // what was tried: "commit"
	Type    string // GitHub's word for the kind: "STALE_DATA", "FORBIDDEN"
	Message string // GitHub's words, without the token
}

func (e *GraphQLError) Error() string { return e.Op + ": GitHub refused: " + e.Message }

// Unwrap returns [ErrNoPermission] for what the token may not do.
func (e *GraphQLError) Unwrap() error {
	if e.Type == "FORBIDDEN" || strings.Contains(e.Message, "not accessible by integration") {
		return ErrNoPermission
	}
	return nil
}

// fault turns an error of go-github into ours. kinds names the sentinels for
// statuses that the caller can act on.
func (c *Client) fault(op string, err error, kinds map[int]error) error {
	if err == nil {
		return nil
	}
	if plain, ok := errors.AsType[*github.ErrorResponse](err); ok {
		status := statusOf(plain.Response)
		return &APIError{Op: op, Status: status, Message: c.tidy(describeRefusal(plain)), kind: kinds[status]}
	}
	if rate, ok := errors.AsType[*github.RateLimitError](err); ok {
		return &APIError{Op: op, Status: statusOf(rate.Response), Message: c.tidy(rate.Message)}
	}
	if abuse, ok := errors.AsType[*github.AbuseRateLimitError](err); ok {
		return &APIError{Op: op, Status: statusOf(abuse.Response), Message: c.tidy(abuse.Message)}
	}
	return fmt.Errorf("%s: %w", op, err)
}

// faultNeeding is fault for a call that a job must be permitted: the error says
// which permission it lacks.
func (c *Client) faultNeeding(permission, op string, err error) error {
	err = c.fault(op, err, refused)
	if errors.Is(err, ErrNoPermission) {
		err = fmt.Errorf("%w; give the job the permission %s", err, permission)
	}
	return err
}

// refused names the sentinel for the statuses of a call that the token may not
// make, goneOrRefused for those of asking for one thing that was listed.
var (
	refused       = map[int]error{http.StatusForbidden: ErrNoPermission, http.StatusNotFound: ErrNoPermission}
	goneOrRefused = map[int]error{http.StatusForbidden: ErrNoPermission, http.StatusNotFound: state.ErrGone, http.StatusGone: state.ErrGone}
)

// describeRefusal returns GitHub's message with the details of a 422.
func describeRefusal(e *github.ErrorResponse) string {
	parts := []string{e.Message}
	for _, detail := range e.Errors {
		words := []string{detail.Resource, detail.Field, detail.Code, detail.Message}
		parts = append(parts, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	}
	return strings.Join(parts, "; ")
}

// tidy returns text of a server as one line of bounded length without the
// token.
func (c *Client) tidy(s string) string {
	return text.Head(text.Line(strings.ReplaceAll(s, c.token, "***")), 500)
}

func statusOf(resp *http.Response) int {
	if resp == nil {
		return 0
	}
	return resp.StatusCode
}
