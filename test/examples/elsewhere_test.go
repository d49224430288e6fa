package examples

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/cmdtest"
)

// site is where releases are fetched from.
type site struct{ url, digest string }

func newSite(t *testing.T) site {
	t.Helper()
	binary, err := os.ReadFile(cmdtest.Program(t))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1.2.3/breadcrumb-linux-amd64" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(binary)
	}))
	t.Cleanup(server.Close)
	return site{server.URL, fmt.Sprintf("%x", sha256.Sum256(binary))}
}

func (s site) env(dir string) []string {
	return append(os.Environ(), "GITHUB_ACTIONS=", "BREADCRUMB_VERSION=v1.2.3", "BREADCRUMB_SHA256="+s.digest, "BREADCRUMB_RELEASES="+s.url,
		"HOME="+dir, "PATH="+filepath.Join(dir, "tools")+":"+os.Getenv("PATH"))
}

// report is one run of two tests, the second of which passes or does not; no two
// runs take the same time.
func report(run int, failing bool) string {
	failure := ""
	if failing {
		failure = `<failure message="no"/>`
	}
	return fmt.Sprintf(`<testsuite name="a"><testcase name="one" classname="a" time="0.1"/><testcase name="two" classname="a" time="0.%d">%s</testcase></testsuite>`, run, failure)
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir string, env []string, name string, args ...string) (code int, out string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	text, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// hasOutcome checks the files that a run leaves for people and programs.
func hasOutcome(t *testing.T, dir, verdict string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "breadcrumb.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) || !bytes.Contains(text, []byte(verdict)) {
		t.Errorf("breadcrumb.json does not say %s:\n%s", verdict, text)
	}
	page, err := os.ReadFile(filepath.Join(dir, "breadcrumb.html"))
	if err != nil || !bytes.HasPrefix(page, []byte("<!DOCTYPE html>")) {
		t.Errorf("breadcrumb.html: %v, %.80q", err, page)
	}
}

func TestTheShellExampleJudgesAndRemembers(t *testing.T) {
	s := newSite(t)
	script, err := filepath.Abs("../../examples/shell/judge.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"sh", "bash"} {
		history := filepath.Join(t.TempDir(), "history")
		for i, failing := range []bool{false, true} {
			dir := t.TempDir() // every job has a fresh workspace; the history alone stays
			write(t, filepath.Join(dir, "results", "a.xml"), report(i, failing), 0o600)
			code, out := run(t, dir, s.env(dir), shell, script, history, "results/**/*.xml")
			if want := map[bool]int{false: 0, true: 1}[failing]; code != want {
				t.Fatalf("%s: exit %d, want %d\n%s", shell, code, want, out)
			}
			hasOutcome(t, dir, map[bool]string{false: "pass", true: "fail"}[failing])
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "results", "a.xml"), `<testsuite name="a"><testcase name="one" classname="a" time="0.3"/></testsuite>`, 0o600)
		if code, out := run(t, dir, s.env(dir), shell, script, history, "results/**/*.xml"); code != 1 || !strings.Contains(out, "two") {
			t.Errorf("%s: the history does not tell that a test is missing: exit %d\n%s", shell, code, out)
		}
	}
}

func TestTheShellExampleRunsNoOtherBinary(t *testing.T) {
	s := newSite(t)
	s.digest = strings.Repeat("0", 64)
	script, err := filepath.Abs("../../examples/shell/judge.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "results", "a.xml"), report(0, false), 0o600)
	if code, out := run(t, dir, s.env(dir), "sh", script, "history", "results/*.xml"); code == 0 || strings.Contains(out, "passed") {
		t.Errorf("exit %d\n%s", code, out)
	}
	env := append(s.env(dir), "BREADCRUMB_SHA256=")
	if code, out := run(t, dir, env, "sh", script, "history", "results/*.xml"); code == 0 || !strings.Contains(out, "SHA256SUMS") {
		t.Errorf("no digest: exit %d\n%s", code, out)
	}
}

// gitlab is the one job of the example, as far as a runner's shell does it.
type gitlab struct {
	Job struct {
		Script      []string
		AfterScript []string `yaml:"after_script"`
		Cache       struct{ Paths []string }
		Artifacts   struct{ Paths []string }
	} `yaml:"browser-tests"`
}

// A job of the example: its lines as GitLab's runner gives them to a shell, which
// ends at the first that fails, and then the lines after, whatever came of it.
func TestTheGitLabExampleJudgesAndRemembers(t *testing.T) {
	text, err := os.ReadFile("../../examples/gitlab/.gitlab-ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	var example gitlab
	if err := yaml.Unmarshal(text, &example); err != nil {
		t.Fatal(err)
	}
	job := example.Job
	if len(job.Script) == 0 || len(job.Cache.Paths) != 1 {
		t.Fatalf("no script or cache: %+v", job)
	}
	s, cache := newSite(t), filepath.Join(t.TempDir(), "cache")
	for i, tt := range []struct {
		report string
		npx    int // exit code of the tests
		code   int
	}{
		{report(0, false), 0, 0},
		{report(1, true), 1, 1},
		{`<testsuite name="a"><testcase name="one" classname="a" time="0.3"/></testsuite>`, 0, 1},
		{report(3, false), 1, 1}, // failed for what no report shows
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "tools", "npm"), "#!/bin/sh\n", 0o755)
		write(t, filepath.Join(dir, "tools", "npx"), "#!/bin/sh\nmkdir -p results && cat >results/playwright.xml <<'X'\n"+tt.report+fmt.Sprintf("\nX\nexit %d\n", tt.npx), 0o755)
		history := filepath.Join(dir, job.Cache.Paths[0])
		if i > 0 {
			if err := os.CopyFS(history, os.DirFS(cache)); err != nil {
				t.Fatal(err)
			}
		}
		code, out := run(t, dir, s.env(dir), "bash", "-eo", "pipefail", "-c", strings.Join(job.Script, "\n"))
		after, more := run(t, dir, s.env(dir), "bash", "-eo", "pipefail", "-c", strings.Join(job.AfterScript, "\n"))
		if code != tt.code || after != 0 {
			t.Fatalf("run %d: exit %d and %d, want %d\n%s%s", i, code, after, tt.code, out, more)
		}
		hasOutcome(t, dir, map[int]string{0: "pass", 1: "fail"}[tt.code])
		for _, name := range job.Artifacts.Paths {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil && name != "breadcrumb.patch" && name != "heals/" && name != "test-results/" { // these no browser wrote
				t.Error(err)
			}
		}
		if !strings.Contains(out, "breadcrumb: the command started no browser") {
			t.Errorf("the tests do not run by breadcrumb run:\n%s", out)
		}
		cache = history
	}
}

