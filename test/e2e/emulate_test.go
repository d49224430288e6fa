package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/breadcrumb/action/internal/githubtest"
)

// owner is the token of the organisation in the emulator.
const owner = "ghp_acme"

// emulator starts npm's emulate, a GitHub by other people, and returns a handler
// that asks it for everything but workflow runs and what they keep, which it
// lacks. What a story looks at then is what two servers agree on.
func (s *story) emulator(ts *testscript.TestScript) http.Handler {
	port := freePort(ts)
	seed := ts.MkAbs(".emulate.yaml")
	ts.Check(os.WriteFile(seed, []byte(emulated()), 0o666))
	cmd := exec.Command("node", "--require", absolute("tools/loopback.cjs"), filepath.Join(tools, "node_modules/.bin/emulate"),
		"start", "--service", "github", "--port", port, "--seed", seed)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	at, err := url.Parse("http://127.0.0.1:" + port)
	ts.Check(err)
	await(ts, at.String()+"/meta", &log)
	proxy := httputil.NewSingleHostReverseProxy(at)
	there := compared(proxy)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/repos/"+shop+"/actions/") {
			s.github.ServeHTTP(w, r)
			return
		}
		there.ServeHTTP(w, r)
	})
}

// compared ends the test when a request, or the handler's answer, is not as GitHub
// describes it, as githubtest does.
func compared(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r.Clone(r.Context()))
		if d, err := githubtest.FindDescription(); err == nil {
			if _, err := d.Check(r, body, answer); err != nil {
				go func() { panic(err) }() // net/http would recover from it here
				select {}
			}
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// emulated is the emulator's state: the people, with the tokens of the first runs,
// and the repository.
func emulated() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tokens:\n  %s: {login: acme, scopes: [repo, user]}\n  %s: {login: ada, scopes: [repo, user]}\n", owner, onlooker)
	for run := 1001; run < 1010; run++ {
		fmt.Fprintf(&b, "  ghs_%d_1: {login: %q, scopes: [repo, user]}\n", run, bot)
	}
	fmt.Fprintf(&b, "github:\n  users: [{login: acme}, {login: ada}, {login: %q}]\n  repos: [{owner: acme, name: shop, auto_init: true}]\n", bot)
	return b.String()
}

// await waits until a server answers.
func await(ts *testscript.TestScript, address string, log fmt.Stringer) {
	for range 300 {
		if answer, err := http.Get(address); err == nil {
			answer.Body.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	ts.Fatalf("%s does not answer: %s", address, log)
}

// there returns a client of the emulator for the organisation.
func (s *story) there(ts *testscript.TestScript) *github.Client {
	c := github.NewClient(nil).WithAuthToken(owner)
	base, err := url.Parse(s.api + "/")
	ts.Check(err)
	c.BaseURL = base
	return c
}

// mainThere returns the commit of the default branch in the emulator.
func (s *story) mainThere(ts *testscript.TestScript) string {
	main, _, err := s.there(ts).Git.GetRef(context.Background(), "acme", "shop", "heads/main")
	ts.Check(err)
	return main.GetObject().GetSHA()
}

// pullThere opens the story's pull request in the emulator, which numbers it
// after the issues that are there.
func (s *story) pullThere(ts *testscript.TestScript) {
	c := s.there(ts)
	ctx := context.Background()
	for range thePR - 1 {
		_, _, err := c.Issues.Create(ctx, "acme", "shop", &github.IssueRequest{Title: github.String("An issue")})
		ts.Check(err)
	}
	_, _, err := c.Git.CreateRef(ctx, "acme", "shop", &github.Reference{Ref: github.String("refs/heads/redesign"), Object: &github.GitObject{SHA: &s.main}})
	ts.Check(err)
	for _, f := range contents(ts, s.pull, "") {
		_, _, err := c.Repositories.CreateFile(ctx, "acme", "shop", f.Path,
			&github.RepositoryContentFileOptions{Message: github.String("Redesign"), Content: []byte(f.Text), Branch: github.String("redesign")})
		ts.Check(err)
	}
	pr, _, err := c.PullRequests.Create(ctx, "acme", "shop", &github.NewPullRequest{Title: github.String("Redesign"), Head: github.String("redesign"), Base: github.String("main")})
	ts.Check(err)
	if pr.GetNumber() != thePR {
		ts.Fatalf("the emulator's pull request is %d, want %d", pr.GetNumber(), thePR)
	}
}

// serve starts the story's two services.
func (s *story) serve(ts *testscript.TestScript, handler http.Handler) {
	api, results := httptest.NewServer(s.trap.around(handler)), httptest.NewServer(s.trap.around(s.github.Results()))
	ts.Defer(api.Close)
	ts.Defer(results.Close)
	s.github.SetStorage(results.URL)
	s.api, s.results = api.URL, results.URL
}
