package e2e_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/breadcrumb/action/internal/browsertest"
)

// tools is where setup put what the stories run with, "" when it did not run.
var tools = os.Getenv("E2E")

// socket is where podman answers as Docker does.
var socket string

// releases is where the release's binary is fetched from.
var releases string

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run runs the tests beside podman's service.
func run(m *testing.M) int {
	if tools == "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "e2e")
	if err == nil {
		defer os.RemoveAll(dir)
		socket = filepath.Join(dir, "podman.sock")
		var stop func()
		if stop, err = startPodman(); err == nil {
			defer stop()
			server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(tools, "releases"))))
			defer server.Close()
			releases = server.URL
			return m.Run()
		}
	}
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}

// podman is what podman finds its configuration with.
func podman() []string {
	return []string{"CONTAINERS_CONF=" + absolute("containers.conf"), "CONTAINERS_STORAGE_CONF=" + filepath.Join(tools, "storage.conf")}
}

// startPodman starts the service that act makes containers with.
func startPodman() (stop func(), err error) {
	cmd := exec.Command("podman", "system", "service", "--time=0", "unix://"+socket)
	cmd.Env = append(os.Environ(), podman()...)
	var words bytes.Buffer
	cmd.Stderr = &words
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start podman's service: %w", err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	for range 100 {
		if conn, err := net.Dial("unix", socket); err == nil {
			return stop, conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	stop()
	return nil, fmt.Errorf("podman's service does not answer: %s", words.String())
}

// absolute returns the whole path of a file beside this one.
func absolute(name string) string {
	path, err := filepath.Abs(name)
	if err != nil {
		panic(err)
	}
	return path
}

func TestStories(t *testing.T) {
	if tools == "" {
		t.Skip("make e2e makes what the stories need and runs them")
	}
	playwright := "" // node_modules with Playwright Test; "" without a browser
	if browsertest.Needed() {
		playwright = browsertest.NodeModules(t)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "stories",
		RequireUniqueNames: true,
		TestWork:           os.Getenv("E2E_KEEP") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("E2E_PLAYWRIGHT", playwright)
			return setUp(env)
		},
		Cmds:      commands(),
		Condition: func(name string) (bool, error) { return name == "browser" && playwright != "", nil },
	})
}
