package cli_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite"

	"github.com/breadcrumb/action/internal/cmdtest"
	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/internal/pgtest"
)

// TestMain puts the command on PATH, where scripts and shells find it, and stops
// the database server after the tests.
func TestMain(m *testing.M) {
	folder, err := cmdtest.Folder()
	if err == nil {
		err = os.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

// TestScriptsOnPostgres runs the scripts that keep their history in a server
// which all of them share.
func TestScriptsOnPostgres(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/postgres",
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATABASE", pgtest.URL(t))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"breadcrumb": cmdBreadcrumb, "status": cmdStatus, "traces": cmdTraces},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		UpdateScripts:      os.Getenv("UPDATE_SCRIPTS") == "1",
		Setup:              setUpActions,
		Cmds:               commands(),
	})
}

// commands are the scripts' own commands.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	all := conversation()
	for name, do := range map[string]func(*testscript.TestScript, bool, []string){
		"breadcrumb": cmdBreadcrumb, "status": cmdStatus, "dump": cmdDump, "github": cmdGitHub, "comments": cmdComments, "sql": cmdSQL, "green": cmdGreen,
		"job": cmdJob, "shop": cmdShop, "calls": cmdCalls, "artifacts": cmdArtifacts, "traces": cmdTraces, "checks": cmdChecks,
	} {
		all[name] = do
	}
	return all
}

// cmdBreadcrumb runs the command, as exec does: breadcrumb [args…]
func cmdBreadcrumb(ts *testscript.TestScript, neg bool, args []string) {
	switch err := ts.Exec("breadcrumb", args...); {
	case neg && err == nil:
		ts.Fatalf("breadcrumb passed, and was to fail")
	case !neg:
		ts.Check(err)
	}
}

// cmdStatus runs a command that must end with one exit code: status 2 breadcrumb ci
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE command [args…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("run %s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// cmdDump writes every row of a database to a file: dump DB FILE
func cmdDump(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: dump DB FILE")
	}
	db, err := sql.Open("sqlite", "file:"+ts.MkAbs(args[0])+"?mode=ro")
	ts.Check(err)
	defer db.Close()
	var out bytes.Buffer
	for _, table := range column(ts, db, "SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name") {
		fmt.Fprintln(&out, "--", table)
		for _, row := range rows(ts, db, "SELECT * FROM "+table+" ORDER BY 1,2") {
			fmt.Fprintln(&out, row)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o666))
}

// cmdSQL prints the rows of a query, or runs statements: sql DB 'SELECT …'
func cmdSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql DB STATEMENT")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer db.Close()
	for _, row := range rows(ts, db, args[1]) {
		fmt.Fprintln(ts.Stdout(), row)
	}
}

// cmdGreen judges runs in which a test, "login.spec.ts › signs in" unless another is
// named, and 59 others pass: green COUNT [CLASS NAME]
func cmdGreen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 && len(args) != 3 {
		ts.Fatalf("usage: green COUNT [CLASS NAME]")
	}
	class, name := "login.spec.ts", "signs in"
	if len(args) == 3 {
		class, name = args[1], args[2]
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for range n {
		greens := ts.Value(hostKey{}).(*host)
		greens.runs++
		var xml strings.Builder
		fmt.Fprintf(&xml, `<testsuite name="%s"><testcase name="%s" classname="%s" time="%d"/>`, class, name, class, greens.runs)
		for i := range 59 {
			fmt.Fprintf(&xml, `<testcase name="case %d" classname="%s"/>`, i, class)
		}
		file := ts.MkAbs(fmt.Sprintf("green-%d.xml", greens.runs))
		ts.Check(os.WriteFile(file, []byte(xml.String()+"</testsuite>"), 0o666))
		ts.Check(ts.Exec("breadcrumb", "ci", "--action=container", "--missing", "warn", "--junit", file))
	}
}

func column(ts *testscript.TestScript, db *sql.DB, query string) []string {
	var names []string
	for _, row := range rows(ts, db, query) {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(row, "["), "]"))
	}
	return names
}

func rows(ts *testscript.TestScript, db *sql.DB, query string) []string {
	found, err := db.Query(query)
	ts.Check(err)
	defer found.Close()
	columns, err := found.Columns()
	ts.Check(err)
	var out []string
	for found.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		ts.Check(found.Scan(values...))
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = fmt.Sprint(*v.(*any))
		}
		out = append(out, "["+strings.Join(row, " ")+"]")
	}
	ts.Check(found.Err())
	return out
}

// hostKey finds a script's GitHub.
type hostKey struct{}

// host is the GitHub that a script may start.
type host struct {
	server  *githubtest.Server
	results string // address of the results service
	runs    int    // of the command green
	seen    int    // requests that the command requests printed
	calls   int    // requests to the API that calls has counted
}

// setUpActions gives each script the files that the runner gives a step.
func setUpActions(env *testscript.Env) error {
	env.Values[hostKey{}] = &host{}
	env.Setenv("GITHUB_OUTPUT", filepath.Join(env.WorkDir, "output.txt"))
	env.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(env.WorkDir, "summary.md"))
	env.Setenv("GITHUB_WORKSPACE", env.WorkDir)
	env.Setenv("GITHUB_ACTOR", "ada")
	return nil
}

