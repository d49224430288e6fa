package cli_test

import (
	"bufio"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/breadcrumb/action/internal/githubtest"
)

// Every example of every command's help runs, one after the other, in a folder
// with what they name.
func TestExamplesOfHelpRun(t *testing.T) {
	named := t.TempDir()
	prepare(t, named)
	for _, command := range append(commandsBelow(t, "breadcrumb"), "breadcrumb") {
		examples := examplesOf(help(t, command))
		switch command {
		case "breadcrumb", "breadcrumb help", "breadcrumb version", "breadcrumb quarantine":
		default:
			if len(examples) == 0 {
				t.Errorf("%s has no example", command)
			}
		}
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			runExamples(t, named, examples)
		})
	}
}

// address is that of a page which an example names.
var address = regexp.MustCompile(`https?://(example\.com|localhost:\d+)\S*`)

// testRunner is the command of a test runner, which is no part of Breadcrumb, behind ours.
var testRunner = regexp.MustCompile(`\b(npx playwright test|pytest \S+|npm test)$`)

// runExamples runs examples in a copy of the folder with what they name.
func runExamples(t *testing.T, named string, examples []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(named)); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GITHUB_API_URL="+exampleGitHub(t), "MANPAGER=cat", "PAGER=cat", "TOKEN=t0ken")
	for _, line := range examples {
		if tool := strings.Fields(line)[0]; tool == "man" {
			if _, err := exec.LookPath(tool); err != nil {
				continue
			}
		}
		if strings.Contains(line, "--browser") || strings.Contains(line, "--ollama") {
			continue // needs what is not part of Breadcrumb; package generate tries it
		}
		if address.MatchString(line) {
			line = address.ReplaceAllString(line, examplePage(t)) + " --allow-private"
		}
		line = testRunner.ReplaceAllString(line, "true")
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir, cmd.Env = dir, env
		if strings.Contains(line, "--http") {
			serves(t, cmd, line)
			continue
		}
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 0 && (code != 1 || !strings.Contains(line, "--state artifact")) { // 1: no history yet
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

// serves demands that a command listens until it is told to end.
func serves(t *testing.T, cmd *exec.Cmd, line string) {
	t.Helper()
	cmd.Args[2] = "exec " + line // so that the signal is the command's own
	told, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(told).ReadString('\n')
	if err != nil || !strings.Contains(said, "listening") {
		t.Errorf("%s: %v, said %q", line, err, said)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // killed
}

// listed is a command in a list of help.
var listed = regexp.MustCompile(`(?m)^  ([a-z][\w-]*) +[A-Z]`)

// commandsBelow returns the commands below one, as its help lists them.
func commandsBelow(t *testing.T, command string) []string {
	t.Helper()
	_, list, _ := strings.Cut(help(t, command), "\nUsage:\n")
	list, _, _ = strings.Cut(list, "\nFlags:\n")
	var all []string
	for _, m := range listed.FindAllStringSubmatch(list, -1) {
		all = append(all, command+" "+m[1])
		all = append(all, commandsBelow(t, command+" "+m[1])...)
	}
	return all
}

func help(t *testing.T, command string) string {
	t.Helper()
	if told, ok := helps.Load(command); ok {
		return told.(string)
	}
	words := strings.Fields(command + " --help")
	out, err := exec.CommandContext(t.Context(), words[0], words[1:]...).Output()
	if err != nil {
		t.Fatalf("%s --help: %v", command, err)
	}
	helps.Store(command, string(out))
	return string(out)
}

// helps holds the help of each command that a test has asked for.
var helps sync.Map

// examplesOf returns the lines of a help's examples.
func examplesOf(help string) []string {
	_, list, _ := strings.Cut(help, "\nExamples:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var lines []string
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// prepare fills a folder with the files that examples name.
func prepare(t *testing.T, dir string) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/examples.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shell(t, dir, "sh", strings.TrimSpace(string(archive.Comment)))
	db, err := sql.Open("sqlite", filepath.Join(dir, ".breadcrumb.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `INSERT INTO fingerprints (test_id, locator, fingerprint_json, updated_at) VALUES
		('login.spec.ts › signs in', '#login', '{"tag":"a"}', unixepoch()), ('login.spec.ts › signs in', '#name', '{"tag":"a"}', unixepoch()),
		('cart.spec.ts › pays', '#pay', '{"tag":"a","page":"/checkout"}', unixepoch());
		INSERT INTO healing_events (test_id, locator, confidence, original_json, healed_json, timestamp) VALUES
		('login.spec.ts › signs in', '#login-btn', 0.97, '{"tag":"button","text":"Sign in"}', '{"tag":"button","text":"Sign in"}', unixepoch())`); err != nil {
		t.Fatal(err)
	}
}

// exampleGitHub is one with a repository acme/shop.
func exampleGitHub(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(githubtest.New(githubtest.Options{State: githubtest.State{
		Repositories: []githubtest.Repository{{ID: 42, FullName: "acme/shop", DefaultBranch: "main"}},
	}}))
	t.Cleanup(server.Close)
	return server.URL
}

// examplePage is a page with a form.
func examplePage(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><title>Shop</title><form><label>Email <input type=email name=email></label><button>Sign in</button></form>`))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}
