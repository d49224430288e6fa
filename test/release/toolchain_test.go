package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// newestGo returns the Go that CI and releases build with.
func newestGo(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("../../release/go-version").Output()
	version := strings.TrimSpace(string(out))
	if err != nil || !regexp.MustCompile(`^1\.[0-9]+\.[0-9]+$`).MatchString(version) {
		t.Fatalf("release/go-version prints %q: %v", out, err)
	}
	return version
}

// Binaries, image and CI are made by one Go, which is named in one place.
func TestOneGoBuildsEverything(t *testing.T) {
	newest := newestGo(t)
	for _, file := range []string{"Dockerfile", "release/build", "release/parts"} {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil || !regexp.MustCompile(`release/go-version`).Match(text) || !regexp.MustCompile(`GOTOOLCHAIN=(\$\{GO_TOOLCHAIN:-)?go\$`).Match(text) {
			t.Errorf("%s takes another Go: %v", file, err)
		}
	}
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for name, job := range loadWorkflow(t, filepath.Base(file)).Jobs {
			for i, s := range job.Steps {
				if !strings.HasPrefix(s.Uses, "actions/setup-go@") {
					continue
				}
				if before := job.Steps[i-1]; before.ID != "go" || before.Run != `echo "version=$(release/go-version)" >>"$GITHUB_OUTPUT"` || s.With["go-version"] != "${{ steps.go.outputs.version }}" || s.With["go-version-file"] != "" {
					t.Errorf("job %s of %s takes another Go", name, file)
				}
			}
		}
	}
	// Whoever builds the project needs no newer Go than it needs.
	text, err := os.ReadFile("../../go.mod")
	m := regexp.MustCompile(`(?m)^go (\d+\.\d+)\.\d+$`).FindSubmatch(text)
	if err != nil || m == nil || !strings.HasPrefix(newest, string(m[1])+".") || strings.Contains(string(text), "\ntoolchain ") {
		t.Errorf("go.mod does not go with Go %s: %v", newest, err)
	}
	tools, err := os.ReadFile("../../.github/dependabot.yml")
	if err != nil || !strings.Contains(string(tools), "directory: /release/toolchain") {
		t.Errorf("Dependabot does not look at release/toolchain: %v", err)
	}
}
