package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/mcp"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// now is when the questions are asked.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	signsIn = "login.spec.ts › Login › signs in [chromium]"
	pays    = "cart.spec.ts › Cart › pays [chromium]"
	deploys = "deploy.spec.ts › deploys [chromium]"
)

// checkout holds the source of the test that signs in.
var checkout = fstest.MapFS{"login.spec.ts": {Data: []byte(`import { test } from "@playwright/test";

test.describe("Login", () => {
  test("signs in", async ({ page }) => {
    await page.goto("/login");
    await page.locator("#login-btn").click();
  });
});
`)}, "deploy.spec.ts": {Data: []byte(`import { test } from "@playwright/test";

test("deploys", async ({ page }) => {
  await page.locator("#deploy").click();
});
`)}}

// others is how many tests always pass.
const others = 58

// history writes the database of a suite whose sign-in failed and passed on
// three commits, healed a locator and refused another. Others and extra ones
// pass.
func history(tb testing.TB, path string, extra ...string) {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), path, sqlite.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	fill(tb, db, extra...)
}

// recorder is a store that a history is written to.
type recorder interface {
	RecordRun(ctx context.Context, run store.Run) (store.Recorded, error)
	QuarantineAdd(ctx context.Context, e flaky.Entry, who string) error
	SaveFingerprints(ctx context.Context, fps []engine.Fingerprint, state []byte, now time.Time) error
	Save(ctx context.Context) error
}

