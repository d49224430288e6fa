package release

import (
	"archive/zip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shop is a machine that has the tools of one way to install, and the servers that it
// reaches: a release, registries that have its packages, and one that has none.
type shop struct {
	t         *testing.T
	home, url string
	env       []string
	mu        sync.Mutex
	asked     []string
}

// newShop returns such a machine, for the files of a release.
func newShop(t *testing.T, dist string) *shop {
	t.Helper()
	s := &shop{t: t, home: t.TempDir()}
	mux := http.NewServeMux()
	mux.Handle("GET /v1.2.3/", http.StripPrefix("/v1.2.3/", http.FileServer(http.Dir(dist))))
	mux.HandleFunc("GET /npm/{name...}", func(w http.ResponseWriter, r *http.Request) { s.npm(w, dist, r.PathValue("name")) })
	mux.HandleFunc("GET /simple/breadcrumb-action/", func(w http.ResponseWriter, _ *http.Request) {
		wheels, _ := filepath.Glob(filepath.Join(dist, "*.whl"))
		for _, wheel := range wheels {
			fmt.Fprintf(w, "<a href=%q>%s</a>\n", s.url+"/v1.2.3/"+filepath.Base(wheel), filepath.Base(wheel))
		}
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		s.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.env = append(os.Environ(), "HOME="+s.home, "GITHUB_ACTIONS=", "npm_config_cache="+filepath.Join(s.home, "cache"), "npm_config_audit=false",
		"npm_config_registry="+s.url+"/none/", "PIP_CONFIG_FILE=/dev/null", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INDEX=1")
	write(t, filepath.Join(s.home, "results.xml"), `<testsuite name="a"><testcase name="one" classname="a" time="0.1"/></testsuite>`)
	return s
}

// npm answers what npm asks of a package
// (https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md).
func (s *shop) npm(w http.ResponseWriter, dist, name string) {
	file := strings.NewReplacer("@", "", "/", "-").Replace(name) + "-1.2.3.tgz"
	text, err := os.ReadFile(filepath.Join(dist, file))
	if err != nil {
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	unpack := exec.Command("tar", "-xzOf", filepath.Join(dist, file), "package/package.json")
	raw, err := unpack.Output()
	manifest := map[string]any{}
	if err := errors.Join(err, json.Unmarshal(raw, &manifest)); err != nil {
		s.t.Error(err)
	}
	sum := sha512.Sum512(text)
	manifest["dist"] = map[string]string{"tarball": s.url + "/v1.2.3/" + file, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]string{"latest": "1.2.3"}, "versions": map[string]any{"1.2.3": manifest}})
}

// sh runs lines in the home and returns what they print and their exit code.
func (s *shop) sh(lines string, env ...string) (out string, code int) {
	s.t.Helper()
	cmd := exec.Command("sh", "-euc", lines)
	cmd.Dir, cmd.Env = s.home, append(s.env, env...)
	text, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// must runs lines that must succeed.
func (s *shop) must(lines string, env ...string) string {
	s.t.Helper()
	out, code := s.sh(lines, env...)
	if code != 0 {
		s.t.Fatalf("%s\nexit %d\n%s", lines, code, out)
	}
	return out
}

// judges checks that the command judges a report.
func (s *shop) judges(command string, env ...string) {
	s.t.Helper()
	if out := s.must(command+" version", env...); out != "breadcrumb v1.2.3\n" {
		s.t.Errorf("version: %q", out)
	}
	if out := s.must(command+" ci --junit results.xml", env...); !strings.Contains(out, "1 passed") {
		s.t.Errorf("ci: %s", out)
	}
}

// fetched returns the files of the release that were asked for.
func (s *shop) fetched() (files []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.asked {
		if name, ok := strings.CutPrefix(path, "/v1.2.3/"); ok {
			files = append(files, name)
		}
	}
	return files
}

// documented returns the lines of docs/install.md below a title, with our servers.
func (s *shop) documented(title string) string {
	s.t.Helper()
	page, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		s.t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## "+title+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, lines, _ := strings.Cut(section, "```sh\n")
	lines, _, found := strings.Cut(lines, "```")
	if !found {
		s.t.Fatalf("docs/install.md has no lines below %s", title)
	}
	return strings.ReplaceAll(lines, "https://github.com/breadcrumb/action/releases/download", s.url)
}

// newDist builds a release for this machine's platform, with stand-ins for the others,
// so that it is seen which one is taken, and returns its folder.
func newDist(t *testing.T) string {
	t.Helper()
	dist := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = "../..", append(os.Environ(), "PLATFORMS=linux/amd64")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	run("release/build", "v1.2.3", dist)
	for _, p := range platforms {
		if p != "linux-amd64" {
			write(t, filepath.Join(dist, "breadcrumb-"+p), "not for this machine\n")
		}
	}
	run("go", "run", "./release/packages", "v1.2.3", dist)
	run("sh", "-c", "cd "+dist+" && sha256sum breadcrumb* >SHA256SUMS")
	return dist
}

// The lines of docs/install.md install the command, on a machine that has nothing else
// than what they need. `make install` runs it: npm, pip and Go take their time.
func TestTheCommandIsInstalledAsThePageSays(t *testing.T) {
	if os.Getenv("INSTALL") == "" {
		t.Skip("make install installs the command by npm, pip, curl and Go")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the page's lines are those for linux/amd64")
	}
	dist := newDist(t)
	t.Run("npm", func(t *testing.T) { byNPM(t, dist) })
	t.Run("pip", func(t *testing.T) { byPip(t, dist) })
	t.Run("download", func(t *testing.T) { byCurl(t, dist) })
	t.Run("Go", byGo)
}

const (
	npmCommand = "breadcrumb-action-cli-1.2.3.tgz"
	npmBinary  = "breadcrumb-action-cli-linux-x64-1.2.3.tgz"
	wheel      = "breadcrumb_action-1.2.3-py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl"
)

func byNPM(t *testing.T, dist string) {
	t.Helper()
	s := newShop(t, dist)
	s.must(s.documented("npm"))
	s.judges("npx breadcrumb")

	s = newShop(t, dist)
	registry := "npm_config_registry=" + s.url + "/npm/"
	lines, _, _ := strings.Cut(s.documented("Registries of your own"), "pip ")
	s.must(lines, registry)
	s.judges("npx breadcrumb")
	fetched := s.fetched()
	slices.Sort(fetched)
	if diff := cmp.Diff([]string{npmCommand, npmBinary}, fetched); diff != "" {
		t.Errorf("npm fetched (-want +got):\n%s", diff)
	}
	s.must("rm -r node_modules && npm ci", registry)
	s.judges("npx breadcrumb")

	// The exit code, the input and the signals are the binary's.
	if out, code := s.sh("npx breadcrumb nonsense"); code != 2 || !strings.Contains(out, "nonsense") {
		t.Errorf("exit %d, %s", code, out)
	}
	// A shell heeds a signal after the command that it runs, and never while one waits.
	const waits = `trap "exit 7" TERM; echo "$PPID" >waits; while [ ! -e ended ]; do sleep 0.1; done`
	lines = `node_modules/.bin/breadcrumb run -- sh -c '` + waits + `' >log 2>&1 & while [ ! -s waits ]; do :; done
		code=0; kill $!; wait $! || code=$?; touch ended; cat log; exit $code`
	if out, code := s.sh(lines); code != 7 {
		t.Errorf("a signal: exit %d, %s", code, out)
	}

	binary := "node_modules/@breadcrumb-action/cli-linux-x64/breadcrumb"
	if out, code := s.sh("echo >>" + binary + "; npx breadcrumb version"); code != 3 || !strings.Contains(out, "it was not run") {
		t.Errorf("another binary: exit %d, %s", code, out)
	}
	if out, code := s.sh("npm ci --omit=optional && npx breadcrumb version", registry); code != 3 || !strings.Contains(out, "@breadcrumb-action/cli-linux-x64 cannot be read: install with optional dependencies") {
		t.Errorf("no binary: exit %d, %s", code, out)
	}
}

func byPip(t *testing.T, dist string) {
	t.Helper()
	if err := exec.Command("python3", "-c", "import ensurepip, venv").Run(); err != nil {
		t.Skip("python3 has no venv here")
	}
	s := newShop(t, dist)
	s.must("python3 -m venv v")
	inside := "PATH=" + filepath.Join(s.home, "v", "bin") + ":" + os.Getenv("PATH")
	s.must(s.documented("pip"), inside)
	s.judges("breadcrumb", inside)
	if out := s.must("pip uninstall --yes breadcrumb-action; ls v/bin", inside); strings.Contains(out, "breadcrumb\n") {
		t.Errorf("left behind: %s", out)
	}

	_, lines, _ := strings.Cut(s.documented("Registries of your own"), "\n")
	before := len(s.fetched())
	s.must(lines, inside, "PIP_NO_INDEX=", "PIP_INDEX_URL="+s.url+"/simple/")
	s.judges("breadcrumb", inside)
	for _, file := range s.fetched()[before:] {
		if file != wheel {
			t.Errorf("pip fetched %s", file)
		}
	}
}

func byCurl(t *testing.T, dist string) {
	t.Helper()
	s := newShop(t, dist)
	s.must(s.documented("Download"))
	s.judges(filepath.Join(s.home, ".local/bin/breadcrumb"))

	s = newShop(t, dist)
	lines := strings.Replace(s.documented("Download"), "sha256sum", "echo >>breadcrumb-linux-amd64\nsha256sum", 1)
	if out, code := s.sh(lines); code == 0 || !strings.Contains(out, "breadcrumb-linux-amd64: FAILED") {
		t.Errorf("another binary: exit %d, %s", code, out)
	}
}

// byGo installs from a module proxy that has this module as it is here; the other modules
// are those that the go command has fetched before.
func byGo(t *testing.T) {
	t.Helper()
	tree, proxy := copied(t, "tree"), t.TempDir()
	const module = "github.com/breadcrumb/action@v1.2.3"
	at := filepath.Join(proxy, "github.com/breadcrumb/action/@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(at, "list"), "v1.2.3\n")
	write(t, filepath.Join(at, "v1.2.3.info"), `{"Version": "v1.2.3"}`)
	text, err := os.ReadFile(filepath.Join(tree, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(at, "v1.2.3.mod"), string(text))
	zipModule(t, tree, module, filepath.Join(at, "v1.2.3.zip"))

	modules, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Split(strings.TrimSpace(string(modules)), "\n")
	s := newShop(t, t.TempDir())
	env := []string{
		"GOPROXY=file://" + proxy + ",file://" + filepath.Join(known[0], "cache/download") + "," + known[1], "GOCACHE=" + known[2],
		"GOMODCACHE=" + filepath.Join(s.home, "modules"), "GOFLAGS=-trimpath -modcacherw", "GONOSUMDB=github.com/breadcrumb/action", "GOBIN=" + filepath.Join(s.home, "bin"),
	}
	s.must(s.documented("Go"), env...)
	s.judges(filepath.Join(s.home, "bin", "breadcrumb"))
}

// zipModule packs a tree as a module proxy does (https://go.dev/ref/mod#zip-files).
func zipModule(t *testing.T, tree, module, file string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(f)
	err = filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if _, nested := os.Stat(filepath.Join(path, "go.mod")); nested == nil && path != tree {
				return fs.SkipDir // a module of its own
			}
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		w, err := archive.Create(module + filepath.ToSlash(strings.TrimPrefix(path, tree)))
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	if err := errors.Join(err, archive.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
