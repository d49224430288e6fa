package attach

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// workerScript sends news of a test as a worker does.
const workerScript = `
process.send = () => {};
require(process.argv[1]);
process.send({ method: "__dispatch__", params: { method: "testBegin", params: { testId: "1", startWallTime: 7 } } });
`

// A worker tells its test and leads its calls. Where its Playwright cannot be led the test
// runs as without, and the person is told.
func TestAWorkerTellsItsTestAndLeadsItsCalls(t *testing.T) {
	t.Parallel()
	node := findNode(t)
	hooks, err := filepath.Abs("hooks")
	if err != nil {
		t.Fatal(err)
	}
	const alone = "Tests of Playwright Test ran without Breadcrumb: "
	for core, note := range map[string]string{
		`module.exports = { _connection: { onmessage() {}, dispatch() {}, _objects: new Map() } };`: "",
		`module.exports = {};`:                           alone + "this Playwright is built differently from the versions that Breadcrumb knows, 1.36 to 1.65; a newer Breadcrumb may know it",
		`throw new Error("no such Playwright\nat all");`: alone + "no such Playwright",
	} {
		folder := t.TempDir()
		write := func(name, content string) error {
			name = filepath.Join(folder, name)
			return errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600))
		}
		if err := errors.Join(write("core/index.js", core), write("notes/none", ""),
			write("tests/7-ab.tests", `{"core":"`+filepath.ToSlash(filepath.Join(folder, "core"))+`","way":{"kinds":[]},"tests":{"1":{"runner":"playwright","titles":["pays"]}}}`)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), node, "-e", workerScript, filepath.Join(hooks, "worker.cjs"))
		cmd.Env = append(os.Environ(), FolderVariable+"="+folder, "BREADCRUMB_TESTS="+filepath.Join(folder, "tests", "7-ab"), "TEST_WORKER_INDEX=3")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got := strings.Join((&Session{folder: folder}).readNotes(), ""); got != note {
			t.Errorf("%s: the person is told %q, want %q", core, got, note)
		}
	}
}
