package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/cmdtest"
)

// artifacts is GitHub's list, the newest first: the run 9 is the newest of main that has a
// snapshot.
const artifacts = `{"artifacts": [
	{"name": "breadcrumb-delta-12-1-aa", "expired": false, "workflow_run": {"id": 12, "head_branch": "main"}},
	{"name": "breadcrumb-snapshot-of-ff", "expired": false, "workflow_run": {"id": 11, "head_branch": "topic"}},
	{"name": "breadcrumb-snapshot-of-ff", "expired": true, "workflow_run": {"id": 10, "head_branch": "main"}},
	{"name": "results", "expired": false, "workflow_run": {"id": 10, "head_branch": "main"}},
	{"name": "breadcrumb-snapshot-of-ff", "expired": false, "workflow_run": {"id": 9, "head_branch": "main"}},
	{"name": "breadcrumb-snapshot-9-1-cc", "expired": false, "workflow_run": {"id": 9, "head_branch": "main"}}]}`

// standIn is GitHub's command as far as the page uses it: it filters the list, and
// downloads what the run 9 saved, two snapshots of legs among it.
const standIn = `#!/bin/sh -e
if [ "$1" = api ]; then
  [ "$3" = --jq ] && exec jq -r "$4" ../artifacts.json
fi
[ "$1 $2 $3 $4 $5 $6 $7 $8" = "run download 9 --repo acme/shop --pattern breadcrumb-* --dir" ]
mkdir -p "$9"
cp -R ../one/* "$9/of-ff"
cp -R ../two/* "$9/9-1-cc"
cp -R ../deltas/* "$9"
`

// The lines of docs/state-where.md get the history of several legs out, whole.
func TestTheHistoryComesOut(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("no jq, which stands in for gh's own")
	}
	tools, err := cmdtest.Folder()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	env := append(os.Environ(), "GITHUB_ACTIONS=", "PATH="+filepath.Join(dir, "tools")+":"+tools+":"+os.Getenv("PATH"))
	write(t, filepath.Join(dir, "artifacts.json"), artifacts, 0o600)
	write(t, filepath.Join(dir, "tools", "gh"), standIn, 0o755)
	for i, leg := range []string{"one", "two"} {
		write(t, filepath.Join(dir, leg+".xml"), report(i+1, false), 0o600)
		if code, out := run(t, dir, env, "sh", "-c", "breadcrumb ci --junit "+leg+".xml --db "+leg+".db --leg "+leg+" --state-path "+leg); code != 0 {
			t.Fatalf("%s: exit %d\n%s", leg, code, out)
		}
	}
	if code, out := run(t, dir, env, "sh", "-ec", "mkdir deltas shop; mv one/*delta* two/*delta* deltas; mv one/*snapshot* one/s; mv two/*snapshot* two/s"); code != 0 {
		t.Fatal(out)
	}
	lines := block(t, "state-where.md", "## Get it out")
	code, out := run(t, filepath.Join(dir, "shop"), env, "sh", "-ec", lines)
	if code != 0 || !strings.Contains(out, "history.db: 2 runs, 4 results") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "shop", "report.html")); err != nil || !strings.Contains(string(page), "2 runs") {
		t.Errorf("report.html: %v", err)
	}
}
