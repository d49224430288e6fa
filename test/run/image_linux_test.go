package run

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/internal/cmdtest"
)

// released builds the command as a release is built.
func released(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	cmd := exec.Command("../../release/build", "v0.0.1", out)
	cmd.Env = append(os.Environ(), "PLATFORMS=linux/"+runtime.GOARCH)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return filepath.Join(out, "breadcrumb-linux-"+runtime.GOARCH)
}

// An image with glibc, one with musl and one with neither are the same to a binary that
// asks for no interpreter: it leads a command in a root that holds nothing else.
func TestTheBinaryNeedsNoCLibrary(t *testing.T) {
	t.Parallel()
	if os.Getenv("SUITES") == "" {
		t.Skip("SUITES is not set; `make suites` sets it")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can change the root")
	}
	file := released(t)
	binary, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer binary.Close()
	for _, p := range binary.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the binary has a segment %v", p.Type)
		}
	}
	root := t.TempDir()
	copyFile(t, file, filepath.Join(root, "breadcrumb"))
	if err := errors.Join(os.Chmod(filepath.Join(root, "breadcrumb"), 0o755), os.Mkdir(filepath.Join(root, "tmp"), 0o777)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/breadcrumb", "run", "--", "/breadcrumb", "quarantine", "list", "--db", "/none.db")
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	cmd.Dir, cmd.Env = "/", []string{"HOME=/nonexistent"}
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "no database at /none.db") {
		t.Errorf("exit code %d\n%s", cmd.ProcessState.ExitCode(), out)
	}
}

// pwuser is the user of Playwright's images.
const pwuser = 1001

// Playwright's images have the browsers in /ms-playwright, named by a variable, and a user
// who need not have a home.
func TestPlaywrightsImagesAreLed(t *testing.T) {
	packages := os.Getenv("SUITES")
	if packages == "" {
		t.Skip("SUITES is not set; `make suites` sets it to the folder of the packages")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	image, err := os.MkdirTemp("", "breadcrumb-image-") //nolint:usetesting // a test's own folder is closed to others
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(image)
	s := newSuite(t, "1.60.0", "../../examples/shop")
	work, modules := filepath.Join(image, "work"), filepath.Join(packages, "1.60.0", "node_modules")
	if err := errors.Join(os.Remove(filepath.Join(s.folder, "node_modules")), os.CopyFS(work, os.DirFS(s.folder)),
		os.CopyFS(filepath.Join(work, "node_modules"), os.DirFS(modules))); err != nil {
		t.Fatal(err)
	}
	browsers := filepath.Join(image, "ms-playwright")
	layOutBrowser(t, filepath.Join(work, "node_modules"), browsers)
	program := filepath.Join(image, "breadcrumb")
	copyFile(t, cmdtest.Program(t), program)
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	own(t, image)

	shop := httptest.NewServer(http.FileServer(http.Dir("../../examples/shop/app/before")))
	defer shop.Close()
	cmd := exec.Command(program, "run", "--", "node", "node_modules/@playwright/test/cli.js", "test", "--retries", "0", "--timeout", "60000", "login", "cart")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: pwuser, Gid: pwuser}}
	cmd.Dir = work
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "CI=1", "PLAYWRIGHT_BROWSERS_PATH=" + browsers, "SHOP_URL=" + shop.URL}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(elements(t, work)) < 5 {
		t.Errorf("little was learned\n%s", out)
	}
}

// layOutBrowser puts Debian's Chromium where Playwright looks for its own, as its version
// and those before it name the files.
func layOutBrowser(t *testing.T, modules, browsers string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(modules, "playwright-core", "browsers.json"))
	var known struct {
		Browsers []struct{ Name, Revision string }
	}
	if err := errors.Join(err, json.Unmarshal(text, &known)); err != nil {
		t.Fatal(err)
	}
	for _, b := range known.Browsers {
		if b.Name != "chromium-headless-shell" {
			continue
		}
		for _, name := range []string{"chrome-linux/headless_shell", "chrome-headless-shell-linux64/chrome-headless-shell"} {
			file := filepath.Join(browsers, "chromium_headless_shell-"+b.Revision, name)
			script := "#!/bin/sh\nexec " + browsertest.Env("CHROMIUM") + " " + strings.Join(browsertest.Arguments, " ") + ` "$@"` + "\n"
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(script), 0o755)); err != nil { //nolint:gosec // it is run by another user
				t.Fatal(err)
			}
		}
	}
}

// own gives a folder to pwuser.
func own(t *testing.T, folder string) {
	t.Helper()
	if out, err := exec.Command("sh", "-c", `chmod -R a+rX "$0" && chown -R "$1:$1" "$0"`, folder, strconv.Itoa(pwuser)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
