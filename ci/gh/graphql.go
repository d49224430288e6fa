package gh

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

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

// query sends one GraphQL query and decodes its data into out.
func (c *Client) query(ctx context.Context, op, query string, variables map[string]any, out any) error {
	req, err := c.api.NewRequest(http.MethodPost, c.graphQL, map[string]any{"query": query, "variables": variables})
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	answer := struct {
		Data   any
		Errors []struct{ Type, Message string }
	}{Data: out}
	if _, err := c.api.Do(ctx, req, &answer); err != nil {
		return c.fault(op, err, refused)
	}
	if len(answer.Errors) > 0 {
		first := answer.Errors[0]
		return &GraphQLError{Op: op, Type: first.Type, Message: c.tidy(first.Message)}
	}
	return nil
}
