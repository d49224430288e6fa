package ci_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// project is a repository whose CI runs, an hour after each other.
type project struct {
	t    *testing.T
	cfg  ci.Config
	now  time.Time
	runs int64

	attempt int // of reruns of the newest run: 0 for a run of its own

	file   string         // that its tests are in
	class  string         // of its tests, whose file the report does not name; "" where it does
	detail string         // of its errors, after the message
	titles map[int]string // of tests that have others than at first
	absent map[int]bool   // tests that do not run

	changed    []string // by its pull requests
	changedErr error
	changedBy  map[int][]string // by one of them alone
}

// ChangedFiles implements [ci.Changes].
func (p *project) ChangedFiles(_ context.Context, pr int) ([]string, error) {
	return append(slices.Clone(p.changed), p.changedBy[pr]...), p.changedErr
}

// suiteSize is how many tests a run of a project has.
const suiteSize = 40

func newProject(t *testing.T) *project {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "repo", "CODEOWNERS"), "login.spec.ts @acme/login\n")
	var source strings.Builder
	for i := range suiteSize {
		fmt.Fprintf(&source, "test('case %02d', async () => {});\n", i)
	}
	writeFile(t, filepath.Join(dir, "repo", "login.spec.ts"), source.String())
	return &project{t: t, file: "login.spec.ts", now: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC), cfg: ci.Config{
		JUnit: []string{filepath.Join(dir, "report.xml")}, DB: filepath.Join(dir, ".breadcrumb.db"), Repo: filepath.Join(dir, "repo"),
		Policy: flaky.PolicyEvidence, Missing: ci.MissingWarn, CommentKey: "default",
	}}
}

// id is the identity of a project's test at first.
func id(number int) string { return fmt.Sprintf("login.spec.ts › case %02d", number) }

// title is a test's title now.
func (p *project) title(number int) string {
	return cmp.Or(p.titles[number], fmt.Sprintf("case %02d", number))
}

// failures are test cases by number: "FP MESSAGE" passed on a retry, "F MESSAGE"
// failed. The others pass.
type failures map[int]string

// main runs CI on the default branch, pull on a pull request.
func (p *project) main(failed failures) ci.Result {
	return p.run(engine.RunInfo{DefaultBranch: true, Branch: "main"}, failed)
}

func (p *project) pull(number int, failed failures) ci.Result {
	return p.run(engine.RunInfo{PullRequest: number, Branch: fmt.Sprint("pr-", number)}, failed)
}

// group runs CI on a merge group of pull requests.
func (p *project) group(failed failures, pulls ...int) ci.Result {
	branch := fmt.Sprintf("gh-readonly-queue/main/pr-%d-%040x", pulls[len(pulls)-1], p.runs)
	return p.run(engine.RunInfo{MergeGroup: pulls, Branch: branch}, failed)
}

func (p *project) run(info engine.RunInfo, failed failures) ci.Result {
	p.t.Helper()
	if p.attempt == 0 {
		p.runs++
	}
	info.RepositoryID, info.Repository, info.RunID, info.RunAttempt = 7, "acme/shop", 1000+p.runs, 1+p.attempt
	info.Commit, info.Job, info.StartedAt = fmt.Sprintf("%07x%033d", 0xc000000+p.runs, 0), cmp.Or(info.Job, "e2e"), p.now
	var xml strings.Builder
	fmt.Fprintf(&xml, `<testsuite name="%s" time="%d">`, cmp.Or(p.class, p.file), p.runs)
	for i := range suiteSize {
		if p.absent[i] {
			continue
		}
		kind, message, _ := strings.Cut(failed[i], " ")
		tag := map[string]string{"": "", "F": "failure", "FFF": "failure", "FP": "flakyFailure"}[kind]
		if p.class != "" {
			fmt.Fprintf(&xml, `<testcase name="%s" classname="%s" time="1">`, p.title(i), p.class)
		} else {
			fmt.Fprintf(&xml, `<testcase name="%s" classname="%s" file="%[2]s" time="1">`, p.title(i), p.file)
		}
		if tag != "" && (p.class != "" || p.detail != "") {
			fmt.Fprintf(&xml, `<%s message="%s">%s&#10;%s</%s>`, tag, message, message, p.detail, tag)
		} else if tag != "" {
			fmt.Fprintf(&xml, `<%s message="%s">%s&#10;    at %s:%d:5</%s>`, tag, message, message, p.file, i+12, tag)
		}
		if kind == "FFF" {
			xml.WriteString(strings.Repeat(fmt.Sprintf(`<rerunFailure message="%s">%[1]s&#10;    at %s:%d:5</rerunFailure>`, message, p.file, i+12), 2))
		}
		xml.WriteString("</testcase>")
	}
	writeFile(p.t, p.cfg.JUnit[0], xml.String()+"</testsuite>")
	cfg := p.cfg
	cfg.Info = info
	d := deps()
	d.Now = func() time.Time { return p.now }
	if len(info.PullRequests()) > 0 {
		d.Changes = p
	}
	result, err := ci.Run(p.t.Context(), cfg, d)
	if err != nil {
		p.t.Fatal(err)
	}
	p.now = p.now.Add(time.Hour)
	return result
}

