package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// fakeGH is a gh that writes down what it is asked. LISTED are the files that the draft
// has, and UNATTESTED is a file that is there as long as GitHub attests nothing.
const fakeGH = `#!/bin/sh
echo "$*" >>"$ASKED"
case "$1 $2" in
"release view") printf '%s\n' $LISTED ;;
"release verify") if [ -e "$UNATTESTED" ]; then rm -f "$ONCE"; exit 1; fi ;;
esac
`

// publish runs release/publish against the fake gh and returns what that was asked, and
// what the script said.
func (c checkout) publish(env ...string) (asked, out string, err error) {
	c.t.Helper()
	dir := c.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "gh"), []byte(fakeGH), 0o755); err != nil {
		c.t.Fatal(err)
	}
	env = append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "ASKED=" + filepath.Join(dir, "asked"), "RELEASE_WAIT=0", "LISTED=SHA256SUMS b", "UNATTESTED=", "ONCE="}, env...)
	out, err = c.script(env, "publish", "v1.2.3", "dist")
	text, _ := os.ReadFile(filepath.Join(dir, "asked"))
	return string(text), out, err
}

// withFiles returns a checkout whose release has two files.
func withFiles(t *testing.T) checkout {
	t.Helper()
	c := newCheckout(t)
	if err := os.WriteFile(filepath.Join(c.dir, "dist", "b"), []byte("b"), 0o644); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAReleaseIsADraftUntilItsFilesAreThere(t *testing.T) {
	asked, out, err := withFiles(t).publish()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const want = `release create v1.2.3 dist/SHA256SUMS dist/b --draft --verify-tag --title v1.2.3 --notes See CHANGELOG.md at this tag.
release view v1.2.3 --json assets --jq .assets[].name
release edit v1.2.3 --draft=false
release verify v1.2.3
release verify-asset v1.2.3 dist/SHA256SUMS
release verify-asset v1.2.3 dist/b
`
	if asked != want {
		t.Errorf("asked\n%s, want\n%s", asked, want)
	}
}

func TestADraftThatLacksAFileIsNotPublished(t *testing.T) {
	for name, listed := range map[string]string{"one less": "b", "another": "SHA256SUMS c", "one more": "SHA256SUMS b c", "none": ""} {
		asked, out, err := withFiles(t).publish("LISTED=" + listed)
		if err == nil || strings.Contains(asked, "--draft=false") || !strings.Contains(out, "it is not published") {
			t.Errorf("%s: %v\n%s\n%s", name, err, asked, out)
		}
	}
}

// GitHub attests a release a moment after it is published; of one that is not immutable
// it never does.
func TestAPublishedReleaseIsImmutable(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	for _, once := range []string{mark, ""} {
		if err := os.WriteFile(mark, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		asked, out, err := withFiles(t).publish("UNATTESTED="+mark, "ONCE="+once)
		if (err == nil) != (once != "") || err != nil && !strings.Contains(out, "are immutable releases on?") {
			t.Errorf("attested at once %v: %v\n%s\n%s", once != "", err, asked, out)
		}
	}
}

// The workflow tags, publishes, and only then moves the major version's tag.
func TestTheMajorTagMovesLast(t *testing.T) {
	text, err := os.ReadFile("../../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, step := range workflow.Jobs["publish"].Steps {
		if word, _, _ := strings.Cut(step.Run, " "); strings.HasPrefix(word, "release/") {
			order = append(order, word)
		}
	}
	if got := strings.Join(order, " "); got != "release/tag release/publish release/major" {
		t.Errorf("the job publish runs %s", got)
	}
}