// block returns what a page of docs has in its block after some words.
func block(t *testing.T, page, after string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n"+after)
	_, rest, _ = strings.Cut(rest, "\n```")
	_, rest, _ = strings.Cut(rest, "\n")
	lines, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("%s has no block after %q", page, after)
	}
	return lines
}

// The lines that docs/elsewhere.md shows for each CI, as it hands them to a shell.
func TestTheLinesOfOtherCIsJudge(t *testing.T) {
	var buildkite struct{ Steps []struct{ Commands []string } }
	var azure struct{ Steps []struct{ Bash string } }
	for after, into := range map[string]any{"Buildkite": &buildkite, "Azure Pipelines": &azure} {
		if err := yaml.Unmarshal([]byte(block(t, "elsewhere.md", after)), into); err != nil {
			t.Fatal(err)
		}
	}
	_, jenkins, _ := strings.Cut(block(t, "elsewhere.md", "Jenkins"), "\nsh \"")
	jenkins, _, _ = strings.Cut(jenkins, "\"\n")
	s := newSite(t)
	for name, lines := range map[string]string{
		"Jenkins":         "npx playwright test && tests=success || tests=failure\n" + jenkins, // Groovy puts in the outcome
		"Buildkite":       strings.ReplaceAll(strings.Join(buildkite.Steps[0].Commands, "\n"), "$$", "$"),
		"Azure Pipelines": azure.Steps[0].Bash,
		"a shell":         block(t, "elsewhere.md", "Set `BREADCRUMB_VERSION`"),
	} {
		for _, failing := range []bool{false, true} {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "tools", "npx"), "#!/bin/sh\nmkdir -p results && cat >results/playwright.xml <<'X'\n"+report(0, failing)+"\nX\n", 0o755)
			script, err := os.ReadFile("../../examples/shell/judge.sh")
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "judge.sh"), string(script), 0o755)
			lines := strings.ReplaceAll(lines, "/mnt/breadcrumb", filepath.Join(dir, "history"))
			code, out := run(t, dir, s.env(dir), "bash", "-e", "-c", lines)
			if want := map[bool]int{false: 0, true: 1}[failing]; code != want {
				t.Fatalf("%s: exit %d, want %d\n%s\n%s", name, code, want, lines, out)
			}
			if leads := strings.Contains(out, "breadcrumb: the command started no browser"); leads != (name == "a shell") {
				t.Errorf("%s: breadcrumb run leads the tests %v", name, leads)
			}
			hasOutcome(t, dir, map[bool]string{false: "pass", true: "fail"}[failing])
		}
	}
}

// The lines of the job that runs in the image with a shell, where the command is on the path.
func TestTheLinesInTheImageJudge(t *testing.T) {
	var gitlab struct{ Judge struct{ Script []string } }
	if err := yaml.Unmarshal([]byte(block(t, "elsewhere.md", "## In a container")), &gitlab); err != nil || len(gitlab.Judge.Script) == 0 {
		t.Fatalf("%+v: %v", gitlab, err)
	}
	tools, err := cmdtest.Folder()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "results", "a.xml"), report(0, false), 0o600)
	code, out := run(t, dir, []string{"PATH=" + tools, "HOME=" + dir}, "/bin/sh", "-e", "-c", strings.Join(gitlab.Judge.Script, "\n"))
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	hasOutcome(t, dir, "pass")
}