func (p *project) green(runs int) {
	for range runs {
		p.main(nil)
	}
}

// flake brings a test into quarantine.
func (p *project) flake(number int) ci.Result {
	p.main(failures{number: "FP TimeoutError: Timeout 30000ms exceeded"})
	p.green(1)
	return p.main(failures{number: "FP TimeoutError: Timeout 5000ms exceeded"})
}

func entered(r ci.Result, test string) (flaky.Change, bool) {
	i := slices.IndexFunc(r.Outcome.Changes, func(c flaky.Change) bool { return c.TestID == engine.TestID(test) && !c.Released })
	if i < 0 {
		return flaky.Change{}, false
	}
	return r.Outcome.Changes[i], true
}

func TestAnEntrySaysWhyWhoseAndWhatGetsItOut(t *testing.T) {
	p := newProject(t)
	p.green(10)
	c, ok := entered(p.flake(0), id(0))
	want := flaky.Change{TestID: engine.TestID(id(0)), Owner: "@acme/login", ExitCriteria: "60 of 60 clean runs to go; expires 2026-10-31",
		Reason: "failed then passed on c00000b and c00000d; 2 of 13 runs flaked (estimated rate 7 %); not a burst; TimeoutError at login.spec.ts:12"}
	got := flaky.Change{TestID: c.TestID, Owner: c.Owner, ExitCriteria: c.ExitCriteria, Reason: c.Reason}
	if diff := gocmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("entered %v (-want +got):\n%s", ok, diff)
	}
	p.green(3)
	r := p.main(failures{0: "F TimeoutError: Timeout 7000ms exceeded"})
	if len(r.Outcome.Verdict.Excused) != 1 || !strings.HasSuffix(r.Outcome.Verdict.Excused[0].Excuse, "at login.spec.ts:12; 57 of 60 clean runs to go; expires 2026-10-31") {
		t.Errorf("excused %+v", r.Outcome.Verdict.Excused)
	}
}

func TestATestThatRanCleanLeavesWithTheNumberOfItsCommits(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.flake(0)
	p.flake(0)
	for n := 1; n <= 60; n++ {
		r := p.main(nil)
		if len(r.Outcome.Changes) == 0 {
			continue
		}
		want := fmt.Sprintf("it ran clean on %d commits since it last flaked", n)
		if c := r.Outcome.Changes[0]; n < 10 || !c.Released || c.Reason != want {
			t.Errorf("after %d clean commits: %+v, want %q", n, c, want)
		}
		return
	}
	t.Error("it stays")
}

func TestAMergeGroupsOwnTestIsNotExcused(t *testing.T) {
	usual := failures{0: "F TimeoutError: Timeout 7000ms exceeded"}
	p := newProject(t)
	p.green(10)
	p.flake(0)
	p.changedBy = map[int][]string{13: {"login.spec.ts"}}
	if r := p.group(usual, 12, 14); r.Exit != ci.ExitPass {
		t.Errorf("without the pull request that changes its file: %+v", r.Outcome.Verdict.Blocking)
	}
	p.main(nil)
	if r := p.group(usual, 12, 13); r.Exit != ci.ExitBlocked || r.Outcome.Verdict.Blocking[0].Guard != "this pull request changes the test's own file login.spec.ts" {
		t.Errorf("with it: exit %d, %+v", r.Exit, r.Outcome.Verdict)
	}
}

