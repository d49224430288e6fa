package generate

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestAGoSuiteIsInstalledByTheDocumentsCommands writes a suite into an empty folder and
// runs the commands that docs/generate.md names for Go there, with an empty module cache
// and no driver: from Go's proxy and npm's registry. `make suite` asks for it.
func TestAGoSuiteIsInstalledByTheDocumentsCommands(t *testing.T) {
	if os.Getenv("INSTALL") == "" {
		t.Skip("downloads modules and a driver; `make suite` runs it")
	}
	env := browsers(t)
	site, err := Crawl(t.Context(), servePages(t, "before")+"/login.html", patient(true))
	must(t, err)
	files, err := Files(site, Go)
	must(t, err)
	dir, cache := t.TempDir(), t.TempDir()
	_, err = Write(filepath.Join(dir, "e2e"), files, false)
	must(t, err)
	env = append(env, "GOWORK=off", "GOFLAGS=-modcacherw", "GOMODCACHE="+filepath.Join(cache, "modules"), "PLAYWRIGHT_DRIVER_PATH="+filepath.Join(cache, "driver"))

	commands := documented(t)
	for _, command := range commands {
		if strings.Contains(command, "playwright install") {
			command, env = reachable(t, command, env)
		}
		args := strings.Fields(command)
		t.Logf("$ %s\n%s", command, runPatiently(t, dir, env, args[0], args[1:]...))
	}
	if last := commands[len(commands)-1]; last != "go test ./e2e" {
		t.Errorf("the last command is %q, which runs no suite", last)
	}
	out := run(t, dir, env, "go", "test", "-count=1", "-v", "./e2e")
	if passed := strings.Count(out, "    --- PASS"); passed < 3 || strings.Contains(out, "--- SKIP") {
		t.Errorf("%d tests pass\n%s", passed, out)
	}
}

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	remark     = regexp.MustCompile(`\s+# .*$`)
)

// documented returns the commands for Go of docs/generate.md, in the order of the block
// that installs all languages.
func documented(t *testing.T) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "generate.md"))
	must(t, err)
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(block[1], "npm install") {
			continue
		}
		for line := range strings.Lines(block[1]) {
			if strings.HasPrefix(line, "go ") {
				commands = append(commands, remark.ReplaceAllString(strings.TrimSpace(line), ""))
			}
		}
	}
	if len(commands) < 4 {
		t.Fatalf("docs/generate.md: %q are too few commands for Go", commands)
	}
	return commands
}

// reachable returns the command that installs the driver and the browser as it is where
// it reaches what it downloads. Elsewhere it says which host is missing, and returns the
// one that only assembles the driver, with this machine's node for the host's.
func reachable(t *testing.T, command string, env []string) (string, []string) {
	t.Helper()
	client := http.Client{Timeout: 20 * time.Second}
	var missing []string
	for _, host := range []string{"nodejs.org", "cdn.playwright.dev"} {
		answer, err := client.Head("https://" + host + "/")
		if err != nil {
			missing = append(missing, host)
			continue
		}
		answer.Body.Close()
	}
	if missing == nil {
		return command, env
	}
	node, err := exec.LookPath("node")
	must(t, err)
	t.Logf("%s are not reachable here: %q was not tried; the driver comes from npm, node and Chromium are this machine's", strings.Join(missing, " and "), command)
	before, _, _ := strings.Cut(command, " install")
	return before + " --version", append(env, "PLAYWRIGHT_NODEJS_PATH="+node)
}
