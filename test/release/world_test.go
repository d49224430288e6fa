package release

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/breadcrumb/action/internal/githubtest"
)

// world is a checkout with all that a release speaks to: git's remote, GitHub, the place
// where everybody fetches a release's files, and a registry of images.
type world struct {
	checkout

	github     *githubtest.Server
	api, files string // addresses
	image      string // with the registry's address
	home       string // whose docker is logged in
	bin        string // programs that stand in for others

	mu      sync.Mutex
	private bool // the image is for those with credentials alone
	changes int  // requests so far that change what others see: to GitHub, names of images, pushes
	// breaks says how the change of that number fails: "", lost or not answered.
	breaks func(int) string
}

// programs are those of a release that tests run often, built once: our own, and crane,
// which is a registry as well.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := filepath.Abs("../../bin/test/release")
	if err != nil {
		return "", err
	}
	for from, build := range map[string][]string{
		"../..":               {"build", "-o", dir + "/github", "./release/github"},
		"../../release/tools": {"build", "-o", dir + "/crane", "github.com/google/go-containerregistry/cmd/crane"},
	} {
		cmd := exec.Command("go", build...)
		cmd.Dir = from
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go %v: %w\n%s", build, err, out)
		}
	}
	return dir, nil
})

// goProgram stands in for go, which builds and starts these programs; ghProgram for gh,
// which asks Sigstore what GitHub attests.
const (
	goProgram = `#!/bin/sh
case "$1 $2" in
"run ./release/github") shift 2; exec "$PROGRAMS/github" "$@" ;;
"tool crane") shift 2; exec "$PROGRAMS/crane" "$@" ;;
esac
echo "go $* is not to be run here" >&2
exit 99
`
	ghProgram = `#!/bin/sh
case "$1 $2" in
"release verify" | "release verify-asset" | "attestation verify") exit 0 ;;
esac
echo "gh $* is not to be run here" >&2
exit 99
`
	dockerProgram = `#!/bin/sh
[ "$1 $2 $3" = "buildx imagetools inspect" ] && echo '{"digest": "sha256:0000000000000000000000000000000000000000000000000000000000000000"}'
`
	// git tells the world of each push, before and after it.
	receiveHook = "#!/bin/sh\ncurl --fail --silent --show-error --request POST %s/push/%s\n"
)

const repositoryName = "breadcrumb/action"

// newWorld returns one whose settings are as they must be and whose tests are green.
func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{checkout: newCheckout(t), home: t.TempDir(), bin: t.TempDir(), breaks: func(int) string { return "" }}
	w.github = githubtest.New(githubtest.Options{State: githubtest.State{LastID: 100, Repositories: []githubtest.Repository{{
		ID: 1, FullName: repositoryName, DefaultBranch: "main", ImmutableReleases: true,
		Releases:     []githubtest.Release{{ID: 7, Tag: "first", Immutable: true}},
		Environments: []githubtest.Environment{{Name: "release", Reviewers: []string{"ann"}, Branches: "custom"}},
		Rulesets:     []githubtest.Ruleset{{ID: 8, Name: "versions", Target: "tag", Enforcement: "active", Include: []string{"refs/tags/v*.*.*"}, Rules: []string{"update", "deletion"}}},
		Runs:         []githubtest.WorkflowRun{green(w.at("main"))},
	}}}})
	w.api = w.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.pass(w.github, rw, r) }))
	w.files = w.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		below, name := path.Split(r.URL.Path)
		text, ok := w.github.ReleaseFile(repositoryName, path.Base(below), name)
		if !ok {
			http.NotFound(rw, r)
			return
		}
		_, _ = rw.Write(text)
	}))
	w.image = strings.TrimPrefix(w.serve(w.registry(dir)), "http://") + "/breadcrumb/action"
	for name, text := range map[string]string{"go": goProgram, "gh": ghProgram, "docker": dockerProgram, "make": "#!/bin/sh\n[ $* = reproduce ]\n"} {
		executable(t, filepath.Join(w.bin, name), text)
	}
	for hook, when := range map[string]string{"pre-receive": "before", "post-receive": "after"} {
		executable(t, filepath.Join(w.remote, "hooks", hook), fmt.Sprintf(receiveHook, w.api, when))
	}
	login := fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, strings.Split(w.image, "/")[0], base64.StdEncoding.EncodeToString([]byte("us:secret")))
	write(t, filepath.Join(w.home, "config.json"), login)
	return w
}

// green is a run of the tests that succeeded.
func green(commit string) githubtest.WorkflowRun {
	return githubtest.WorkflowRun{ID: 9, Event: "push", Path: ".github/workflows/ci.yml", HeadBranch: "main", HeadSHA: commit, Conclusion: "success"}
}

// change changes what GitHub has of the repository.
func (w *world) change(do func(*githubtest.Repository)) {
	w.t.Helper()
	var kept bytes.Buffer
	var state githubtest.State
	err := errors.Join(w.github.Dump(&kept), json.Unmarshal(kept.Bytes(), &state))
	do(&state.Repositories[0])
	text, again := json.Marshal(state)
	if err := errors.Join(err, again, w.github.Load(bytes.NewReader(text))); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) serve(h http.Handler) string {
	server := httptest.NewServer(h)
	w.t.Cleanup(server.Close)
	return server.URL
}

