package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// actionsBot writes what is written with a job's own GITHUB_TOKEN.
const actionsBot = "github-actions[bot]"

// errNoViewer is a GraphQL answer that names no viewer.
var errNoViewer = errors.New("GraphQL names no viewer")

// Self returns the login that the token's comments are written under. GraphQL
// knows it for every kind of token; GET /user is asked where there is no
// GraphQL, and is forbidden to installation tokens. When neither answers an
// installation token, it is taken for the job's own: [actionsBot].
func (c *Client) Self(ctx context.Context) (string, error) {
	login, viewerErr := c.viewer(ctx)
	if viewerErr == nil {
		return login, nil
	}
	if !unavailable(viewerErr) {
		return "", viewerErr
	}
	user, _, err := c.api.Users.Get(ctx, "")
	if err == nil && user.GetLogin() != "" {
		return user.GetLogin(), nil
	}
	userErr := c.fault("ask who the token is", err, refused)
	if userErr != nil && unavailable(userErr) && c.isInstallation(userErr) {
		return actionsBot, nil
	}
	return "", errors.Join(viewerErr, userErr)
}

// viewer asks GraphQL for the token's own login.
func (c *Client) viewer(ctx context.Context) (string, error) {
	const op = "ask GraphQL who the token is"
	req, err := c.api.NewRequest(http.MethodPost, c.graphQL, map[string]string{"query": "query{viewer{login}}"})
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	var answer struct {
		Data struct{ Viewer struct{ Login string } }
	}
	_, err = c.api.Do(withIdempotent(ctx), req, &answer)
	if err != nil {
		return "", c.fault(op, err, refused)
	}
	if answer.Data.Viewer.Login == "" {
		return "", fmt.Errorf("%s: %w", op, errNoViewer)
	}
	return answer.Data.Viewer.Login, nil
}

// unavailable reports whether err says that the token may not ask, or that
// there is nothing to ask.
func unavailable(err error) bool {
	return errors.Is(err, ErrNoPermission) || errors.Is(err, errNoViewer)
}

// isInstallation reports whether the token is an app installation's, by its
// form or by GitHub's refusal.
func (c *Client) isInstallation(refusal error) bool {
	var api *APIError
	return strings.HasPrefix(c.token, "ghs_") ||
		errors.As(refusal, &api) && strings.Contains(api.Message, "not accessible by integration")
}
