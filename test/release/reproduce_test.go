package release

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The same commit in two folders, the second without anything compiled before,
// gives the same bytes. `make reproduce` runs it: the second build takes minutes.
func TestTwoBuildsGiveTheSameBytes(t *testing.T) {
	if os.Getenv("REPRODUCE") == "" {
		t.Skip("make reproduce builds a release twice")
	}
	short, long := copied(t, "a"), copied(t, "a longer/path for/the second")
	first, second := build(t, short), build(t, long, "GOCACHE="+t.TempDir(), "GOFLAGS=-v", "HOME="+t.TempDir(), "TZ=Asia/Tokyo", "LC_ALL=C")
	if diff := cmp.Diff(first.sum, second.sum); diff != "" {
		t.Errorf("digests (-first +second):\n%s", diff)
	}
	out, err := exec.Command(first.binary, "version").Output()
	if err != nil || string(out) != "breadcrumb v1.2.3\n" {
		t.Errorf("it says %q, %v", out, err)
	}
	first.hasParts(t)
	printed, err := exec.Command(first.binary, "licenses").Output()
	if err != nil {
		t.Fatal(err)
	}
	released, err := os.ReadFile(filepath.Join(first.dir, "dist", "LICENSES"))
	if err != nil || !bytes.Equal(printed, released) || !bytes.Contains(printed, []byte("\nmodernc.org/sqlite v")) {
		t.Errorf("it prints %d bytes of licences, LICENSES has %d: %v", len(printed), len(released), err)
	}
}

type built struct{ dir, binary, sum string }

// copied returns a folder of its own with what is committed and changed here.
func copied(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	copyTree(t, dir)
	return dir
}

// build builds a folder for this machine's platform.
func build(t *testing.T, dir string, env ...string) built {
	t.Helper()
	cmd := exec.Command("bash", "release/build", "v1.2.3", "dist")
	cmd.Dir = dir
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(append(os.Environ(), "PLATFORMS="+runtime.GOOS+"/"+runtime.GOARCH, "GOMODCACHE="+strings.TrimSpace(string(modules))), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	binary := filepath.Join(dir, "dist", "breadcrumb-"+runtime.GOOS+"-"+runtime.GOARCH)
	text, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	return built{dir, binary, fmt.Sprintf("%x", sha256.Sum256(text))}
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

// hasParts checks that the list of parts names the modules of the binary.
func (b built) hasParts(t *testing.T) {
	t.Helper()
	cmd := exec.Command("bash", "release/parts", "v1.2.3", "dist")
	cmd.Dir = b.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sums, err := os.ReadFile(filepath.Join(b.dir, "dist", "SHA256SUMS"))
	if err != nil || !strings.Contains(string(sums), b.sum+"  "+filepath.Base(b.binary)+"\n") {
		t.Errorf("SHA256SUMS: %v\n%s", err, sums)
	}
	text, err := os.ReadFile(b.binary + ".cdx.json")
	if err != nil {
		t.Fatal(err)
	}
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
	if err := json.Unmarshal(text, &parts); err != nil {
		t.Fatal(err)
	}
	if parts.BOMFormat != "CycloneDX" || parts.Metadata.Component.Version != "v1.2.3" {
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
