package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/internal/githubtest"
)

// examples are the workflows that users copy, own those of this repository.
const (
	examples = "../../examples/workflows"
	own      = "../../.github/workflows"
)

// source returns the text of a workflow's file: an example, or one of our own.
func source(ts *testscript.TestScript, workflow string) []byte {
	text, err := os.ReadFile(filepath.Join(examples, workflow))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join(own, workflow))
	}
	ts.Check(err)
	return text
}

// mostOfRun is how long one run of a workflow may take.
const mostOfRun = 3 * time.Minute

// job is one run of a workflow.
type job struct {
	event    string
	workflow string // file in [examples]
	run      int64
	attempt  int
	results  string // folder

	head       string // folder of the pull request's head, when it began
	conclusion string // as demanded
}

// cmdRun runs a workflow on an event, whose tests leave the results in a folder,
// and demands how it ends. The log of its steps is printed, their job summaries
// are in summary.md: run success|failure EVENT WORKFLOW [RESULTS]
func cmdRun(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, 4, "run success|failure EVENT WORKFLOW [RESULTS]")
	s := the(ts)
	s.runs++
	j := job{event: args[1], workflow: args[2], run: 1000 + s.runs, attempt: 1}
	if len(args) == 4 {
		j.results = args[3]
	}
	j.head, j.conclusion = s.pull, args[0]
	s.before, s.ran = s.ran, j
	s.github.StartRun(shop, s.started(j))
	s.act(ts, j, args[0])
}

// cmdRerun runs the last run's jobs again: rerun success|failure [RESULTS]
func cmdRerun(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 2, "rerun success|failure [RESULTS]")
	s := the(ts)
	s.ran.attempt++
	if len(args) == 2 {
		s.ran.results = args[1]
	}
	s.act(ts, s.ran, args[0])
}

// onPull reports whether an event's code is the pull request's.
func onPull(event string) bool { return event == "pull_request" }

// started is a job's run as GitHub's API tells it.
func (s *story) started(j job) githubtest.WorkflowRun {
	run := githubtest.WorkflowRun{ID: j.run, Event: j.event, Path: ".github/workflows/" + j.workflow, HeadBranch: "main", HeadSHA: s.main}
	if onPull(j.event) {
		run.HeadBranch, run.HeadSHA = "redesign", sha(j.head)
		if s.fork {
			run.HeadRepository = "mallory/shop"
		}
	}
	return run
}

// ref returns a job's GITHUB_REF.
func (j job) ref() string {
	if onPull(j.event) {
		return fmt.Sprintf("refs/pull/%d/merge", thePR)
	}
	return "refs/heads/main"
}

// act runs a job in a checkout of its own and demands that it ends as wanted.
func (s *story) act(ts *testscript.TestScript, j job, want string) {
	ctx, stop := context.WithTimeout(context.Background(), mostOfRun)
	defer stop()
	cmd := s.command(ctx, ts, j)
	var log, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &faults
	err := cmd.Run()
	ts.Check(os.WriteFile(ts.MkAbs("act.log"), log.Bytes(), 0o666))
	told := listen(&log)
	slices.Sort(told.jobs)
	fmt.Fprintf(ts.Stdout(), "%s%s\n", told.said.String(), strings.Join(told.jobs, "\n"))
	ts.Check(os.WriteFile(ts.MkAbs("summary.md"), told.summary.Bytes(), 0o666))
	got := "success"
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		ts.Fatalf("the run did not end within %s", mostOfRun)
	case errors.As(err, &exit) && told.failed:
		got = "failure"
	case err != nil:
		ts.Fatalf("act: %v\n%s%s", err, told.said.String(), faults.String())
	case !told.ended:
		ts.Fatalf("no job ran\n%s", faults.String())
	}
	if got != want {
		ts.Fatalf("the run ended with %s, want %s\n%s%s", got, want, told.said.String(), told.rest.String())
	}
}

