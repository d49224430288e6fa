package run

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/golden"
)

// The desk is an app of seven pages, and 58 tests of it in three projects, with components
// for page objects, forms, tables, dialogs, frames, downloads and a stored session. After its
// redesign every control has another id, class or name, most stand elsewhere, and seven are
// gone or mean something else; what becomes of each test is in testdata/desk.golden. The
// newest version runs all tests, the oldest two files of them, and with BREADCRUMB_LONG=1 the
// versions between these, too.
func TestTheDesksSuiteIsLed(t *testing.T) {
	t.Parallel()
	for i, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			if i > 0 && i < len(versions)-1 && os.Getenv("BREADCRUMB_LONG") == "" {
				t.Skip("`make soak` runs the versions between the oldest and the newest; the shop's suite has all")
			}
			s := newSuite(t, version, "testdata/desk")
			arguments, tests := []string{"--workers", "4"}, 58
			if i < len(versions)-1 {
				arguments, tests = append(arguments, "settings", "reports"), 22
			}
			before := openDesk(t, "before")
			ran := s.run(t, append(before.environ(), patient), arguments...)
			if failed := ran.failed(); ran.code != 0 || len(failed) > 0 || len(ran.passed) != tests {
				t.Fatalf("before the redesign: exit code %d, %d tests, failed %q\n%s", ran.code, len(ran.passed), failed, ran.output)
			}
			if events := s.events(t); len(events) > 0 {
				t.Errorf("before the redesign something was lost: %+v", events)
			}
			after := openDesk(t, "after")
			ran = s.run(t, after.environ(), arguments...)
			if ran.code != 1 || len(ran.passed) != tests {
				t.Errorf("after the redesign: exit code %d, %d tests\n%s", ran.code, len(ran.passed), ran.output)
			}
			checkActs(t, before, after, ran.passed)
			became := s.describe(t, ran.passed)
			if tests == 58 {
				golden.Check(t, deskGolden, strings.Join(became, ""))
			}
			checkGolden(t, became)
			if i == len(versions)-1 {
				s.checkEdits(t, before, after)
			}
		})
	}
}

// patient has calls wait longer, on a busy machine, for elements that are all there.
const patient = "DESK_TIMEOUT=20000"

const deskGolden = "testdata/desk.golden"

// checkGolden demands that each of some tests became what the golden file says.
func checkGolden(t *testing.T, became []string) {
	t.Helper()
	want, err := os.ReadFile(deskGolden)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range became {
		if !strings.Contains(string(want), block) {
			t.Errorf("not in %s:\n%s", deskGolden, block)
		}
	}
}

// Healed tests that need an edit which is not proposed: the line is in code that tests
// share which passed without it, the healed locator is no part of the written chain, or the
// element is found by the text that the test asks it for.
var unedited = []string{"customers.spec.ts › Customers › saves a person [wide]", "customers.spec.ts › Customers › saves a company [wide]",
	"ticket-dialog.spec.ts › New ticket › creates a ticket [wide]", "ticket.spec.ts › Ticket › tells when it was changed [wide]"}

// checkEdits makes the proposed edits, after which the tests whose controls are still there
// pass without Breadcrumb.
func (s suite) checkEdits(t *testing.T, before, after *desk) {
	t.Helper()
	want := s.readReport(t)
	s.breadcrumb(t, 0, "apply", "--junit", "results/playwright.xml", "--heal-events", "heals/run.ndjson")
	after.forget()
	ran := s.runAlone(t, after.environ(), "--workers", "4")
	for _, id := range unedited {
		want[id] = ran.passed[id]
	}
	if diff := cmp.Diff(want, ran.passed); diff != "" {
		t.Errorf("with the edits and without Breadcrumb (-want +got):\n%s\n%s", diff, ran.output)
	}
	checkActs(t, before, after, ran.passed)
}

