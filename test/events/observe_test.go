package events

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/store"
)

// seen is what a run did.
type seen struct {
	counts   string // for whom its results count
	settings string // whose settings decided
	excused  string // whose quarantine
	read     string // of the history
	saved    string
	told     string
	left     string // with the next run of the default branch
}

// nothing stands in a cell for nothing.
const nothing = "–"

func (s seen) cells() []string {
	return []string{s.counts, s.settings, s.excused, s.read, s.saved, s.told, s.left}
}

// observe runs a job and says what it did, as the services and the files show.
func (w *world) observe(j job) seen {
	w.t.Helper()
	before, requests := w.state(), len(w.server.Requests())
	e := w.start(j)
	after := w.state()
	s := seen{read: w.describeReads(j, before, w.server.Requests()[requests:]), saved: describeSaves(before, after), told: w.describeTold(e, before, after)}
	s.counts, s.settings, s.excused = nothing, nothing, nothing
	if e.code == 2 {
		s.told = "refused: exit code 2"
		return s
	}
	if j.report != "" {
		s.counts = describeOrigin(w.t, e)
		s.settings, s.excused = describeExcused(w.t, e)
	}
	return s
}

// describeReads names the items of the history that the run read.
func (w *world) describeReads(j job, had githubtest.Repository, requests []githubtest.Request) string {
	var read []string
	for _, r := range requests {
		var asked struct{ Key string }
		switch {
		case strings.HasSuffix(r.Path, "/zip"):
			id, _ := strconv.ParseInt(filepath.Base(filepath.Dir(r.Path)), 10, 64)
			at := slices.IndexFunc(had.Artifacts, func(a githubtest.Artifact) bool { return a.ID == id })
			if at < 0 {
				w.t.Fatalf("run %d read artifact %d, which was not there", j.run.ID, id)
			}
			a := had.Artifacts[at]
			read = append(read, describeItem(a.Name, eventOf(had, a.Run), a.Run == j.run.ID))
		case strings.HasSuffix(r.Path, "/GetCacheEntryDownloadURL"):
			if err := json.Unmarshal([]byte(r.Body), &asked); err != nil {
				w.t.Fatal(err)
			}
			read = append(read, describeItem(asked.Key, "push", false))
		}
	}
	return list(read)
}

func eventOf(r githubtest.Repository, run int64) string {
	at := slices.IndexFunc(r.Runs, func(x githubtest.WorkflowRun) bool { return x.ID == run })
	return r.Runs[at].Event
}

// describeItem names an item of the history by who saved it.
func describeItem(name, event string, own bool) string {
	switch {
	case event == "issue_comment":
		return "decision"
	case strings.HasPrefix(name, "breadcrumb-snapshot"):
		return "snapshot"
	case own:
		return "its earlier attempt"
	}
	return "delta"
}

// describeSaves names what a run left in GitHub.
func describeSaves(before, after githubtest.Repository) string {
	var saved []string
	for _, a := range after.Artifacts[len(before.Artifacts):] {
		kind := describeItem(a.Name, "", false)
		if strings.HasPrefix(a.Name, "breadcrumb-decision") {
			kind = "decision as an artifact"
		} else if eventOf(after, a.Run) == "issue_comment" {
			kind = "decision"
		}
		saved = append(saved, kind)
	}
	for _, c := range after.Caches[len(before.Caches):] {
		saved = append(saved, describeItem(c.Key, "", false))
	}
	return list(saved)
}

// describeTold says where people read of the run.
func (w *world) describeTold(e ended, before, after githubtest.Repository) string {
	had := map[int64]int{}
	for _, c := range before.Comments {
		had[c.ID] = c.Edits
	}
	var told []string
	for _, c := range after.Comments {
		edits, known := had[c.ID]
		switch {
		case known && edits == c.Edits:
		case strings.Contains(c.Body, "breadcrumb:comment"):
			told = append(told, fmt.Sprintf("comment on #%d", c.Issue))
		default:
			told = append(told, fmt.Sprintf("answer on #%d", c.Issue))
		}
	}
	if summary, _ := os.ReadFile(filepath.Join(e.dir, "summary.md")); len(summary) > 0 && len(told) == 0 {
		told = append(told, "job summary alone")
	}
	return list(told)
}