func executable(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// environment is that of a release's script.
func (w *world) environment() []string {
	dir, _ := programs()
	return append(os.Environ(), "PATH="+w.bin+":"+os.Getenv("PATH"), "PROGRAMS="+dir, "RELEASE_WAIT=0", "IMAGE="+w.image, "BREADCRUMB_RELEASES="+w.files,
		"GITHUB_API_URL="+w.api, "GITHUB_REPOSITORY="+repositoryName, "GH_TOKEN=token", "DOCKER_CONFIG="+w.home)
}

// pass lets a request through, counts it where it changes something, and breaks it where
// that is asked for. Pushes are told of here as well.
func (w *world) pass(to http.Handler, rw http.ResponseWriter, r *http.Request) {
	when, isPush := strings.CutPrefix(r.URL.Path, "/push/")
	isName := strings.Contains(r.URL.Path, "/manifests/") && !strings.Contains(r.URL.Path, "/manifests/"+unnamed)
	changes := r.Method != http.MethodGet && r.Method != http.MethodHead && (isPush || to == http.Handler(w.github) || isName)
	breaks := ""
	if changes {
		w.mu.Lock()
		if when != "after" {
			w.changes++
		}
		breaks = w.breaks(w.changes)
		w.mu.Unlock()
	}
	switch {
	case breaks == "lost" && when != "after", breaks == "not answered" && when == "after":
		http.Error(rw, "this is broken", http.StatusInsufficientStorage) // which nobody asks for again
	case isPush:
	case breaks == "not answered":
		to.ServeHTTP(httptest.NewRecorder(), r)
		http.Error(rw, "this is broken", http.StatusInsufficientStorage)
	default:
		to.ServeHTTP(rw, r)
	}
	if changes {
		w.nothingIsMissing()
	}
}

// registry starts a registry of its own, before which it asks for credentials: for every
// change, and where the image is private for reading as well.
func (w *world) registry(programs string) http.Handler {
	cmd := exec.Command(filepath.Join(programs, "crane"), "registry", "serve", "--address", "127.0.0.1:0")
	says, err := cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(says)
	line, err := lines.ReadString('\n')
	port := regexp.MustCompile(`[0-9]+\s*$`).FindString(line)
	if err != nil || port == "" {
		w.t.Fatalf("the registry says %q: %v", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "127.0.0.1:" + strings.TrimSpace(port)})
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, secret, _ := r.BasicAuth()
		w.mu.Lock()
		private := w.private
		w.mu.Unlock()
		if reads := r.Method == http.MethodGet || r.Method == http.MethodHead; secret != "secret" && (r.URL.Path == "/v2/" || private || !reads) {
			rw.Header().Set("WWW-Authenticate", `Basic realm="images"`)
			http.Error(rw, `{"errors": [{"code": "UNAUTHORIZED"}]}`, http.StatusUnauthorized)
			return
		}
		w.pass(proxy, rw, r)
	})
}

// crane runs crane as who is logged in.
func (w *world) crane(args ...string) string {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.bin, "go"), append([]string{"tool", "crane"}, args...)...)
	cmd.Env = w.environment()
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("crane %v: %v\n%s", args, err, said.String())
	}
	return strings.TrimSpace(out.String())
}

// unnamed begins the names that push needs, which GitHub's builder does not.
const unnamed = "unnamed"

// push puts an image with these binaries, at a path, into the registry and returns its
// digest.
func (w *world) push(binaries map[string]string, path string) string {
	w.t.Helper()
	dir := w.t.TempDir()
	index := []string{"index", "append", "--tag", w.image + ":" + unnamed}
	for _, arch := range []string{"amd64", "arm64"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			w.t.Fatal(err)
		}
		write(w.t, filepath.Join(dir, path), binaries["linux-"+arch])
		w.command(dir, "tar", "-cf", arch+".tar", path)
		one := w.image + ":" + unnamed + "-" + arch
		w.crane("append", "--oci-empty-base", "--new_layer", filepath.Join(dir, arch+".tar"), "--new_tag", one)
		w.crane("mutate", "--set-platform", "linux/"+arch, "--tag", one, one)
		index = append(index, "--manifest", one)
	}
	w.crane(index...)
	return w.crane("digest", w.image+":"+unnamed)
}

// nothingIsMissing fails the test where v1 names something that is not there for
// everybody.
func (w *world) nothingIsMissing() {
	out, err := exec.Command("git", "--git-dir", w.remote, "show", "v1:native/release.txt", "v1:action.yml").Output()
	if err != nil {
		return // there is no v1
	}
	lines := strings.Split(string(out), "\n")
	version := lines[0]
	for _, line := range lines[1:7] {
		want, name, _ := strings.Cut(line, "  ")
		text, _ := w.github.ReleaseFile(repositoryName, version, name)
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != want {
			w.t.Errorf("v1 is %s and names %s %s, which is %s", version, name, want, got)
		}
	}
	named := regexp.MustCompile(`image: docker://(\S+)/(breadcrumb/action)@(\S+) # ` + regexp.QuoteMeta(version)).FindStringSubmatch(string(out))
	if named == nil {
		w.t.Errorf("v1 is %s and names no image", version)
		return
	}
	answer, err := http.Get("http://" + named[1] + "/v2/" + named[2] + "/manifests/" + named[3])
	if err != nil || answer.StatusCode != http.StatusOK {
		w.t.Errorf("v1 is %s and names an image that nobody can pull: %v", version, err)
	}
	if err == nil {
		_ = answer.Body.Close()
	}
}
