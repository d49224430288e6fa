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
	Workflow      string // file of the workflow whose history counts, as [state.WorkflowFile] returns it; "": that of any
	Ref           string // GITHUB_REF: refs/heads/main, refs/pull/12/merge
	ServerURL     string // GITHUB_SERVER_URL
	Event         string // GITHUB_EVENT_NAME; "" outside of a job
	Attempt       int    // GITHUB_RUN_ATTEMPT
	RetentionDays int    // GITHUB_RETENTION_DAYS: how long artifacts are kept; 0: not known
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
		Repository: getenv("GITHUB_REPOSITORY"), Ref: getenv("GITHUB_REF"), Event: getenv("GITHUB_EVENT_NAME"), ServerURL: getenv("GITHUB_SERVER_URL"),
		ResultsURL: getenv("ACTIONS_RESULTS_URL"), RuntimeToken: getenv("ACTIONS_RUNTIME_TOKEN"), CacheMode: getenv("ACTIONS_CACHE_MODE"),
	}
	event, err := readPayload[payload](getenv("GITHUB_EVENT_PATH"), readFile)
	if err != nil {
		return BackendOptions{}, fmt.Errorf("read GitHub event: %w", err)
	}
	o.DefaultBranch, o.RepositoryID = event.defaultBranch(getenv("GITHUB_EVENT_NAME"), o.Ref), event.Repository.ID
	o.Attempt, _ = strconv.Atoi(getenv("GITHUB_RUN_ATTEMPT"))
	o.RetentionDays, _ = strconv.Atoi(getenv("GITHUB_RETENTION_DAYS"))
	if id, err := strconv.ParseInt(getenv("GITHUB_REPOSITORY_ID"), 10, 64); err == nil {
		o.RepositoryID = id
	}
	return o, o.check()
}

// BackendOptions returns the options with which somebody may look at the state of
// a repository "owner/name" from outside of a job.
func (c *Client) BackendOptions(ctx context.Context, repo string) (BackendOptions, error) {
	owner, name, err := splitRepository(repo)
	if err != nil {
		return BackendOptions{}, err
	}
	found, _, err := c.api.Repositories.Get(ctx, owner, name)
	if err != nil {
		return BackendOptions{}, c.fault("ask for the repository", err, refused)
	}
	o := BackendOptions{Repository: repo, RepositoryID: found.GetID(), DefaultBranch: found.GetDefaultBranch()}
	o.Ref = o.defaultRef()
	return o, o.check()
}

// check returns an error when no backend can work with the options.
func (o BackendOptions) check() error {
	_, _, err := splitRepository(o.Repository)
	if err == nil && o.RepositoryID <= 0 {
		err = errors.New("the repository's id is not known: neither GITHUB_REPOSITORY_ID nor the event names it")
	}
	return err
}

// splitRepository returns the owner and the name of a repository "owner/name".
func splitRepository(repo string) (owner, name string, err error) {
	if !repositoryPattern.MatchString(repo) {
		return "", "", fmt.Errorf("repository %.80q is not owner/name", repo)
	}
	owner, name, _ = strings.Cut(repo, "/")
	return owner, name, nil
}

// defaultRef is the ref of the default branch.
func (o BackendOptions) defaultRef() string { return "refs/heads/" + o.DefaultBranch }

// onDefaultBranch reports whether the run is on the default branch. GitHub itself
// grants writing caches by the ref alone, so the event does not matter here;
// whether a run counts for everybody is [engine.RunInfo.Trusted].
func (o BackendOptions) onDefaultBranch() bool { return o.Ref == o.defaultRef() }

// A run may make so many requests to the REST API, beside those of
// [Client.Identify] and of [branchTips]. A pull request's run
// needs some of them for its changed files and its comment, and in its first
// attempt for a review.
const (
	maxRequestsOnDefaultBranch = 23
	maxRequestsOnPullRequest   = 7
	requestsForComment         = 2
	requestsForReview          = 1
)

// requestsLeft returns how many requests to the REST API are left for reading
// state when saving it takes some, too.
func (o BackendOptions) requestsLeft(c *Client, saving int) int {
	left := maxRequestsOnPullRequest - requestsForComment
	switch {
	case o.onDefaultBranch():
		left = maxRequestsOnDefaultBranch - saving
	case o.Attempt < 2:
		left -= requestsForReview
	}
	return left - int(c.rest.Load()-c.onTop.Load())
}

// errNoResults says why the results service cannot be used. The backend can then
// be read where reading needs the API alone, and not be written.
var errNoResults = errors.New("the runner gave no ACTIONS_RUNTIME_TOKEN and ACTIONS_RESULTS_URL: they are set for actions, not for run steps")

// ErrEnterpriseServer says that GitHub Enterprise Server lacks what was asked for.
var ErrEnterpriseServer = errors.New("GitHub Enterprise Server has no results service; use the state branch or path")

// resultsService returns the client of the results service.
func (c *Client) resultsService(o BackendOptions) (*resultsservice.Client, error) {
	if o.onEnterpriseServer() {
		return nil, ErrEnterpriseServer
	}
	if o.ResultsURL == "" || o.RuntimeToken == "" {
		return nil, errNoResults
	}
	return resultsservice.New(resultsservice.Options{URL: o.ResultsURL, Token: o.RuntimeToken, HTTP: c.withoutRedirects(), Repeatable: withIdempotent})
}

// onEnterpriseServer reports whether the server is neither github.com nor
// *.ghe.com. The service's own clients decide it in the same way.
func (o BackendOptions) onEnterpriseServer() bool {
	u, err := url.Parse(cmp.Or(o.ServerURL, "https://github.com"))
	if err != nil {
		return true
	}
	host := strings.ToLower(u.Hostname())
	return host != "github.com" && !strings.HasSuffix(host, ".ghe.com") && host != "localhost" && !strings.HasSuffix(host, ".localhost")
}

// maxUploadNames bounds the names that are tried when earlier uploads under them
// were never finished.
const maxUploadNames = 3

// uploadName returns the name of an item's upload: its own, and then one with a
// number. The address of an unfinished upload was in an answer that is lost, so
// its name cannot be used again.
func uploadName(item string, try int) string {
	if try == 0 {
		return item
	}
	return fmt.Sprintf("%s-again%d", item, try)
}

// sortNewestFirst sorts items by their time, the later id first where it is equal.
func sortNewestFirst(items []state.Item) {
	slices.SortStableFunc(items, func(a, b state.Item) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(len(b.ID), len(a.ID)), cmp.Compare(b.ID, a.ID))
	})
}

// wrapError puts what was tried before the error of a function that ends.
func wrapError(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), *err)
	}
}
