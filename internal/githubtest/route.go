package githubtest

import (
	"net/http"
	"strings"
)

// route is one method and path that is answered. GitHub's own routes overlap
// ("issues/comments/{id}" and "issues/{number}/comments"), which
// [http.ServeMux] refuses, so the first that fits is taken.
type route struct {
	method   string
	segments []string // "{name}" takes one segment, "{name...}" the rest
	serve    http.Handler
}

// routes names every route that is answered.
func (s *Server) routes() {
	const repo = "/repos/{owner}/{repo}"
	s.read("GET /user", s.user)
	s.read("POST /graphql", s.graphQL)
	s.read("GET "+repo, s.getRepository)
	s.read("GET "+repo+"/issues/comments/{id}", s.getComment)
	s.write("PATCH "+repo+"/issues/comments/{id}", s.updateComment)
	s.write("DELETE "+repo+"/issues/comments/{id}", s.deleteComment)
	s.read("GET "+repo+"/issues/{number}/comments", s.listComments)
	s.write("POST "+repo+"/issues/{number}/comments", s.createComment)
	s.read("GET "+repo+"/pulls", s.listPulls)
	s.read("GET "+repo+"/pulls/{number}", s.getPull)
	s.read("GET "+repo+"/pulls/{number}/files", s.listFiles)
	s.read("GET "+repo+"/commits/{sha}/pulls", s.listPullsOfCommit)
	s.read("GET "+repo+"/pulls/{number}/reviews", s.listReviews)
	s.write("POST "+repo+"/pulls/{number}/reviews", s.createReview)
	s.read("GET "+repo+"/pulls/{number}/reviews/{id}/comments", s.listReviewComments)
	s.read("GET "+repo+"/pulls/{number}/comments", s.listReviewComments)
	s.write("DELETE "+repo+"/pulls/comments/{id}", s.deleteReviewComment)
	s.write("POST "+repo+"/pulls", s.createPull)
	s.read("GET "+repo+"/collaborators/{login}/permission", s.permission)
	s.read("GET "+repo+"/contents/{path...}", s.contents)
	s.actionsRoutes(repo + "/actions")
	s.gitRoutes(repo + "/git")
}

// read registers an action that every known token may do.
func (s *Server) read(pattern string, do action) {
	method, path, _ := strings.Cut(pattern, " ")
	s.table = append(s.table, route{method, strings.Split(path, "/"), s.handler(do)})
}

// write registers an action that a read-only token may not do.
func (s *Server) write(pattern string, do action) {
	s.read(pattern, func(w http.ResponseWriter, c *call) (any, error) {
		if c.token.ReadOnly || s.options.Fork {
			return nil, forbidden("Resource not accessible by integration")
		}
		return do(w, c)
	})
}

// dispatch serves r with the first route that fits it.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	segments := strings.Split(r.URL.Path, "/")
	for _, route := range s.table {
		if route.method == r.Method && route.fits(r, segments) {
			route.serve.ServeHTTP(w, r)
			return
		}
	}
	reply(w, notFound())
}

// fits reports whether the path is the route's and, if so, sets the values of
// its parts on r.
func (t route) fits(r *http.Request, segments []string) bool {
	values := map[string]string{}
	for i, want := range t.segments {
		name, isPart := strings.CutPrefix(strings.TrimSuffix(want, "}"), "{")
		rest, isRest := strings.CutSuffix(name, "...")
		switch {
		case i >= len(segments):
			return false
		case isRest:
			values[rest] = strings.Join(segments[i:], "/")
			segments = segments[:i+1]
		case isPart:
			values[name] = segments[i]
		case want != segments[i]:
			return false
		}
	}
	if len(segments) != len(t.segments) {
		return false
	}
	for name, value := range values {
		r.SetPathValue(name, value)
	}
	return true
}