// describeOrigin says for whom the run's results count, as its database has it.
func describeOrigin(t *testing.T, e ended) string {
	t.Helper()
	rows := query(t, e.database(), "SELECT origin, branch, pull_request, pull_requests, fork FROM runs ORDER BY started_at DESC, run_attempt DESC LIMIT 1")
	if len(rows) == 0 {
		return nothing
	}
	origin, branch, pr, group, fork := rows[0][0], rows[0][1], rows[0][2], rows[0][3], rows[0][4]
	switch {
	case origin == strconv.Itoa(int(store.FromDefault)):
		return "everybody"
	case group != "":
		return "#" + strings.ReplaceAll(group, " ", ", #")
	case pr != "0":
		return "#" + pr
	case fork != "0":
		return "a fork"
	case branch == "":
		return "no branch"
	}
	return "branch `" + branch + "`"
}

// describeExcused says by whose settings the run was judged, and whose decisions it
// followed.
func describeExcused(t *testing.T, e ended) (settings, excused string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(e.dir, "report.json"))
	if err != nil {
		t.Fatalf("%v\n%s", err, e.output)
	}
	var told report.Document
	if err := json.Unmarshal(text, &told); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, x := range told.Excused {
		names[string(x.TestID)] = true
	}
	settings = "the default branch's"
	if names[testID("listed")] {
		settings = "its checkout's"
	}
	for _, by := range [][2]string{{"held", "quarantine"}, {"decided", "decision"}} {
		if names[testID(by[0])] {
			excused += ", " + by[1]
		}
	}
	if excused == "" {
		return settings, nothing
	}
	return settings, excused[2:]
}

// learned are the tables that one run leaves to others, beside its results, and what
// they are.
var learned = map[string]string{
	"renames": "names", "quarantine": "quarantine", "quarantine_log": "settings and decisions", "fingerprints": "elements", "vetoes": "vetoes",
	"lessons": "lessons", "accepted": "accepted elements", "forgotten": "forgotten elements", "page_states": "pages", "retention": "limits",
}

// describeLeft says what of a run the next one of the default branch has that there is
// not without it.
func describeLeft(t *testing.T, j job, with, without ended) string {
	t.Helper()
	var left []string
	origins := query(t, with.database(), fmt.Sprintf("SELECT DISTINCT origin FROM runs WHERE run_id = %d AND run_attempt = %d", j.run.ID, max(j.attempt, 1)))
	switch {
	case len(origins) == 0:
	case origins[0][0] == strconv.Itoa(int(store.FromDefault)):
		left = append(left, "results")
	default:
		left = append(left, "results, apart")
	}
	for _, table := range slices.Sorted(maps.Keys(learned)) {
		all := "SELECT * FROM " + table + " ORDER BY 1, 2"
		if !slices.EqualFunc(query(t, with.database(), all), query(t, without.database(), all), slices.Equal) {
			left = append(left, learned[table])
		}
	}
	return list(left)
}

func (e ended) database() string { return filepath.Join(e.dir, ".breadcrumb.db") }

// query returns the rows of a query as text.
func query(t *testing.T, file, statement string) [][]string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found, err := db.Query(statement)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for found.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := found.Scan(values...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = fmt.Sprint(*v.(*any))
		}
		rows = append(rows, row)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// list joins words, each once, in the order in which they came.
func list(words []string) string {
	var once []string
	for _, w := range words {
		if !slices.Contains(once, w) {
			once = append(once, w)
		}
	}
	if len(once) == 0 {
		return nothing
	}
	return strings.Join(once, ", ")
}
