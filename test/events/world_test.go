package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/internal/cmdtest"
	"github.com/breadcrumb/action/internal/githubtest"
)

// The repository, its workflow and its fork.
const (
	repository   = "acme/shop"
	repositoryID = 42
	forkName     = "mallory/shop"
	forkID       = 99
	workflowFile = ".github/workflows/ci.yml"
	mainRef      = "refs/heads/main"
	queueRef     = "refs/heads/gh-readonly-queue/main/pr-8-3333333333333333333333333333333333333333"
)

// Commits.
var (
	mainSHA  = strings.Repeat("2", 40)
	headSHA  = strings.Repeat("1", 40)
	otherSHA = strings.Repeat("8", 40)
	forkSHA  = strings.Repeat("4", 40)
	groupSHA = strings.Repeat("5", 40)
)

type object = map[string]any

// job is one job of a workflow run, with the step that runs Breadcrumb.
type job struct {
	run      githubtest.WorkflowRun
	attempt  int // 1 when 0
	ref, sha string
	payload  object
	token    githubtest.Token // what it may not do
	// readOnlyCache is what GitHub says since June 2026 where strangers can start the
	// run on the default branch.
	readOnlyCache bool
	report        string            // the test run's JUnit XML; none for a run that judges nothing
	settings      string            // .breadcrumb.yml of its checkout
	files         map[string]string // of its checkout, besides
	env           map[string]string // in the place of what the runner sets
}

// world is a GitHub whose repository keeps its history in one place.
type world struct {
	t       *testing.T
	server  *githubtest.Server
	api     string
	results string
	place   string            // the input state
	env     map[string]string // of every job
	jobs    int               // so far
}

func newWorld(t *testing.T, place string) *world {
	t.Helper()
	server := githubtest.New(githubtest.Options{State: githubtest.State{LastID: 1000, Repositories: []githubtest.Repository{shop(), {ID: forkID, FullName: forkName, DefaultBranch: "main"}}}})
	api := httptest.NewServer(server)
	t.Cleanup(api.Close)
	results := httptest.NewServer(server.Results())
	t.Cleanup(results.Close)
	server.SetStorage(results.URL)
	return &world{t: t, server: server, api: api.URL, results: results.URL, place: place}
}

// shop is the repository before anything ran.
func shop() githubtest.Repository {
	at := func(hour int) time.Time { return time.Date(2025, 12, 31, hour, 0, 0, 0, time.UTC) }
	return githubtest.Repository{
		ID: repositoryID, FullName: repository, DefaultBranch: "main", Permissions: map[string]string{"ada": "write"}, Branches: []githubtest.Branch{{Name: "main", SHA: mainSHA}},
		PullRequests: []githubtest.PullRequest{
			{Number: 7, HeadRef: "feature", HeadSHA: headSHA}, {Number: 8, HeadRef: "other", HeadSHA: otherSHA},
			{Number: 9, HeadRepository: forkName, HeadRef: "main", HeadSHA: forkSHA},
		},
		Queued: []githubtest.QueuedCommit{
			{Head: groupSHA, SHA: strings.Repeat("6", 40), Message: "Rename the button (#7)"}, {Head: groupSHA, SHA: groupSHA, Message: "Mend the form (#8)"},
		},
		Past: []githubtest.Past{
			{SHA: mainSHA, At: at(1)}, {SHA: headSHA, Parents: []string{mainSHA}, At: at(2)}, {SHA: otherSHA, Parents: []string{mainSHA}, At: at(2)}, {SHA: forkSHA, Parents: []string{mainSHA}, At: at(2)},
			{SHA: mergeOf(headSHA), Parents: []string{mainSHA, headSHA}, At: at(3)}, {SHA: mergeOf(otherSHA), Parents: []string{mainSHA, otherSHA}, At: at(3)},
			{SHA: mergeOf(forkSHA), Parents: []string{mainSHA, forkSHA}, At: at(3)}, {SHA: groupSHA, Parents: []string{mainSHA}, At: at(4)},
		},
	}
}

// mergeOf returns the commit that merges a head into main, which GitHub has tested.
func mergeOf(head string) string { return "3" + head[1:] }

// ended is what a job left on its runner.
type ended struct {
	dir    string
	code   int
	output string
}