func fill(tb testing.TB, db recorder, extra ...string) {
	tb.Helper()
	for n := range 12 {
		if _, err := db.RecordRun(tb.Context(), runOf(n, extra)); err != nil {
			tb.Fatal(err)
		}
	}
	entry := flaky.Entry{TestID: signsIn, Reason: "failed then passed on c0000003, c0000006 and c0000009", Since: now.AddDate(0, 0, -5),
		AutoUnquarantine: true, Owner: "@acme/shop", Commits: []string{"c0000003", "c0000006", "c0000009"}}
	if err := db.QuarantineAdd(tb.Context(), entry, "breadcrumb"); err != nil {
		tb.Fatal(err)
	}
	button := element("button", "Sign in")
	button.TestID, button.Locator = signsIn, "#login-btn"
	if err := db.SaveFingerprints(tb.Context(), []engine.Fingerprint{button}, nil, now.AddDate(0, 0, -1)); err != nil {
		tb.Fatal(err)
	}
	if err := db.Save(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

func runOf(n int, extra []string) store.Run {
	at := now.AddDate(0, 0, n-12)
	passed := []engine.Attempt{{Status: engine.StatusPassed, DurationMS: 900}}
	login := passed
	if n == 3 || n == 6 || n == 9 {
		login = []engine.Attempt{{Status: engine.StatusFailed, ErrorType: "TimeoutError", Message: "Timeout 5000ms exceeded"}, passed[0]}
	}
	run := store.Run{
		Info: engine.RunInfo{RepositoryID: 7, Repository: "acme/shop", RunID: int64(100 + n), RunAttempt: 1, Workflow: "ci", Job: "e2e",
			Commit: fmt.Sprintf("c%07d", n), Branch: "main", DefaultBranch: true, StartedAt: at},
		ReportDigest: fmt.Sprint(n), Now: at,
		Results: []engine.TestResult{{ID: signsIn, Attempts: login}, {ID: pays, Attempts: passed}},
	}
	for i := range others {
		run.Results = append(run.Results, engine.TestResult{ID: engine.TestID(fmt.Sprintf("search.spec.ts › case %02d", i)), Attempts: passed})
	}
	for _, id := range extra {
		run.Results = append(run.Results, engine.TestResult{ID: engine.TestID(id), Attempts: passed})
	}
	if n == 11 {
		run.HealedTests = []engine.TestID{signsIn}
		run.Heals = []engine.HealEvent{
			{TestID: signsIn, Locator: "#login-btn", API: "locator", Action: "click", Confidence: 0.97, RunnerUp: 0.2, Outcome: engine.OutcomeHealed,
				HealedLocator: `[data-testid="login"]`, Original: element("button", "Sign in"), Healed: element("button", "Log in"),
				Matches: []engine.Match{{Locator: `[data-testid="login"]`, Count: 1}}, Site: &engine.Site{File: "login.spec.ts", Line: 6}, Timestamp: float64(at.Unix())},
			{TestID: deploys, Locator: "#deploy", API: "locator", Action: "click", Confidence: 0.62, RunnerUp: 0.1, Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning,
				Changed:       []engine.Change{{What: "name", Was: "Deploy to staging", Now: "Deploy to production"}},
				HealedLocator: "#ship", Original: element("button", "Deploy to staging"), Healed: element("button", "Deploy to production"),
				Matches: []engine.Match{{Locator: "#ship", Count: 1}}, Site: &engine.Site{File: "deploy.spec.ts", Line: 4}, Timestamp: float64(at.Unix())},
			{TestID: pays, Locator: "#pay", Confidence: 0.4, RunnerUp: 0.39, Outcome: engine.OutcomeRefused, Reason: engine.ReasonAmbiguous,
				Original: element("button", "Pay"), Timestamp: float64(at.Unix())},
		}
	}
	return run
}

func element(tag, text string) engine.Fingerprint {
	return engine.Fingerprint{Tag: tag, Text: text, Attributes: engine.Attributes{{Name: "data-testid", Value: "login"}}, DOMPath: []string{"html", "body", "form"}, Siblings: []string{"input"}}
}

// asker is a client of a server over the database at path.
type asker struct {
	t       testing.TB
	path    string
	log     *bytes.Buffer
	session *sdk.ClientSession
	schemas map[string]*jsonschema.Schema // of answers, by tool
}

func newAsker(tb testing.TB, path string) *asker {
	tb.Helper()
	return newAskerIn(tb, path, checkout)
}

// newAskerIn asks about a checkout with these sources.
func newAskerIn(tb testing.TB, path string, sources fs.FS) *asker {
	tb.Helper()
	a := &asker{t: tb, path: path, log: &bytes.Buffer{}, schemas: map[string]*jsonschema.Schema{}}
	server := newServerIn(tb, path, a.log, sources)
	ours, theirs := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server.Stdio(context.WithoutCancel(tb.Context()), ours, out) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(tb.Context(), &sdk.IOTransport{Reader: answers, Writer: theirs}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = session.Close()
		if err := <-ended; err != nil {
			tb.Errorf("server ended with %v", err)
		}
	})
	a.session = session
	for _, tool := range a.tools() {
		a.schemas[tool.Name] = compile(tb, tool.Name, tool.OutputSchema)
	}
	return a
}

func newServer(tb testing.TB, path string, log io.Writer) *mcp.Server {
	tb.Helper()
	return newServerIn(tb, path, log, checkout)
}

func newServerIn(tb testing.TB, path string, log io.Writer, sources fs.FS) *mcp.Server {
	tb.Helper()
	archive, err := mcp.OpenArchive(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := archive.Close(); err != nil {
			tb.Error(err)
		}
	})
	return mcp.New(mcp.Options{Archive: archive, Checkout: sources, AllowPrivate: true, Version: "test", Now: func() time.Time { return now },
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
}

// compile compiles a schema with a library that the server does not use.
func compile(tb testing.TB, name string, schema any) *jsonschema.Schema {
	tb.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name+".json", schema); err != nil {
		tb.Fatal(err)
	}
	compiled, err := c.Compile(name + ".json")
	if err != nil {
		tb.Fatal(err)
	}
	return compiled
}

func (a *asker) tools() []*sdk.Tool {
	a.t.Helper()
	list, err := a.session.ListTools(a.t.Context(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	return list.Tools
}

// ask returns a tool's answer, which must fit its schema.
func (a *asker) ask(tool string, arguments map[string]any) map[string]any {
	a.t.Helper()
	answer, failed := a.call(tool, arguments)
	if failed {
		a.t.Fatalf("%s %v: %v", tool, arguments, answer["error"])
	}
	return answer
}

// refused returns why a tool refused its arguments.
func (a *asker) refused(tool string, arguments map[string]any) string {
	a.t.Helper()
	answer, failed := a.call(tool, arguments)
	if !failed {
		a.t.Fatalf("%s %v was answered: %.300v", tool, arguments, answer)
	}
	return answer["error"].(string)
}

func (a *asker) call(tool string, arguments any) (answer map[string]any, failed bool) {
	a.t.Helper()
	result, err := a.session.CallTool(a.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	if err := json.Unmarshal([]byte(result.Content[0].(*sdk.TextContent).Text), &answer); err != nil {
		a.t.Fatalf("%s: the text is not JSON: %v", tool, err)
	}
	if result.IsError {
		return answer, true
	}
	if err := a.schemas[tool].Validate(result.StructuredContent); err != nil {
		a.t.Errorf("%s: %v", tool, err)
	}
	return answer, false
}

// questions asks every tool that needs no network, with arguments that have an
// answer.
func questions() map[string]map[string]any {
	return map[string]map[string]any{
		"breadcrumb_stats": nil, "breadcrumb_report": {"days": 90}, "breadcrumb_doctor": nil, "breadcrumb_healing_events": {"limit": 5},
		"breadcrumb_flaky_tests": {"limit": 3}, "breadcrumb_list_fingerprints": nil, "breadcrumb_explain": {"test_id": signsIn},
		"breadcrumb_propose_patches": {"days": 90},
	}
}

func shop(tb testing.TB, extra ...string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), ".breadcrumb.db")
	history(tb, path, extra...)
	return path
}
