package release

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is a workflow as far as this runner runs it.
type workflow struct {
	Env  map[string]string
	Jobs map[string]job
}

type job struct {
	Needs       names
	If          string
	Environment string
	Permissions map[string]string
	Outputs     map[string]string
	Strategy    struct{ Matrix map[string][]string }
	Steps       []step
}

type step struct {
	ID, If, Uses, Run string
	With, Env         map[string]string
	ContinueOnError   bool `yaml:"continue-on-error"`
}

// names are one name or a list.
type names []string

func (n *names) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*n = names{node.Value}
		return nil
	}
	return node.Decode((*[]string)(n))
}

func loadWorkflow(t *testing.T, name string) workflow {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../.github/workflows", name))
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// workflowRun is one run of a workflow in a world. Its jobs run one after the other, their
// scripts as they stand in the workflow, with stand-ins for the actions of others.
type workflowRun struct {
	*world
	workflow

	commit   string
	values   map[string]string // of expressions
	done     map[string]bool   // jobs that succeeded
	artifact string            // folder of the artifact dist
	before   int               // changes before it
	approved bool
	approve  func() // what happens until somebody agrees
	broken   bool   // the command is one that does not judge
}

// start starts a workflow of ours on the branch's newest commit.
func (w *world) start(name, version string) *workflowRun {
	w.t.Helper()
	r := &workflowRun{world: w, workflow: loadWorkflow(w.t, name), commit: w.at("main"), done: map[string]bool{}, before: w.changes, artifact: filepath.Join(w.t.TempDir(), "dist")}
	r.values = map[string]string{
		"inputs.version": version, "github.token": "token", "github.repository": repositoryName, "github.server_url": w.files, "github.actor": "someone",
		"runner.os": "Linux",
	}
	for name, value := range r.Env {
		r.values["env."+name] = r.fill(value)
	}
	r.values["env.IMAGE"] = w.image
	return r
}

// attempt runs the jobs that have not succeeded yet, as "Re-run failed jobs" does.
func (r *workflowRun) attempt() error {
	for len(r.done) < len(r.Jobs) {
		ready := ""
		for _, name := range slices.Sorted(maps.Keys(r.Jobs)) {
			if !r.done[name] && !slices.ContainsFunc(r.Jobs[name].Needs, func(need string) bool { return !r.done[need] }) {
				ready = name
				break
			}
		}
		if err := r.job(ready); err != nil {
			return fmt.Errorf("job %s: %w", ready, err)
		}
		r.done[ready] = true
	}
	return nil
}

func (r *workflowRun) job(name string) error {
	j := r.Jobs[name]
	if j.If != "" && !r.holds(r.fill(j.If)) {
		return nil
	}
	if j.Environment != "" {
		if !r.approved && r.changes > r.before {
			r.t.Errorf("job %s asks for approval after %d changes", name, r.changes)
		}
		if r.approve != nil {
			r.approve()
		}
		r.approved = true
	}
	if !r.approved {
		for what, level := range j.Permissions {
			if level == "write" {
				r.t.Errorf("job %s may write %s before anybody agreed", name, what)
			}
		}
	}
	for axis, legs := range j.Strategy.Matrix {
		r.values["matrix."+axis] = legs[0] // this machine's
	}
	dir := filepath.Join(r.t.TempDir(), "workspace")
	for _, s := range j.Steps {
		if s.If != "" && !r.holds(s.If) {
			continue
		}
		err := r.step(dir, j, s)
		if s.ID != "" {
			r.values["steps."+s.ID+".outcome"] = map[bool]string{true: "success", false: "failure"}[err == nil]
		}
		if err != nil && !s.ContinueOnError {
			return err
		}
	}
	for output, value := range j.Outputs {
		r.values["needs."+name+".outputs."+output] = r.fill(value)
	}
	return nil
}

// step runs a step's script, or what stands in for its action.
func (r *workflowRun) step(dir string, j job, s step) error {
	action, _, _ := strings.Cut(s.Uses, "@")
	switch action {
	case "":
		return r.script(dir, s, r.fill(s.Run))
	case "./", "./native", "./setup":
		return r.use(dir, strings.TrimPrefix(action, "./"), s)
	case "actions/checkout":
		ref := r.commit
		if s.With["ref"] != "" {
			ref = r.fill(s.With["ref"])
		}
		return r.sh(dir, "rm -rf \""+dir+"\" && git clone -q --template= --no-checkout '"+r.remote+"' '"+dir+"' && git -C '"+dir+"' checkout -q --detach "+ref)
	case "actions/upload-artifact":
		return r.sh(dir, "rm -rf '"+r.artifact+"' && cp -r '"+filepath.Join(dir, s.With["path"])+"' '"+r.artifact+"'")
	case "actions/download-artifact":
		return r.sh(dir, "cp -r '"+r.artifact+"' '"+filepath.Join(dir, s.With["path"])+"'")
	case "docker/login-action":
		if j.Permissions["packages"] != "write" {
			r.t.Error("a job logs in that may not write packages")
		}
		return nil
	case "docker/build-push-action":
		binaries := map[string]string{}
		for _, platform := range []string{"linux-amd64", "linux-arm64"} {
			text, err := os.ReadFile(filepath.Join(dir, "dist", "breadcrumb-"+platform))
			if err != nil {
				return err
			}
			binaries[platform] = string(text)
		}
		path := "breadcrumb"
		if s.With["file"] == "release/shell/Dockerfile" {
			path = "usr/local/bin/breadcrumb"
		}
		r.values["steps."+s.ID+".outputs.digest"] = r.push(binaries, path)
		return nil
	case "actions/setup-go", "docker/setup-buildx-action", "actions/attest-build-provenance":
		return nil
	}
	r.t.Fatalf("nothing stands in for %s", s.Uses)
	return nil
}

// use runs an action of the checked-out tag, as far as it fetches what it runs: without
// credentials, the binary or the image. What that is judges as its report says.
func (r *workflowRun) use(dir, entry string, s step) error {
	temp := r.t.TempDir()
	var cmd *exec.Cmd
	if entry == "" {
		action, err := os.ReadFile(filepath.Join(dir, "action.yml"))
		if err != nil {
			return err
		}
		image := regexp.MustCompile(`docker://(\S+)`).FindStringSubmatch(string(action))[1]
		cmd = exec.Command("sh", "-ec", `"$PROGRAMS/crane" export --platform linux/amd64 "$0" - | tar -xO breadcrumb >"$RUNNER_TEMP/breadcrumb"; sh "$RUNNER_TEMP/breadcrumb"`, image)
	} else {
		cmd = exec.Command("sh", filepath.Join(dir, "native/run.sh"), entry)
	}
	cmd.Env = append(r.environment(), "GH_TOKEN=", "DOCKER_CONFIG="+temp, "RUNNER_TEMP="+temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64",
		"BREADCRUMB_INPUTS={}", "BREADCRUMB_RELEASES="+r.files+"/"+repositoryName+"/releases/download")
	out, err := cmd.CombinedOutput()
	if version := "breadcrumb " + r.values["inputs.version"] + "\n"; err != nil || string(out) != version {
		return fmt.Errorf("%s says %q, want %q: %w", s.Uses, out, version, err)
	}
	if entry == "setup" {
		executable(r.t, filepath.Join(r.bin, "breadcrumb"), "#!/bin/sh\necho "+string(out))
		return nil
	}
	fails := strings.Contains(s.With["junit"], "failing") && !r.broken
	r.values["steps."+s.ID+".outputs.verdict"] = map[bool]string{true: "fail", false: "pass"}[fails]
	if fails {
		return errors.New("the job fails")
	}
	return nil
}

// sh runs a command of a stand-in.
func (r *workflowRun) sh(dir, line string) error {
	cmd := exec.Command("sh", "-ec", line)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", line, err, out)
	}
	return nil
}