// start runs a job on a machine of its own. Jobs of one run follow upon each other.
func (w *world) start(j job) ended {
	w.t.Helper()
	w.jobs++
	j.attempt = max(j.attempt, 1)
	if j.run.Created.IsZero() {
		j.run.Created = time.Date(2026, 1, 1, 0, int(j.run.ID%1000), 0, 0, time.UTC)
	}
	if j.run.Path == "" {
		j.run.Path = workflowFile
	}
	if j.attempt == 1 {
		w.server.StartRun(repository, j.run)
	}
	token := j.token
	token.Token, token.Login, token.Installation = fmt.Sprintf("t0ken-%d", w.jobs), "github-actions[bot]", true
	w.server.Grant(token)
	e := ended{dir: w.t.TempDir()}
	files := map[string][]byte{"event.json": encode(j.payload)}
	if j.report != "" {
		files["results.xml"] = []byte(strings.ReplaceAll(j.report, "TIME", time.Date(2026, 1, 1, 1, w.jobs, 0, 0, time.UTC).Format(time.RFC3339)))
	}
	if j.settings != "" {
		files[".breadcrumb.yml"] = []byte(j.settings)
	}
	for name, text := range j.files {
		files[name] = []byte(text)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(e.dir, name), text, 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	cmd := exec.Command(cmdtest.Program(w.t), "ci", "--action=container")
	cmd.Dir, cmd.Env = e.dir, w.environment(j, token.Token, e.dir)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		e.code = exit.ExitCode()
	} else if err != nil {
		w.t.Fatal(err)
	}
	e.output = string(out)
	return e
}

// environment is what the runner sets for the step.
func (w *world) environment(j job, token, dir string) []string {
	scopes := []string{j.ref}
	if j.ref != mainRef {
		scopes = append(scopes, mainRef)
	}
	variables := map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": j.run.Event, "GITHUB_EVENT_PATH": filepath.Join(dir, "event.json"), "GITHUB_WORKSPACE": dir,
		"GITHUB_REPOSITORY": repository, "GITHUB_REPOSITORY_ID": strconv.Itoa(repositoryID), "GITHUB_SERVER_URL": "https://github.com", "GITHUB_API_URL": w.api,
		"GITHUB_RUN_ID": strconv.FormatInt(j.run.ID, 10), "GITHUB_RUN_ATTEMPT": strconv.Itoa(j.attempt), "GITHUB_JOB": "e2e", "GITHUB_REF": j.ref, "GITHUB_SHA": j.sha,
		"GITHUB_WORKFLOW_REF": repository + "/" + j.run.Path + "@" + j.ref, "GITHUB_OUTPUT": filepath.Join(dir, "output.txt"), "GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary.md"),
		"ACTIONS_RESULTS_URL": w.results, "INPUT_GITHUB-TOKEN": token, "INPUT_STATE": w.place, "INPUT_MISSING": "warn", "INPUT_REPORT": "report.json",
		"ACTIONS_RUNTIME_TOKEN": w.server.RuntimeToken(githubtest.JobRun{Repository: repository, Run: j.run.ID, Job: fmt.Sprintf("e2e-%d", w.jobs), Scopes: scopes, ReadOnlyCache: j.readOnlyCache}),
	}
	if j.report != "" {
		variables["INPUT_JUNIT"] = "results.xml"
	}
	if len(j.run.Jobs) > 0 {
		variables["INPUT_JOB-ID"] = strconv.FormatInt(j.run.Jobs[0].ID, 10)
	}
	maps.Copy(variables, w.env)
	maps.Copy(variables, j.env)
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir()}
	for name, value := range variables {
		env = append(env, name+"="+value)
	}
	return env
}

// pass runs a job that must pass.
func (w *world) pass(j job) ended {
	w.t.Helper()
	e := w.start(j)
	if e.code != 0 {
		w.t.Fatalf("%s run %d: exit code %d\n%s", j.run.Event, j.run.ID, e.code, e.output)
	}
	return e
}

// say comments on pull request 7 and runs the job that the comment starts. It returns
// the comments that answer.
func (w *world) say(id int64, text string) []githubtest.Comment {
	w.t.Helper()
	said := w.server.Say(repository, 7, "ada", text)
	w.pass(commented(id, said))
	return w.server.Comments(repository)[len(w.server.Comments(repository))-1:]
}

// state returns everything that GitHub keeps.
func (w *world) state() githubtest.Repository {
	w.t.Helper()
	var text bytes.Buffer
	var state githubtest.State
	if err := errors.Join(w.server.Dump(&text), json.Unmarshal(text.Bytes(), &state)); err != nil {
		w.t.Fatal(err)
	}
	return state.Repositories[0]
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