func TestAPullRequestDoesNotExcuseItselfInTheMergeQueue(t *testing.T) {
	p := newProject(t)
	p.green(10)
	for range 4 {
		p.group(failures{0: "FP TimeoutError: Timeout 30000ms exceeded"}, 12)
		p.green(1)
	}
	if r := p.group(failures{0: "F TimeoutError: Timeout 7000ms exceeded"}, 12); r.Exit != ci.ExitBlocked {
		t.Errorf("its own runs in the queue excuse it: exit %d, %+v", r.Exit, r.Outcome.Verdict.Excused)
	}
}

func TestAPullRequestsOwnTestIsNotExcused(t *testing.T) {
	usual := failures{0: "F TimeoutError: Timeout 7000ms exceeded"}
	p := newProject(t)
	p.green(10)
	p.flake(0)
	for i, c := range []struct {
		name    string
		changed []string
		err     error
		guard   string
	}{
		{"another file", []string{"cart.spec.ts", "not-login.spec.ts"}, nil, ""},
		{"its file", []string{"cart.spec.ts", "login.spec.ts"}, nil, "this pull request changes the test's own file login.spec.ts"},
		{"its file in a folder", []string{"e2e/login.spec.ts"}, nil, "this pull request changes the test's own file e2e/login.spec.ts"},
		{"more files than are listed", nil, errors.New("GitHub lists 3000 files at most"),
			"nobody knows whether this pull request changes the test's own file: GitHub lists 3000 files at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.t, p.changed, p.changedErr = t, c.changed, c.err
			p.main(nil)
			r := p.pull(20+i, usual)
			if got := guardsOf(r); got != c.guard || (len(r.Outcome.Verdict.Excused) == 1) != (c.guard == "") {
				t.Errorf("guard %q, want %q; excused %d", got, c.guard, len(r.Outcome.Verdict.Excused))
			}
		})
	}
}

// guardsOf returns why failures of quarantined tests block.
func guardsOf(r ci.Result) string {
	var guards []string
	for _, f := range r.Outcome.Verdict.Blocking {
		guards = append(guards, f.Guard)
	}
	return strings.Join(guards, "; ")
}

func TestATestWhoseFileTheReportDoesNotNameIsLookedForInTheCheckout(t *testing.T) {
	usual := failures{0: "F TimeoutError: Timeout 7000ms exceeded"}
	for _, c := range []struct{ name, class, changed, guard string }{
		{"its file", "shop.CartTest", "src/test/java/shop/CartTest.java", "this pull request changes the test's own file src/test/java/shop/CartTest.java"},
		{"another file", "shop.CartTest", "src/test/java/shop/LoginTest.java", ""},
		{"a class that is not there", "shop.GoneTest", "src/Any.java", "nobody knows in which file the test stands, and it may be one that this pull request changes, such as src/Any.java: " +
			"the report names none, and the test's name leads to none"},
		{"a class that is not there, and prose", "shop.GoneTest", "README.md", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			p.class, p.changed = c.class, []string{c.changed}
			var source strings.Builder
			for i := range suiteSize {
				fmt.Fprintf(&source, "  @Test @DisplayName(\"case %02d\") void test%[1]d() {}\n", i)
			}
			writeFile(t, filepath.Join(p.cfg.Repo, "src", "test", "java", "shop", "CartTest.java"), "package shop;\nclass CartTest {\n"+source.String()+"}\n")
			p.green(10)
			p.flake(0)
			r := p.pull(20, usual)
			if guard := guardsOf(r); guard != c.guard || (r.Exit == ci.ExitPass) != (c.guard == "") {
				t.Errorf("exit %d, guard %q, want %q", r.Exit, guard, c.guard)
			}
		})
	}
}

