package attach

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// workerScript starts the server as the reporter does and sends news of a test as a worker
// does, once what is awaited is in the server's log. It prints where the worker connects.
const workerScript = `
const [reporter, worker, awaited] = process.argv.slice(2);
const fs = require("node:fs");
const server = new (require(reporter))();
const log = server.requests + ".log";
const begin = () => {
  if (!fs.readFileSync(log, "utf8").includes(awaited)) return setTimeout(begin, 5);
  process.env.BREADCRUMB_TESTS = require("node:path").join(process.env.BREADCRUMB_RUN, "tests", server.id);
  fs.writeFileSync(process.env.BREADCRUMB_TESTS + ".tests", "{}");
  if (process.env.LONG_AGO) fs.utimesSync(log, 1, 1);
  process.send = () => {};
  require(worker);
  process.send({ method: "__dispatch__", params: { method: "testBegin", params: { testId: "1" } } });
  console.log(process.env.PW_TEST_CONNECT_WS_ENDPOINT);
  server.onExit();
};
begin();
`

// A worker and the server start at the same time, and the first test waits for the server.
// Where that does not start the test runs as without Breadcrumb, and the person is told.
func TestAWorkerWaitsForTheServer(t *testing.T) {
	t.Parallel()
	node := findNode(t)
	const address = "ws://127.0.0.1:1/secret/name"
	const alone = "Tests of Playwright Test ran without Breadcrumb: Playwright's server did not start: "
	for name, test := range map[string]struct{ server, awaited, connects, note, ago string }{
		"that listens":               {`console.log("Listening on ws://127.0.0.1:2/x"); process.stdin.on("close", () => process.exit())`, "Listening", address, "", ""},
		"that has listened for long": {`console.log("Listening on ws://127.0.0.1:2/x"); process.stdin.on("close", () => process.exit())`, "Listening", address, "", "yes"},
		"that listens later":         {`setTimeout(() => console.log("Listening on ws://127.0.0.1:2/x"), 300); process.stdin.on("close", () => process.exit())`, "", address, "", ""},
		"that says why it cannot":    {`console.log("no port is free"); process.exit(1)`, "", "undefined", alone + "no port is free", ""},
		"that has ended in silence":  {`process.exit(1)`, "ended", "undefined", alone + "The server has ended.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write := func(name, content string) error {
				name = filepath.Join(folder, name)
				return errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600))
			}
			if err := errors.Join(write("node_modules/playwright/package.json", "{}"), write("node_modules/playwright-core/package.json", `{"version": "1.65.1"}`),
				write("node_modules/playwright-core/cli.js", test.server), write("notes/none", ""), write("requests/none", ""), write("tests/none", ""), write("test.js", workerScript)); err != nil {
				t.Fatal(err)
			}
			hooks, err := filepath.Abs("hooks")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), node, filepath.Join(folder, "test.js"), filepath.Join(hooks, "reporter.cjs"), filepath.Join(hooks, "worker.cjs"), test.awaited)
			cmd.Env = append(os.Environ(), FolderVariable+"="+folder, "PW_TEST_CONNECT_WS_ENDPOINT="+address, "LONG_AGO="+test.ago)
			cmd.WaitDelay = time.Minute
			out, err := cmd.CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != test.connects {
				t.Errorf("the worker connects to %s, want %s; %v", out, test.connects, err)
			}
			if got := strings.Join((&Session{folder: folder}).readNotes(), ""); got != test.note {
				t.Errorf("the person is told %q, want %q", got, test.note)
			}
		})
	}
}
