package e2e_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/breadcrumb/action/internal/githubtest"
)

// cmdDown makes GitHub's API and results service answer nobody, for longer than
// a job waits: down
func cmdDown(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0, 0, "down")
	the(ts).github.Inject(githubtest.Fault{Status: http.StatusServiceUnavailable, Message: "Service Unavailable", Header: map[string]string{"Retry-After": "3600"}})
}

// cmdUp ends what down began: up
func cmdUp(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0, 0, "up")
	the(ts).github.ClearFaults()
}

// trap holds the requests back whose path ends so, and tells of the first.
type trap struct {
	mu    sync.Mutex
	path  string // "" holds nothing back
	first func()
}

// around returns the handler with the trap before it.
func (t *trap) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.mu.Lock()
		held := t.path != "" && strings.HasSuffix(r.URL.Path, t.path)
		first := t.first
		if held {
			t.first = nil
		}
		t.mu.Unlock()
		if !held {
			next.ServeHTTP(w, r)
			return
		}
		if first != nil {
			first()
		}
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	})
}

// set holds back what ends with path.
func (t *trap) set(path string, first func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.path, t.first = path, first
}

func (t *trap) isSet() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.path != ""
}

// cmdCancel runs a workflow and cancels it while the action waits for the answer
// to a request, whose path ends so: the container gets the runner's first signal.
// The run must fail: cancel PATH EVENT WORKFLOW RESULTS
func cmdCancel(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 4, 4, "cancel PATH EVENT WORKFLOW RESULTS")
	interrupt(ts, "INT", args)
}

// cmdAbort is cmdCancel, but the container dies at once: abort PATH EVENT WORKFLOW RESULTS
func cmdAbort(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 4, 4, "abort PATH EVENT WORKFLOW RESULTS")
	interrupt(ts, "KILL", args)
}

// interrupt sends a signal to the action while it waits for an answer.
func interrupt(ts *testscript.TestScript, name string, args []string) {
	s := the(ts)
	story := filepath.Base(ts.Getenv("WORK"))
	signalled := make(chan error, 1)
	s.trap.set(args[0], func() { signalled <- signal(name, story) })
	cmdRun(ts, false, append([]string{"failure"}, args[1:]...))
	s.trap.set("", nil)
	select {
	case err := <-signalled:
		ts.Check(err)
	default:
		ts.Fatalf("the action never asked for %s", args[0])
	}
}

// signal sends a signal to the container whose name holds the story's.
func signal(name, story string) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", `podman kill --signal "$0" $(podman ps -q --filter name="$1")`, name, story)
	cmd.Env = append(os.Environ(), podman()...)
	return cmd.Run()
}
