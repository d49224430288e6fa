package ghtest

import (
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

// graphQL answers the viewer query; every other one is refused in GraphQL's
// way, with status 200.
func (s *Server) graphQL(_ http.ResponseWriter, c *call) (any, error) {
	var in struct{ Query string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if !viewerQuery.MatchString(in.Query) {
		return object{"errors": []any{object{"message": "this server answers only { viewer { login } }"}}}, nil
	}
	return object{"data": object{"viewer": object{"login": c.token.Login}}}, nil
}