func TestAKnownErrorIsExcusedOnlyOfTheSameLocatorAndPlace(t *testing.T) {
	visible := failures{0: "F expect(locator).toBeVisible() failed"}
	at := func(locator string, line int) string {
		return fmt.Sprintf("Locator: %s&#10;Timeout: 5000ms&#10;    at pay (/home/runner/work/shop/shop/pages/cart.ts:%d:9)&#10;    at /home/runner/work/shop/shop/login.spec.ts:3:5", locator, line)
	}
	p := newProject(t)
	page := filepath.Join(p.cfg.Repo, "pages", "cart.ts")
	code := "await expect(this.button).toBeVisible();\nawait expect(this.sum).toBeVisible();\n"
	writeFile(t, page, code)
	p.detail = at("getByRole('button')", 1)
	p.green(10)
	for range 2 {
		p.main(failures{0: "FP expect(locator).toBeVisible() failed"})
		p.green(1)
	}
	for i, c := range []struct {
		name, detail, code string
		excused            bool
	}{
		{"the same", at("getByRole('button')", 1), code, true},
		{"another locator", at("getByRole('link')", 1), code, false},
		{"another place", at("getByRole('button')", 2), code, false},
		{"neither", "nothing more", code, false},
		{"two lines further down", at("getByRole('button')", 3), "//\n//\n" + code, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.t, p.detail = t, c.detail
			writeFile(t, page, c.code)
			if r := p.pull(30+i, visible); (r.Exit == ci.ExitPass) != c.excused {
				t.Errorf("exit %d, %+v", r.Exit, r.Outcome.Verdict)
			}
		})
	}
}

func TestAnEntryExpiresAfter30Days(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.flake(0)
	since := p.now.Add(-time.Hour)
	p.now = since.Add(flaky.Expiry - time.Second)
	if r := p.main(failures{0: "F TimeoutError: Timeout 1ms exceeded"}); r.Exit != ci.ExitPass || len(r.Outcome.Changes) > 0 {
		t.Fatalf("a second before: exit %d, changes %+v", r.Exit, r.Outcome.Changes)
	}
	p.now = since.Add(flaky.Expiry)
	r := p.run(engine.RunInfo{DefaultBranch: true, Branch: "main"}, failures{1: "F Error: x"})
	if len(r.Outcome.Changes) != 1 || !r.Outcome.Changes[0].Released || r.Outcome.Changes[0].Reason != "expired after 30 days" || len(r.Outcome.Quarantine) != 0 {
		t.Errorf("after 30 days: changes %+v, quarantine %+v", r.Outcome.Changes, r.Outcome.Quarantine)
	}
	p.green(1)
	if r := p.main(failures{0: "F TimeoutError: Timeout 1ms exceeded"}); r.Exit != ci.ExitBlocked {
		t.Error("an expired entry still excuses")
	}
}

// A run that comes late can move the time at which a test proved to be flaky behind that
// of its entry. When both had their own 30 days, the entry ended first, and one more flake
// brought it back with its old evidence.
func TestAnEntryExpiresWithItsEvidence(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.flake(0)
	since := p.now.Add(-time.Hour)
	p.moveEntries(-24 * time.Hour)
	p.now = since.Add(flaky.Expiry - 12*time.Hour)
	if r := p.main(nil); len(r.Outcome.Changes) > 0 {
		t.Errorf("the evidence is younger than 30 days: changes %+v", r.Outcome.Changes)
	}
	p.now = since.Add(flaky.Expiry)
	if r := p.main(nil); len(r.Outcome.Changes) != 1 || r.Outcome.Changes[0].Reason != "expired after 30 days" {
		t.Errorf("after 30 days: changes %+v", r.Outcome.Changes)
	}
	if r := p.main(failures{0: "FP TimeoutError: Timeout 1ms exceeded"}); len(r.Outcome.Changes) > 0 {
		t.Errorf("one new flake: changes %+v", r.Outcome.Changes)
	}
}

// moveEntries moves the time of the quarantine's entries.
func (p *project) moveEntries(by time.Duration) {
	p.t.Helper()
	db, err := sql.Open("sqlite", p.cfg.DB)
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(p.t.Context(), "UPDATE quarantine SET quarantined_at = quarantined_at + ?", by.Seconds()); err != nil {
		p.t.Fatal(err)
	}
}

