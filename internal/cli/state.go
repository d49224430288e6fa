package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store/postgres"
)

// The places that keep state.
const (
	stateAuto     = "auto"
	stateArtifact = "artifact"
	stateCache    = "cache"
	stateBranch   = "branch"
	statePath     = "path"
	stateNone     = "none"
)

var stateWords = []string{stateAuto, stateArtifact, stateCache, stateBranch, statePath, stateNone}

// openBackend gives the run the state backend that the settings name, none where
// the database file alone is the state. client is nil without a GitHub token.
func openBackend(cfg *ci.Config, d *ci.Deps, vs values, client *gh.Client) error {
	place, path := vs["state"].text(), vs["state-path"]
	if place == stateAuto && path.text() != "" {
		place = statePath
	}
	switch {
	case place == stateAuto && postgres.IsURL(vs["db"].text()):
		return nil
	case place != stateNone && postgres.IsURL(vs["db"].text()):
		return usageError{"state is for a database file: where db is a server, the server keeps the history of all runs"}
	case place == statePath && path.text() == "":
		return usageError{vs["state"].from + " is path; say which directory with state-path"}
	case place != statePath && path.text() != "":
		return usageError{fmt.Sprintf("%s: state-path is for state path, and state is %s", path.from, place)}
	case place == statePath:
		d.Backend = state.NewPath(path.text())
		return nil
	case place == stateNone, place == stateAuto && client == nil:
		return nil
	case client == nil:
		return usageError{fmt.Sprintf("%s is %s, which GitHub keeps: it needs a GitHub Actions job and the token github-token", vs["state"].from, place)}
	}
	return openGitHubBackend(cfg, d, place, client)
}

// openGitHubBackend gives the run a backend on GitHub. By default that is the
// artifacts, in a job that can save them.
func openGitHubBackend(cfg *ci.Config, d *ci.Deps, place string, client *gh.Client) error {
	o, err := gh.LoadBackendOptions(os.Getenv, readEvent)
	if err != nil {
		return usageError{"state: " + err.Error()}
	}
	info := cfg.Info // not what the environment says of it a second time
	o.Repository, o.RepositoryID, o.Attempt, o.Workflow = info.Repository, info.RepositoryID, info.RunAttempt, state.WorkflowFile(info)
	auto := place == stateAuto
	if auto && (o.RuntimeToken == "" || o.ResultsURL == "") {
		return nil
	}
	backend, err := newGitHubBackend(place, client, o)
	if auto && errors.Is(err, gh.ErrEnterpriseServer) {
		return nil
	}
	if err != nil {
		return usageError{"state: " + err.Error()}
	}
	d.Backend = backend
	cfg.DefaultBranch = o.DefaultBranch
	return nil
}

func newGitHubBackend(place string, client *gh.Client, o gh.BackendOptions) (state.Backend, error) {
	switch place {
	case stateCache:
		return client.CacheBackend(o)
	case stateBranch:
		return client.BranchBackend(o)
	}
	return client.ArtifactBackend(o)
}
