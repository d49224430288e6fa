package organisation

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/state"
)

// Where GitHub is; no request leaves the process.
const (
	apiURL     = "http://api.github.test"
	resultsURL = "http://results.localhost"
	eventFile  = "event.json"
)

// transport answers requests by the in-memory GitHub.
type transport struct{ server *githubtest.Server }

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	asked := r.Clone(r.Context())
	if asked.Body == nil {
		asked.Body = http.NoBody
	}
	if r.URL.Host == strings.TrimPrefix(apiURL, "http://") {
		t.server.ServeHTTP(answer, asked)
	} else {
		t.server.Results().ServeHTTP(answer, asked)
	}
	_ = asked.Body.Close()
	result := answer.Result()
	result.Request = r
	return result, nil
}

// runner is the machine that a job runs on.
type runner struct {
	clock  func() time.Time // its own
	env    map[string]string
	event  []byte
	client *gh.Client
}

func (r *runner) getenv(name string) string { return r.env[name] }

func (r *runner) readFile(name string) ([]byte, error) {
	if name != eventFile {
		return nil, fs.ErrNotExist
	}
	return r.event, nil
}

// newRunner returns the machine of a job, as GitHub sets it up. One machine's clock
// is years ahead, and one's is behind.
func (o *organisation) newRunner(j *job, skew time.Duration) *runner {
	r := j.run
	m := &runner{clock: func() time.Time { return o.now.Add(skew) }, event: payloadOf(r)}
	scopes := []string{r.ref}
	if main := "refs/heads/" + r.defaultBranch; r.ref != main {
		scopes = append(scopes, main)
	}
	fork := r.pull != nil && r.pull.fork && r.event != "issue_comment"
	token := o.server.RuntimeToken(githubtest.JobRun{Repository: repository, Run: r.id, Job: fmt.Sprintf("%s-%d", sha(j.spec.name())[:8], j.attempt), Scopes: scopes, ReadOnlyCache: fork})
	m.env = map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": r.event, "GITHUB_EVENT_PATH": eventFile,
		"GITHUB_REPOSITORY": repository, "GITHUB_REPOSITORY_ID": strconv.Itoa(repositoryID), "GITHUB_SERVER_URL": "https://github.com", "GITHUB_API_URL": apiURL,
		"GITHUB_RUN_ID": strconv.FormatInt(r.id, 10), "GITHUB_RUN_ATTEMPT": strconv.Itoa(j.attempt), "GITHUB_JOB": j.spec.job, "GITHUB_REF": r.ref,
		"GITHUB_SHA": r.tested.sha, "GITHUB_WORKFLOW_REF": repository + "/" + r.path + "@" + r.ref, "RUNNER_NAME": runnerName(j.spec, j.attempt),
		"ACTIONS_RESULTS_URL": resultsURL, "ACTIONS_RUNTIME_TOKEN": token,
	}
	var err error
	if m.client, err = gh.NewClient(gh.Options{Token: "token", APIURL: apiURL, HTTP: &http.Client{Transport: transport{o.server}}, Now: m.clock,
		Sleep: func(context.Context, time.Duration) error { return nil }}); err != nil {
		panic(err)
	}
	return m
}

// payloadOf returns the event file of a run.
func payloadOf(r *workflowRun) []byte {
	type object = map[string]any
	home := object{"id": repositoryID, "full_name": repository, "default_branch": r.defaultBranch}
	event := object{"repository": home, "ref": r.ref}
	switch r.event {
	case "pull_request":
		from := home
		if r.pull.fork {
			from = object{"id": forkID, "full_name": forkName, "default_branch": "main"}
		}
		event["number"] = r.pull.number
		event["pull_request"] = object{"number": r.pull.number, "head": object{"sha": r.head, "ref": r.branch, "repo": from},
			"base": object{"ref": r.defaultBranch, "repo": home}, "updated_at": r.created.Format(time.RFC3339)}
	case "merge_group":
		event["merge_group"] = object{"head_sha": r.head, "head_ref": r.ref, "base_ref": "refs/heads/" + r.defaultBranch, "base_sha": sha("base")}
	case "issue_comment":
		event["issue"] = object{"number": r.pull.number, "pull_request": object{}}
	}
	text, err := json.Marshal(event)
	if err != nil {
		panic(err)
	}
	return text
}

// backend returns the place of the state as the runner of a job sees it, nil for a
// server.
func (o *organisation) backend(m *runner, info engine.RunInfo) (state.Backend, error) {
	if o.setting.place == placePostgres {
		return nil, nil
	}
	if o.setting.place == placePath {
		return state.NewPath(filepath.Join(o.dir, "state")), nil
	}
	options, err := gh.LoadBackendOptions(m.getenv, m.readFile)
	if err != nil {
		return nil, err
	}
	options.Workflow = state.WorkflowFile(info)
	switch o.setting.place {
	case placeCache:
		return m.client.CacheBackend(options)
	case placeBranch:
		return m.client.BranchBackend(options)
	}
	return m.client.ArtifactBackend(options)
}

// The places that keep the state.
const (
	placeArtifact = "artifact"
	placeCache    = "cache"
	placeBranch   = "branch"
	placePath     = "path"
	placePostgres = "postgres"
)

var places = []string{placeArtifact, placeCache, placeBranch, placePath, placePostgres}
