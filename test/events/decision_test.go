package events

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/internal/githubtest"
	"github.com/breadcrumb/action/internal/pgtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

// heldRed is a run in which the one red test may be in quarantine.
const heldRed = tests + `<testcase name="held" classname="cart.spec.ts"><failure message="Error: no"/></testcase></testsuite>`

// keptIn are the places of the history, with the settings for each.
func keptIn(t *testing.T, place string) map[string]string {
	t.Helper()
	switch place {
	case "path":
		return map[string]string{"INPUT_STATE": place, "INPUT_STATE-PATH": t.TempDir()}
	case "postgres":
		return map[string]string{"INPUT_STATE": "auto", "INPUT_DB": pgtest.URL(t)}
	}
	return map[string]string{"INPUT_STATE": place}
}

// What a person decides in a comment counts for the next runs, wherever the history is
// kept, though a run on a comment may not write caches.
func TestADecisionIsKeptWhereverTheHistoryIs(t *testing.T) {
	for _, place := range []string{"artifact", "cache", "branch", "path", "postgres"} {
		t.Run(place, func(t *testing.T) {
			w := newWorld(t, place)
			w.env = keptIn(t, place)
			w.pass(push(100).judging(green).plain())
			pulled := int64(200)
			for i, step := range []struct {
				command, answer string
				code            int // of the runs after it
			}{
				{"quarantine", "is in quarantine until", 0}, {"release", "left quarantine", 1},
			} {
				id := int64(110 + 10*i)
				said := w.say(id, "/breadcrumb "+step.command+" "+testID("held"))[0].Body
				deferred := "counts from the next run of this workflow on the default branch on"
				if !strings.Contains(said, step.answer) || strings.Contains(said, deferred) != (place == "cache") {
					t.Errorf("the answer to %s: %s", step.command, said)
				}
				pull := func() {
					pulled++
					if e := w.start(branchPull(pulled).judging(heldRed).plain()); e.code != step.code {
						t.Errorf("after %s a pull request ends with exit code %d, want %d\n%s", step.command, e.code, step.code, e.output)
					}
				}
				if place != "cache" {
					pull()
				}
				if e := w.start(push(id + 1).judging(heldRed).plain()); e.code != step.code {
					t.Errorf("after %s the default branch ends with exit code %d, want %d\n%s", step.command, e.code, step.code, e.output)
				}
				pull()
			}
		})
	}
}

// healed is a test whose locator found nothing and healed; what it did is in heals.
const (
	healed = `<testsuite name="shop" timestamp="TIME"><testcase name="signs in" classname="login.spec.ts"/></testsuite>`
	source = "import { test } from '@playwright/test';\n\ntest('signs in', async ({ page }) => {\n  await page.locator('#next').click();\n});\n"
	heals  = `{"schema":"breadcrumb.heal/v1","test_id":"login.spec.ts › signs in","locator":"#next","api":"locator","action":"click","confidence":0.95,"outcome":"healed",
"healed_locator":"#next-step","healed":{"tag":"button","text":"Next","attributes":[["id","next-step"]]},"site":{"file":"login.spec.ts","line":4,"column":14},"timestamp":1772359200}`
)

var offered = regexp.MustCompile("apply `([0-9a-f]{8})`")

// That an element is the wrong one is kept as well.
func TestAWrongElementIsKeptWhereverTheHistoryIs(t *testing.T) {
	for _, place := range []string{"artifact", "cache", "branch", "path", "postgres"} {
		t.Run(place, func(t *testing.T) {
			w := newWorld(t, place)
			w.env = keptIn(t, place)
			w.pass(push(100).judging(healed).plain())
			j := branchPull(110).judging(healed).plain()
			j.files = map[string]string{"login.spec.ts": source, "heals.ndjson": strings.ReplaceAll(heals, "\n", "")}
			j.env = map[string]string{"INPUT_HEAL-EVENTS": "heals.ndjson"}
			e := w.pass(j)
			id := offered.FindStringSubmatch(w.server.Comments(repository)[0].Body)
			if id == nil {
				t.Fatalf("no edit is offered: %s\n%s", w.server.Comments(repository)[0].Body, e.output)
			}
			if said := w.say(120, "/breadcrumb wrong "+id[1])[0].Body; !strings.Contains(said, "is wrong: that element is never again healed") {
				t.Fatalf("the answer: %s", said)
			}
			next := w.pass(push(130).judging(healed).plain())
			if n := w.countVetoes(next); n != 1 {
				t.Errorf("%d vetoes, want 1", n)
			}
		})
	}
}

