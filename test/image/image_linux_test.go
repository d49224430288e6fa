package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The images that test/image/run builds, and docker or podman.
const (
	amd64 = "localhost/breadcrumb-image/amd64"
	arm64 = "localhost/breadcrumb-image/arm64"
)

var tool = os.Getenv("CONTAINER_TOOL")

func needImage(t *testing.T) {
	t.Helper()
	if tool == "" {
		t.Skip("make runner builds the image and runs its tests")
	}
}

// container runs the tool and returns what it printed.
func container(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(tool, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", tool, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestARunAsTheRunnerDoesIt(t *testing.T) {
	needImage(t)
	for _, tt := range []struct {
		name, report string
		options      []string
		code         int
		output       string
	}{
		{"a pass", passing, nil, 0, "verdict=pass"},
		{"a failure", failing, nil, 1, "verdict=fail"},
		{"a read-only root", passing, readOnly(), 0, "verdict=pass"},
		{"no capability beyond those that drop the rights", passing, []string{"--cap-drop=ALL", "--cap-add=SETUID", "--cap-add=SETGID", "--security-opt=no-new-privileges"}, 0, "verdict=pass"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRunner(t)
			r.write("results/a.xml", tt.report, owner)
			code, log := r.run(amd64, tt.options...)
			if code != tt.code {
				t.Fatalf("exit code %d, want %d\n%s", code, tt.code, log)
			}
			if out := plainOutputs(r.read("_runner_file_commands/set_output_x")); !strings.Contains(out, tt.output) {
				t.Errorf("outputs %q, want %s", out, tt.output)
			}
			if summary := r.read("_runner_file_commands/step_summary_x"); !strings.Contains(summary, "Breadcrumb") {
				t.Errorf("job summary %q", summary)
			}
			if _, err := os.Stat(filepath.Join(r.dir, "ws", ".breadcrumb.db")); err != nil {
				t.Error(err)
			}
			r.ownedByTheRunner()
		})
	}
}

func readOnly() []string {
	if tool == "podman" {
		return []string{"--read-only", "--read-only-tmpfs=false"}
	}
	return []string{"--read-only"}
}

// A file that only root may read is not read: the process is the workspace's
// owner by then.
func TestNothingIsReadAsRoot(t *testing.T) {
	needImage(t)
	if os.Getuid() != 0 {
		t.Skip("only root can write root's files")
	}
	r := newRunner(t)
	r.write("results/a.xml", passing, 0)
	code, log := r.run(amd64)
	if code != 2 || !strings.Contains(log, "permission denied") {
		t.Errorf("exit code %d, want 2 and permission denied\n%s", code, log)
	}
}

func TestTheBinaryIsStaticAndForItsPlatform(t *testing.T) {
	needImage(t)
	for image, want := range map[string]elf.Machine{amd64: elf.EM_X86_64, arm64: elf.EM_AARCH64} {
		f, err := elf.Open(extract(t, image, "breadcrumb"))
		if err != nil {
			t.Fatal(err)
		}
		if f.Machine != want {
			t.Errorf("%s holds a binary for %v", image, f.Machine)
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
				t.Errorf("%s: the binary is linked dynamically", image)
			}
		}
		_ = f.Close()
		platform := strings.TrimSpace(container(t, "image", "inspect", "--format", "{{.Os}}/{{.Architecture}}", image))
		if platform != "linux/"+filepath.Base(image) {
			t.Errorf("%s is for %s", image, platform)
		}
	}
}

func TestTheImageHasTheLicencesOfWhatIsInIt(t *testing.T) {
	needImage(t)
	for _, name := range []string{"LICENSES", "LICENSE"} {
		text, err := os.ReadFile(extract(t, amd64, name))
		if err != nil || len(text) < 10_000 {
			t.Errorf("%s has %d bytes: %v", name, len(text), err)
		}
		if name == "LICENSES" && container(t, "run", "--rm", amd64, "licenses") != string(text) {
			t.Error("the binary prints others")
		}
	}
}

// The arm64 binary judges a run, not only starts.
func TestTheARM64BinaryJudges(t *testing.T) {
	needImage(t)
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Fatal(err)
	}
	binary := extract(t, arm64, "breadcrumb")
	for report, want := range map[string]int{passing: 0, failing: 1} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.xml"), []byte(report), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(qemu, binary, "ci", "--junit", "a.xml", "--state-path", "state")
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir}
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("exit code %d, want %d\n%s", code, want, out)
		}
	}
}

const maxCompressed = 25 << 20

