package e2e_test

import (
	"archive/zip"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/google/go-github/v62/github"
	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // what the action keeps is read with SQLite
)

// client asks the story's GitHub as anybody with a token does.
func client(ts *testscript.TestScript) *github.Client {
	c := github.NewClient(nil).WithAuthToken(onlooker)
	base, err := url.Parse(the(ts).api + "/")
	ts.Check(err)
	c.BaseURL = base
	return c
}

// cmdComments prints the comments of the pull request, or with a count demands
// that there are so many: comments [COUNT]
func cmdComments(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0, 1, "comments [COUNT]")
	all, _, err := client(ts).Issues.ListComments(context.Background(), "acme", "shop", thePR, nil)
	ts.Check(err)
	for _, c := range all {
		edited := ""
		if c.GetUpdatedAt().After(c.GetCreatedAt().Time) {
			edited = ", edited"
		}
		fmt.Fprintf(ts.Stdout(), "comment %d by %s%s\n%s\n", c.GetID(), c.GetUser().GetLogin(), edited, c.GetBody())
	}
	if len(args) == 1 && args[0] != strconv.Itoa(len(all)) {
		ts.Fatalf("%d comments, want %s", len(all), args[0])
	}
}

// cmdChecks prints the check runs, of which there must be so many: checks COUNT
func cmdChecks(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 1, "checks COUNT")
	all := the(ts).github.CheckRuns(shop)
	if args[0] != strconv.Itoa(len(all)) {
		ts.Fatalf("%d check runs, want %s", len(all), args[0])
	}
	for _, c := range all {
		fmt.Fprintf(ts.Stdout(), "%s: %s %s: %s\n", c.Name, c.Status, c.Conclusion, c.Output.Title)
	}
}

// cmdReviews prints the comments on the diff, or with a count demands that there
// are so many: reviews [COUNT]
func cmdReviews(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0, 1, "reviews [COUNT]")
	all, _, err := client(ts).PullRequests.ListComments(context.Background(), "acme", "shop", thePR, nil)
	ts.Check(err)
	for _, c := range all {
		fmt.Fprintf(ts.Stdout(), "%s:%d by %s\n%s\n", c.GetPath(), c.GetLine(), c.GetUser().GetLogin(), c.GetBody())
	}
	if len(args) == 1 && args[0] != strconv.Itoa(len(all)) {
		ts.Fatalf("%d comments on the diff, want %s", len(all), args[0])
	}
}

// artifacts returns the repository's artifacts, newest first.
func artifacts(ts *testscript.TestScript) []*github.Artifact {
	all, _, err := client(ts).Actions.ListArtifacts(context.Background(), "acme", "shop", &github.ListOptions{PerPage: 100})
	ts.Check(err)
	return all.Artifacts
}

// cmdArtifacts prints the artifacts with the run that saved them, or with a
// count demands that there are so many: artifacts [COUNT]
func cmdArtifacts(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0, 1, "artifacts [COUNT]")
	all := artifacts(ts)
	if len(args) == 1 && args[0] != strconv.Itoa(len(all)) {
		ts.Fatalf("%d artifacts, want %s", len(all), args[0])
	}
	for _, a := range all {
		fmt.Fprintf(ts.Stdout(), "%s of run %d on %s\n", a.GetName(), a.GetWorkflowRun().GetID(), a.GetWorkflowRun().GetHeadBranch())
	}
}

// cmdArtifact downloads the newest artifact whose name fits a pattern and
// unpacks it: artifact PATTERN DIR
func cmdArtifact(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2, "artifact PATTERN DIR")
	all := artifacts(ts)
	i := slices.IndexFunc(all, func(a *github.Artifact) bool { ok, _ := path.Match(args[0], a.GetName()); return ok })
	if i < 0 {
		ts.Fatalf("no artifact fits %s", args[0])
	}
	from, _, err := client(ts).Actions.DownloadArtifact(context.Background(), "acme", "shop", all[i].GetID(), 1)
	ts.Check(err)
	answer, err := http.Get(from.String())
	ts.Check(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	ts.Check(err)
	files, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	ts.Check(err)
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), files))
}

// cmdSQL prints the rows of a query: sql DB 'SELECT …'
func cmdSQL(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2, "sql DB QUERY")
	name := ts.MkAbs(args[0])
	if found, _ := filepath.Glob(name); len(found) == 1 {
		name = found[0]
	}
	db, err := sql.Open("sqlite", "file:"+name+"?mode=ro")
	ts.Check(err)
	defer db.Close()
	rows, err := db.Query(args[1])
	ts.Check(err)
	defer rows.Close()
	columns, err := rows.Columns()
	ts.Check(err)
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		ts.Check(rows.Scan(values...))
		for _, v := range values {
			fmt.Fprint(ts.Stdout(), *v.(*any), " ")
		}
		fmt.Fprintln(ts.Stdout())
	}
	ts.Check(rows.Err())
}
