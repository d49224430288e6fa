package attach

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/browsertest"
)

// A test that did not run because another one failed, as behind a setup that lost a locator,
// is told apart from one that is skipped on purpose.
func TestTestsThatDidNotRunForAnotherOneAreTold(t *testing.T) {
	t.Parallel()
	node := findNode(t)
	folder := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(folder, resultsFolder), 0o700), os.Mkdir(filepath.Join(folder, requestsFolder), 0o700)); err != nil {
		t.Fatal(err)
	}
	reporter, err := filepath.Abs("hooks/reporter.cjs")
	if err != nil {
		t.Fatal(err)
	}
	const script = `
const Reporter = require(process.argv[1]);
const test = (title, expectedStatus, ...results) => ({
  expectedStatus, results: results.map((status) => ({ status })), timeout: 30_000,
  titlePath: () => ["", "chromium", "a.spec.ts", title], location: { file: "/x/a.spec.ts", line: 7, column: 5 },
});
const reporter = new Reporter({ _mode: "test" });
reporter.suite = { allTests: () => [
  test("passes", "passed", "passed"),
  test("fails", "passed", "failed"),
  test("fails as it should", "failed", "failed"),
  test("is skipped on purpose", "skipped", "skipped"),
  test("would be skipped on purpose", "skipped"),
  test("is of a project behind it", "passed"),
  test("is behind it in a serial group", "passed", "skipped"),
  test("ran at the second attempt", "passed", "skipped", "passed"),
] };
reporter.onEnd();
`
	cmd := exec.Command(node, "-e", script, reporter)
	cmd.Env = append(os.Environ(), FolderVariable+"="+folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ran, held := readResults(filepath.Join(folder, resultsFolder))
	var told []string
	for _, test := range held {
		told = append(told, string(test.ID))
	}
	want := []string{"a.spec.ts › is of a project behind it [chromium]", "a.spec.ts › is behind it in a serial group [chromium]"}
	if diff := cmp.Diff(want, told); diff != "" || ran != nil {
		t.Errorf("told of %d that ran; did not run (-want +got):\n%s", len(ran), diff)
	}
}

// findNode returns node's program. Without one it skips a test, or fails it where a browser
// is needed.
func findNode(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		browsertest.Missing(t, err)
	}
	return node
}