// cmdGitHub starts an in-memory GitHub, whose clock stands still but with
// -clock: github [-fork|-clock] STATE.json
func cmdGitHub(ts *testscript.TestScript, neg bool, args []string) {
	var options githubtest.Options
	switch {
	case neg || len(args) == 0 || len(args) > 2:
		ts.Fatalf("usage: github [-fork|-clock] STATE")
	case len(args) == 2 && args[0] == "-fork":
		options.Fork = true
	case len(args) == 2 && args[0] == "-clock":
		options.Now = time.Now
	case len(args) == 2:
		ts.Fatalf("github: no option %s", args[0])
	}
	server := githubtest.New(options)
	ts.Check(server.LoadFile(ts.MkAbs(args[len(args)-1])))
	web := httptest.NewServer(server)
	ts.Defer(web.Close)
	results := httptest.NewServer(server.Results())
	ts.Defer(results.Close)
	server.SetStorage(results.URL)
	h := ts.Value(hostKey{}).(*host)
	h.server, h.results = server, results.URL
	ts.Setenv("GITHUB_API_URL", web.URL)
}

// cmdJob makes the next commands steps of a job of a run: job RUN REF
func cmdJob(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: job RUN REF")
	}
	run, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	h := ts.Value(hostKey{}).(*host)
	scopes := []string{args[1]}
	if args[1] != "refs/heads/main" {
		scopes = append(scopes, "refs/heads/main")
	}
	ts.Setenv("GITHUB_RUN_ID", args[0])
	ts.Setenv("GITHUB_REF", args[1])
	ts.Setenv("ACTIONS_RESULTS_URL", h.results)
	ts.Setenv("ACTIONS_RUNTIME_TOKEN", h.server.RuntimeToken(githubtest.JobRun{Repository: "acme/shop", Run: run, Job: "e2e", Scopes: scopes}))
}

// cmdCalls demands that there were at most so many requests to GitHub's API
// since it was used last, and prints them: calls MOST
func cmdCalls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: calls MOST")
	}
	most, err := strconv.Atoi(args[0])
	ts.Check(err)
	h := ts.Value(hostKey{}).(*host)
	all := h.server.CountREST()
	n := all - h.calls
	h.calls = all
	fmt.Fprintln(ts.Stdout(), n, "requests to the API")
	if n > most {
		for _, r := range h.server.Requests() {
			fmt.Fprintln(ts.Stderr(), r.Method, r.Path, r.Query, r.Status)
		}
		ts.Fatalf("%d requests to the API, want at most %d", n, most)
	}
}

// cmdArtifacts saves so many artifacts of something else as a run's:
// artifacts COUNT RUN
func cmdArtifacts(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "artifacts COUNT RUN")
	count, err := strconv.Atoi(args[0])
	ts.Check(err)
	run, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	changeState(ts, func(state *githubtest.State) {
		saved := &state.Repositories[0].Artifacts
		last := (*saved)[len(*saved)-1].Created
		for range count {
			state.LastID++
			*saved = append(*saved, githubtest.Artifact{ID: state.LastID, Run: run, Name: "blob-report", Created: last, Content: []byte("x")})
		}
	})
}

// changeState changes what the in-memory GitHub holds.
func changeState(ts *testscript.TestScript, change func(*githubtest.State)) {
	var dump bytes.Buffer
	ts.Check(github(ts).Dump(&dump))
	var state githubtest.State
	ts.Check(json.Unmarshal(dump.Bytes(), &state))
	change(&state)
	dump.Reset()
	ts.Check(json.NewEncoder(&dump).Encode(state))
	ts.Check(github(ts).Load(&dump))
}

// cmdComments prints the pull request comments there are, or with a count
// demands that there are so many: comments [COUNT]
func cmdComments(ts *testscript.TestScript, neg bool, args []string) {
	comments := ts.Value(hostKey{}).(*host).server.Comments(shop)
	if len(args) == 1 {
		want, err := strconv.Atoi(args[0])
		ts.Check(err)
		if len(comments) != want {
			ts.Fatalf("%d comments, want %d", len(comments), want)
		}
	}
	for _, c := range comments {
		fmt.Fprintf(ts.Stdout(), "#%d by %s, %d edits\n%s\n", c.Issue, c.Author, c.Edits, c.Body)
	}
}

// cmdChecks prints the check runs, of which there must be so many: checks COUNT
func cmdChecks(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "checks COUNT")
	all := github(ts).CheckRuns(shop)
	if want, err := strconv.Atoi(args[0]); err != nil || len(all) != want {
		ts.Fatalf("%d check runs, want %s", len(all), args[0])
	}
	for _, c := range all {
		fmt.Fprintf(ts.Stdout(), "%s on %.7s by %s for %s: %s %s\n%s\n%s\n", c.Name, c.HeadSHA, c.App, c.ExternalID, c.Status, c.Conclusion, c.Output.Title, c.Output.Summary)
	}
}