// Moved to another file and then called another name, a test keeps its place in
// quarantine, its evidence and its count of clean runs.
func TestAMovedAndRenamedTestStaysInQuarantineAsItWas(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.flake(0)
	p.green(2)
	if err := os.Rename(filepath.Join(p.cfg.Repo, "login.spec.ts"), filepath.Join(p.cfg.Repo, "account.spec.ts")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, title, wayOut, said string }{
		{"account.spec.ts", "case 00", "58 of 60 clean runs to go",
			fmt.Sprintf(`%d tests go on under other names, and their history stays; the first of them is "login.spec.ts › case 00", now "account.spec.ts › case 00"`, suiteSize)},
		{"account.spec.ts", "signs in", "58 of 60 clean runs to go", `"account.spec.ts › case 00" goes on as "account.spec.ts › signs in": its history stays`},
	} {
		p.file, p.titles = c.file, map[int]string{0: c.title}
		id := c.file + " › " + c.title
		r := p.main(failures{0: "F TimeoutError: Timeout 7000ms exceeded"})
		if len(r.Outcome.Verdict.Excused) != 1 || r.Outcome.Verdict.Excused[0].Result.ID != engine.TestID(id) {
			t.Errorf("%s: excused %+v, blocking %+v", id, r.Outcome.Verdict.Excused, r.Outcome.Verdict.Blocking)
		}
		held := r.Outcome.Quarantine
		if len(held) != 1 || held[0].TestID != engine.TestID(id) || len(held[0].Commits) != 2 || !strings.HasPrefix(held[0].ExitCriteria(), c.wayOut) {
			t.Errorf("%s: in quarantine %+v, want one that has %s", id, held, c.wayOut)
		}
		if len(r.Outcome.Changes) > 0 {
			t.Errorf("%s: changes %+v", id, r.Outcome.Changes)
		}
		if said := r.Outcome.Warnings(); len(said) != 1 || said[0].Reason != c.said {
			t.Errorf("%s: warnings %+v, want %q", id, said, c.said)
		}
	}
}

func TestAFullQuarantineSaysWhatFoundNoRoom(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.flake(0)
	p.flake(1)
	r := p.flake(2)
	if _, in := entered(r, id(2)); in || len(r.Outcome.Quarantine) != 2 {
		t.Errorf("quarantine holds %d tests of %d, at most 5 %% may be in it", len(r.Outcome.Quarantine), suiteSize)
	}
	want := fmt.Sprintf("quarantine is full at 2 tests: 1 test proved flaky and found no room: %q", id(2))
	if !slices.ContainsFunc(r.Outcome.Warnings(), func(n engine.Notice) bool { return n.Reason == want }) {
		t.Errorf("warnings %+v, want %q", r.Outcome.Warnings(), want)
	}
}

// A test that the configuration never quarantines and one that a person released take
// no room from those that proved to be flaky.
func TestOnlyTestsThatAreInsideTakeRoom(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.cfg.Never = []string{"*case 00"}
	p.flake(0)
	p.flake(1)
	if r := p.flake(2); len(r.Outcome.Quarantine) != 2 {
		t.Errorf("in quarantine are %d tests, want 2: never takes no room", len(r.Outcome.Quarantine))
	}
	p.release(id(1))
	if _, in := entered(p.flake(3), id(3)); !in {
		t.Error("a test that was released by hand takes room")
	}
}

// A run that does not execute a test brings no new evidence of it, whatever its last
// execution showed.
func TestWhatAPersonReleasedDoesNotComeBackByItsLastFlake(t *testing.T) {
	p := newProject(t)
	p.green(10)
	p.flake(0)
	p.release(id(0))
	p.absent = map[int]bool{0: true}
	if _, in := entered(p.main(nil), id(0)); in {
		t.Error("its last flake was taken for a new one")
	}
	p.absent = nil
	if _, in := entered(p.main(failures{0: "FP TimeoutError: Timeout 1ms exceeded"}), id(0)); !in {
		t.Error("a new flake does not bring it back")
	}
}