// describe returns what became of each test and of the locators that it lost, a text each.
func (s suite) describe(t *testing.T, passed map[string]bool) (became []string) {
	t.Helper()
	lost := map[string][]string{}
	for _, e := range s.lostEvents(t) {
		id := string(e.TestID)
		if _, known := passed[id]; !known {
			t.Errorf("event of %q, which no report names", id)
		}
		if e.Site == nil {
			t.Errorf("%s in %s has no site", e.Locator, id)
			continue
		}
		if e.Action == "expect" { // its page closes with the test, often before there is an answer
			if e.Outcome != engine.OutcomeSuggested || passed[id] {
				t.Errorf("an assertion of %s, passed %v, was %s", id, passed[id], e.Outcome)
			}
			continue
		}
		line := fmt.Sprintf("  %s %s %s", e.Outcome, e.Action, e.Locator)
		if e.HealedLocator != "" {
			line += " -> " + e.HealedLocator
		}
		if e.Outcome != engine.OutcomeHealed {
			line += " (" + e.Reason + ")"
		}
		line += fmt.Sprintf("\n    %s:%d: %s", e.Site.File, e.Site.Line, s.line(t, e.Site))
		if !slices.Contains(lost[id], line) {
			lost[id] = append(lost[id], line)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(passed)) {
		state := "passed"
		if !passed[id] {
			state = "FAILED"
		}
		slices.Sort(lost[id])
		became = append(became, strings.Join(append([]string{state + " " + id}, lost[id]...), "\n")+"\n")
	}
	return became
}

// line returns the text of a line of a suite.
func (s suite) line(t *testing.T, at *engine.Site) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, at.File))
	if err != nil {
		t.Error(err)
		return ""
	}
	lines := strings.Split(string(text), "\n")
	if at.Line < 1 || at.Line > len(lines) {
		t.Errorf("%s has no line %d", at.File, at.Line)
		return ""
	}
	return strings.TrimSpace(lines[at.Line-1])
}

// desk is a release of the app. It notes what was done to its controls, by test.
type desk struct {
	server *httptest.Server

	mu    sync.Mutex
	acted map[string][]string
}

func openDesk(tb testing.TB, release string) *desk {
	tb.Helper()
	d := &desk{acted: map[string][]string{}}
	pages, shared := http.FileServer(http.Dir("testdata/desk/"+release)), http.FileServer(http.Dir("testdata/desk/shared"))
	mux := http.NewServeMux()
	mux.HandleFunc("POST /acted", d.noteAct)
	mux.HandleFunc("POST /session", signIn)
	mux.HandleFunc("GET /files/tickets.csv", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		_, _ = io.WriteString(w, "subject;status\nPrinter is on fire;open\n")
	})
	for _, name := range []string{"desk.js", "tickets.js", "help.html"} {
		mux.Handle("GET /"+name, shared)
	}
	mux.Handle("GET /login.html", pages)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("user"); err != nil {
			http.Redirect(w, r, "/login.html", http.StatusFound)
			return
		}
		pages.ServeHTTP(w, r)
	})
	d.server = httptest.NewServer(mux)
	tb.Cleanup(d.server.Close)
	return d
}

func signIn(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1000))
	if user := string(body); err != nil || user != "ada:lovelace" && user != "grace:hopper" {
		http.Error(w, "who?", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "user", Value: "known", Path: "/"})
}

func (d *desk) noteAct(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 10_000))
	test, _ := url.PathUnescape(r.Header.Get("X-Test"))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.acted[test] = append(d.acted[test], string(body))
}

func (d *desk) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.acted)
}

func (d *desk) environ() []string { return []string{"DESK_URL=" + d.server.URL} }

// checkActs demands that each test did after the redesign what it did before, up to where it
// failed, and nothing else.
func checkActs(t *testing.T, before, after *desk, passed map[string]bool) {
	t.Helper()
	for id, pass := range passed {
		was, is := before.acted[id], after.acted[id]
		if pass && !slices.Equal(was, is) || len(is) > len(was) || !slices.Equal(was[:len(is)], is) {
			t.Errorf("%s, passed %v, did\n%q, before the redesign\n%q", id, pass, is, was)
		}
	}
	for id := range after.acted {
		if _, known := passed[id]; !known {
			t.Errorf("%q did %q, and no report names it", id, after.acted[id])
		}
	}
}
