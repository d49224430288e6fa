package attach

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/proxy"
)

func TestResultsAreReadOfEveryProcess(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"1-a.ndjson": `{"runner":"playwright","project":"chromium","file":"a.spec.ts","titles":["signs in"],"ended":true,"path":"/x/a.spec.ts","line":7,"timeout":30000,"passed":true,"took":1500,"worker":"4"}` + "\nno JSON\n",
		"2.ndjson":   `{"runner":"pytest","node":"tests/test_a.py::test_b[x]","path":"tests/test_a.py","line":3,"ended":true,"passed":false,"failed":true,"took":20}`,
		"3.txt":      "{}",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []Test{
		{ID: "a.spec.ts › signs in [chromium]", Runner: "playwright", Path: "/x/a.spec.ts", Line: 7, Passed: true, Took: 1500 * time.Millisecond, Process: "1-a.ndjson", Worker: "4",
			Project: "chromium", Titles: []string{"signs in"}, Timeout: 30 * time.Second},
		{ID: "tests/test_a.py::test_b[x]", Runner: "pytest", Path: "tests/test_a.py", Line: 3, Failed: true, Took: 20 * time.Millisecond, Process: "2.ndjson", Node: "tests/test_a.py::test_b[x]"},
	}
	got, _ := readResults(folder)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Test{})); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	var results []engine.TestResult
	for _, test := range got {
		results = append(results, test.Result())
	}
	wantResults := []engine.TestResult{
		{ID: want[0].ID, Suite: "a.spec.ts", Class: "a.spec.ts", Name: "signs in", File: "a.spec.ts", Environment: "chromium", Attempts: []engine.Attempt{{Status: engine.StatusPassed, DurationMS: 1500}}},
		{ID: want[1].ID, Suite: "pytest", Class: "tests.test_a", Name: "test_b[x]", File: "tests/test_a.py", Attempts: []engine.Attempt{{Status: engine.StatusFailed, DurationMS: 20}}},
	}
	if diff := cmp.Diff(wantResults, results); diff != "" {
		t.Errorf("as in a report (-want +got):\n%s", diff)
	}
}

func TestEveryProcessNotesItsCallsOnTargets(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, trialsFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	if options := settingsOf(nil).options(folder); options != nil {
		t.Errorf("without a trial: %+v", options)
	}
	trial := settingsOf(&proxy.Trial{Targets: []proxy.Target{{Test: "t", Selector: "#a"}}, Control: proxy.Hidden})
	trial.options(folder).Note(0, proxy.NotedDone)
	trial.options(folder).Note(3, proxy.NotedUnsuited)
	if diff := cmp.Diff([]Noted{{0, proxy.NotedDone}, {3, proxy.NotedUnsuited}}, readNoted(folder)); diff != "" {
		t.Errorf("noted (-want +got):\n%s", diff)
	}
}

// pytest's hooks are called as its runner does, without pytest.
func TestPytestTellsHowATestEnded(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	folder := t.TempDir()
	for _, name := range []string{testsFolder, resultsFolder} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const script = `
import types, breadcrumb_run as b
def run(node, *reports):
    where = ("tests/test_a.py", 4, "t")
    b.pytest_runtest_logstart(node, where)
    for outcome, extra in reports:
        b.pytest_runtest_logreport(types.SimpleNamespace(nodeid=node, outcome=outcome, duration=0.25, **extra))
    b.pytest_runtest_logfinish(node, where)
ok = ("passed", {})
run("a::passes", ok, ok, ok)
run("a::fails", ok, ("failed", {}), ok)
run("a::fails_at_the_end", ok, ok, ("failed", {}))
run("a::skipped", ("skipped", {}), ok)
run("a::xpass", ok, ("passed", {"wasxfail": ""}), ok)
run("a::lost")
`
	cmd := exec.Command(python, "-c", script)
	cmd.Env = append(os.Environ(), FolderVariable+"="+folder, "PYTHONPATH=hooks/python", "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ended := map[string]string{}
	results, _ := readResults(filepath.Join(folder, resultsFolder))
	for _, r := range results {
		ended[r.Node] = fmt.Sprintf("passed %t, failed %t", r.Passed, r.Failed)
		if r.Line != 5 || r.Node == "a::passes" && r.Took != 750*time.Millisecond {
			t.Errorf("%+v", r)
		}
	}
	const passed, failed, neither = "passed true, failed false", "passed false, failed true", "passed false, failed false"
	want := map[string]string{"a::passes": passed, "a::fails": failed, "a::fails_at_the_end": failed, "a::skipped": neither, "a::xpass": neither, "a::lost": failed}
	if diff := cmp.Diff(want, ended); diff != "" {
		t.Errorf("ended (-want +got):\n%s", diff)
	}
}