// release releases a test by hand.
func (p *project) release(test string) {
	p.t.Helper()
	db, err := sqlite.Open(p.t.Context(), p.cfg.DB, sqlite.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	released, err := db.QuarantineRelease(p.t.Context(), engine.TestID(test), "ada", "mended", p.now)
	if err != nil || !released {
		p.t.Fatal(released, err)
	}
	if err := db.Save(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// A test that fails always, or always in one environment and never in the
// other, is broken and not flaky, retried or not.
func TestBrokenAndEnvironmentConstantTestsAreNeverQuarantined(t *testing.T) {
	p := newProject(t)
	for run := range 40 {
		var xml strings.Builder
		for _, environment := range []string{"chromium", "webkit"} {
			fmt.Fprintf(&xml, `<testsuite name="login.spec.ts" hostname="%s" time="%d"><properties/>`, environment, run)
			for i := range suiteSize {
				fmt.Fprintf(&xml, `<testcase name="case %02d" classname="login.spec.ts" time="1">`, i)
				if i == 0 || i == 1 && environment == "webkit" || i == 2 && environment == "webkit" && run > 20 {
					xml.WriteString(`<failure message="Error: x">Error: x</failure><rerunFailure message="Error: x">Error: x</rerunFailure>`)
				}
				xml.WriteString("</testcase>")
			}
			xml.WriteString("</testsuite>")
		}
		writeFile(t, p.cfg.JUnit[0], `<testsuites id="" name="">`+xml.String()+"</testsuites>")
		cfg := p.cfg
		cfg.Info = engine.RunInfo{RepositoryID: 7, RunID: int64(run + 1), RunAttempt: 1, DefaultBranch: true, Commit: fmt.Sprintf("%040x", run), StartedAt: p.now}
		d := deps()
		d.Now = func() time.Time { return p.now }
		p.now = p.now.Add(time.Hour)
		r, err := ci.Run(t.Context(), cfg, d)
		if err != nil {
			t.Fatal(err)
		}
		want := 3
		if run > 20 {
			want = 4
		}
		if len(r.Outcome.Verdict.Blocking) != want || len(r.Outcome.Quarantine) > 0 {
			t.Fatalf("run %d: %d block, want %d; in quarantine %+v", run, len(r.Outcome.Verdict.Blocking), want, r.Outcome.Quarantine)
		}
	}
}

// A pull request that flips tests 1,000 times changes nothing on the default
// branch: not who is in quarantine, not why, not what blocks.
func TestAPullRequestThatFlips1000TimesChangesNoVerdictOfTheDefaultBranch(t *testing.T) {
	play := func(poison bool) []string {
		p := newProject(t)
		p.green(10)
		p.flake(0)
		if poison {
			p.poison(promise.Count("flips"))
			for i := range 6 {
				p.pull(666, failures{0: "F Error: another", 1: []string{"F Error: new", "FP Error: new"}[i%2]})
			}
		}
		var verdicts []string
		for _, failed := range []failures{
			nil,
			{0: "F TimeoutError: Timeout 9ms exceeded", 1: "F Error: new"},
			nil,
			{0: "F Error: another"},
			{1: "FP Error: new"},
			{1: "F Error: new", 2: "F Error: flip"},
			nil,
		} {
			p.runs, p.now = 5000+int64(len(verdicts)), time.Date(2026, 10, 10, len(verdicts), 0, 0, 0, time.UTC)
			verdicts = append(verdicts, decisions(p.main(failed)))
		}
		return verdicts
	}
	clean := play(false)
	if !slices.ContainsFunc(clean, func(s string) bool { return strings.Contains(s, "excused "+id(0)) }) {
		t.Fatalf("nothing was excused: the comparison shows nothing\n%s", strings.Join(clean, "\n"))
	}
	if diff := gocmp.Diff(clean, play(true)); diff != "" {
		t.Errorf("default branch (-without +with the pull request):\n%s", diff)
	}
}

// poison records runs of a pull request that flips tests 1 and 2 and breaks
// test 0, as its CI would.
func (p *project) poison(runs int) {
	db, err := sqlite.Open(p.t.Context(), p.cfg.DB, sqlite.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	for i := range runs {
		p.now = p.now.Add(time.Second)
		run := store.Run{ReportDigest: fmt.Sprint("evil-", i), Now: p.now, Info: engine.RunInfo{RepositoryID: 7, RunID: int64(100_000 + i), RunAttempt: 1,
			Job: "e2e", PullRequest: 666, Commit: fmt.Sprintf("%040x", i/2), StartedAt: p.now}}
		for number := range suiteSize {
			r := engine.TestResult{ID: engine.TestID(id(number)), Attempts: []engine.Attempt{{Status: engine.StatusPassed}}}
			flips := number < 3 && (i+number)%2 == 0
			if flips {
				r.Attempts[0] = engine.Attempt{Status: engine.StatusFailed, Message: []string{"Error: another", "Error: new", "Error: flip"}[number]}
			}
			if flips && i%3 == 0 {
				r.Attempts = append(r.Attempts, engine.Attempt{Status: engine.StatusPassed})
			}
			run.Results = append(run.Results, r)
		}
		if _, err := db.RecordRun(p.t.Context(), run); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := db.Save(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// decisions returns what a run decides, in one line.
func decisions(r ci.Result) string {
	text := fmt.Sprint("exit ", r.Exit)
	for _, f := range r.Outcome.Verdict.Blocking {
		text += "; blocks " + string(f.Result.ID) + " " + f.Guard
	}
	for _, f := range r.Outcome.Verdict.Excused {
		text += "; excused " + string(f.Result.ID) + " " + f.Excuse
	}
	for _, c := range r.Outcome.Changes {
		text += fmt.Sprintf("; change %+v", c)
	}
	for _, e := range r.Outcome.Quarantine {
		text += fmt.Sprintf("; held %+v", e)
	}
	return text
}

// The configuration's word on a test counts, and the log says whose word it is
// and since when.
func TestTheLogSaysWhatTheConfigurationDecidedAndWhen(t *testing.T) {
	p := newProject(t)
	p.cfg.File = ".breadcrumb.yml"
	place := func(line int) ci.Origin {
		return ci.Origin{Place: fmt.Sprint(".breadcrumb.yml line ", line), File: true}
	}
	p.cfg.Origins = map[string]ci.Origin{}
	for _, name := range []string{ci.SettingPolicy, ci.SettingMaxQuarantine, ci.SettingAlways, ci.SettingNever, ci.SettingMissing, ci.SettingConfirm} {
		p.cfg.Origins[name] = ci.Origin{Place: "default"}
	}
	p.green(10)
	p.flake(0)
	p.cfg.Never, p.cfg.Origins[ci.SettingNever] = []string{"*case 00"}, place(3)
	p.cfg.Always, p.cfg.Origins[ci.SettingAlways] = []string{"*case 07"}, place(2)
	r := p.main(failures{7: "F Error: x"})
	if r.Exit != ci.ExitPass || len(r.Outcome.Changes) != 1 || r.Outcome.Changes[0].Reason != "the configuration says never: *case 00 (.breadcrumb.yml line 3)" {
		t.Errorf("exit %d, changes %+v", r.Exit, r.Outcome.Changes)
	}
	p.green(1)
	p.cfg.Always, p.cfg.Origins[ci.SettingAlways] = nil, ci.Origin{Place: "default"}
	if r := p.main(failures{7: "F Error: x"}); r.Exit != ci.ExitBlocked {
		t.Error("a test is excused that the configuration no longer names")
	}
	want := []string{
		"add " + id(0) + " by breadcrumb",
		"setting quarantine-always in .breadcrumb.yml by .breadcrumb.yml line 2 at commit c00000e: *case 07",
		"setting quarantine-never in .breadcrumb.yml by .breadcrumb.yml line 3 at commit c00000e: *case 00",
		"release " + id(0) + " by .breadcrumb.yml line 3 at commit c00000e",
		"setting quarantine-always in .breadcrumb.yml by default at commit c000010: ",
	}
	if diff := gocmp.Diff(want, p.log()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// A glob that matches no test does nothing, which is told with where it stands. A job that
// runs seldom has tests, too, and one that was removed has none.
func TestGlobsThatMatchNoTestAreTold(t *testing.T) {
	p := newProject(t)
	p.cfg.File, p.cfg.Missing = ".breadcrumb.yml", ci.MissingWarn
	p.titles, p.absent = map[int]string{3: "weekly case"}, map[int]bool{4: true}
	p.run(engine.RunInfo{DefaultBranch: true, Branch: "main", Job: "weekly"}, nil)
	p.titles, p.absent = nil, nil
	p.green(22)
	p.absent = map[int]bool{4: true}
	p.green(1)
	told := func(r ci.Result) (all []string) {
		for _, n := range r.Outcome.Warnings() {
			if strings.HasPrefix(n.Reason, "no known test") {
				all = append(all, n.Reason)
			}
		}
		return all
	}
	p.cfg.Never, p.cfg.Always = []string{"*case 04", "*case 05", "*weekly case"}, []string{"e2e/legacy/**"}
	want := []string{
		"no known test matches what the configuration says of the quarantine, always: \"e2e/legacy/**\"",
		"no known test matches what the configuration says of the quarantine, never: \"*case 04\"",
	}
	if diff := gocmp.Diff(want, told(p.main(nil))); diff != "" {
		t.Errorf("without places (-want +got):\n%s", diff)
	}
	p.cfg.Origins = map[string]ci.Origin{}
	for _, name := range []string{ci.SettingPolicy, ci.SettingMaxQuarantine, ci.SettingAlways, ci.SettingNever, ci.SettingMissing, ci.SettingConfirm} {
		p.cfg.Origins[name] = ci.Origin{Place: ".breadcrumb.yml line 2", File: true}
	}
	want[0] += " (.breadcrumb.yml line 2)"
	want[1] += " (.breadcrumb.yml line 2)"
	if diff := gocmp.Diff(want, told(p.main(nil))); diff != "" {
		t.Errorf("on the default branch (-want +got):\n%s", diff)
	}
	p.cfg.Never, p.cfg.Always, p.cfg.Origins[ci.SettingAlways] = []string{"*case 06"}, nil, ci.Origin{Place: "default"}
	want[0] = strings.Replace(want[0], "line 2", "of the default branch", 1)
	want[1] = strings.Replace(want[1], "line 2", "line 2, or .breadcrumb.yml of the default branch", 1)
	if diff := gocmp.Diff(want, told(p.pull(9, nil))); diff != "" {
		t.Errorf("on a pull request (-want +got):\n%s", diff)
	}
}

// log returns the quarantine log, a sentence a line.
func (p *project) log() []string {
	db, err := sqlite.Open(p.t.Context(), p.cfg.DB, sqlite.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	log, err := db.QuarantineLog(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for _, e := range log {
		switch {
		case e.Setting:
			out = append(out, fmt.Sprintf("setting %s by %s: %s", e.Change.TestID, e.Who, e.Change.Reason))
		case e.Change.Released:
			out = append(out, fmt.Sprintf("release %s by %s", e.Change.TestID, e.Who))
		default:
			out = append(out, fmt.Sprintf("add %s by %s", e.Change.TestID, e.Who))
		}
	}
	return out
}

// A pull request could write what it likes into the settings file of its own
// checkout. What decides over excuses counts there as the default branch has it.
func TestAPullRequestCannotExcuseItselfByItsSettingsFile(t *testing.T) {
	p := newProject(t)
	p.cfg.File = ".breadcrumb.yml"
	p.cfg.Origins = map[string]ci.Origin{}
	for _, name := range []string{ci.SettingPolicy, ci.SettingMaxQuarantine, ci.SettingAlways, ci.SettingNever, ci.SettingMissing, ci.SettingConfirm} {
		p.cfg.Origins[name] = ci.Origin{Place: ".breadcrumb.yml line 2", File: true}
	}
	p.cfg.MaxQuarantine, p.cfg.Missing = flaky.DefaultShare, ci.MissingAuto
	p.green(2)
	theirs := p.cfg
	p.cfg.Always, p.cfg.Missing, p.cfg.MaxQuarantine = []string{"**"}, ci.MissingWarn, 1
	p.cfg.Confirm = flaky.ConfirmNever
	r := p.pull(9, failures{5: "F Error: x"})
	if r.Exit != ci.ExitBlocked {
		t.Error("a pull request put its own test into quarantine")
	}
	for _, name := range []string{"quarantine-always", "missing", "max-quarantine", "confirm"} {
		if !slices.ContainsFunc(r.Outcome.Warnings(), func(n engine.Notice) bool { return strings.HasPrefix(n.Reason, name+":") }) {
			t.Errorf("nothing is said of %s: %+v", name, r.Outcome.Warnings())
		}
	}
	// Merged, it counts; and what the default branch says counts on a pull
	// request that takes it out of its own file, except that never may grow.
	p.cfg.Always, p.cfg.Missing, p.cfg.MaxQuarantine = []string{"*case 05", "*case 06"}, ci.MissingWarn, .1
	p.green(1)
	p.cfg = theirs
	p.cfg.Never = []string{"*case 06"}
	if r := p.pull(9, failures{5: "F Error: x"}); r.Exit != ci.ExitPass {
		t.Errorf("exit %d: the default branch always quarantines the test", r.Exit)
	}
	if r := p.pull(9, failures{6: "F Error: x"}); r.Exit != ci.ExitBlocked {
		t.Error("a pull request may say never")
	}
	// A workflow's own input is not the checkout's file.
	p.cfg.Always, p.cfg.Origins[ci.SettingAlways] = []string{"*case 01"}, ci.Origin{Place: "input quarantine-always"}
	if r := p.pull(9, failures{1: "F Error: x"}); r.Exit != ci.ExitPass {
		t.Errorf("exit %d: the workflow says always", r.Exit)
	}
}