func TestTheImageIsSmall(t *testing.T) {
	needImage(t)
	for _, image := range []string{amd64, arm64} {
		size, files := measure(t, image)
		t.Logf("%s: %.1f MB compressed, %d files", image, float64(size)/1e6, len(files))
		if size > maxCompressed {
			t.Errorf("%s: %d bytes compressed, want at most %d", image, size, maxCompressed)
		}
		for _, name := range files {
			if strings.HasPrefix(name, "bin/") || strings.HasSuffix(name, "/sh") {
				t.Errorf("%s holds %s", image, name)
			}
		}
	}
}

const maxFirstLine = 300 * time.Millisecond

// logDriver are those that keep the log in a file with the time of each line.
var logDriver = map[string]string{"docker": "json-file", "podman": "k8s-file"}

// The least of several: a busy machine is no slow image.
func TestTheFirstLineComesSoon(t *testing.T) {
	needImage(t)
	least := time.Hour
	for range 5 {
		r := newRunner(t)
		r.write("results/a.xml", failing, owner)
		name := fmt.Sprintf("breadcrumb-image-%d-%d", os.Getpid(), time.Now().UnixNano())
		args := append([]string{"run", "--name", name, "--log-driver", logDriver[tool]}, r.args(amd64)...)
		_ = exec.Command(tool, args...).Run() // the failure is the run's
		started := container(t, "inspect", "--format", "{{.State.StartedAt}}", name)
		first, _, _ := strings.Cut(container(t, "logs", "--timestamps", name), " ")
		container(t, "rm", "-f", name)
		least = min(least, stamp(t, first).Sub(stamp(t, started)))
	}
	t.Logf("first line after %v", least)
	if least > maxFirstLine || least < -maxFirstLine { // the tool may note the start when the program already runs
		t.Errorf("the first line came after %v, want at most %v", least, maxFirstLine)
	}
}

// stamp reads a time as docker's or podman's log and inspect write it.
func stamp(t *testing.T, text string) time.Time {
	t.Helper()
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999 -0700 MST"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	t.Fatalf("no time: %q", text)
	return time.Time{}
}

// extract copies a file of the top out of an image.
func extract(t *testing.T, image, name string) string {
	t.Helper()
	// podman warns of another platform before the id.
	lines := strings.Fields(container(t, "create", image, "version"))
	id := lines[len(lines)-1]
	defer container(t, "rm", "-f", id)
	file := filepath.Join(t.TempDir(), name)
	container(t, "cp", id+":/"+name, file)
	return file
}

// measure returns an image's size with its layers compressed, as a registry
// keeps them, and the names of all files in it.
func measure(t *testing.T, image string) (size int64, files []string) {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "image.tar")
	container(t, "save", "-o", archive, image)
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for layers := tar.NewReader(f); ; {
		h, err := layers.Next()
		if errors.Is(err, io.EOF) {
			return size, files
		}
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(layers)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			size += compressed(t, layer)
			files = append(files, names(layer)...)
		}
	}
}

func compressed(t *testing.T, data []byte) int64 {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil || w.Close() != nil {
		t.Fatal("gzip:", err)
	}
	return int64(out.Len())
}

// names lists a layer; what is no layer, such as the manifest, has none.
func names(layer []byte) (files []string) {
	if r, err := gzip.NewReader(bytes.NewReader(layer)); err == nil {
		layer, _ = io.ReadAll(r)
	}
	for r := tar.NewReader(bytes.NewReader(layer)); ; {
		h, err := r.Next()
		if err != nil {
			return files
		}
		files = append(files, strings.TrimPrefix(h.Name, "./"))
	}
}

// plainOutputs turns NAME<<DELIMITER, VALUE, DELIMITER into NAME=VALUE lines.
func plainOutputs(text string) string {
	var out strings.Builder
	lines := strings.Split(text, "\n")
	for i := 0; i+1 < len(lines); i++ {
		if name, _, ok := strings.Cut(lines[i], "<<"); ok {
			fmt.Fprintf(&out, "%s=%s\n", name, lines[i+1])
			i += 2
		}
	}
	return out.String()
}

func TestPlainOutputs(t *testing.T) {
	got := plainOutputs("verdict<<x1\npass\nx1\nblocking<<x2\n0\nx2\n")
	if diff := cmp.Diff("verdict=pass\nblocking=0\n", got); diff != "" {
		t.Error(diff)
	}
}

// ownedByTheRunner fails when a file that the run left is not the runner's, who
// could not remove it after the job.
func (r *runner) ownedByTheRunner() {
	r.t.Helper()
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if s := info.Sys().(*syscall.Stat_t); int(s.Uid) != owner {
			r.t.Errorf("%s belongs to %d", path, s.Uid)
		}
		return nil
	})
	if err != nil {
		r.t.Error(err)
	}
}
