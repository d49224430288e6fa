package githubtest

import (
	"encoding/json"
	"net/http"
	"regexp"
)

// user answers who the token is. GitHub forbids the question to installation
// tokens.
func (s *Server) user(_ http.ResponseWriter, c *call) (any, error) {
	if c.token.Installation {
		return nil, forbidden("Resource not accessible by integration")
	}
	shape := c.userShape(c.token.Login)
	for _, name := range []string{"name", "company", "location", "email", "hireable", "bio"} {
		shape[name] = nil
	}
	shape["blog"], shape["user_view_type"] = "", "public"
	for _, name := range []string{"public_repos", "public_gists", "followers", "following"} {
		shape[name] = 0
	}
	shape["created_at"], shape["updated_at"] = stamp(c.now), stamp(c.now)
	return shape, nil
}

var viewerQuery = regexp.MustCompile(`^\s*(query\s*\w*\s*)?\{\s*viewer\s*\{\s*login\s*\}\s*\}\s*$`)

// graphQL answers the queries and mutations that Breadcrumb makes; every
// other one is refused in GraphQL's way, with status 200.
func (s *Server) graphQL(_ http.ResponseWriter, c *call) (any, error) {
	var in query
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	for _, known := range []struct {
		form *regexp.Regexp
		do   func(*call, query) (any, error)
	}{
		{viewerQuery, s.viewer}, {conversationQuery, s.conversation}, {newestQuery, s.newestComments}, {nextQuery, s.nextComments},
		{addMutation, s.addComment}, {editMutation, s.editIssueComment}, {deleteMutation, s.deleteIssueComment},
		{commitMutation, s.commitOnBranch}, {minimizeMutation, s.minimizeComment},
	} {
		if known.form.MatchString(in.Query) {
			return known.do(c, in)
		}
	}
	return refuseQuery("UNKNOWN", "this server does not know this query"), nil
}

// query is the body of a GraphQL request.
type query struct {
	Query     string
	Variables json.RawMessage
}

// refuseQuery is GraphQL's answer to what cannot be done.
func refuseQuery(kind, message string) object {
	return object{"data": nil, "errors": []any{object{"type": kind, "message": message}}}
}

func (s *Server) viewer(c *call, _ query) (any, error) {
	return object{"data": object{"viewer": object{"login": c.token.Login}}}, nil
}