// command is act with everything that GitHub's runner gives a job.
func (s *story) command(ctx context.Context, ts *testscript.TestScript, j job) *exec.Cmd {
	home := ts.MkAbs(".home")
	ts.Check(os.MkdirAll(home, 0o777))
	checkout := s.checkout(ts, j)
	token := s.grant(ts, j)
	cmd := exec.CommandContext(ctx, filepath.Join(tools, "act"), j.event, "--json",
		"-C", checkout, "-W", ts.MkAbs(".workflow/"+j.workflow), "-e", s.event(ts, j), "--actor", "ada",
		"-P", "ubuntu-24.04=-self-hosted", "--pull=false", "--rebuild=false", "--use-new-action-cache",
		"-s", "GITHUB_TOKEN="+token.Token,
		"--env", "GITHUB_API_URL="+s.api, "--env", "GITHUB_REPOSITORY="+shop, "--env", fmt.Sprint("GITHUB_REPOSITORY_ID=", shopID),
		"--env", fmt.Sprint("GITHUB_RUN_ID=", j.run), "--env", fmt.Sprint("GITHUB_RUN_ATTEMPT=", j.attempt),
		"--env", "BREADCRUMB_RELEASES="+releases, "--env", "GITHUB_REF="+j.ref(), "--env", "SHA_REF="+s.tested(j),
		"--env", fmt.Sprintf("GITHUB_WORKFLOW_REF=%s/.github/workflows/%s@%s", shop, j.workflow, j.ref()),
		"--artifact-server-path", ts.MkAbs(".artifacts"), "--artifact-server-addr", "127.0.0.1", "--artifact-server-port", freePort(ts),
		"--no-cache-server", "--container-daemon-socket", "-",
		"--container-options", fmt.Sprintf("--network host -v %s:%s", home, home))
	cmd.Args = append(cmd.Args, stands(ts, j.workflow)...)
	cmd.Env = []string{
		"PATH=" + absolute("tools") + ":" + os.Getenv("PATH"), "HOME=" + home, "XDG_CACHE_HOME=" + home, "DOCKER_HOST=unix://" + socket,
		"ACTIONS_RUNTIME_URL=" + s.results + "/", "ACTIONS_RUNTIME_TOKEN=" + s.github.RuntimeToken(s.scope(j)), "E2E_RESULTS=" + ts.MkAbs(j.results), "E2E_MODULES=" + filepath.Join(tools, "node_modules"),
		"E2E_PLAYWRIGHT=" + ts.Getenv("E2E_PLAYWRIGHT"), "CHROMIUM=" + browsertest.Env("CHROMIUM"), "CHROMIUM_ARGS=" + strings.Join(browsertest.Arguments, " "),
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

var usesAction = regexp.MustCompile(`(?m)^ *-? *uses: (breadcrumb/action|actions/(?:(?:up|down)load-artifact|setup-go|github-script))(?:/setup)?@(\S+)`)

// stands are act's flags for the actions that a workflow uses, itself or by ours: this
// checkout as it is released, and what stands in for GitHub's.
func stands(ts *testscript.TestScript, workflow string) []string {
	setup, err := os.ReadFile("../../setup/action.yml")
	ts.Check(err)
	var flags []string
	for _, m := range usesAction.FindAllStringSubmatch(string(source(ts, workflow))+string(setup), -1) {
		dir := filepath.Join(tools, "action")
		if m[1] != "breadcrumb/action" {
			dir = absolute(m[1])
		}
		flags = append(flags, "--local-repository", m[1]+"@"+m[2]+"="+dir)
	}
	return flags
}

// scope is what a job may do at the results service.
func (s *story) scope(j job) githubtest.JobRun {
	scopes := []string{j.ref()}
	if onPull(j.event) {
		scopes = append(scopes, "refs/heads/main")
	}
	return githubtest.JobRun{Repository: shop, Run: j.run, Job: "tests", Scopes: scopes}
}

// tested returns a job's GITHUB_SHA: of a pull request its merge commit.
func (s *story) tested(j job) string {
	if onPull(j.event) {
		return sha("merge " + s.pull)
	}
	return s.main
}

// ownStep is the action's step up to its first input.
var ownStep = regexp.MustCompile(`uses: breadcrumb/action@v1\n(?:        with:\n)?`)

// setupStep is the step of the action that puts the command on the path.
var setupStep = regexp.MustCompile(`uses: breadcrumb/action/setup@v1\n`)

var workflowName = regexp.MustCompile(`(?m)^name: (.*)$`)

// checkout lays out what actions/checkout would, and the workflow's file.
func (s *story) checkout(ts *testscript.TestScript, j job) string {
	dir := ts.MkAbs(".checkout")
	ts.Check(os.RemoveAll(dir))
	from := ".main"
	if onPull(j.event) {
		from = s.pull
	}
	ts.Check(os.CopyFS(dir, os.DirFS(ts.MkAbs(from))))
	s.settings(ts, dir)
	text := source(ts, j.workflow)
	if bytes.Contains(text, []byte("uses: ./\n")) { // the checkout is the action's own
		for _, name := range []string{"action.yml", "Dockerfile"} {
			whole, err := os.ReadFile(filepath.Join("../..", name))
			ts.Check(err)
			ts.Check(os.WriteFile(filepath.Join(dir, name), whole, 0o666))
		}
	}
	// act names containers after the workflow, and stories run beside each other.
	text = workflowName.ReplaceAll(text, []byte("name: $1 "+filepath.Base(ts.Getenv("WORK"))))
	if place := ts.Getenv("STATE"); place != "" {
		text = ownStep.ReplaceAll(text, []byte("uses: breadcrumb/action@v1\n        with:\n          state: "+place+"\n"))
	}
	if s.trap.isSet() { // for the action that judges, which asks for the same
		text = setupStep.ReplaceAll(text, []byte("uses: breadcrumb/action/setup@v1\n        with:\n          state: none\n"))
	}
	ts.Check(os.MkdirAll(ts.MkAbs(".workflow"), 0o777))
	ts.Check(os.WriteFile(ts.MkAbs(".workflow/"+j.workflow), text, 0o666))
	return dir
}

// settings puts the settings that go with the examples before a checkout's own.
func (s *story) settings(ts *testscript.TestScript, dir string) {
	const name = ".breadcrumb.yml"
	text, err := os.ReadFile(filepath.Join(filepath.Dir(examples), name))
	ts.Check(err)
	own, err := os.ReadFile(filepath.Join(dir, name))
	if !errors.Is(err, fs.ErrNotExist) {
		ts.Check(err)
	}
	ts.Check(os.WriteFile(filepath.Join(dir, name), append(text, own...), 0o666))
}

// freePort returns a port of loopback that nobody listens on.
func freePort(ts *testscript.TestScript) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// told is what act told of a run.
type told struct {
	said          strings.Builder // by the steps
	rest          strings.Builder // by act
	summary       bytes.Buffer
	ended, failed bool
	jobs          []string // results of the jobs, and of the action in them
}

// listen reads act's log, one JSON object a line.
func listen(log io.Reader) *told {
	t := &told{}
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var l struct {
			Msg       string
			Raw       bool `json:"raw_output"`
			Command   string
			Content   string
			Job       string
			JobResult string
			Step      string
			Result    string `json:"stepResult"`
		}
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			fmt.Fprintln(&t.rest, lines.Text())
			continue
		}
		switch {
		case l.Command == "summary":
			t.summary.WriteString(l.Content)
		case l.Raw:
			t.said.WriteString(strings.TrimSuffix(l.Msg, "\n") + "\n")
		default:
			fmt.Fprintln(&t.rest, l.Msg)
		}
		job := strings.TrimSpace(path.Base(l.Job))
		switch { // act gives all legs of a matrix the result of the worst
		case l.JobResult != "":
			t.jobs = append(t.jobs, "job "+job+": "+l.JobResult)
		case l.Result != "" && strings.HasPrefix(l.Step, "breadcrumb/action@"):
			t.jobs = append(t.jobs, "action in "+job+": "+l.Result)
		}
		t.ended = t.ended || l.JobResult == "success" || l.JobResult == "failure"
		t.failed = t.failed || l.JobResult == "failure"
	}
	return t
}
