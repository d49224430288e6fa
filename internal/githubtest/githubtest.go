// Package githubtest is an in-memory GitHub for tests: an [http.Handler] that
// keeps repositories, pull requests with the patches of their files, issue
// comments, reviews, permissions and file contents, and answers the REST
// routes and the GraphQL queries and mutations that Breadcrumb uses in GitHub's
// shapes, limits and errors.
//
// Start with [New], load a [State] or fill [Options].State, and serve it:
//
//	github := githubtest.New(githubtest.Options{State: state})
//	server := httptest.NewServer(github)
//
// [Server.Inject] adds faults, [Server.Requests] returns the requests so far, and
// [Server.Dump] writes the present state: the same bytes after the same requests in
// the same order.
//
// Where `make description` has stored GitHub's OpenAPI description and GraphQL
// schema, every request that succeeds and its answer are checked against them. One
// that differs ends the test process.
//
// Shapes and rules follow https://docs.github.com/en/rest and GitHub's OpenAPI
// description; the error messages are those that GitHub is known to send.
package githubtest

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"
)

// New returns a server that keeps a copy of o.State.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
	}
	o.WebURL = cmp.Or(o.WebURL, "https://github.com")
	description, err := FindDescription()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	return &Server{
		options: o, state: copyState(o.State), description: description,
		routes: slices.Concat(graphQLRoutes, repositoryRoutes, activityRoutes, commentRoutes, pullRoutes, reviewRoutes, actionsRoutes, gitRoutes, checkRoutes, releaseRoutes, settingRoutes),
		jobs:   map[string]JobRun{}, uploads: map[string]*blob{}, checked: map[string]bool{}, commits: map[string]*places{},
	}
}

// copyState returns a deep copy, so that two servers never share one.
func copyState(s State) (out State) {
	if err := json.Unmarshal(mustJSON(s), &out); err != nil {
		panic(err)
	}
	return out
}
