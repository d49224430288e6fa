package checkout_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/checkout"
)

func TestReadDescribesTheWorkingTree(t *testing.T) {
	for _, tt := range []struct {
		name    string
		steps   [][]string        // of git, after a first commit on main
		write   map[string]string // files, after the steps
		except  []string
		branch  string
		changed []string
	}{
		{name: "clean", branch: "main"},
		{name: "no branch", steps: [][]string{{"checkout", "--quiet", "--detach"}}},
		{name: "a tracked file changed", write: map[string]string{"tests/a.spec.ts": "b"}, branch: "main", changed: []string{"web/tests/a.spec.ts"}},
		{name: "staged", steps: [][]string{{"mv", "tests/a.spec.ts", "tests/b.spec.ts"}}, branch: "main", changed: []string{"web/tests/a.spec.ts", "web/tests/b.spec.ts"}},
		{name: "a new file", write: map[string]string{"tests/é x.ts": ""}, branch: "main", changed: []string{"web/tests/é x.ts"}},
		{name: "outside the folder", write: map[string]string{"../other.ts": ""}, branch: "main", changed: []string{"other.ts"}},
		{name: "an ignored file", write: map[string]string{"ignored/x": ""}, branch: "main"},
		{name: "what the run wrote", write: map[string]string{"results/deep/x.xml": "", "heals.ndjson": ""}, except: []string{"results/**/*.xml", "./heals.ndjson", "/elsewhere/*.xml", "../*.xml"}, branch: "main"},
		{name: "a test beside what the run wrote", write: map[string]string{"results/x.ts": ""}, except: []string{"results/**/*.xml"}, branch: "main", changed: []string{"web/results/x.ts"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "web")
			git := func(args ...string) string {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("git %q: %v\n%s", args, err, out)
				}
				return string(out)
			}
			write := func(name, text string) {
				t.Helper()
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("tests/a.spec.ts", "a")
			write(".gitignore", "ignored/\n")
			git("init", "--quiet", "--initial-branch=main", top)
			git("add", ".")
			git("commit", "--quiet", "--message=first")
			for _, step := range tt.steps {
				git(step...)
			}
			for name, text := range tt.write {
				write(name, text)
			}

			got, err := checkout.Read(t.Context(), dir, tt.except)
			if err != nil {
				t.Fatal(err)
			}
			want := git("rev-parse", "HEAD")
			if got.Branch != tt.branch || got.Commit+"\n" != want {
				t.Errorf("branch %q, commit %q; want %q, %q", got.Branch, got.Commit, tt.branch, want)
			}
			if !slices.Equal(got.Changed, tt.changed) {
				t.Errorf("changed %q, want %q", got.Changed, tt.changed)
			}
		})
	}
}

func TestReadFailsWhereThereIsNoWorkingTree(t *testing.T) {
	_, err := checkout.Read(t.Context(), t.TempDir(), nil)
	if err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("Read: %v", err)
	}
}

func TestReadOfARepositoryWithoutACommit(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", "--initial-branch=trunk", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, err := checkout.Read(t.Context(), dir, nil); err != nil || got.Branch != "trunk" || got.Commit != "" {
		t.Errorf("%+v, %v", got, err)
	}
}
