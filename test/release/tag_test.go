package release

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const imageDigest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// checkout is a clone of a repository with what release/tag changes.
type checkout struct {
	t           *testing.T
	dir, remote string
}

// standIns take the place of the scripts that take minutes. What they build is a script as
// well, which says its version and platform.
var standIns = map[string]string{
	"release/build": `#!/bin/sh
mkdir -p dist
for platform in linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64.exe windows-arm64.exe; do
  printf '#!/bin/sh\n# %s\necho breadcrumb %s\n' "$platform" "$1" >dist/breadcrumb-$platform
done
echo all of them >dist/LICENSES
`,
	"release/parts": "#!/bin/sh\ncd dist && sha256sum breadcrumb* LICENSES >SHA256SUMS\n",
}

func newCheckout(t *testing.T) checkout {
	t.Helper()
	c := checkout{t: t, dir: filepath.Join(t.TempDir(), "checkout"), remote: filepath.Join(t.TempDir(), "remote.git")}
	c.command(".", "git", "init", "-q", "--bare", c.remote)
	c.command(".", "git", "init", "-q", "-b", "main", c.dir)
	files := []string{"action.yml", "native/release.txt", "native/run.sh", "Dockerfile", "go.mod", "release/rehearsal/passing.xml", "release/rehearsal/failing.xml"}
	for _, pattern := range []string{"release/*", ".github/workflows/*"} {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			files = append(files, strings.TrimPrefix(file, "../../"))
		}
	}
	for _, name := range files {
		if info, err := os.Stat(filepath.Join("../..", name)); err == nil && info.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := standIns[name]; ok {
			text = []byte(other)
		}
		if err := os.MkdirAll(filepath.Join(c.dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.dir, name), text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(c.dir, "release/tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(c.dir, "release/tools/go.mod"), "module tools\n")
	write(t, filepath.Join(c.dir, "CHANGELOG.md"), "# Changelog\n\n## [1.1.1]\n\n## [1.1.0]\n\n## [1.0.2]\n\n## [1.0.1]\n\n## [1.0.0]\n")
	c.command(c.dir, "git", "add", "-A")
	c.command(c.dir, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "commit", "-qm", "first")
	c.command(c.dir, "git", "remote", "add", "origin", c.remote)
	c.command(c.dir, "git", "push", "-q", "origin", "main")
	c.sums(platforms...)
	return c
}

var platforms = []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64.exe", "windows-arm64.exe"}

// sums writes dist/SHA256SUMS as release/parts does.
func (c checkout) sums(platforms ...string) {
	c.t.Helper()
	var text strings.Builder
	for i, p := range platforms {
		fmt.Fprintf(&text, "%064x  breadcrumb-%s\n", i+1, p)
	}
	fmt.Fprintf(&text, "%064x  breadcrumb-linux-amd64.cdx.json\n%064[1]x  breadcrumb-action-cli-linux-x64-1.2.3.tgz\n%064[1]x  LICENSES\n", 99)
	dist := filepath.Join(c.dir, "dist")
	if err := os.MkdirAll(dist, 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(text.String()), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c checkout) command(dir, name string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// tag runs release/tag on the first commit, as every release job does.
func (c checkout) tag(version, digest string) (string, error) {
	c.t.Helper()
	c.command(c.dir, "git", "checkout", "-q", "--detach", "main")
	return c.script(nil, "tag", version, digest, "dist")
}

// script runs a script of release with more environment and returns what it said.
func (c checkout) script(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(c.dir, "release", name), args...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func (c checkout) at(ref string) string { return c.command(c.remote, "git", "rev-parse", ref) }

func TestATagNamesItsImageAndBinariesByDigest(t *testing.T) {
	c := newCheckout(t)
	if out, err := c.tag("v1.2.3", imageDigest); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	action := c.command(c.remote, "git", "show", "v1.2.3:action.yml")
	if want := "  image: docker://ghcr.io/breadcrumb/action@" + imageDigest + " # v1.2.3\n"; !strings.Contains(action, want) {
		t.Errorf("action.yml of the tag lacks %q", want)
	}
	want := "v1.2.3"
	for i, p := range platforms {
		want += fmt.Sprintf("\n%064x  breadcrumb-%s", i+1, p)
	}
	if diff := cmp.Diff(want, c.command(c.remote, "git", "show", "v1.2.3:native/release.txt")); diff != "" {
		t.Errorf("native/release.txt of the tag (-want +got):\n%s", diff)
	}
	if changed := c.command(c.remote, "git", "diff", "--name-only", "main", "v1.2.3"); changed != "action.yml\nnative/release.txt" {
		t.Errorf("the tag changes %q", changed)
	}
	if c.at("v1.2.3~1") != c.at("main") {
		t.Error("the tag is not one commit on top of the branch")
	}
	if tags := c.command(c.remote, "git", "tag"); tags != "v1.2.3" {
		t.Errorf("tags before the release is published: %q", tags)
	}
}

func TestAReleaseNeverChanges(t *testing.T) {
	c := newCheckout(t)
	if out, err := c.tag("v1.2.3", imageDigest); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before := c.at("v1.2.3")
	if out, err := c.tag("v1.2.3", imageDigest); err != nil || !strings.Contains(out, "v1.2.3 is "+before+" already") {
		t.Errorf("the same again: %v\n%s", err, out)
	}
	out, err := c.tag("v1.2.3", strings.Replace(imageDigest, "0123", "ffff", 1))
	if err == nil || !strings.Contains(out, "v1.2.3 is out already") {
		t.Errorf("%v\n%s", err, out)
	}
	if c.at("v1.2.3") != before {
		t.Error("a tag moved")
	}
}

func TestWhatIsNoReleaseIsNotTagged(t *testing.T) {
	for name, tt := range map[string]struct {
		version, digest, want string
		change                func(checkout)
	}{
		"no version":      {"1.2.3", imageDigest, "is no version", nil},
		"a command":       {"v1.2.3;id", imageDigest, "is no version", nil},
		"no digest":       {"v1.2.3", "latest", "is no digest", nil},
		"an empty digest": {"v1.2.3", "", "IMAGE_DIGEST", nil},
		"changes":         {"v1.2.3", imageDigest, "has changes", func(c checkout) { c.command(c.dir, "sh", "-c", "echo >>action.yml") }},
		"a binary less":   {"v1.2.3", imageDigest, "six binaries", func(c checkout) { c.sums(platforms[1:]...) }},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			if tt.change != nil {
				tt.change(c)
			}
			out, err := c.tag(tt.version, tt.digest)
			if err == nil || !strings.Contains(out, tt.want) {
				t.Errorf("%v, want %q\n%s", err, tt.want, out)
			}
			if tags := c.command(c.remote, "git", "tag"); tags != "" {
				t.Errorf("tags %s", tags)
			}
		})
	}
}
