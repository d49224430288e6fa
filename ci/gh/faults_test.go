package gh_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store/sqlite"
)

// network is a GitHub behind a proxy, with a pull request whose run has one test
// that fails.
type network struct {
	*actions
	proxy *proxy
	dir   string
	sick  bool // toxics are at work until the first wait
	t     *testing.T
}

func newNetwork(t *testing.T, p *proxy, lag time.Duration) *network {
	t.Helper()
	w := &network{actions: newActions(t, githubtest.Options{ListingLag: lag, CommentLag: min(lag, 25*time.Second)}), proxy: p, dir: t.TempDir(), t: t}
	w.change(t, func(r *githubtest.Repository) {
		r.Past, r.Branches = []githubtest.Past{{SHA: mainSHA}}, []githubtest.Branch{{Name: "main", SHA: mainSHA}}
		r.PullRequests = []githubtest.PullRequest{{Number: 12, Author: "mona", HeadSHA: strings.Repeat("2", 40), HeadRef: "rename", BaseRef: "main", BaseSHA: mainSHA}}
	})
	w.report()
	w.remember()
	if err := w.actions.sleep(t.Context(), lag+time.Minute); err != nil {
		t.Fatal(err)
	}
	w.waited = 0
	id := strings.ReplaceAll(t.Name(), "/", "-")
	w.api, w.service = p.through(t, "api-"+id, w.api), p.through(t, "results-"+id, w.service)
	w.SetStorage(w.service)
	return w
}

// tests is how many tests a run has: enough for a delta that is cut on the way.
const tests = 600

