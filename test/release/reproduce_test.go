package release

import (
	"archive/tar"
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The same commit gives the same bytes, of every file, in another folder and without
// anything compiled before. `make reproduce` runs it: such a build takes minutes. RELEASED
// names a folder of the project, with what release/build and release/parts wrote there for
// VERSION; without it, this machine's platform is built twice.
func TestTwoBuildsGiveTheSameBytes(t *testing.T) {
	if os.Getenv("REPRODUCE") == "" {
		t.Skip("make reproduce builds a release again")
	}
	first := built{version: "v1.2.3", platforms: runtime.GOOS + "/" + runtime.GOARCH}
	if released := os.Getenv("RELEASED"); released != "" {
		first = built{version: os.Getenv("VERSION"), dist: filepath.Join("../..", released)}
	} else {
		first.build(t, "a")
	}
	second := built{version: first.version, platforms: first.platforms}
	second.build(t, "a longer/path for/the second", "GOCACHE="+t.TempDir(), "GOFLAGS=-v", "HOME="+t.TempDir(), "TZ=Asia/Tokyo", "LC_ALL=C")
	if diff := cmp.Diff(first.read(t, "SHA256SUMS"), second.read(t, "SHA256SUMS")); diff != "" {
		t.Errorf("digests (-first +second):\n%s", diff)
	}
	for _, b := range []built{first, second} {
		cmd := exec.Command("sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS")
		cmd.Dir = b.dist
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", b.dist, err, out)
		}
	}
	info, err := buildinfo.ReadFile(filepath.Join(first.dist, "breadcrumb-"+runtime.GOOS+"-"+runtime.GOARCH))
	if err != nil || info.GoVersion != "go"+newestGo(t) {
		t.Errorf("built by %+v: %v", info, err)
	}
	binary := filepath.Join(first.dist, "breadcrumb-"+runtime.GOOS+"-"+runtime.GOARCH)
	out, err := exec.Command(binary, "version").Output()
	if err != nil || string(out) != "breadcrumb "+first.version+"\n" {
		t.Errorf("it says %q, %v", out, err)
	}
	printed, err := exec.Command(binary, "licenses").Output()
	if released := first.read(t, "LICENSES"); err != nil || string(printed) != released || !strings.Contains(released, "\nmodernc.org/sqlite v") {
		t.Errorf("it prints %d bytes of licences, LICENSES has %d: %v", len(printed), len(released), err)
	}
	first.hasParts(t, filepath.Base(binary))
}

// built is a release in a folder: of all platforms, unless some are named.
type built struct{ version, platforms, dist string }

func (b built) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dist, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// copied returns a folder of its own with what is committed and changed here.
func copied(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	copyTree(t, dir)
	return dir
}

// build builds a copy of the project in a folder of that name.
func (b *built) build(t *testing.T, name string, env ...string) {
	t.Helper()
	dir := copied(t, name)
	b.dist = filepath.Join(dir, "dist")
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"release/build", "release/parts"} {
		cmd := exec.Command("bash", script, b.version, "dist")
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), "GOMODCACHE="+strings.TrimSpace(string(modules))), env...)
		if b.platforms != "" {
			cmd.Env = append(cmd.Env, "PLATFORMS="+b.platforms)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
}

// copyTree writes the files that git knows into dir.
func copyTree(t *testing.T, dir string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = "../.."
	names, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	pack := exec.Command("tar", "-C", "../..", "--null", "-T", "-", "-c")
	pack.Stdin = bytes.NewReader(names)
	packed, err := pack.Output()
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(bytes.NewReader(packed)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		file := filepath.Join(dir, h.Name)
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, os.FileMode(h.Mode)); err != nil {
			t.Fatal(err)
		}
	}
}

// hasParts checks that the list of parts names the modules of a binary.
func (b built) hasParts(t *testing.T, binary string) {
	t.Helper()
	var parts struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Component struct{ Name, Version string }
		}
		Components []struct {
			Name, Version string
			Licenses      []struct{ License struct{ ID, Name string } }
		}
	}
	if err := json.Unmarshal([]byte(b.read(t, binary+".cdx.json")), &parts); err != nil {
		t.Fatal(err)
	}
	if parts.BOMFormat != "CycloneDX" || parts.Metadata.Component.Version != b.version {
		t.Errorf("%s %s of %+v", parts.BOMFormat, parts.SpecVersion, parts.Metadata.Component)
	}
	versions := map[string]string{}
	for _, c := range parts.Components {
		versions[c.Name] = c.Version
		if len(c.Licenses) == 0 {
			t.Errorf("%s has no licence", c.Name)
		}
	}
	for _, module := range []string{"std", "modernc.org/sqlite", "github.com/google/go-github/v62", "github.com/spf13/cobra"} {
		if versions[module] == "" {
			t.Errorf("%s is not among %d parts", module, len(versions))
		}
	}
}