// countVetoes returns how many vetoes there are in what a run knew.
func (w *world) countVetoes(e ended) (n int) {
	w.t.Helper()
	if w.place != "postgres" {
		n, _ = strconv.Atoi(query(w.t, e.database(), "SELECT count(*) FROM vetoes")[0][0])
		return n
	}
	conn, err := pgx.Connect(w.t.Context(), w.env["INPUT_DB"])
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close(w.t.Context())
	if err := conn.QueryRow(w.t.Context(), "SELECT count(*) FROM breadcrumb_vetoes").Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// Where a decision cannot be kept, the answer says so and why.
func TestAnAnswerSaysWhyADecisionIsNotKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, place, command string
		env                  map[string]string
		token                githubtest.Token
		fault                *githubtest.Fault
		want                 string
		code                 int
	}{
		{name: "no results service", place: "cache", command: "quarantine", env: map[string]string{"ACTIONS_RUNTIME_TOKEN": ""},
			want: "state: open caches: the runner gave no `ACTIONS_RUNTIME_TOKEN", code: 2},
		{name: "no cache may be read", place: "cache", command: "release", env: map[string]string{"ACTIONS_CACHE_MODE": "none"},
			want: "state: open caches: this job may not read caches: its cache mode is none", code: 2},
		{name: "a server without a results service", place: "cache", command: "quarantine", env: map[string]string{"GITHUB_SERVER_URL": "https://github.acme.com"},
			want: "state: open caches: GitHub Enterprise Server has no results service", code: 2},
		{name: "the artifact is refused", place: "artifact", command: "quarantine",
			fault: &githubtest.Fault{Method: "POST", Path: "/twirp/*/CreateArtifact", Status: http.StatusForbidden, Message: "no"}, want: "it could not be saved; the job's log says why"},
		{name: "the decision beside caches is refused", place: "cache", command: "quarantine",
			fault: &githubtest.Fault{Method: "POST", Path: "/twirp/*/CreateArtifact", Status: http.StatusForbidden, Message: "no"}, want: "it could not be saved; the job's log says why"},
		{name: "the branch may not be written", place: "branch", command: "quarantine", token: githubtest.Token{NoContents: true}, want: "it could not be saved; the job's log says why"},
		{name: "the directory is none", place: "path", command: "quarantine", env: map[string]string{"INPUT_STATE-PATH": filepath.Join(file, "state")},
			want: "it could not be saved; the job's log says why"},
		{name: "the server is not there", place: "postgres", command: "quarantine", env: map[string]string{"INPUT_STATE": "auto", "INPUT_DB": "postgres://ada:geheim@127.0.0.1:1/none?connect_timeout=2"},
			want: "the history could not be opened; the job's log says more", code: 3},
		{name: "the history cannot be read", place: "artifact", command: "release", token: githubtest.Token{NoActions: true},
			want: "the history could not be read whole, so whether it is in quarantine is not known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.place)
			j := commented(101, w.server.Say(repository, 7, "ada", "/breadcrumb "+c.command+" "+testID("held")))
			j.token, j.env = c.token, c.env
			if c.fault != nil {
				w.server.Inject(*c.fault)
			}
			e := w.start(j)
			comments := w.server.Comments(repository)
			answer := comments[len(comments)-1].Body
			if e.code != c.code || len(comments) != 2 || !strings.Contains(answer, "Could not "+c.command+" a test: "+c.want) || strings.Contains(answer, "geheim") {
				t.Errorf("exit code %d, want %d; %s\n%s", e.code, c.code, answer, e.output)
			}
		})
	}
}
