package gh_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/state"
)

// npm runs the scripts of testdata/interop with the npm clients in the folder
// INTEROP, where `make interop` installs them.
type npm struct {
	*actions
	scripts string
}

func newNPM(t *testing.T) npm {
	t.Helper()
	scripts := os.Getenv("INTEROP")
	if scripts == "" {
		t.Skip("make interop installs GitHub's own clients and runs this")
	}
	scripts, err := filepath.Abs(scripts)
	if err != nil {
		t.Fatal(err)
	}
	return npm{newActions(t, githubtest.Options{}), scripts}
}

// run runs a script in dir as a step of the default branch's run.
func (n npm) run(t *testing.T, dir, script string, args ...string) string {
	t.Helper()
	_, o := n.job(t, mainRun, "refs/heads/main")
	cmd := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(n.scripts, script)}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ACTIONS_RUNTIME_TOKEN="+o.RuntimeToken, "ACTIONS_RESULTS_URL="+o.ResultsURL, "ACTIONS_CACHE_SERVICE_V2=true",
		"GITHUB_REPOSITORY="+shopName, "GITHUB_API_URL="+n.api, "GITHUB_SERVER_URL=https://github.com", "GITHUB_WORKSPACE="+dir, "RUNNER_TEMP="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", script, args, err, out)
	}
	return string(out)
}

// content is of every kind: empty, text, and more than one block of an upload.
func content() map[string]string {
	return map[string]string{"manifest.json": "{}\n", "empty": "", "delta.ndjson.zst": noise(9 << 20)}
}

// noise returns bytes that cannot be compressed, the same ones every time.
func noise(n int) string {
	b := make([]byte, n)
	x := uint64(88172645463325252)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return string(b)
}

func TestInteropArtifacts(t *testing.T) {
	t.Parallel()
	n := newNPM(t)
	backend := n.artifacts(t, mainRun)

	if err := backend.Put(t.Context(), state.DeltaPrefix+"ours", mapFS(content())); err != nil {
		t.Fatal(err)
	}
	item := onlyItem(t, backend, state.DeltaPrefix+"ours")
	fetched, downloaded := t.TempDir(), t.TempDir()
	n.run(t, fetched, "artifact.mjs", "fetch", state.DeltaPrefix+"ours", fetched)
	n.run(t, downloaded, "artifact.mjs", "download", item.ID, downloaded, item.Digest)
	for how, dir := range map[string]string{"from the run": fetched, "through the API": downloaded} {
		if diff := cmp.Diff(content(), readDir(t, dir)); diff != "" {
			t.Errorf("@actions/artifact %s: %.300s", how, diff)
		}
	}

	n.run(t, t.TempDir(), "artifact.mjs", "store", state.DeltaPrefix+"theirs", writeDir(t, t.TempDir(), content()))
	if diff := cmp.Diff(content(), getItem(t, backend, onlyItem(t, backend, state.DeltaPrefix+"theirs"))); diff != "" {
		t.Errorf("what @actions/artifact stored: %.300s", diff)
	}
}

func TestInteropCaches(t *testing.T) {
	t.Parallel()
	n := newNPM(t)
	for _, tool := range []string{"zstd", "tar"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("@actions/cache runs %s: %v", tool, err)
		}
	}
	backend := n.caches(t, "refs/heads/main")

	if err := backend.Put(t.Context(), state.SnapshotPrefix+"ours", mapFS(content())); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if out := n.run(t, dir, "cache.mjs", "restore", state.SnapshotPrefix); !strings.Contains(out, "found="+state.SnapshotPrefix+"ours\n") {
		t.Fatalf("@actions/cache found nothing:\n%s", out)
	}
	if diff := cmp.Diff(content(), readDir(t, filepath.Join(dir, "breadcrumb-state"))); diff != "" {
		t.Errorf("@actions/cache restored: %.300s", diff)
	}

	dir = t.TempDir()
	writeDir(t, filepath.Join(dir, "breadcrumb-state"), content())
	n.run(t, dir, "cache.mjs", "save", state.SnapshotPrefix+"theirs")
	if diff := cmp.Diff(content(), getItem(t, backend, onlyItem(t, backend, state.SnapshotPrefix+"theirs"))); diff != "" {
		t.Errorf("what @actions/cache stored: %.300s", diff)
	}
}

func writeDir(t *testing.T, dir string, content map[string]string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range content {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readDir(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(fmt.Errorf("read %s: %w", e.Name(), err))
		}
		content[e.Name()] = string(b)
	}
	return content
}
