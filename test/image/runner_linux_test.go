package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// owner is the runner's user: that of GitHub's hosted runners, or who runs the
// tests and cannot give files away.
var owner = func() int {
	if uid := os.Getuid(); uid != 0 {
		return uid
	}
	return 1001
}()

const (
	passing = `<testsuite name="a"><testcase name="one" classname="a" time="0.1"/></testsuite>`
	failing = `<testsuite name="a"><testcase name="one" classname="a" time="0.1"><failure message="no"/></testcase></testsuite>`
)

// runner is the folder that GitHub's runner mounts into a container action.
type runner struct {
	t   *testing.T
	dir string
}

// newRunner makes the folder as the runner does, all of it the runner's user's:
// https://github.com/actions/runner/blob/main/src/Runner.Worker/Handlers/ContainerActionHandler.cs
func newRunner(t *testing.T) *runner {
	t.Helper()
	r := &runner{t: t, dir: t.TempDir()}
	for _, k := range []string{"set_env", "add_path", "step_summary", "set_output", "save_state"} {
		r.write("../_runner_file_commands/"+k+"_x", "", owner)
	}
	r.write("../_github_workflow/event.json", `{"repository":{"id":1,"full_name":"acme/shop","default_branch":"main"}}`, owner)
	r.write("../_github_home/.keep", "", owner)
	return r
}

// write puts a file into the workspace. What is the runner's anybody may read,
// what is root's only root.
func (r *runner) write(name, text string, uid int) {
	r.t.Helper()
	file := filepath.Join(r.dir, "ws", name)
	mode := os.FileMode(0o644)
	if uid == 0 {
		mode = 0o600
	}
	if err := os.MkdirAll(filepath.Join(r.dir, "ws"), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		r.t.Fatal(err)
	}
	if os.Getuid() != 0 {
		return
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if err := os.Chown(dir, owner, owner); err != nil {
			r.t.Fatal(err)
		}
		if dir == r.dir {
			break
		}
	}
	if err := os.Chown(file, uid, uid); err != nil {
		r.t.Fatal(err)
	}
}

func (r *runner) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// run runs the action once and returns its exit code and log.
func (r *runner) run(image string, options ...string) (code int, log string) {
	r.t.Helper()
	cmd := exec.Command(tool, append(append([]string{"run", "--rm"}, options...), r.args(image)...)...)
	out, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(out)
}

// args are the options, the image and the command, as the runner gives them to
// docker; no network, so that nothing outside decides the outcome.
func (r *runner) args(image string) []string {
	args := []string{"--network", "none", "--workdir", "/github/workspace"}
	for _, variable := range []string{
		"HOME=/github/home", "CI=true", "GITHUB_ACTIONS=true",
		"GITHUB_WORKSPACE=/github/workspace", "RUNNER_WORKSPACE=/home/runner/work/shop", "RUNNER_TEMP=/github/runner_temp",
		"GITHUB_EVENT_PATH=/github/workflow/event.json", "GITHUB_EVENT_NAME=push",
		"GITHUB_OUTPUT=/github/file_commands/set_output_x", "GITHUB_STEP_SUMMARY=/github/file_commands/step_summary_x",
		"GITHUB_ENV=/github/file_commands/set_env_x", "GITHUB_STATE=/github/file_commands/save_state_x", "GITHUB_PATH=/github/file_commands/add_path_x",
		"GITHUB_REPOSITORY=acme/shop", "GITHUB_REPOSITORY_ID=1", "GITHUB_RUN_ID=7", "GITHUB_RUN_ATTEMPT=1", "GITHUB_JOB=tests",
		"GITHUB_WORKFLOW_REF=acme/shop/.github/workflows/ci.yml@refs/heads/main", "GITHUB_REF=refs/heads/main",
		"GITHUB_SHA=3d3c42e5aac5ba805825da76410c181273ba90b1", "GITHUB_SERVER_URL=https://github.com",
		"INPUT_JUNIT=results/*.xml", "INPUT_STATE=none", "INPUT_LEG=null",
	} {
		args = append(args, "-e", variable)
	}
	for _, mount := range [][2]string{
		{"", "/github/runner_temp"}, {"_github_home", "/github/home"}, {"_github_workflow", "/github/workflow"},
		{"_runner_file_commands", "/github/file_commands"}, {"ws", "/github/workspace"},
	} {
		args = append(args, "-v", filepath.Join(r.dir, mount[0])+":"+mount[1])
	}
	return append(args, image, "ci", "--action=container")
}
