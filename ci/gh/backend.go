package gh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/ci/gh/resultsservice"
	"github.com/breadcrumb/action/state"
)

// BackendOptions say whose state a backend keeps, and on behalf of which job.
// [LoadBackendOptions] fills them from a step's environment.
type BackendOptions struct {
	Repository    string // owner/name
	RepositoryID  int64
	DefaultBranch string // without refs/heads/
	Ref           string // GITHUB_REF: refs/heads/main, refs/pull/12/merge
	ServerURL     string // GITHUB_SERVER_URL
	Attempt       int    // GITHUB_RUN_ATTEMPT
	// ResultsURL and RuntimeToken are ACTIONS_RESULTS_URL and
	// ACTIONS_RUNTIME_TOKEN, which the runner gives to actions, not to plain
	// run steps.
	ResultsURL, RuntimeToken string
	CacheMode                string // ACTIONS_CACHE_MODE
}

// LoadBackendOptions returns the options of the step. readFile is as for
// [LoadEvent].
func LoadBackendOptions(getenv func(string) string, readFile func(string) ([]byte, error)) (BackendOptions, error) {
	o := BackendOptions{
		Repository: getenv("GITHUB_REPOSITORY"), Ref: getenv("GITHUB_REF"), ServerURL: getenv("GITHUB_SERVER_URL"),
		ResultsURL: getenv("ACTIONS_RESULTS_URL"), RuntimeToken: getenv("ACTIONS_RUNTIME_TOKEN"), CacheMode: getenv("ACTIONS_CACHE_MODE"),
	}
	event, err := readPayload(getenv("GITHUB_EVENT_PATH"), readFile)
	if err != nil {
		return BackendOptions{}, fmt.Errorf("read GitHub event: %w", err)
	}
	o.DefaultBranch, o.RepositoryID = event.Repository.DefaultBranch, event.Repository.ID
	if branch, ok := strings.CutPrefix(o.Ref, "refs/heads/"); ok && o.DefaultBranch == "" && getenv("GITHUB_EVENT_NAME") == "schedule" {
		o.DefaultBranch = branch // a schedule runs there alone, and its payload may not say so
	}
	o.Attempt, _ = strconv.Atoi(getenv("GITHUB_RUN_ATTEMPT"))
	if id, err := strconv.ParseInt(getenv("GITHUB_REPOSITORY_ID"), 10, 64); err == nil {
		o.RepositoryID = id
	}
	return o, o.check()
}

// BackendOptions returns the options with which somebody may look at the state of
// a repository "owner/name" from outside of a job.
func (c *Client) BackendOptions(ctx context.Context, repo string) (BackendOptions, error) {
	if !repositoryPattern.MatchString(repo) {
		return BackendOptions{}, fmt.Errorf("repository %.80q is not owner/name", repo)
	}
	o := BackendOptions{Repository: repo}
	owner, name := o.split()
	found, _, err := c.api.Repositories.Get(ctx, owner, name)
	if err != nil {
		return BackendOptions{}, c.fault("ask for the repository", err, refused)
	}
	o.RepositoryID, o.DefaultBranch = found.GetID(), found.GetDefaultBranch()
	o.Ref = o.trustedRef()
	return o, o.check()
}

// trustedRef is the ref whose runs everybody trusts.
func (o BackendOptions) trustedRef() string { return "refs/heads/" + o.DefaultBranch }

// The requests to the REST API that a run may make, and those of a pull
// request's run that are not for state: the changed files, a comment, and in
// the first attempt a review.
const (
	mostOfDefault = 23
	mostOfPull    = 6
	toTell        = 2
	toReview      = 1
)

// room returns how many requests to the REST API are left for reading state,
// where saving it takes some, too.
func (o BackendOptions) room(c *Client, saving int) int {
	left := mostOfPull - toTell
	switch {
	case o.trusted():
		left = mostOfDefault - saving
	case o.Attempt < 2:
		left -= toReview
	}
	return left - int(c.rest.Load())
}

// trusted reports whether the run is one that everybody trusts, by its ref.
func (o BackendOptions) trusted() bool { return o.Ref == o.trustedRef() }

// check returns what keeps every backend from working.
func (o BackendOptions) check() error {
	switch {
	case !repositoryPattern.MatchString(o.Repository):
		return fmt.Errorf("repository %.80q is not owner/name", o.Repository)
	case o.RepositoryID <= 0:
		return errors.New("the repository's id is not known: neither GITHUB_REPOSITORY_ID nor the event names it")
	}
	return nil
}

// errNoResults says why the results service cannot be used. The backend can then
// be read where reading needs the API alone, and not be written.
var errNoResults = errors.New("the runner gave no ACTIONS_RUNTIME_TOKEN and ACTIONS_RESULTS_URL: they are set for actions, not for run steps")

// ErrEnterpriseServer says that GitHub Enterprise Server lacks what was asked for.
var ErrEnterpriseServer = errors.New("GitHub Enterprise Server has no results service; use the state branch or path")

// results returns the client of the results service.
func (c *Client) results(o BackendOptions) (*resultsservice.Client, error) {
	if o.onEnterpriseServer() {
		return nil, ErrEnterpriseServer
	}
	if o.ResultsURL == "" || o.RuntimeToken == "" {
		return nil, errNoResults
	}
	return resultsservice.New(resultsservice.Options{URL: o.ResultsURL, Token: o.RuntimeToken, HTTP: c.unfollowed(), Repeatable: withIdempotent})
}

// onEnterpriseServer reports whether the server is neither github.com nor
// *.ghe.com, as the services' own clients tell it.
func (o BackendOptions) onEnterpriseServer() bool {
	u, err := url.Parse(cmp.Or(o.ServerURL, "https://github.com"))
	if err != nil {
		return true
	}
	host := strings.ToLower(u.Hostname())
	return host != "github.com" && !strings.HasSuffix(host, ".ghe.com") && host != "localhost" && !strings.HasSuffix(host, ".localhost")
}

// madeIt reports whether an item comes from a run of the default branch of
// this very repository, by what is known of it without its run.
func (o BackendOptions) madeIt(origin state.Origin) bool {
	return origin.RepositoryID == o.RepositoryID && origin.HeadRepositoryID == o.RepositoryID &&
		(o.DefaultBranch == "" || origin.Branch == o.DefaultBranch)
}

// split returns the owner and the name of the repository.
func (o BackendOptions) split() (owner, name string) {
	owner, name, _ = strings.Cut(o.Repository, "/")
	return owner, name
}

// newestFirst sorts items by their time, the later id first where it is equal.
func newestFirst(items []state.Item) {
	slices.SortStableFunc(items, func(a, b state.Item) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(len(b.ID), len(a.ID)), cmp.Compare(b.ID, a.ID))
	})
}