// script runs a step's script as GitHub's runner does and reads its outputs.
func (r *workflowRun) script(dir string, s step, text string) error {
	output := filepath.Join(r.t.TempDir(), "output")
	cmd := exec.Command("bash", "-ec", text)
	cmd.Dir = dir
	cmd.Env = append(r.environment(), "GITHUB_OUTPUT="+output, "GITHUB_SHA="+r.commit, "GITHUB_REF=refs/heads/main", "GITHUB_WORKFLOW_REF=workflow", "RUNNER_OS=Linux")
	cmd.Env = slices.DeleteFunc(cmd.Env, func(e string) bool {
		return strings.HasPrefix(e, "GH_TOKEN=") || strings.HasPrefix(e, "BREADCRUMB_RELEASES=")
	})
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+r.fill(value))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", text, err, out)
	}
	written, err := os.ReadFile(output)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for line := range bytes.Lines(written) {
		if name, value, ok := strings.Cut(strings.TrimSpace(string(line)), "="); ok {
			r.values["steps."+s.ID+".outputs."+name] = value
		}
	}
	return nil
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// fill puts the values of expressions into a text.
func (r *workflowRun) fill(text string) string {
	return expression.ReplaceAllStringFunc(text, func(e string) string { return r.value(expression.FindStringSubmatch(e)[1]) })
}

func (r *workflowRun) holds(condition string) bool {
	return condition == "true" || condition != "false" && r.value(condition) == "true"
}

var (
	comparison = regexp.MustCompile(`^(\S+) (==|!=) (\S+)$`)
	contains   = regexp.MustCompile(`^(!?)contains\((\S+), '(.*)'\)$`)
	name       = regexp.MustCompile(`^(inputs|github|env|matrix|steps|needs)\.[\w.-]+$`)
)

// value returns the value of an expression.
func (r *workflowRun) value(e string) string {
	if value, known := r.values[e]; known {
		return value
	}
	if left, right, ok := strings.Cut(e, " || "); ok {
		if v := r.value(left); v != "" {
			return v
		}
		return r.value(right)
	}
	if m := comparison.FindStringSubmatch(e); m != nil {
		return fmt.Sprint((r.value(m[1]) == r.value(m[3])) == (m[2] == "=="))
	}
	if m := contains.FindStringSubmatch(e); m != nil {
		return fmt.Sprint(strings.Contains(r.value(m[2]), m[3]) != (m[1] == "!"))
	}
	if literal, ok := strings.CutPrefix(e, "'"); ok {
		return strings.TrimSuffix(literal, "'")
	}
	if !name.MatchString(e) || !strings.HasPrefix(e, "steps.") && !strings.HasPrefix(e, "needs.") {
		r.t.Fatalf("this runner has no %s", e)
	}
	return ""
}
