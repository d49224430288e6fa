package native

import (
	"cmp"
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

	"github.com/breadcrumb/action/internal/cmdtest"
)

const script = "run.sh"

// fake is what stands in for the binary: it says what it was given.
const fake = `#!/bin/sh
echo "ran $* with $BREADCRUMB_INPUTS"
exit 1
`

// place is a copy of native/ with a release, a server of that release's files
// and the environment of a runner.
type place struct {
	t        *testing.T
	dir, url string
	env      map[string]string
	assets   map[string]string // by path below the server
	action   string
	asked    []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir(), assets: map[string]string{}}
	text, err := os.ReadFile("../../native/" + script)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(p.dir, "native"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.dir, "native", script), string(text))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked = append(p.asked, r.URL.Path)
		body, ok := p.assets[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	p.env = map[string]string{
		"RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "RUNNER_TEMP": filepath.Join(p.dir, "temp dir"), "PATH": p.sleepless(os.Getenv("PATH")),
		"BREADCRUMB_RELEASES": server.URL, "BREADCRUMB_INPUTS": `{"junit": "a b/**; echo \"no\" $(id) 'x'", "state-path": "état"}`,
	}
	if err := os.Mkdir(p.env["RUNNER_TEMP"], 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// sleepless returns a PATH on which sleep takes no time, and writes down how long it
// should take.
func (p *place) sleepless(path string) string {
	p.t.Helper()
	file := filepath.Join(p.dir, "fake", "sleep")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.t.Fatal(err)
	}
	write(p.t, file, "#!/bin/sh\necho $1 >>"+filepath.Join(p.dir, "slept")+"\n")
	if err := os.Chmod(file, 0o700); err != nil {
		p.t.Fatal(err)
	}
	return filepath.Dir(file) + ":" + path
}

// slept returns how long the script waited, each time.
func (p *place) slept() string {
	text, _ := os.ReadFile(filepath.Join(p.dir, "slept"))
	return strings.ReplaceAll(string(text), "\n", " ")
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// release writes release.txt for a version of which the asset has the text.
func (p *place) release(version, asset, text string) {
	p.t.Helper()
	p.writeRelease(fmt.Sprintf("%s\n%x  %s\n", version, sha256.Sum256([]byte(text)), asset))
}

func (p *place) writeRelease(text string) {
	p.t.Helper()
	write(p.t, filepath.Join(p.dir, "native", "release.txt"), text)
}

// run runs the script as native/action.yml does, unless action names another one.
func (p *place) run(t *testing.T, shell ...string) (code int, out string) {
	t.Helper()
	cmd := exec.Command(shell[0], append(shell[1:], filepath.Join(p.dir, "native", script), cmp.Or(p.action, "native"))...)
	cmd.Dir = t.TempDir()
	for k, v := range p.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	text, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// shells are those that stand behind sh somewhere, as far as they are here.
func shells() map[string][]string {
	found := map[string][]string{"sh": {"sh"}}
	for _, shell := range [][]string{{"dash"}, {"bash", "--posix"}, {"busybox", "sh"}, {"zsh", "--emulate", "sh"}} {
		if _, err := exec.LookPath(shell[0]); err == nil {
			found[shell[0]] = shell
		}
	}
	return found
}

func TestTheScriptRunsTheBinaryItKnows(t *testing.T) {
	for name, shell := range shells() {
		for _, c := range []struct{ os, arch, asset string }{
			{"Linux", "X64", "breadcrumb-linux-amd64"}, {"Linux", "ARM64", "breadcrumb-linux-arm64"},
			{"macOS", "X64", "breadcrumb-darwin-amd64"}, {"macOS", "ARM64", "breadcrumb-darwin-arm64"},
		} {
			t.Run(name+" "+c.asset, func(t *testing.T) {
				p := newPlace(t)
				p.env["RUNNER_OS"], p.env["RUNNER_ARCH"] = c.os, c.arch
				p.release("v1.2.3", c.asset, fake)
				p.assets["/v1.2.3/"+c.asset] = fake
				code, out := p.run(t, shell...)
				want := "ran ci --action native with " + p.env["BREADCRUMB_INPUTS"] + "\n"
				if code != 1 || out != want {
					t.Errorf("exit %d, %q; want 1, %q", code, out, want)
				}
			})
		}
	}
}

func TestTheScriptRunsNothingElse(t *testing.T) {
	const asset = "breadcrumb-linux-amd64"
	for name, c := range map[string]struct {
		change func(p *place)
		want   string
	}{
		"another binary":       {func(p *place) { p.assets["/v1.2.3/"+asset] = fake + "# changed" }, "it was not run"},
		"a cut binary":         {func(p *place) { p.assets["/v1.2.3/"+asset] = fake[:20] }, "it was not run"},
		"no binary":            {func(p *place) { delete(p.assets, "/v1.2.3/"+asset) }, "could not be fetched"},
		"no release":           {func(p *place) { p.writeRelease("unreleased\n") }, "use a release"},
		"a release without it": {func(p *place) { p.release("v1.2.3", "breadcrumb-linux-arm64", fake) }, "use a release"},
		"a short digest":       {func(p *place) { p.writeRelease("v1\nabc  " + asset + "\n") }, "use a release"},
		"another system":       {func(p *place) { p.env["RUNNER_OS"] = "Plan9" }, "no binary for the runner's system 'Plan9'"},
		"another processor":    {func(p *place) { p.env["RUNNER_ARCH"] = "ARM" }, "no binary for the runner's processor 'ARM'"},
		"nothing to check it by": {func(p *place) {
			p.only("curl")
		}, "cannot be checked"},
		"nothing to fetch it by": {func(p *place) {
			p.only("sha256sum")
		}, "none of curl, wget and node"},
		"nowhere to put it": {func(p *place) {
			p.env["RUNNER_TEMP"], p.env["TMPDIR"], p.env["HOME"] = p.dir+"/none", p.dir+"/no other", p.dir+"/native/"+script
		}, "no folder can be made in which a program runs, neither in RUNNER_TEMP '"},
		"no action of ours":       {func(p *place) { p.action = "$(touch pwned)" }, "is for native/action.yml and setup/action.yml"},
		"a release in the script": {func(p *place) { p.release("$(touch pwned)", asset, fake) }, "could not be fetched"},
	} {
		for sh, shell := range shells() {
			t.Run(name+" "+sh, func(t *testing.T) {
				if sh != "sh" && (c.want == "cannot be checked" || strings.HasPrefix(c.want, "none of")) {
					t.Skip("the other shells are not on that path")
				}
				if sh == "busybox" && name == "a release in the script" {
					t.Skip("its sleep is its own: it would wait")
				}
				p := newPlace(t)
				p.release("v1.2.3", asset, fake)
				p.assets["/v1.2.3/"+asset] = fake
				c.change(p)
				code, out := p.run(t, shell...)
				if code != 3 || !strings.Contains(out, c.want) || strings.Contains(out, "ran ci") {
					t.Errorf("exit %d, %q; want 3 and %q", code, out, c.want)
				}
				if !strings.Contains(out, "::error title=Breadcrumb::") {
					t.Errorf("the job's page does not say it: %q", out)
				}
			})
		}
	}
}

// macOS has shasum alone.
func TestTheScriptChecksWithShasum(t *testing.T) {
	if _, err := exec.LookPath("shasum"); err != nil {
		t.Skip("no shasum here")
	}
	for _, text := range []string{fake, "something else"} {
		p := newPlace(t)
		p.env["RUNNER_OS"] = "macOS"
		p.only("curl", "shasum", "perl")
		p.release("v1.2.3", "breadcrumb-darwin-amd64", fake)
		p.assets["/v1.2.3/breadcrumb-darwin-amd64"] = text
		code, out := p.run(t, "sh")
		if ran := strings.HasPrefix(out, "ran ci"); ran != (text == fake) || code == 0 {
			t.Errorf("exit %d, %q", code, out)
		}
	}
}

// The real binary is given its inputs by the names a shell lets through.
func TestTheRealBinaryJudges(t *testing.T) {
	text, err := os.ReadFile(cmdtest.Program(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, shell := range shells() {
		p := newPlace(t)
		p.release("v1.2.3", "breadcrumb-linux-amd64", string(text))
		p.assets["/v1.2.3/breadcrumb-linux-amd64"] = string(text)
		workspace := t.TempDir()
		write(t, filepath.Join(workspace, "a.xml"), `<testsuite name="a"><testcase name="one" classname="a" time="0.1"/></testsuite>`)
		write(t, filepath.Join(p.dir, "event.json"), `{"repository":{"id":1,"full_name":"acme/shop","default_branch":"main"}}`)
		for k, v := range map[string]string{
			"HOME": p.dir, "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": workspace, "GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": filepath.Join(p.dir, "event.json"),
			"GITHUB_REPOSITORY": "acme/shop", "GITHUB_REPOSITORY_ID": "1", "GITHUB_RUN_ID": "7", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_JOB": "tests", "GITHUB_REF": "refs/heads/main",
			"GITHUB_WORKFLOW_REF": "acme/shop/.github/workflows/ci.yml@refs/heads/main", "GITHUB_SHA": strings.Repeat("ab", 20), "GITHUB_SERVER_URL": "https://github.com",
			"GITHUB_OUTPUT": filepath.Join(p.dir, "output"), "GITHUB_STEP_SUMMARY": filepath.Join(p.dir, "summary"),
			// What a test wrote into GITHUB_ENV is no input, however it is spelled.
			"INPUT_MAX_QUARANTINE": "forged", "INPUT_MAX-QUARANTINE": "forged", "INPUT_JUNIT": "forged.xml",
		} {
			p.env[k] = v
		}
		report := filepath.Join(workspace, "out.json")
		p.setInputs(map[string]string{
			"junit": filepath.Join(workspace, "*.xml"), "state": "none", "state-path": "", "leg": "null", "db": filepath.Join(workspace, "shop.db"),
			"max-quarantine": "7", "report": report,
		})
		code, out := p.run(t, shell...)
		outputs, _ := os.ReadFile(p.env["GITHUB_OUTPUT"])
		if code != 0 || !strings.Contains(string(outputs), "\npass\n") {
			t.Errorf("%v: exit %d, outputs %q\n%s", shell, code, outputs, out)
		}
		if _, err := os.Stat(report); err != nil {
			t.Error(err)
		}
		p.setInputs(map[string]string{"junit": "*.xml", "max-quarantine": "many"})
		if code, out := p.run(t, shell...); code != 2 || !strings.Contains(out, "input max-quarantine") {
			t.Errorf("%v: an input with a hyphen did not arrive: exit %d\n%s", shell, code, out)
		}
	}
}

// The setup entry's step leaves the command on the path of later steps, for whoever runs
// them, and a wrong input on the job's page.
func TestTheRealBinaryIsPutOnThePath(t *testing.T) {
	text, err := os.ReadFile(cmdtest.Program(t))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	p.action = "setup"
	p.release("v1.2.3", "breadcrumb-linux-amd64", string(text))
	p.assets["/v1.2.3/breadcrumb-linux-amd64"] = string(text)
	path := filepath.Join(p.dir, "path")
	p.env["GITHUB_PATH"], p.env["HOME"] = path, p.dir
	p.setInputs(map[string]string{"state-path": filepath.Join(p.dir, "history")})
	if code, out := p.run(t, "sh"); code != 0 || !strings.Contains(out, "0 learned elements in .breadcrumb.db") {
		t.Errorf("exit %d, %q", code, out)
	}
	line, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	folder := strings.TrimSuffix(string(line), "\n")
	info, err := os.Stat(folder)
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
	if out, err := exec.Command(filepath.Join(folder, "breadcrumb"), "version").Output(); err != nil || !strings.HasPrefix(string(out), "breadcrumb ") {
		t.Errorf("%q, %v", out, err)
	}
	p.setInputs(map[string]string{"state": "moon"})
	if code, out := p.run(t, "sh"); code != 2 || !strings.Contains(out, "::error title=Breadcrumb::input state is \"moon\"") {
		t.Errorf("exit %d, %q", code, out)
	}
}

// setInputs sets the inputs of the step.
func (p *place) setInputs(inputs map[string]string) {
	p.t.Helper()
	text, err := json.Marshal(inputs)
	if err != nil {
		p.t.Fatal(err)
	}
	p.env["BREADCRUMB_INPUTS"] = string(text)
}

// only leaves those programs on the PATH, and what every system has.
func (p *place) only(programs ...string) {
	p.t.Helper()
	dir := p.t.TempDir()
	for _, name := range append(programs, "sed", "mktemp", "chmod", "dirname", "rm", "cut", "sh") {
		file, err := exec.LookPath(name)
		if err != nil {
			p.t.Fatal(err)
		}
		if err := os.Symlink(file, filepath.Join(dir, name)); err != nil {
			p.t.Fatal(err)
		}
	}
	p.env["PATH"] = p.sleepless(dir)
}