// report writes the run's report. One test fails.
func (w *network) report() {
	var xml strings.Builder
	xml.WriteString(`<testsuite name="a.spec.ts"><testcase name="fails" classname="a.spec.ts"><failure message="no"/></testcase>`)
	for n := range tests - 1 {
		fmt.Fprintf(&xml, `<testcase name="%x" classname="a.spec.ts"/>`, sha256.Sum256([]byte{byte(n), byte(n >> 8)}))
	}
	xml.WriteString(`</testsuite>`)
	if err := os.WriteFile(filepath.Join(w.dir, "junit.xml"), []byte(xml.String()), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

// poison lets a toxic work until the client waits for the first time.
func (w *network) poison(x toxic) {
	name := x.Proxy + "-" + strings.ReplaceAll(w.t.Name(), "/", "-")
	w.proxy.ask(w.t, "POST", "/proxies/"+name+"/toxics", x, nil)
	w.sick = true
}

// sleep heals the network and lets the clock run.
func (w *network) sleep(ctx context.Context, d time.Duration) error {
	if w.sick {
		w.proxy.ask(w.t, "POST", "/reset", nil, nil)
		w.sick = false
	}
	return w.actions.sleep(ctx, d)
}

// came is what became of one step.
type came struct {
	exit     ci.Exit
	blocking int
	read     bool  // the history that the default branch saved
	saved    error // of the delta
	waited   time.Duration
}

// remember lets the default branch save a history, undisturbed.
func (w *network) remember() {
	w.t.Helper()
	client, o := w.job(w.t, mainRun, "refs/heads/main")
	backend, err := client.ArtifactBackend(o)
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := w.config()
	cfg.DB = filepath.Join(w.t.TempDir(), "breadcrumb.db")
	cfg.Info.RunID, cfg.Info.PullRequest, cfg.Info.DefaultBranch, cfg.Info.Branch = mainRun, 0, true, "main"
	if _, err := ci.Run(w.t.Context(), cfg, ci.Deps{Backend: backend, Now: w.now, Log: slog.New(slog.DiscardHandler)}); err != nil {
		w.t.Fatal(err)
	}
}

// step is a whole run of the pull request on a new machine: restore, judge,
// comment, save.
func (w *network) step() came {
	w.t.Helper()
	before := w.waited
	_, o := w.job(w.t, pullRun, "refs/pull/12/merge")
	client, err := gh.NewClient(gh.Options{Token: "job", APIURL: w.api, HTTP: &http.Client{Timeout: 2 * time.Second}, Now: w.now, Sleep: w.sleep})
	if err != nil {
		w.t.Fatal(err)
	}
	backend, err := client.ArtifactBackend(o)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.Remove(w.config().DB); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	forge := client.Conversation(shopName, 12)
	result, err := ci.Run(w.t.Context(), w.config(), ci.Deps{Forge: forge, Changes: forge, Reviews: forge, Backend: backend, Now: w.now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.t.Fatal(err)
	}
	c := came{exit: result.Exit, blocking: len(result.Outcome.Verdict.Blocking), waited: w.waited - before}
	for _, n := range result.Outcome.Notices {
		if strings.Contains(n.Reason, "save delta") {
			c.saved = errors.New(n.Reason)
		}
	}
	c.read = w.rows() == 2*tests
	return c
}

func (w *network) config() ci.Config {
	return ci.Config{
		JUnit: []string{filepath.Join(w.dir, "junit.xml")}, DB: filepath.Join(w.dir, "breadcrumb.db"), Repo: w.dir,
		Policy: flaky.PolicyEvidence, Missing: ci.MissingAuto, Comment: true, CommentKey: "e2e", DefaultBranch: "main",
		Info: engine.RunInfo{Repository: shopName, RepositoryID: shopID, RunID: pullRun, RunAttempt: 1, Workflow: shopName + "/.github/workflows/e2e.yml@refs/pull/12/merge",
			Job: "e2e", Commit: mainSHA, PullRequest: 12, StartedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
	}
}

// check checks what must hold whatever went wrong: the verdict, no more than
// one of anything, and the time.
func (w *network) check(c came) {
	w.t.Helper()
	if c.exit != ci.ExitBlocked || c.blocking != 1 {
		w.t.Errorf("exit %d with %d blocking failures; want %d with 1", c.exit, c.blocking, ci.ExitBlocked)
	}
	if c.waited > 120*time.Second {
		w.t.Errorf("waited %s", c.waited)
	}
	if n := len(w.Comments(shopName)); n > 1 {
		w.t.Errorf("%d comments", n)
	}
	if n := w.deltas(); n > 1 {
		w.t.Errorf("%d deltas", n)
	}
	if n := w.rows(); n != tests && !c.read {
		w.t.Errorf("%d rows of results, want the run's %d", n, tests)
	}
}

// deltas counts the finished artifacts of deltas.
func (w *network) deltas() int {
	var dump bytes.Buffer
	if err := w.Dump(&dump); err != nil {
		w.t.Fatal(err)
	}
	n := 0
	for _, a := range parseState(w.t, dump.Bytes()).Repositories[0].Artifacts {
		if strings.HasPrefix(a.Name, fmt.Sprint(state.DeltaPrefix, pullRun)) {
			n++
		}
	}
	return n
}

// rows counts the results in the database.
func (w *network) rows() int {
	db, err := sqlite.Open(w.t.Context(), filepath.Join(w.dir, "breadcrumb.db"), sqlite.Options{Now: w.now})
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	stats, err := db.Stats(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return stats.Results
}

// places are the requests of a step, one of a kind.
var places = []struct {
	name, method, path string
	asks               string // of GraphQL
	noGraphQL          bool
}{
	{name: "list", method: "GET", path: "/repos/*/*/actions/artifacts"},
	{name: "run", method: "GET", path: "/repos/*/*/actions/runs/*"},
	{name: "address", method: "GET", path: "/repos/*/*/actions/artifacts/*/zip"},
	{name: "download", method: "GET", path: "/blob/*/*"},
	{name: "files", method: "GET", path: "/repos/*/*/pulls/12/files"},
	{name: "conversation", method: "POST", path: "/graphql", asks: "reviewThreads"},
	{name: "comment", method: "POST", path: "/graphql", asks: "addComment"},
	{name: "look again", method: "POST", path: "/graphql", asks: "last:100"},
	{name: "comments without GraphQL", method: "GET", path: "/repos/*/*/issues/12/comments", noGraphQL: true},
	{name: "comment without GraphQL", method: "POST", path: "/repos/*/*/issues/12/comments", noGraphQL: true},
	{name: "branch without GraphQL", method: "GET", path: "/repos/*/*/git/ref/heads/main", noGraphQL: true},
	{name: "commits without GraphQL", method: "GET", path: "/repos/*/*/commits", noGraphQL: true},
	{name: "create", method: "POST", path: "/twirp/github.actions.results.api.v1.ArtifactService/CreateArtifact"},
	{name: "upload", method: "PUT", path: "/blob/*/*/*"},
	{name: "finalize", method: "POST", path: "/twirp/github.actions.results.api.v1.ArtifactService/FinalizeArtifact"},
}

func TestFaultsOfGitHubDuplicateNothing(t *testing.T) {
	t.Parallel()
	p := newProxy(t)
	reset := time.Date(2026, 1, 1, 0, 0, 50, 0, time.UTC)
	faults := map[string]githubtest.Fault{
		"429 with Retry-After": githubtest.SecondaryLimit(429, "30"), "429": githubtest.SecondaryLimit(429, ""),
		"403 with Retry-After": githubtest.SecondaryLimit(403, "30"), "403": githubtest.SecondaryLimit(403, ""),
		"403 until a reset": githubtest.PrimaryLimit(reset), "500": githubtest.ServerError(500), "502": githubtest.ServerError(502), "503": githubtest.ServerError(503),
		"before": {Drop: githubtest.DropBefore, Times: 1}, "lost after commit": {Drop: githubtest.DropAfter, Times: 1}, "cut answer": {Drop: githubtest.DropMidway, Times: 1},
	}
	promise.Tried(t, "faults", len(places)*len(faults))
	for _, place := range places {
		for name, fault := range faults {
			t.Run(place.name+" "+name, func(t *testing.T) {
				w := newNetwork(t, p, 0)
				fault.Method, fault.Path, fault.Asks = place.method, place.path, place.asks
				w.Inject(fault)
				if place.noGraphQL {
					w.Inject(noGraphQL)
				}
				first := w.step()
				w.check(first)
				if first.saved != nil || !first.read {
					t.Errorf("read %v, save %v", first.read, first.saved)
				}
				w.check(w.step())
				if n := len(w.Comments(shopName)); n != 1 || w.deltas() != 1 {
					t.Errorf("in the end %d comments and %d deltas", n, w.deltas())
				}
			})
		}
	}
}

func TestFaultsOfTheNetworkDuplicateNothing(t *testing.T) {
	t.Parallel()
	p := newProxy(t)
	for name, x := range map[string]toxic{
		"an upload cut in its first block":  {"results", "limit_data", "upstream", map[string]int{"bytes": 12_000}},
		"an upload cut in its first line":   {"results", "limit_data", "upstream", map[string]int{"bytes": 10}},
		"answers of the service lost":       {"results", "timeout", "downstream", map[string]int{"timeout": 50}},
		"answers of the service cut":        {"results", "limit_data", "downstream", map[string]int{"bytes": 40}},
		"the service resets":                {"results", "reset_peer", "upstream", map[string]int{"timeout": 0}},
		"the service resets while answered": {"results", "reset_peer", "downstream", map[string]int{"timeout": 0}},
		"answers of the API lost":           {"api", "timeout", "downstream", map[string]int{"timeout": 50}},
		"answers of the API cut":            {"api", "limit_data", "downstream", map[string]int{"bytes": 600}},
		"the API resets":                    {"api", "reset_peer", "upstream", map[string]int{"timeout": 0}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newNetwork(t, p, 0)
			w.poison(x)
			first := w.step()
			w.check(first)
			if first.saved != nil || !first.read {
				t.Errorf("read %v, save %v", first.read, first.saved)
			}
			if w.sick {
				t.Error("the client never waited: the toxic did nothing")
			}
			w.check(w.step())
			if n := len(w.Comments(shopName)); n != 1 || w.deltas() != 1 {
				t.Errorf("in the end %d comments and %d deltas", n, w.deltas())
			}
		})
	}
}

// What does not end is given up in time, and the verdict stands.
func TestLastingFaultsChangeNoVerdict(t *testing.T) {
	t.Parallel()
	p := newProxy(t)
	for name, fault := range map[string]githubtest.Fault{
		"all is down":            {Status: 503, Message: "down"},
		"all is limited":         {Status: 429, Message: "secondary rate limit"},
		"an hour's wait":         {Status: 429, Message: "secondary rate limit", Header: map[string]string{"Retry-After": "3600"}},
		"40 seconds, for ever":   {Status: 403, Message: "secondary rate limit", Header: map[string]string{"Retry-After": "40"}},
		"nothing is answered":    {Drop: githubtest.DropBefore},
		"every answer is lost":   {Drop: githubtest.DropAfter},
		"every answer is cut":    {Drop: githubtest.DropMidway},
		"no permission anywhere": {Status: 403, Message: "Resource not accessible by integration"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newNetwork(t, p, 0)
			w.Inject(fault)
			c := w.step()
			w.check(c)
			if c.saved == nil && fault.Status != 0 {
				t.Error("the delta counts as saved")
			}
			w.ClearFaults()
			again := w.step()
			w.check(again)
			if again.saved != nil || w.deltas() != 1 || len(w.Comments(shopName)) != 1 {
				t.Errorf("after all is well: save %v, %d deltas, %d comments", again.saved, w.deltas(), len(w.Comments(shopName)))
			}
		})
	}
}

func TestStaleListingsDuplicateNothing(t *testing.T) {
	t.Parallel()
	p := newProxy(t)
	w := newNetwork(t, p, 10*time.Minute)
	for range 3 {
		c := w.step()
		w.check(c)
		if c.saved != nil {
			t.Error(c.saved)
		}
	}
	if n := len(w.Comments(shopName)); n != 1 || w.deltas() != 1 {
		t.Errorf("%d comments and %d deltas", n, w.deltas())
	}
}

// lateComments is a GitHub that lists comments late, with a pull request whose
// run has one test that fails.
func lateComments(t *testing.T, lag time.Duration) *network {
	t.Helper()
	a := newActions(t, githubtest.Options{CommentLag: lag})
	a.change(t, func(r *githubtest.Repository) {
		r.Past, r.Branches = []githubtest.Past{{SHA: mainSHA}}, []githubtest.Branch{{Name: "main", SHA: mainSHA}}
		r.PullRequests = []githubtest.PullRequest{{Number: 12, Author: "mona", HeadSHA: strings.Repeat("2", 40), HeadRef: "rename", BaseRef: "main", BaseSHA: mainSHA}}
	})
	w := &network{actions: a, dir: t.TempDir(), t: t}
	w.report()
	return w
}

// A run that does not see the comment of the run before writes another, and
// takes it away at its end.
func TestStaleListingsLeaveOneComment(t *testing.T) {
	t.Parallel()
	for _, lag := range []time.Duration{2 * time.Second, 12 * time.Second, 20 * time.Second, 29 * time.Second} {
		t.Run(lag.String(), func(t *testing.T) {
			w := lateComments(t, lag)
			w.check(w.step())
			first := w.Comments(shopName)
			c := w.step()
			w.check(c)
			if left := w.Comments(shopName); len(left) != 1 || left[0].ID != first[0].ID {
				t.Errorf("left %+v", left)
			}
			if c.waited > 15*time.Second {
				t.Errorf("waited %s", c.waited)
			}
		})
	}
}

// What is listed later than a run waits is left to the next run: then one
// comment speaks for the run.
func TestVeryStaleListingsLeaveOneCommentInTheEnd(t *testing.T) {
	t.Parallel()
	w := lateComments(t, 10*time.Minute)
	for range 2 {
		if c := w.step(); c.exit != ci.ExitBlocked || c.blocking != 1 || c.waited != 15*time.Second {
			t.Errorf("exit %d with %d blocking failures after %s", c.exit, c.blocking, c.waited)
		}
	}
	if err := w.actions.sleep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	w.step()
	client, _ := w.job(t, pullRun, "refs/pull/12/merge")
	conversation, err := comment.LoadConversation(t.Context(), client.Comments(shopName), 12)
	if err != nil || len(conversation.Sticky("e2e")) != 1 {
		t.Errorf("%d comments are of the run, %v", len(conversation.Sticky("e2e")), err)
	}
}
